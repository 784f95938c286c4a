package wording_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"debitdesk/models/wording"
)

// constants are the names of a file's constants that begin in some way.
func constants(t *testing.T, file, begins string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is && strings.HasPrefix(spec.Names[0].Name, begins) {
			names = append(names, f.Name.Name+"."+spec.Names[0].Name)
		}
		return true
	})
	return names
}

func TestEveryKindOfMessageToAClientIsListed(t *testing.T) {
	listed, err := os.ReadFile("kinds.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := slices.Concat(constants(t, "../purchase/mails.go", "Mail"),
		constants(t, "../clientpage/clientpage.go", "Mail"), []string{"sms.StopNoted", "sms.ResumeNoted"})
	if len(kinds) < 15 {
		t.Fatalf("only %d kinds were found", len(kinds))
	}
	for _, kind := range kinds {
		switch kind {
		case "purchase.MailStopNotice": // it tells the business
			continue
		}
		if !regexp.MustCompile(`Name: ` + regexp.QuoteMeta(kind) + `,`).Match(listed) {
			t.Errorf("%s is not listed", kind)
		}
	}
	seen := map[string]bool{}
	for _, k := range wording.Kinds {
		if seen[k.Name] || k.Title == "" || !strings.HasSuffix(k.When, ".") || !k.ByMail && !k.BySMS {
			t.Errorf("%+v", k)
		}
		seen[k.Name] = true
	}
}
