package collection

import (
	"fmt"
	"regexp"
	"strings"

	"debitdesk/models/calendar"
)

// The widths of the three parts of a statement line (industry: user reference of the clearing house).
const (
	ShortNameWidth = 10
	ReferenceWidth = 14
	FreeWidth      = 6
)

var shortName = regexp.MustCompile(`^[A-Z0-9 &.-]{1,10}$`)

// ShortName puts an abbreviated name into capitals; ok is false when it is empty, longer than 10 characters or has
// characters that statements do not carry.
func ShortName(text string) (name string, ok bool) {
	name = strings.ToUpper(strings.TrimSpace(text))
	return name, shortName.MatchString(name)
}

// StatementLine is the text that the client reads on the bank statement: 10 characters short name, 14 contract
// reference, 6 free, each padded with spaces, 30 in all. A part that is too long or not printable ASCII is an error,
// since cutting it would break the reference.
func StatementLine(short, reference, free string) (string, error) {
	var line strings.Builder
	for _, part := range []struct {
		name, text string
		width      int
	}{{"short name", short, ShortNameWidth}, {"contract reference", reference, ReferenceWidth},
		{"free text", free, FreeWidth}} {
		text := strings.ToUpper(strings.TrimSpace(part.text))
		if len(text) > part.width {
			return "", fmt.Errorf("the %s has %d characters, at most %d fit", part.name, len(text), part.width)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			return "", fmt.Errorf("the %s has characters that a bank statement does not carry", part.name)
		}
		fmt.Fprintf(&line, "%-*s", part.width, text)
	}
	return line.String(), nil
}

// FreeText is our use of the six free characters: the action date as YYMMDD.
func FreeText(action calendar.Date) string { return action.Format("060102") }
