package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// read are the folders whose texts people read, with what is not read there.
var read = []string{"../handlers/web", "../handlers/letters", "../views"}

// unsaid are words and shapes that no page or mail has, and what is said instead.
var unsaid = map[*regexp.Regexp]string{
	regexp.MustCompile(`(?i)\bsecond factors?\b`):    "two-step sign-in",
	regexp.MustCompile(`(?i)\bmend(s|ed|ing)?\b`):    "fix, or correct",
	regexp.MustCompile(`(?i)\bstored accounts?\b`):   "token",
	regexp.MustCompile(`(?i)\bcustomers?\b`):         "client",
	regexp.MustCompile(`(?i)\bthe own\b`):            "your, or their",
	regexp.MustCompile(`(?i)[’”] is no \w+`):         "is not a …",
	regexp.MustCompile(`(?i)\bfilter is left out\b`): "The filter was ignored.",
	regexp.MustCompile(`(?i)\bwho has none\b`):       "people without …",
	regexp.MustCompile(`(?i)\bnobody\b`):             "no one, or say who does not",
	regexp.MustCompile(`(?i)\beverybody\b`):          "everyone, or all …",
	regexp.MustCompile(
		`(?i)(debit is|becomes|are) final\b`): "what the bank can no longer return, and what can be disputed",
	regexp.MustCompile(`\b1 (rows|clients|debits|invoices|mails|tokens|purchases)\b`): "a count that agrees",
	regexp.MustCompile(`(?i)\brow with problems are\b`):                               "a count that agrees",
}

// unsaidLater are texts that still have such words; each is to be put right and to go from here.
var unsaidLater = map[string]bool{
	" mended.": true,
	"Rows with a problem are left out. Each client without a stored account gets a mail with the link.":   true,
	"Periods that were billed stay, with their debits. The stored account stays too.":                     true,
	" A client without a stored account gets a link first, and stays pending until the account is given.": true,
	`<table class="table stacks mend">`: true, // a class, no text
}

// TestTextsForPeopleSayItInPlainEnglish walks what is written in the folders that people read from: the texts between
// the tags of the pages, and the literals of the code.
func TestTextsForPeopleSayItInPlainEnglish(t *testing.T) {
	t.Parallel()
	texts := 0
	say := func(where, text string) {
		texts++
		if unsaidLater[text] {
			return
		}
		for shape, instead := range unsaid {
			if found := shape.FindString(text); found != "" {
				t.Errorf("%s says %q in %q: %s", where, found, text, instead)
			}
		}
	}
	for _, root := range read {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || d.IsDir():
				return err
			case strings.HasSuffix(path, ".templ"):
				return templTexts(path, say)
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, "_templ.go"):
				return goTexts(path, say)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if texts < 5000 {
		t.Errorf("only %d texts were read", texts)
	}
}

func templTexts(path string, say func(where, text string)) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(string(source), "\n") {
		if text, comment, _ := strings.Cut(line, "// "); strings.TrimSpace(text) != "" || comment == "" {
			say(path+":"+strconv.Itoa(i+1), strings.TrimSpace(text))
		}
	}
	return nil
}

func goTexts(path string, say func(where, text string)) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				say(files.Position(literal.Pos()).String(), text)
			}
		}
		return true
	})
	return nil
}
