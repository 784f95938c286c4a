package database

import (
	"database/sql/driver"
	"strings"
	"sync"
	"unicode"

	"github.com/jackc/pgx/v5/pgtype"
)

// VectorOf is the tsvector of a row: its words in lower case, made here and not by
// PostgreSQL, so that a search splits its text the same way.
func VectorOf(words []string) pgtype.TSVector {
	v := pgtype.TSVector{Valid: true, Lexemes: make([]pgtype.TSVectorLexeme, len(words))}
	for i, w := range words {
		v.Lexemes[i].Word = w
	}
	return v
}

// TextArray travels as text[] without GORM spreading it over several places.
type TextArray []string

// Value implements driver.Valuer.
func (a TextArray) Value() (driver.Value, error) {
	quoted := make([]string, len(a))
	for i, s := range a {
		quoted[i] = `"` + arrayQuotes.Replace(s) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}", nil
}

var arrayQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// WordsOf splits texts into the words a person may search by: whole texts
// without blanks, and their parts.
func WordsOf(texts ...string) []string {
	seen := map[string]bool{}
	words := []string{}
	add := func(w string) {
		if w != "" && !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	for _, text := range texts {
		for _, whole := range strings.Fields(strings.ToLower(text)) {
			add(whole)
			for _, part := range strings.FieldsFunc(whole,
				func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				add(part)
			}
		}
	}
	return words
}

// longestWord is more than any word of a row has, in bytes; PostgreSQL takes 2 046.
const longestWord = 1024

// SearchQuery is the tsquery for what a person typed: every word must begin a
// word of the row. Empty when nothing was typed.
func SearchQuery(typed string) string {
	var terms []string
	for _, w := range strings.Fields(strings.ToLower(strings.ReplaceAll(typed, "\x00", ""))) {
		if len(w) > longestWord {
			w = strings.ToValidUTF8(w[:longestWord], "")
		}
		terms = append(terms, "'"+strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(w)+"':*")
	}
	return strings.Join(terms, " & ")
}

// Scan implements sql.Scanner.
func (a *TextArray) Scan(src any) error {
	types := arrayTypes.Get().(*pgtype.Map)
	defer arrayTypes.Put(types)
	return types.SQLScanner((*[]string)(a)).Scan(src)
}

// arrayTypes holds type maps, which remember what they saw and so serve one caller at a time.
var arrayTypes = sync.Pool{New: func() any { return pgtype.NewMap() }}
