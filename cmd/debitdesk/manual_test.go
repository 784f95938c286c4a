package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"debitdesk/models/database/postgres"
	"debitdesk/static"
)

// manualText is a chapter of the manual as it is written.
func manualText(t *testing.T, chapter string) string {
	t.Helper()
	text, err := fs.ReadFile(static.Manual, "manual/"+chapter+".md")
	must(t, err)
	return string(text)
}

// eachChapter calls see with every chapter, and with the README.
func eachChapter(t *testing.T, see func(name, text string)) {
	t.Helper()
	names, err := fs.Glob(static.Manual, "manual/*.md")
	must(t, err)
	for _, name := range names {
		chapter := strings.TrimSuffix(filepath.Base(name), ".md")
		see(chapter, manualText(t, chapter))
	}
	readme, err := os.ReadFile("../../README.md")
	must(t, err)
	see("README", string(readme))
}

// settings are the environment variables that the program reads.
func settings() []string {
	return append(settingsOf(reflect.TypeFor[Config](), ""), postgres.EnvBinaries)
}

func settingsOf(config reflect.Type, prefix string) (out []string) {
	for i := range config.NumField() {
		field := config.Field(i)
		if part := field.Tag.Get("envPrefix"); part != "" {
			out = append(out, settingsOf(field.Type, prefix+part)...)
			continue
		}
		out = append(out, prefix+field.Tag.Get("env"))
	}
	return out
}

// notOurs are variables that the texts speak of and the program does not read.
var notOurs = []string{"DEBITDESK_TOKEN", "DEBITDESK_SCREENSHOTS"}

func TestTheManualNamesEverySettingAndNoOther(t *testing.T) {
	t.Parallel()
	known := settings()
	named := regexp.MustCompile(`\b(?:DEBITDESK|DATABASE|LISTEN)_[A-Z_]+\b`)
	eachChapter(t, func(name, text string) {
		for _, one := range named.FindAllString(text, -1) {
			if !slices.Contains(known, one) && !slices.Contains(notOurs, one) {
				t.Errorf("%s speaks of %s, which the program does not read", name, one)
			}
		}
	})
	table := manualText(t, "configuration")
	for _, one := range known {
		if !strings.Contains(table, "`"+one+"`") {
			t.Errorf("the chapter on configuration does not name %s", one)
		}
	}
}

// commandLines are the calls of the program in a text: in code, up to its end or a sign of the shell.
var commandLines = regexp.MustCompile("(?m)(?:`|^|\\| )(?:bin/)?debitdesk ([a-z][^`\n|#&;]*)")

func TestTheManualNamesEveryCommandAndNoOther(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	must(t, err)
	var all []string
	for _, leaf := range parser.Model.Leaves(false) {
		all = append(all, leaf.Path())
	}
	used := map[string]bool{}
	eachChapter(t, func(name, text string) {
		for _, m := range commandLines.FindAllStringSubmatch(text, -1) {
			line := strings.Join(strings.Fields(m[1]), " ")
			leaf := leafOf(parser.Model.Leaves(false), line)
			if leaf == nil {
				t.Errorf("%s speaks of the command %q, which there is not", name, line)
				continue
			}
			used[name+" "+leaf.Path()] = true
			for _, flag := range regexp.MustCompile(`--([a-z0-9-]+)`).FindAllStringSubmatch(line, -1) {
				if !hasFlag(leaf, flag[1]) {
					t.Errorf("%s: %q has no --%s", name, leaf.Path(), flag[1])
				}
			}
		}
	})
	for _, path := range all {
		if !used["configuration "+path] {
			t.Errorf("the chapter on configuration does not name %q", path)
		}
	}
}

// leafOf is the command that a line calls.
func leafOf(leaves []*kong.Node, line string) *kong.Node {
	for _, leaf := range leaves {
		if line == leaf.Path() || strings.HasPrefix(line+" ", leaf.Path()+" ") {
			return leaf
		}
	}
	for _, leaf := range leaves { // one that need not be named
		if of := leaf.Parent; of != nil && of.DefaultCmd == leaf && strings.HasPrefix(line+" ", of.Path()+" ") {
			return leaf
		}
	}
	return nil
}

func hasFlag(leaf *kong.Node, name string) bool {
	for _, group := range leaf.AllFlags(false) {
		for _, f := range group {
			if f.Name == name {
				return true
			}
		}
	}
	return false
}

// The flags that the table of commands mentions beside a command are checked, too.
func TestTheManualNamesFlagsThatExist(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	must(t, err)
	for _, row := range regexp.MustCompile("(?m)^\\| `debitdesk ([^`]+)` \\|(.*)$").FindAllStringSubmatch(manualText(t,
		"configuration"), -1) {
		leaf := leafOf(parser.Model.Leaves(false), row[1])
		for _, flag := range regexp.MustCompile("`--([a-z0-9-]+)").FindAllStringSubmatch(row[2], -1) {
			if leaf == nil || !hasFlag(leaf, flag[1]) {
				t.Errorf("%q has no --%s", row[1], flag[1])
			}
		}
	}
}

func TestTheManualNamesMakeTargetsFilesAndTestsThatExist(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	must(t, err)
	tests := testNames(t, root)
	eachChapter(t, func(name, text string) {
		for _, m := range regexp.MustCompile("(?m)(?:`|^)make ([a-z]+)").FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`(?m)^` + m[1] + `:`).Match(makefile) {
				t.Errorf("%s speaks of make %s, which there is not", name, m[1])
			}
		}
		for _, word := range codeWord.FindAllStringSubmatch(text, -1) {
			checkExists(t, root, name, word[1], tests)
			if ours := regexp.MustCompile(`^(?:cmd|handlers|models|views|static|migrations)(?:/[\w.-]+)*$`).FindString(
				word[1]); ours != "" {
				if _, err := os.Stat(filepath.Join(root, ours)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
}

func TestTheReadmeIsShortAndItsLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	must(t, err)
	if lines := strings.Count(string(readme), "\n"); lines > 300 {
		t.Errorf("the README has %d lines; the manual holds what a newcomer does not need", lines)
	}
	for _, m := range regexp.MustCompile(`(?:\]\(|src=")([^)"]+)`).FindAllStringSubmatch(string(readme), -1) {
		if _, err := os.Stat(filepath.Join("..", "..", m[1])); err != nil {
			t.Error(err)
		}
	}
	names, err := fs.Glob(static.Manual, "manual/*.md")
	must(t, err)
	for _, name := range names {
		if !strings.Contains(string(readme), "(static/"+name+")") && name != "manual/index.md" {
			t.Errorf("the README does not lead to %s", name)
		}
	}
}

// Every picture is shown somewhere, and every picture that is taken has its place.
func TestPicturesAreShown(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	eachChapter(t, func(_, text string) {
		for _, m := range regexp.MustCompile(`pictures/([a-z-]+\.png)`).FindAllStringSubmatch(text, -1) {
			shown[m[1]] = true
		}
	})
	files, err := fs.Glob(static.Manual, "manual/pictures/*.png")
	must(t, err)
	for _, file := range files {
		if !shown[filepath.Base(file)] {
			t.Errorf("%s is not shown", file)
		}
	}
	for look, one := range album {
		if !shown[one.file] {
			t.Errorf("%s of %s is taken and not shown", one.file, look)
		}
	}
}

func TestTheManualNamesMetricsThatExist(t *testing.T) {
	t.Parallel()
	source := ""
	for _, pattern := range []string{"*.go", "../../handlers/*.go"} {
		paths, err := filepath.Glob(pattern)
		must(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			must(t, err)
			source += string(text)
		}
	}
	eachChapter(t, func(name, text string) {
		for _, metric := range regexp.MustCompile("`debitdesk_([a-z_]+)").FindAllStringSubmatch(text, -1) {
			if !strings.Contains(source, `"`+metric[1]+`"`) && !strings.Contains(source, `"debitdesk_`+metric[1]+`"`) {
				t.Errorf("%s speaks of the metric debitdesk_%s, which there is not", name, metric[1])
			}
		}
	})
}

func TestTheManualNamesEveryDependencyWithItsReason(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	must(t, err)
	direct, _, _ := strings.Cut(string(mod), "\n)")
	var listed, wanted []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(direct, -1) {
		wanted = append(wanted, m[1])
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+) \\| [^|]+ \\|$").FindAllStringSubmatch(
		manualText(t, "dependencies"), -1) {
		for _, word := range codeWord.FindAllStringSubmatch(row[1], -1) {
			listed = append(listed, word[1])
		}
	}
	for _, module := range wanted {
		if count(listed, module) != 1 {
			t.Errorf("the chapter names %s %d times", module, count(listed, module))
		}
	}
	for _, module := range listed {
		if !slices.Contains(wanted, module) {
			t.Errorf("the chapter names %s, which the program does not use", module)
		}
	}
	if len(wanted) < 20 {
		t.Errorf("only %d modules were found in go.mod", len(wanted))
	}
}
