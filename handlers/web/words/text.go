package words

import (
	"strings"

	"debitdesk/models/purchase"
)

func JoinedWords(between string, words ...string) string {
	var given []string
	for _, w := range words {
		if w != "" {
			given = append(given, w)
		}
	}
	return strings.Join(given, between)
}

// CountWords writes a count, or "more than" where counting stopped.
func CountWords(n int64, limited bool) string {
	if limited && n > purchase.CountLimit {
		return "more than " + Grouped(purchase.CountLimit)
	}
	return Grouped(n)
}

// Glued is a number as a person may type it, without its gaps.
func Glued(number string) string {
	return strings.Join(strings.FieldsFunc(number, func(r rune) bool { return r < '0' || r > '9' }), "")
}
