package pages

import "strings"

// sentenceList joins words as a sentence does: "name, phone and branch".
func sentenceList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
