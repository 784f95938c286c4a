// Package celltext knows how a text stands in a cell of a file without types, such as CSV. It must not know which file
// that is.
package celltext

import "unicode/utf8"

// Guard keeps a spreadsheet program from running a text as a formula: CSV has no types, so what begins like one gets an
// apostrophe in front (ours; the list, with the wide forms of the signs, is what such programs are known to run). Only
// texts come here: a negative amount stays a number.
func Guard(s string) string {
	switch r, _ := utf8.DecodeRuneInString(s); r {
	case '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠':
		return "'" + s
	}
	return s
}
