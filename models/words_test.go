package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// read are the folders and files whose texts reach people.
var read = []string{"../handlers", "../views", "../models", "../cmd", "../migrations", "../static/manual",
	"../static/openapi.yaml", "../README.md"}

// unread are folders and files in them whose texts are not ours, or reach no one: messages as banks send them, helpers
// of tests, and what merchants write above their columns.
var unread = []string{"../models/bank/simbank", "../models/bank/banktest", "../handlers/handlertest",
	"../models/batch/synonyms.go", "../models/book/synonyms.go"}

// typed are folders and files whose texts are read in a terminal or as files, where ' is what everyone writes.
var typed = []string{"../static", "../README.md", "../cmd", "../migrations"}

// unsaid are words and shapes that no text has, and what is said instead.
var unsaid = map[*regexp.Regexp]string{
	regexp.MustCompile(`(?i)\bsecond factors?\b`):                      "two-step sign-in",
	regexp.MustCompile(`(?i)\bmend(s|ed|ing)?\b`):                      "fix, or correct",
	regexp.MustCompile(`(?i)\bstored accounts?\b`):                     "token",
	regexp.MustCompile(`(?i)\bcustomers?\b`):                           "client",
	regexp.MustCompile(`(?i)\b(the|a|each) payers?\b`):                 "client, or you",
	regexp.MustCompile(`(?i)(^|\s)payers?['’]`):                        "client, or you",
	regexp.MustCompile(`(?i)\b(the|this|each|no) collections?\b[^/.]`): "debit",
	regexp.MustCompile(`(?i)\bunless said\b`):                          "when left out",
	regexp.MustCompile(`(?i)\bthe own\b`):                              "your, or their",
	regexp.MustCompile(`(?i)\bone['’]s own\b`):                         "your own",
	regexp.MustCompile(`(?i)[’”"] (is|are) no ([^lm]|l[^o]|m[^o])`):    "is not a …",
	regexp.MustCompile(`(?i)%[qsvd] (is|are) no ([^lm]|l[^o]|m[^o])`):  "is not a …",
	regexp.MustCompile(`(?i)\b(it|that) is no ([^lm]|l[^o]|m[^o])`):    "is not a …",
	regexp.MustCompile(`(?i)\b(is|are) none of the\b`):                 "is not one of the",
	regexp.MustCompile(`(?i)\bfilter is left out\b`):                   "The filter was ignored.",
	regexp.MustCompile(`(?i)\bwho(se)? has none\b`):                    "people without …",
	regexp.MustCompile(`(?i)\bwhoever\b`):                              "anyone who, or name the person",
	regexp.MustCompile(`(?i)\bnobody\b`):                               "no one, or say who does not",
	regexp.MustCompile(`(?i)\bsomebody\b`):                             "someone, or name the person",
	regexp.MustCompile(`(?i)\beverybody\b`):                            "everyone, or all …",
	regexp.MustCompile(`(?i)\bby (itself|themselves)\b`):               "automatically, or nothing",
	regexp.MustCompile(`(?i)\ball the same\b`):                         "anyway",
	regexp.MustCompile(`(?i)\bat (this|the same) moment`):              "at the moment, at the same time",
	regexp.MustCompile(`(?i)\bany ?more([.,;:)]|$)`):                   "no longer",
	regexp.MustCompile(`(?i)\bemail (address|links?|client)`):          "e-mail …",
	regexp.MustCompile(`(?i)\boutside of\b`):                           "outside",
	regexp.MustCompile(`(?i)\bstands? (in|on|here)\b`):                 "is in, is on",
	regexp.MustCompile(`(?i)\bdebits? c(a|o)mes? back\b`):              "the debit failed, or was returned",
	regexp.MustCompile(`(?i)\banother \w+ than\b`):                     "a … other than",
	regexp.MustCompile(`(?i)\bmeanwhile\b`):                            "in the meantime, until then",
	regexp.MustCompile(`(?i)(debit is|becomes|are) final\b`): "what the bank can no longer return, " +
		"and what can be disputed",
	regexp.MustCompile(`\b1 ` + counted + `s\b`):                  "a count that agrees",
	regexp.MustCompile(`(^|[^t] )%d ` + counted + `s\b`):          "plural.Of",
	regexp.MustCompile(`(?i)\b` + counted + ` with problems are`): "a count that agrees",
}

const counted = `(row|client|debit|invoice|mail|token|purchase|event|subscription|account|merchant|link)`

// saidAnyway are texts that need such words.
var saidAnyway = map[string]bool{
	`<table class="table stacks mend">`: true, // a class, not a text
	"mended":                            true, // a name in what is stored
	"No collection for a long time":     true, // as the banks call their codes
	// names of users of the system
	"nobody": true,
	"PostgreSQL does not run as root, and there is no user postgres or nobody to run it: create one, or start as an " +
		"ordinary user": true,
	// what accounting software calls its own lists
	"QuickBooks customers":                                                  true,
	"Sage Accounting (UK, Ireland, Canada) customers":                       true,
	"Sage Business Cloud Accounting South Africa (once Sage One) customers": true,
	// the legal text of a mandate
	"This authority may be passed to somebody else only together with that agreement.": true,
	"If I do not answer my bank in time, it asks me once more. If I do not answer then either, the mandate is " +
		"registered all the same, and I may dispute each debit under it.": true,
	"%s A debit may also run on another day than the one agreed; I may dispute such a debit.": true,
}

// TestTextsForPeopleSayItInPlainEnglish walks what is written for people: the texts between the tags of the pages, the
// literals of the code with the help of its commands, the manual and the description of the API.
func TestTextsForPeopleSayItInPlainEnglish(t *testing.T) {
	t.Parallel()
	texts := 0
	say := func(where, text string) {
		texts++
		if !within(where, typed...) && straight(text) {
			t.Errorf("%s says %q: write ’ in sentences that people read", where, text)
		}
		for shape, found := range foreign(text) {
			t.Errorf("%s says %q in %q: %s", where, found, text, unsaid[shape])
		}
	}
	for _, root := range read {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case within(filepath.ToSlash(path), unread...):
				return nil
			case strings.HasSuffix(path, ".templ"):
				return templTexts(path, say)
			case strings.HasSuffix(path, ".md"), strings.HasSuffix(path, ".yaml"):
				return paragraphs(path, say)
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") &&
				!strings.HasSuffix(path, "_templ.go"):
				return goTexts(path, say)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if texts < 15000 {
		t.Errorf("only %d texts were read", texts)
	}
}

// payers are the packages whose code may speak of payers, as banks do and as the pages are called that clients pay on.
var payers = []string{"../models/bank", "../handlers/checkout", "../views/checkout", "../models/storetest",
	"../models/doc.go", "../handlers/handlertest"}

// TestCommentsSayClient: one name for one thing, in comments too. The page of a payment is the payer's page.
func TestCommentsSayClient(t *testing.T) {
	t.Parallel()
	other := regexp.MustCompile(`\bpayers?\b([^'’]|['’]s [^ph]|['’]s (p[^a]|h[^o]))`)
	for _, root := range []string{"../handlers", "../views", "../models", "../cmd"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || within(filepath.ToSlash(path), payers...) || !strings.HasSuffix(path, ".go") ||
				strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, group := range file.Comments {
				if text := group.Text(); other.MatchString(text) {
					t.Errorf("%s says %q: client, or you", files.Position(group.Pos()), other.FindString(text))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

var (
	apostrophe = regexp.MustCompile(`[A-Za-z]'(s|t|re|ve|ll)\b|[a-z]s' [a-z]`)
	sentence   = regexp.MustCompile(`^([A-Z“‘]|%s )[^\n]* |[a-z] [^\n]*\.$`)
	statement  = regexp.MustCompile(`(= |\(|[<>|] ?)'|\b(SELECT|FROM|WHERE|UPDATE|INSERT) `) // SQL
)

// straightAnyway are texts that others read word for word, and names that are found as they are written.
var straightAnyway = map[string]bool{
	"Discount can't be larger than price * quantity!":              true, // the API's contract
	"Democratic People's Republic of Korea":                        true,
	"Korea, Democratic People's Republic of":                       true,
	"Lao People's Democratic Republic":                             true,
	"Give the client's secret once: in the form or as HTTP Basic.": true, // an answer to programs
	// the legal text of a mandate, which is kept as it was agreed to
	"I may cancel this authority by giving 20 ordinary working days' notice in writing%s. Cancelling does not end my " +
		"agreement with %s, and what I lawfully owed before is not paid back.": true,
}

// straight tells whether a sentence has the apostrophe of a typewriter where all pages have ’.
func straight(text string) bool {
	return sentence.MatchString(text) && apostrophe.MatchString(text) && !statement.MatchString(text) &&
		!straightAnyway[text]
}

func TestTheGuardSeesStraightApostrophes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"The client's bank refused it.": true, "%s isn't a day.": true,
		"The client’s bank refused it.": false, "read the bank's answers: %w": false,
		"SELECT id FROM a WHERE b = 'is due'": false, "Discount can't be larger than price * quantity!": false} {
		if straight(text) != want {
			t.Errorf("%q: %t, want %t", text, !want, want)
		}
	}
}

// TestTheGuardSeesForeignShapes plants sentences that once stood in the product.
func TestTheGuardSeesForeignShapes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"‘xx’ is no status.", "%q is no list of networks", "Who has none is led to set one up.",
		"the payer's bank refuses", "It ends by itself after %d payments.", "1 rows has problems", "%d rows were left out.",
		"The debit came back unpaid.", "This link is not valid any more.", "The collection of this purchase is over",
		"port 22 unless said",
		"Link 3 stands in the chain", "A debit of another amount than %s may be disputed."} {
		if len(foreign(text)) == 0 {
			t.Errorf("nothing is found in %q", text)
		}
	}
	for _, text := range []string{"%s is no longer used", "there is no merchant %q", "At most %d tokens can be deleted.",
		"1 row has problems", "11 rows have problems", "one account or another, then more"} {
		for _, found := range foreign(text) {
			t.Errorf("%q is found in %q", found, text)
		}
	}
}

// foreign finds what a text should say in another way.
func foreign(text string) map[*regexp.Regexp]string {
	all := map[*regexp.Regexp]string{}
	if saidAnyway[text] {
		return all
	}
	for shape := range unsaid {
		if found := shape.FindString(text); found != "" {
			all[shape] = found
		}
	}
	return all
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

// paragraphs reads prose, in which a sentence may go on in the next line.
func paragraphs(path string, say func(where, text string)) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, text := range strings.Split(code.ReplaceAllString(string(source), ""), "\n\n") {
		say(path, strings.Join(strings.Fields(text), " "))
	}
	return nil
}

var code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

func goTexts(path string, say func(where, text string)) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	told := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if field, is := n.(*ast.Field); is && field.Tag != nil {
			told[field.Tag] = true
			if tag, err := strconv.Unquote(field.Tag.Value); err == nil {
				say(files.Position(field.Pos()).String(), reflect.StructTag(tag).Get("help"))
			}
		}
		if text, is := joined(n, told); is {
			say(files.Position(n.Pos()).String(), text)
		}
		return true
	})
	return nil
}

// joined is a text of the code, put together again where it is divided; what is no literal in it stands as %s. Parts of
// a text that was told are no texts of their own.
func joined(n ast.Node, told map[ast.Node]bool) (text string, is bool) {
	if told[n] {
		return "", false
	}
	switch n := n.(type) {
	case *ast.BasicLit:
		told[n] = true
		text, err := strconv.Unquote(n.Value)
		return text, err == nil && n.Kind == token.STRING
	case *ast.BinaryExpr:
		if n.Op != token.ADD {
			return "", false
		}
		told[n] = true
		left, isLeft := joined(n.X, told)
		right, isRight := joined(n.Y, told)
		if !isLeft {
			left = "%s"
		}
		if !isRight {
			right = "%s"
		}
		return left + right, isLeft || isRight
	}
	return "", false
}
