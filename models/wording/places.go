package wording

import (
	"fmt"
	"slices"
	"strings"
)

// piece is a part of a text: as it is written, or a place.
type piece struct {
	text  string
	place Place
}

type problem struct{ code, words string }

// parse cuts a text into its pieces, and tells everything that is wrong with its braces.
func parse(text string, known []Place) (pieces []piece, wrong []problem) {
	for text != "" {
		at := strings.IndexAny(text, "{}")
		if at < 0 {
			return append(pieces, piece{text: text}), wrong
		}
		pieces = append(pieces, piece{text: text[:at]})
		found := text[at:]
		end := strings.IndexAny(found[1:], "{}\n")
		if found[0] == '}' || end < 0 || found[1+end] != '}' {
			wrong = append(wrong, problem{"unbalanced", fmt.Sprintf("The brace in “%s” has no partner. Placeholders are "+
				"written like {%s}.", near(found), known[0])})
			text = found[1:]
			continue
		}
		name := Place(found[1 : 1+end])
		if !slices.Contains(known, name) {
			wrong = append(wrong, problem{"unknown_placeholder", fmt.Sprintf("“{%s}” is not a placeholder of this message. "+
				"Use %s.", name, Listed(known))})
		}
		pieces, text = append(pieces, piece{place: name}), found[end+2:]
	}
	return pieces, wrong
}

// near is the beginning of a text, to find it by.
func near(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if letters := []rune(text); len(letters) > 20 {
		return string(letters[:20]) + "…"
	}
	return text
}

// Listed names places as they are written.
func Listed(places []Place) string {
	out := make([]string, len(places))
	for i, p := range places {
		out[i] = "{" + string(p) + "}"
	}
	return strings.Join(out, ", ")
}

// Fill puts values in the places of a text and gives its paragraphs, one a line. A paragraph with a place that has no
// value is left out: half a sentence is worse than none. A value is never looked at for places.
func Fill(text string, values map[Place]string) (paragraphs []string) {
	all := []Place{Name, Amount, Date, Reference, Business}
	for _, line := range strings.Split(text, "\n") {
		pieces, _ := parse(line, all)
		var b strings.Builder
		whole := true
		for _, p := range pieces {
			if p.place != "" && values[p.place] == "" {
				whole = false
			}
			b.WriteString(p.text + values[p.place])
		}
		if whole && b.Len() > 0 {
			paragraphs = append(paragraphs, b.String())
		}
	}
	return paragraphs
}
