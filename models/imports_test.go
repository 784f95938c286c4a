package models_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "debitdesk/"

// The packages of models that adapt the rules to a machine: they may import what rules may not.
var adapters = []string{"models/store", "models/jobs", "models/bank/sandbox", "models/bank/banktest",
	"models/bank/files", "models/bank/iso20022", "models/bank/simbank", "models/bank/courier",
	"models/mail/smtp", "models/webhook/post"}

// vocabulary is what every rule may speak in; it imports nothing of ours but itself.
var vocabulary = []string{"models/money", "models/plural", "models/calendar", "models/fault", "models/actor",
	"models/queue", "models/paging", "models/replay", "models/dryrun"}

var forbiddenToRules = []string{"gorm.io/", "github.com/riverqueue/", "github.com/labstack/", "github.com/a-h/templ",
	"net/http", "database/sql", "github.com/jackc/"}

func within(path string, roots ...string) bool {
	for _, root := range roots {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}

// allImports calls see with every file outside tests and each path it imports.
func allImports(t *testing.T, see func(pkg, imported string)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "data" || name == "bin" || strings.HasPrefix(name, ".") && name != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		pkg := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(filepath.ToSlash(path), "../")))
		for _, i := range f.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			see(pkg, imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Fatalf("only %d files were looked at", files)
	}
}

// storable are the vocabularies whose values say how they are stored.
var storable = []string{"models/calendar", "models/money"}

func TestRules_know_no_database_no_queue_no_HTTP(t *testing.T) {
	allImports(t, func(pkg, imported string) {
		if !within(pkg, "models") || within(pkg, adapters...) {
			return
		}
		for _, bad := range forbiddenToRules {
			if strings.HasPrefix(imported, bad) && !(slices.Contains(storable, pkg) && imported == "database/sql/driver") {
				t.Errorf("%s imports %s", pkg, imported)
			}
		}
		if ours := strings.TrimPrefix(imported, module); ours != imported && within(ours, adapters...) {
			t.Errorf("%s imports the adapter %s", pkg, ours)
		}
	})
}

func TestVocabulary_imports_only_itself(t *testing.T) {
	allImports(t, func(pkg, imported string) {
		if ours := strings.TrimPrefix(imported, module); within(pkg, vocabulary...) && ours != imported &&
			!within(ours, vocabulary...) {
			t.Errorf("%s imports %s", pkg, ours)
		}
	})
}

func TestModels_know_nothing_above_them(t *testing.T) {
	allImports(t, func(pkg, imported string) {
		if ours := strings.TrimPrefix(imported, module); within(pkg, "models") &&
			within(ours, "handlers", "views", "cmd", "static") {
			t.Errorf("%s imports %s", pkg, ours)
		}
	})
}

func TestViews_get_finished_words(t *testing.T) {
	allImports(t, func(pkg, imported string) {
		if ours := strings.TrimPrefix(imported, module); within(pkg, "views") && within(ours, "models", "handlers") {
			t.Errorf("%s imports %s", pkg, ours)
		}
	})
}

func TestPages_and_programs_meet_in_the_domain_only(t *testing.T) {
	allImports(t, func(pkg, imported string) {
		ours := strings.TrimPrefix(imported, module)
		if within(pkg, "handlers/web") && within(ours, "handlers/api") || within(pkg, "handlers/api") &&
			within(ours, "handlers/web") {
			t.Errorf("%s imports %s", pkg, ours)
		}
	})
}

func TestOnly_cmd_wires_the_adapters(t *testing.T) {
	allImports(t, func(pkg, imported string) {
		ours := strings.TrimPrefix(imported, module)
		if within(ours, "models/store", "models/jobs") && !within(pkg, "cmd", "models/store", "models/jobs", ".make",
			"handlers/handlertest", "models/demo") {
			t.Errorf("%s imports %s", pkg, ours)
		}
	})
}

// The simulated bank judges what the product writes, so it must not share its mistakes.
func TestTheSimulatedBankSharesNoCodeWithTheProduct(t *testing.T) {
	allImports(t, func(pkg, imported string) {
		if ours := strings.TrimPrefix(imported, module); pkg == "models/bank/simbank" && ours != imported &&
			ours != "models/calendar" {
			t.Errorf("%s imports %s", pkg, ours)
		}
	})
}
