package mandate

import (
	"slices"
	"strings"
	"time"
)

// AnsweredByBank tells that the client's bank took a DebiCheck mandate: only then the client has given anything.
func (m Mandate) AnsweredByBank() bool { return m.Consent.Channel == ByBank && !m.AcceptedAt.IsZero() }

// GivenAt is when the client gave the permission; zero before the bank has taken it.
func (m Mandate) GivenAt() time.Time {
	if m.AnsweredByBank() {
		return m.AcceptedAt
	}
	return m.Consent.At
}

// particles belong to the surname that follows them.
var particles = []string{"van", "der", "den", "de", "du", "le", "la", "von", "janse", "st"}

// HolderParts takes the last word of the account holder's name, with its particles, for the surname and the others for
// first names; one word alone is the name of a business.
func (m Mandate) HolderParts() (initials, surname string) {
	words := strings.Fields(m.HolderName)
	last := len(words) - 1
	for last > 1 && slices.Contains(particles, strings.ToLower(words[last-1])) {
		last--
	}
	if last < 1 {
		return "", m.HolderName
	}
	for _, w := range words[:last] {
		initials += strings.ToUpper(string([]rune(w)[:1]))
	}
	return initials, strings.Join(words[last:], " ")
}

// Explained says what the terms of the mandate mean; empty for EFT, where the bank knows no terms. Once the client has
// answered in time there will be no fallback.
func (m Mandate) Explained(currency string) Explanation {
	if m.Terms == nil {
		return Explanation{}
	}
	terms := *m.Terms
	if m.State.Usable() && !m.Fallback {
		terms.DelayedOnFailure = false
	}
	return terms.Explain(m, currency)
}
