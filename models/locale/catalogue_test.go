package locale

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/sms"
)

// forms are all forms of a text.
func (c *catalogue) formsOf(key string) []string {
	if text, found := c.texts[key]; found {
		return []string{text}
	}
	return []string{c.forms[key](1), c.forms[key](2)}
}

func (c *catalogue) keys() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for key := range c.texts {
			if !yield(key) {
				return
			}
		}
		for key := range c.forms {
			if !yield(key) {
				return
			}
		}
	})
}

var placeForm = regexp.MustCompile(`\{[^{}]*\}`)

func places(text string) []string {
	return slices.Compact(slices.Sorted(slices.Values(placeForm.FindAllString(text, -1))))
}

func TestEveryLanguageHasEveryText(t *testing.T) {
	want := catalogues()[English].keys()
	for _, l := range Languages {
		if got := catalogues()[l].keys(); !slices.Equal(got, want) {
			for _, key := range want {
				if !catalogues()[l].has(key) {
					t.Errorf("%s has no %s", l, key)
				}
			}
			for _, key := range got {
				if !catalogues()[English].has(key) {
					t.Errorf("%s has %s, which English has not", l, key)
				}
			}
		}
	}
}

func TestTextsHaveTheSameValuesInEveryLanguage(t *testing.T) {
	for _, key := range catalogues()[English].keys() {
		english := catalogues()[English].formsOf(key)
		want := places(english[len(english)-1]) // a count of one may leave its number out
		for _, l := range Languages {
			all := catalogues()[l].formsOf(key)
			if len(all) != len(english) {
				t.Errorf("%s: %s has %d forms, English %d", l, key, len(all), len(english))
				continue
			}
			if got := places(all[len(all)-1]); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the values %v, not %v", l, key, got, want)
			}
		}
	}
}

func TestTextsHaveTheSameNumbersInEveryLanguage(t *testing.T) {
	number := regexp.MustCompile(`\d+`)
	numbers := func(text string) []string {
		return slices.Sorted(slices.Values(number.FindAllString(placeForm.ReplaceAllString(text, ""), -1)))
	}
	for _, key := range catalogues()[English].keys() {
		want := numbers(catalogues()[English].formsOf(key)[0])
		for _, l := range Languages {
			if got := numbers(catalogues()[l].formsOf(key)[0]); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the numbers %v, not %v", l, key, got, want)
			}
		}
	}
}

func TestTextsHoldNoMarkup(t *testing.T) {
	for _, l := range Languages {
		for _, key := range catalogues()[l].keys() {
			for _, text := range catalogues()[l].formsOf(key) {
				if strings.ContainsAny(text, "<>\u00a0\n\t") || strings.Contains(text, "://") ||
					strings.TrimSpace(text) != text || strings.Contains(text, "  ") {
					t.Errorf("%s: %s is no plain text: %q", l, key, text)
				}
			}
		}
	}
}

func TestIsiZuluAndIsiXhosaNeedNoOtherLetters(t *testing.T) { // and so cost one part of an SMS
	for _, l := range []Language{Zulu, Xhosa} {
		for _, key := range catalogues()[l].keys() {
			for _, text := range catalogues()[l].formsOf(key) {
				if strings.ContainsFunc(text, func(r rune) bool { return r > 126 && r != '“' && r != '”' }) {
					t.Errorf("%s: %s has another letter: %q", l, key, text)
				}
			}
		}
	}
}

func TestPluralHeadersAreThoseOfTheLanguage(t *testing.T) {
	for _, l := range Languages {
		want := "nplurals=2; plural=(n != 1);"
		if l == Zulu {
			want = "nplurals=2; plural=(n > 1);"
		}
		for _, line := range []string{"Plural-Forms: " + want, "Language: " + string(l)} {
			if !strings.Contains(string(File(l)), `"`+line+`\n"`) {
				t.Errorf("%s has no header %s", l, line)
			}
		}
	}
}

func TestTranslatorsReadTheEnglishText(t *testing.T) {
	english := regexp.MustCompile(`(?m)^#\. English: (.*)\nmsgctxt "\w+"\nmsgid "(.*)"$`)
	for _, l := range Languages[1:] {
		found := english.FindAllStringSubmatch(string(File(l)), -1)
		if len(found) != len(catalogues()[English].keys()) {
			t.Errorf("%s shows the English of %d texts", l, len(found))
		}
		for _, one := range found {
			if shown, is := one[1], strings.Join(catalogues()[English].formsOf(one[2]), " || "); shown != is {
				t.Errorf("%s shows %q as the English of %s, which is %q", l, shown, one[2], is)
			}
		}
	}
}

// asked are the names of texts in the code. One that ends in a point is the beginning of several.
func asked(t *testing.T) map[string]bool {
	t.Helper()
	name := regexp.MustCompile(`"((?:page|my|pay|state|reason|mandate|fault|mail|sms|request|sub|every|paper)` +
		`\.[a-z0-9_.]*)"`)
	found := map[string]bool{}
	for _, at := range []string{"my", "checkout", "letters", "papers", "html"} {
		err := filepath.WalkDir("../../handlers/"+at, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			for _, one := range name.FindAllStringSubmatch(string(content), -1) {
				found[one[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestEveryTextThatIsAskedForIsThere(t *testing.T) {
	for name := range asked(t) {
		if !strings.HasSuffix(name, ".") && !catalogues()[English].has(name) {
			t.Errorf("there is no text %s", name)
		}
	}
}

func TestEveryTextIsUsed(t *testing.T) {
	used := slices.Collect(maps.Keys(asked(t)))
	for _, key := range catalogues()[English].keys() {
		if !slices.ContainsFunc(used, func(name string) bool {
			return name == key || strings.HasSuffix(name, ".") && strings.HasPrefix(key, name)
		}) {
			t.Errorf("%s is not used", key)
		}
	}
}

// Each part of a short message is paid for: with the longest name, amount and link a text takes one.
func TestShortMessagesTakeOnePart(t *testing.T) {
	for _, l := range Languages {
		for _, key := range catalogues()[l].keys() {
			if !strings.HasPrefix(key, "sms.") {
				continue
			}
			link := "https://desk.example.co.za/p/01a21c74-84c4-7531-bc1b-e8e1cb287169/"
			if key == "sms.page" {
				link = "https://desk.example.co.za/my/link/A21c7484c47531bc1be8e1"
			}
			text := sms.Plain(In(l).Say(key, "business", sms.Shorten(strings.Repeat("Kloof Street ", 5)), "amount",
				In(l).Money(99_999_999, "ZAR"), "date", In(l).Day(calendar.On(2026, time.September, 30)), "link", link))
			if c := sms.CountOf(text); c.Parts != 1 || c.Encoding != sms.GSM7 {
				t.Errorf("%s %s: %+v %s", l, key, c, text)
			}
		}
	}
}
