package words

import "strings"

func JoinedWords(between string, words ...string) string {
	var given []string
	for _, w := range words {
		if w != "" {
			given = append(given, w)
		}
	}
	return strings.Join(given, between)
}

// Glued is a number as a person may type it, without its gaps.
func Glued(number string) string {
	return strings.Join(strings.FieldsFunc(number, func(r rune) bool { return r < '0' || r > '9' }), "")
}
