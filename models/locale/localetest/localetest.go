// Package localetest changes the texts of a language so that a test sees which words are in no catalogue, and whether
// longer ones fit. Nothing outside tests imports it.
package localetest

import (
	"regexp"
	"strings"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/locale"
)

// Longer makes words half as long again.
func Longer(text string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		if runes := []rune(w); !strings.ContainsAny(w, "{}") {
			words[i] = w + string(runes[:len(runes)/2])
		}
	}
	return strings.Join(words, " ")
}

// Marked puts a text of the catalogue between signs that no text holds.
func Marked(text string) string { return "«" + text + "»" }

var (
	ofCatalogue = regexp.MustCompile(`(?s)«[^«»]*»`)
	latin       = regexp.MustCompile(`https://\S+|[A-Za-zÀ-ÿ]{2,}`)
)

// Strange lists the words of a text that are in no catalogue, in which the texts of a language were Marked. Dates are
// none of them, and neither are those that are allowed.
func Strange(l locale.Language, text string, allowed ...string) (found []string) {
	for ofCatalogue.MatchString(text) {
		text = ofCatalogue.ReplaceAllString(text, " ")
	}
	known := map[string]bool{"SAST": true}
	for n := range 12 {
		allowed = append(allowed, locale.In(l).Day(calendar.On(2026, time.Month(n+1), 1)),
			locale.In(l).Weekday(time.Weekday(n%7)))
	}
	for _, word := range latin.FindAllString(strings.Join(allowed, " "), -1) {
		known[word] = true
	}
	for _, word := range latin.FindAllString(text, -1) {
		if !known[word] && !strings.HasPrefix(word, "https://") {
			found = append(found, word)
		}
	}
	return found
}
