// Package bank is the port to a bank and its vocabulary: accounts, branches, return codes, instructions and answers.
// It knows no purchase, no database and no particular bank.
package bank

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"unicode"
)

// AccountNumber is a bank account number that prints itself masked, "•••• 1234", whatever prints it: fmt, slog, JSON.
// Only Reveal gives the digits. Two places do not ask a type for its mask: a JSON map key and an unexported struct
// field under fmt. Do not put numbers there.
type AccountNumber string

// IDNumber is an identity or passport number that prints itself masked: "850101•••••85", a passport as "A•••••7".
type IDNumber string

// Reveal gives the digits. The gateway, the sealing store and the one audited use case ask for them; nothing else does.
func (n AccountNumber) Reveal() string { return string(n) }

// Tail is the last four digits, or nothing for an account too short to hide the rest. Spaces and hyphens, as people
// type them, do not count.
func (n AccountNumber) Tail() string {
	text := []rune(clean(string(n)))
	if len(text) < 5 {
		return ""
	}
	return string(text[len(text)-4:])
}

// String masks.
func (n AccountNumber) String() string {
	switch {
	case n == "":
		return ""
	case n.Tail() == "":
		return "••••"
	default:
		return "•••• " + n.Tail()
	}
}

// GoString masks %#v.
func (n AccountNumber) GoString() string { return n.String() }

// Format masks every other verb, also %x and %q.
func (n AccountNumber) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(n.String())) }

// LogValue masks in structured logs.
func (n AccountNumber) LogValue() slog.Value { return slog.StringValue(n.String()) }

// MarshalJSON masks in JSON.
func (n AccountNumber) MarshalJSON() ([]byte, error) { return json.Marshal(n.String()) }

// MarshalText masks in XML and other text.
func (n AccountNumber) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// Reveal gives the number in full; the same few callers as AccountNumber.Reveal may ask.
func (n IDNumber) Reveal() string { return string(n) }

// maskedID is a South African ID as String writes it.
var maskedID = regexp.MustCompile(`^[0-9]{6}•{5}[0-9]{2}$`)

// String masks: of a South African ID the birth date and the last two digits stay, of a passport the ends. What is
// masked already, as in the snapshot of an event, stays as it is.
func (n IDNumber) String() string {
	s := []rune(clean(string(n)))
	switch {
	case maskedID.MatchString(string(n)):
		return string(n)
	case len(s) == 0:
		return ""
	case len(s) == 13 && allDigits(string(s)):
		return string(s[:6]) + "•••••" + string(s[11:])
	case len(s) < 5:
		return strings.Repeat("•", len(s))
	default:
		return string(s[:1]) + strings.Repeat("•", len(s)-2) + string(s[len(s)-1:])
	}
}

// GoString masks %#v.
func (n IDNumber) GoString() string { return n.String() }

// Format masks every other verb.
func (n IDNumber) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(n.String())) }

// LogValue masks in structured logs.
func (n IDNumber) LogValue() slog.Value { return slog.StringValue(n.String()) }

// MarshalJSON masks in JSON.
func (n IDNumber) MarshalJSON() ([]byte, error) { return json.Marshal(n.String()) }

// MarshalText masks in XML and other text.
func (n IDNumber) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// IsMasked tells whether text carries the mask: a masked value sent back leaves the stored one unchanged.
func IsMasked(text string) bool { return strings.ContainsRune(text, '•') }

var longNumber = regexp.MustCompile(`\d{4}-\d{2}-\d{2}|\d(?:[ -]?\d){6,}`)

// MaskNumbers masks what may be an account or identity number in a text of somebody else: each number of seven and more
// digits, be there spaces or hyphens in it, but no dates. Of a name it knows nothing.
func MaskNumbers(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(number string) string {
		if len(number) == len("2006-01-02") && number[4] == '-' && number[7] == '-' {
			return number
		}
		return CleanAccount(number).String()
	})
}

// CleanAccount takes spaces and hyphens out of an account number as people type it.
func CleanAccount(text string) AccountNumber { return AccountNumber(clean(text)) }

// Key is a number as numbers are compared: banks write zeros, spaces and hyphens into it or not.
func (n AccountNumber) Key() string { return strings.TrimLeft(clean(string(n)), "0") }

// CleanID takes spaces and hyphens out of an identity number and puts a passport into capitals.
func CleanID(text string) IDNumber { return IDNumber(strings.ToUpper(clean(text))) }

// CleanBranch takes spaces and hyphens out of a branch code.
func CleanBranch(text string) string { return clean(text) }

// clean takes out what stands between the digits of a number that was copied from elsewhere: spaces and hyphens of any
// kind, and the marks that nobody sees, such as those with which a telephone copies a number.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Cf) || r == '\u2212' {
			return -1
		}
		return r
	}, text)
}

func allDigits(text string) bool {
	for _, r := range text {
		if r < '0' || r > '9' {
			return false
		}
	}
	return text != ""
}
