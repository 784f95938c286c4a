package bank

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"debitdesk/models/calendar"
)

// Identity is what a valid identity number tells.
type Identity struct {
	Kind              IdentityKind
	BirthDate         calendar.Date // zero for a passport
	PermanentResident bool
}

// IdentityKind is the document that a person identifies with.
type IdentityKind string

// The documents that debit orders know.
const (
	SouthAfricanID IdentityKind = "sa_id"
	Passport       IdentityKind = "passport"
)

var passport = regexp.MustCompile(`^[A-Z0-9]{5,20}$`)

// ParseIdentity reads a South African ID (13 digits) or else a passport, and reports all problems at once.
// today decides the century of the birth year.
func ParseIdentity(n IDNumber, today calendar.Date) (Identity, []Problem) {
	text := n.Reveal()
	switch {
	case text == "":
		return Identity{}, []Problem{{FieldID, "required", "Enter the identity or passport number."}}
	case len(text) == 13 && allDigits(text):
		return parseSouthAfricanID(text, today)
	case passport.MatchString(text):
		return Identity{Kind: Passport}, nil
	default:
		return Identity{}, []Problem{{FieldID, "invalid",
			"Enter the 13 digits of a South African ID, or a passport number of 5 to 20 letters and digits."}}
	}
}

func parseSouthAfricanID(text string, today calendar.Date) (Identity, []Problem) {
	var problems []Problem
	add := func(message string) { problems = append(problems, Problem{FieldID, "invalid", message}) }
	born, ok := birthDate(text[:6], today)
	if !ok {
		add("The first six digits of the ID are not a birth date (YYMMDD).")
	}
	// 0 citizen, 1 permanent resident, 2 also met; others are no citizenship digit.
	if text[10] > '2' {
		add("The eleventh digit of the ID must be 0 for a citizen or 1 for a permanent resident.")
	}
	if !luhn(text) {
		add("The check digit of the ID is wrong. Please check the number.")
	}
	if problems != nil {
		return Identity{}, problems
	}
	return Identity{Kind: SouthAfricanID, BirthDate: born, PermanentResident: text[10] == '1'}, nil
}

// birthDate takes this century when the year is not after today's, else the 1900s.
func birthDate(digits string, today calendar.Date) (calendar.Date, bool) {
	year, _ := strconv.Atoi(digits[:2])
	month, _ := strconv.Atoi(digits[2:4])
	day, _ := strconv.Atoi(digits[4:])
	year += 2000
	if year > today.Year {
		year -= 100
	}
	d := calendar.Date{Year: year, Month: time.Month(month), Day: day}
	return d, calendar.On(year, d.Month, day) == d
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// NormalisePhone brings a South African number to 27XXXXXXXXX from 082 123 4567, +27 (0)82 123 4567, 0027… and the
// like; ok is false when the text is no South African number.
func NormalisePhone(text string) (phone string, ok bool) {
	digits := strings.NewReplacer("(", "", ")", "", ".", "").Replace(clean(text))
	digits = strings.TrimPrefix(strings.TrimPrefix(digits, "+"), "00")
	if rest, found := strings.CutPrefix(digits, "270"); found && len(rest) == 9 {
		digits = "27" + rest
	}
	if len(digits) == 10 && digits[0] == '0' {
		digits = "27" + digits[1:]
	}
	if len(digits) != 11 || !strings.HasPrefix(digits, "27") || digits[2] == '0' || !allDigits(digits) {
		return "", false
	}
	return digits, true
}
