package followup

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"debitdesk/models/fault"
)

// FreeText says what a text may hold that somebody writes and that is not sealed, and the words that refuse others.
type FreeText struct {
	Most                   int // characters
	Needed                 bool
	Missing, Long, Numbers string // Long has a place for Most
}

// manyDigits is an identity number or the number of a card: none belongs into a text that is not sealed.
var manyDigits = regexp.MustCompile(`\d{13,}|\d{6} \d{4} \d{3}|(\d{4}[ -]){3}\d{4}`)

// Clean is what is kept of a text that was typed into a field.
func (f FreeText) Clean(field, text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
	switch {
	case text == "" && f.Needed:
		return "", fault.At(field, "required", "%s", f.Missing)
	case utf8.RuneCountInString(text) > f.Most:
		return "", fault.At(field, "max_length", f.Long, f.Most)
	case manyDigits.MatchString(text):
		return "", fault.At(field, "invalid", "%s", f.Numbers)
	}
	return text, nil
}
