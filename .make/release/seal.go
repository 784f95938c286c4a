package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// statement tells where the files of a release come from, in the form of in-toto and SLSA. It is as reproducible as
// the files are: it names no machine and no time.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     predicate `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type predicate struct {
	Build struct {
		Type     string            `json:"buildType"`
		External map[string]string `json:"externalParameters"`
		Internal map[string]string `json:"internalParameters"`
		Resolved []resource        `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	Run struct {
		Builder struct {
			ID string `json:"id"`
		} `json:"builder"`
	} `json:"runDetails"`
}

type resource struct {
	URI    string            `json:"uri"`
	Digest map[string]string `json:"digest,omitempty"`
}

// seal writes the statement and the sums, which the operator's key signs.
func (r *release) seal() error {
	files, err := r.sums()
	if err != nil {
		return err
	}
	s := statement{Type: "https://in-toto.io/Statement/v1", Subject: files,
		PredicateType: "https://slsa.dev/provenance/v1"}
	s.Predicate.Build.Type = "urn:debitdesk:make-release:1"
	s.Predicate.Build.External = map[string]string{"command": "make release", "version": r.version}
	s.Predicate.Build.Internal = map[string]string{"go": strings.TrimPrefix(r.goVersion(), "go")}
	s.Predicate.Run.Builder.ID = "urn:debitdesk:builder:unnamed"
	source := resource{URI: "git+debitdesk"}
	if r.commit != "" {
		source.Digest = map[string]string{"gitCommit": r.commit}
	}
	s.Predicate.Build.Resolved = []resource{source}
	for _, name := range []string{"go.mod", "go.sum", ".make/release/go.mod", ".make/release/go.sum"} {
		sum, err := sumOf(filepath.Join(r.tree, name))
		if err != nil {
			return err
		}
		s.Predicate.Build.Resolved = append(s.Predicate.Build.Resolved,
			resource{URI: "file:" + name, Digest: map[string]string{"sha256": sum}})
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.dist, "provenance.intoto.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	if files, err = r.sums(); err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s  %s\n", f.Digest["sha256"], f.Name)
	}
	return os.WriteFile(filepath.Join(r.dist, "SHA256SUMS"), []byte(b.String()), 0o644)
}

func (r *release) goVersion() string {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return runtime.Version()
	}
	return strings.TrimSpace(string(out))
}

// sums are those of all files, in the order of their names.
func (r *release) sums() (all []subject, err error) {
	err = filepath.WalkDir(r.dist, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(r.dist, path)
		if err != nil {
			return err
		}
		sum, err := sumOf(path)
		all = append(all, subject{filepath.ToSlash(name), map[string]string{"sha256": sum}})
		return err
	})
	slices.SortFunc(all, func(a, b subject) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

func sumOf(path string) (string, error) {
	content, err := os.ReadFile(path)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), err
}
