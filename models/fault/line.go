package fault

import (
	"strings"
	"unicode"

	"github.com/google/uuid"
)

// NotOneLine is what is said of a field of one line that holds a line break, a tab or
// another control character: it would break lines of mails, of files for the bank and
// of tables, or turn around what is read behind it, such as an amount.
const NotOneLine = "This field is one line: line breaks, tabs and other control characters are not allowed."

// breaking are the separators of lines and paragraphs, and the marks that write all letters and digits behind them from
// left to right, or from right to left. Names in scripts that run from right to left do without those.
const breaking = "\u2028\u2029\u202d\u202e"

// IsOneLine tells whether a text has neither line breaks nor control characters.
func IsOneLine(text string) bool {
	return !strings.ContainsAny(text, breaking) && !strings.ContainsFunc(text, unicode.IsControl)
}

// OneLine notes a text that is not one line, unless a problem of that path was noted.
func (p *Problems) OneLine(path, text string) {
	if !IsOneLine(text) && !p.Has(path) {
		p.Add(path, "invalid", NotOneLine)
	}
}

// NoID stands for the nil UUID of a request, which is a value like any other that does
// not exist (API contract 12.18). Within the product uuid.Nil says that no id was
// given, so the request's becomes an id that is never made.
var NoID = uuid.Max

// NoSuch notes an id that leads to nothing.
func (p *Problems) NoSuch(path string, id uuid.UUID) {
	if id == NoID {
		id = uuid.Nil
	}
	p.Add(path, "does_not_exist", "Invalid pk %q - object does not exist", id)
}
