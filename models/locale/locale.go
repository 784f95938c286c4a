// Package locale knows the languages in which clients read: their texts, and how each writes an amount, a day and a
// number of things (source: follow-up, sections 17 to 20). It must not know what a text is used for.
package locale

import (
	"strconv"
	"strings"

	"debitdesk/models/money"
)

// Language is one in which clients can read, by its two letters.
type Language string

// The languages. All others fall back to English as a whole, and none to another but English.
const (
	English   Language = "en"
	Afrikaans Language = "af"
	Zulu      Language = "zu"
	Xhosa     Language = "xh"
)

// Languages are all, English first.
var Languages = []Language{English, Afrikaans, Zulu, Xhosa}

// Tag is the language as HTML and browsers write it: "zu-ZA".
func (l Language) Tag() string { return string(l) + "-ZA" }

// Name is what its speakers call it.
func (l Language) Name() string {
	return map[Language]string{English: "English", Afrikaans: "Afrikaans", Zulu: "isiZulu", Xhosa: "isiXhosa"}[l]
}

// Parse finds a language by its letters; false for one in which there are no texts.
func Parse(code string) (Language, bool) {
	for _, l := range Languages {
		if string(l) == code {
			return l, true
		}
	}
	return English, false
}

// Choose is the language for a reader: the first wish that is not empty, if it is English or among those that are
// offered. A wish that cannot be met is answered in English, not in the next language.
func Choose(offered []Language, wishes ...string) Language {
	for _, wish := range wishes {
		if wish == "" {
			continue
		}
		for _, l := range offered {
			if string(l) == wish && catalogues()[l] != nil {
				return l
			}
		}
		return English
	}
	return English
}

// Words are the texts of one language for one page or mail. They note whether a text was missing, for then the page is
// to be written in English as a whole: see Whole.
type Words struct {
	Language
	lacks *bool
}

// In gives the words of a language.
func In(l Language) Words { return Words{l, new(bool)} }

// Whole builds a page or a mail in a language. Where any of its texts is missing it is built again in English, so that
// no page is a mixture.
func Whole[T any](l Language, build func(Words) T) T {
	w := In(l)
	built := build(w)
	if *w.lacks && l != English {
		return build(In(English))
	}
	return built
}

// Lack notes that something of the page is not in this language.
func (w Words) Lack() { *w.lacks = true }

// Own gives a text that is known in English alone, and notes that it is missing in any other language.
func (w Words) Own(english string) string {
	if w.Language != English {
		w.Lack()
	}
	return english
}

// Has tells whether there is a text of that name.
func Has(key string) bool { return catalogues()[English].has(key) }

// Say is the text of a name. Values are pairs of a name and what stands in its place.
func (w Words) Say(key string, values ...string) string {
	text, found := catalogues()[w.Language].text(key)
	if !found {
		w.Lack()
		if text, found = catalogues()[English].text(key); !found {
			text = key // a test looks for names that there are not
		}
	}
	return fill(text, values)
}

// Count is the text of a name for so many things; {n} stands for their number.
func (w Words) Count(key string, n int, values ...string) string {
	text, found := catalogues()[w.Language].plural(key, n)
	if !found {
		w.Lack()
		if text, found = catalogues()[English].plural(key, n); !found {
			text = key
		}
	}
	return fill(text, append([]string{"n", strconv.Itoa(n)}, values...))
}

// fill puts values in their places. A value is never looked at for places.
func fill(text string, values []string) string {
	if len(values) == 0 {
		return text
	}
	pairs := make([]string, len(values))
	for i := 0; i+1 < len(values); i += 2 {
		pairs[i], pairs[i+1] = "{"+values[i]+"}", values[i+1]
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Money writes an amount in cents: in the same form in every language, for it is that of the bank's statement.
func (w Words) Money(cents int64, currency string) string { return money.Format(cents, currency) }
