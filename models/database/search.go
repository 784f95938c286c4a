package database

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"golang.org/x/text/unicode/norm"
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

// Texts are the words of a type of ours, such as states.
func Texts[S ~string](list []S) TextArray {
	out := make(TextArray, len(list))
	for i, one := range list {
		out[i] = string(one)
	}
	return out
}

// IDs are ids as words, which a statement makes uuid[] of.
func IDs(ids []uuid.UUID) TextArray {
	texts := make(TextArray, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return texts
}

// Numbers are whole numbers as words, which a statement makes int[] of.
func Numbers(list []int) TextArray {
	texts := make(TextArray, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}

// Value implements driver.Valuer.
func (a TextArray) Value() (driver.Value, error) {
	quoted := make([]string, len(a))
	for i, s := range a {
		quoted[i] = `"` + arrayQuotes.Replace(s) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}", nil
}

var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Holding is the pattern of LIKE for what holds a text, whose signs stand for themselves.
func Holding(text string) string { return "%" + likeLiteral.Replace(text) + "%" }

var arrayQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// WordsOf splits texts into the words a person may search by: whole texts
// without blanks, and their parts, each without its accents too.
func WordsOf(texts ...string) []string {
	seen := map[string]bool{}
	words := []string{}
	add := func(w string) {
		for _, w := range []string{w, Fold(w)} {
			if w != "" && !seen[w] {
				seen[w] = true
				words = append(words, w)
			}
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
func SearchQuery(typed string) string { return strings.Join(searchWords(typed), " & ") }

func searchWords(typed string) (terms []string) {
	for _, w := range strings.Fields(Fold(strings.ReplaceAll(typed, "\x00", "\uFFFD"))) {
		terms = append(terms, lexeme("", w)+":*")
	}
	return terms
}

// lexeme is a word, behind what stands before it, as a tsquery writes it.
func lexeme(before, w string) string {
	if len(w) > longestWord {
		w = strings.ToValidUTF8(w[:longestWord], "")
	}
	return "'" + before + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(w) + "'"
}

// Fold gives a text in lower case and without accents, as words are compared.
func Fold(text string) string {
	text = strings.ToLower(text)
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// Beginning is one thing that was typed, in each way in which it may be written: the
// words of one of them all begin words of a record.
type Beginning [][]string

// KeyMark stands in a query for what search_key of the database puts before each word:
// the merchant and a step of time.
const KeyMark = "\x01"

// Beginnings is the tsquery for all that was typed, with something before each word, which
// is empty or KeyMark. With whole, a word counts only as a whole.
func Beginnings(all []Beginning, before string, whole bool) string {
	end := ":*"
	if whole {
		end = ""
	}
	terms := make([]string, len(all))
	for i, one := range all {
		ways := make([]string, len(one))
		for j, words := range one {
			parts := make([]string, len(words))
			for k, w := range words {
				parts[k] = lexeme(before, w) + end
			}
			ways[j] = "(" + strings.Join(parts, " & ") + ")"
		}
		terms[i] = "(" + strings.Join(ways, " | ") + ")"
	}
	return strings.Join(terms, " & ")
}

// Search is what a person looks for among the words of a merchant's records: every
// word that was typed must begin a word of the record.
type Search struct {
	merchant uuid.UUID
	words    []string // quoted, each the beginning of a word
}

// SearchFor reads what a person typed.
func SearchFor(merchantID uuid.UUID, typed string) Search {
	return Search{merchantID, searchWords(typed)}
}

// Words says of each typed word, in its place, what finds it in a vector.
func (q Search) Words() []string { return q.words }

// All finds every word in a vector.
func (q Search) All() string { return strings.Join(q.words, " & ") }

// Step is the part of time that an id belongs to: seven weeks, for the ids of the product.
func Step(id uuid.UUID) int { return int(binary.BigEndian.Uint16(id[:2])) }

// FirstOf is the first id of a step; of the step after the last it is the last id.
func FirstOf(step int) (id uuid.UUID) {
	if step > math.MaxUint16 {
		return uuid.Max
	}
	binary.BigEndian.PutUint16(id[:2], uint16(max(step, 0))) //nolint:gosec // 16 bits
	return id
}

// Keys finds one of the words in what search_key of the database makes of a row, in
// the steps from first to last: the merchant and the step stand before the word.
func (q Search) Keys(word, first, last int) string {
	var keys []string
	merchant := q.merchant.String()
	for step := first; step <= last; step++ {
		keys = append(keys, "'"+merchant[len(merchant)-12:]+fmt.Sprintf("%04x", step)+q.words[word][1:])
	}
	return strings.Join(keys, " | ")
}

// Scan implements sql.Scanner.
func (a *TextArray) Scan(src any) error {
	types := arrayTypes.Get().(*pgtype.Map)
	defer arrayTypes.Put(types)
	return types.SQLScanner((*[]string)(a)).Scan(src)
}

// arrayTypes holds type maps, which remember what they saw and so serve one caller at a time.
var arrayTypes = sync.Pool{New: func() any { return pgtype.NewMap() }}
