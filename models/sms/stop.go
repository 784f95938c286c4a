package sms

import (
	"slices"
	"strings"
	"unicode"
)

// Wish is what a reply asks for.
type Wish string

// The wishes that a reply can hold.
const (
	NoWish Wish = ""
	Stop   Wish = "stop"
	Resume Wish = "start"
)

var (
	// plainly are words that mean a stop wherever they stand in a short reply.
	plainly = []string{"stop", "unsubscribe", "optout", "misa"}
	// bare are words that also mean something else, as in "I pay at month end": they count only where nothing else is
	// said.
	bare   = []string{"end", "cancel", "quit"}
	again  = []string{"start", "unstop", "resume"}
	polite = []string{"please", "pls", "plz", "asseblief", "asb", "ngicela", "nceda", "sms", "smses", "messages", "thanks",
		"thank", "you", "dankie", "now"}
)

// short is how many words a short reply has.
const short = 8

// WishOf reads what a reply asks for (source: follow-up, section 14).
func WishOf(text string) Wish {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	joined := words[:0:0]
	for _, w := range words {
		if n := len(joined); w == "out" && n > 0 && joined[n-1] == "opt" {
			joined[n-1] = "optout"
			continue
		}
		joined = append(joined, w)
	}
	if len(joined) == 0 || len(joined) > short {
		return NoWish
	}
	if slices.ContainsFunc(joined, func(w string) bool { return slices.Contains(plainly, w) }) &&
		!slices.Contains(joined, "don't") && !slices.Contains(joined, "dont") && !slices.Contains(joined, "not") {
		return Stop
	}
	rest := slices.DeleteFunc(slices.Clone(joined), func(w string) bool { return slices.Contains(polite, w) })
	switch {
	case len(rest) != 1:
		return NoWish
	case slices.Contains(bare, rest[0]):
		return Stop
	case slices.Contains(again, rest[0]):
		return Resume
	}
	return NoWish
}
