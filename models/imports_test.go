package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "debitdesk/"

// The packages of models that adapt the rules to a machine: they may import what rules may not.
var adapters = []string{"models/database", "models/keyfile", "models/storetest", "models/jobs", "models/bank/sandbox",
	"models/bank/banktest", "models/bank/files", "models/bank/acb", "models/bank/iso20022", "models/bank/simbank",
	"models/bank/courier", "models/mail/smtp", "models/sms/wire", "models/sms/bulksms", "models/sms/clickatell",
	"models/sms/generic", "models/sms/smstest", "models/webhook/post", "models/issuer/openid", "models/outbound"}

// vocabulary is what every rule may speak in; it imports nothing of ours but itself.
var vocabulary = []string{"models/money", "models/plural", "models/calendar", "models/rulebook", "models/fault",
	"models/actor",
	"models/queue", "models/paging", "models/replay", "models/dryrun",
	"models/weblink", "models/locale", "models/tint", "models/logo"}

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

// rows tells whether a file holds the queries of a concept, beside its rules. Such files
// speak SQL; the rules around them do not, and know of the database only its unit of work.
func rows(file string) bool {
	name := path.Base(file)
	return name == "rows.go" || strings.HasSuffix(name, "_rows.go")
}

// allImports calls see with every file outside tests and each path it imports.
func allImports(t *testing.T, see func(file, imported string)) {
	t.Helper()
	files := 0
	parseImports(t, func(file string, f *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		files++
		for _, i := range f.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			see(file, imported)
		}
	})
	if files < 50 {
		t.Fatalf("only %d files were looked at", files)
	}
}

// parseImports calls see with every file of ours, of which its package and its imports are known.
func parseImports(t *testing.T, see func(file string, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if folder := d.Name(); d.IsDir() && (folder == "data" || folder == "bin" || strings.HasPrefix(folder, ".") &&
			folder != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err == nil {
			see(strings.TrimPrefix(filepath.ToSlash(name), "../"), f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// storable are the vocabularies whose values say how they are stored.
var storable = []string{"models/calendar", "models/money"}

func TestRules_know_no_database_no_queue_no_HTTP(t *testing.T) {
	allImports(t, func(file, imported string) {
		if !within(file, "models") || within(file, adapters...) {
			return
		}
		for _, bad := range forbiddenToRules {
			if rows(file) && (bad == "gorm.io/" || bad == "github.com/jackc/" || imported == "database/sql/driver") {
				continue
			}
			if strings.HasPrefix(imported, bad) &&
				!(slices.Contains(storable, path.Dir(file)) && imported == "database/sql/driver") {
				t.Errorf("%s imports %s", file, imported)
			}
		}
		ours := strings.TrimPrefix(imported, module)
		if ours == "models/database" || rows(file) && within(ours, "models/database") {
			return
		}
		if ours != imported && within(ours, adapters...) {
			t.Errorf("%s imports the adapter %s", file, ours)
		}
	})
}

func TestVocabulary_imports_only_itself(t *testing.T) {
	allImports(t, func(file, imported string) {
		if ours := strings.TrimPrefix(imported, module); within(file, vocabulary...) && ours != imported &&
			!within(ours, vocabulary...) {
			t.Errorf("%s imports %s", file, ours)
		}
	})
}

// What every concept stands on must not stand on them.
func TestDatabase_knows_no_concept_but_what_every_change_writes(t *testing.T) {
	allImports(t, func(file, imported string) {
		if ours := strings.TrimPrefix(imported, module); within(file, "models/database") && ours != imported &&
			!within(ours, "models/database", "migrations") && !within(ours, vocabulary...) &&
			!within(ours, "models/audit", "models/mail") {
			t.Errorf("%s imports %s", file, ours)
		}
	})
}

// What requests share on the way to the database is machinery behind the unit of work. Go keeps others out of it; that
// it knows neither the unit of work nor a mapper, and that the adapters beside it do without it, is kept here.
func TestTheWireIsKnownToTheUnitOfWorkAlone(t *testing.T) {
	const wire = "models/database/internal/wire"
	allowed := []string{"models/database/table", "models/paging"}
	used := false
	allImports(t, func(file, imported string) {
		ours := strings.TrimPrefix(imported, module)
		switch {
		case ours == wire && path.Dir(file) != "models/database":
			t.Errorf("%s imports %s", file, ours)
		case ours == wire:
			used = true
		case path.Dir(file) != wire:
		case ours != imported && !slices.Contains(allowed, ours) || strings.HasPrefix(imported, "gorm.io/"):
			t.Errorf("%s imports %s", file, ours)
		}
	})
	if !used {
		t.Error("nothing imports " + wire)
	}
}

func TestModels_know_nothing_above_them(t *testing.T) {
	allImports(t, func(file, imported string) {
		if ours := strings.TrimPrefix(imported, module); within(file, "models") &&
			within(ours, "handlers", "views", "cmd", "static") {
			t.Errorf("%s imports %s", file, ours)
		}
	})
}

func TestViews_get_finished_words(t *testing.T) {
	allImports(t, func(file, imported string) {
		if ours := strings.TrimPrefix(imported, module); within(file, "views") && within(ours, "models", "handlers") {
			t.Errorf("%s imports %s", file, ours)
		}
	})
}

func TestPages_and_programs_meet_in_the_domain_only(t *testing.T) {
	allImports(t, func(file, imported string) {
		ours := strings.TrimPrefix(imported, module)
		if within(file, "handlers/web") && within(ours, "handlers/api") || within(file, "handlers/api") &&
			within(ours, "handlers/web") {
			t.Errorf("%s imports %s", file, ours)
		}
	})
}

func TestOnly_cmd_wires_the_adapters(t *testing.T) {
	allImports(t, func(file, imported string) {
		ours := strings.TrimPrefix(imported, module)
		if within(ours, "models/upkeep", "models/database/postgres", "models/keyfile", "models/jobs") &&
			!within(file, "cmd", "models/upkeep", "models/database", "models/keyfile", "models/jobs", ".make",
				"handlers/handlertest") {
			t.Errorf("%s imports %s", file, ours)
		}
	})
}

// What tests share opens databases of its own and knows the whole schema: nothing that serves may lean on it.
func TestOnlyTestsAndTheBenchUseWhatTestsOfRowsNeed(t *testing.T) {
	allImports(t, func(file, imported string) {
		ours := strings.TrimPrefix(imported, module)
		if within(ours, "models/storetest", "models/database/dbtest") && !within(file, "models/storetest", ".make",
			"handlers/handlertest") {
			t.Errorf("%s imports %s", file, ours)
		}
	})
}

// The simulated bank judges what the product writes, so it must not share its mistakes.
func TestTheSimulatedBankSharesNoCodeWithTheProduct(t *testing.T) {
	allImports(t, func(file, imported string) {
		if ours := strings.TrimPrefix(imported, module); path.Dir(file) == "models/bank/simbank" && ours != imported &&
			ours != "models/calendar" {
			t.Errorf("%s imports %s", file, ours)
		}
	})
}
