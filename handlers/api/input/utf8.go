package input

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// wholeText tells whether all texts of a JSON body are whole: UTF-8 throughout, and no half of a pair of escapes such
// as "\ud83d" alone. The decoder would write U+FFFD in their place, and that would stand in mandates and invoices.
func wholeText(body []byte) bool {
	if !utf8.Valid(body) {
		return false
	}
	for {
		at := bytes.IndexByte(body, '\\')
		if at < 0 || at+1 == len(body) {
			return true
		}
		body = body[at:]
		unit, escaped := unitOf(body)
		switch {
		case !escaped:
			body = body[2:] // a backslash and what it stands before, which may be a backslash
		case !utf16.IsSurrogate(unit):
			body = body[6:]
		default:
			second, _ := unitOf(body[6:])
			if utf16.DecodeRune(unit, second) == utf8.RuneError {
				return false
			}
			body = body[12:]
		}
	}
}

// unitOf reads the escape \uXXXX with which a text begins.
func unitOf(text []byte) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
