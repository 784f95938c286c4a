package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// SchemaFolder is where a bank's own schemas lie beside its profile: narrower than the published ones.
const SchemaFolder = "schema"

// validator is the program that holds a file against a schema. It is asked by bank check alone.
const validator = "xmllint"

// slowest is how long it may take over one file (ours).
const slowest = 30 * time.Second

var namespace = regexp.MustCompile(`targetNamespace\s*=\s*["']([^"']+)["']`)

// Judge writes an example of each kind that a profile offers, holds each against the bank's own schemas in its
// directory, and says how it went. An error says that one is not as it has to be.
func (p Profile) Judge(ctx context.Context, dir string) (lines []string, err error) {
	examples, err := p.Examples()
	if err != nil {
		return nil, err
	}
	for _, e := range examples {
		lines = append(lines, fmt.Sprintf("%s: an example is as %s allows: order, lengths and codes.", kindNames[e.Kind],
			e.Form))
	}
	schemas, err := filepath.Glob(filepath.Join(dir, SchemaFolder, "*.xsd"))
	if err != nil || len(schemas) == 0 {
		return append(lines, fmt.Sprintf("The bank’s own schemas, where it has any, belong into %s: each example is then "+
			"held against them.", filepath.Join(dir, SchemaFolder))), err
	}
	slices.Sort(schemas)
	if !installed(validator) {
		return append(lines, fmt.Sprintf("%d schemas lie in %s, and nothing was held against them: %s is not installed "+
			"(Debian: libxml2-utils).", len(schemas), filepath.Join(dir, SchemaFolder), validator)), nil
	}
	var wrong []error
	for _, path := range schemas {
		of, err := exampleFor(path, examples)
		switch {
		case err != nil:
			wrong = append(wrong, err)
		case of == nil:
			lines = append(lines, fmt.Sprintf("%s is of a message that this profile does not write.", filepath.Base(path)))
		default:
			if err := held(ctx, path, *of); err != nil {
				wrong = append(wrong, err)
				continue
			}
			lines = append(lines, fmt.Sprintf("%s: an example is valid by %s.", kindNames[of.Kind], filepath.Base(path)))
		}
	}
	return lines, errors.Join(wrong...)
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// mostSchemaHead is where a schema says what it is of.
const mostSchemaHead = 64 << 10

// exampleFor is the example that a schema is of: by its namespace, or by its name.
func exampleFor(path string, examples []Example) (*Example, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the directory
	if err != nil {
		return nil, fmt.Errorf("read the bank's schema: %w", err)
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, mostSchemaHead))
	if err != nil {
		return nil, fmt.Errorf("read the bank's schema: %w", err)
	}
	space := ""
	if m := namespace.FindSubmatch(head); m != nil {
		space = string(m[1])
	}
	for _, text := range []string{space, filepath.Base(path)} {
		for n, e := range examples {
			if strings.Contains(text, e.Form) {
				return &examples[n], nil
			}
		}
	}
	return nil, nil
}

// held holds an example against a schema. Nobody in it exists, so what the program says of it may be shown.
func held(ctx context.Context, schema string, e Example) error {
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	lint := exec.CommandContext(ctx, validator, "--noout", "--nonet", "--schema", schema, "-") //nolint:gosec // as above
	lint.Stdin = bytes.NewReader(e.Content)
	said, err := lint.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	lines = lines[:min(len(lines), 5)]
	return fmt.Errorf("%s written as %s are not valid by %s:\n    %s", lower(kindNames[e.Kind]), e.Form,
		filepath.Base(schema), strings.Join(lines, "\n    "))
}

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }
