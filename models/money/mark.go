package money

import (
	"fmt"
	"regexp"
	"strings"
)

// Mark is the sign before the decimals in a column of numbers. A whole column shows which one it is
// where a single `1,234` cannot.
type Mark string

// The marks. Unmarked means that nobody knows: `1,234` is then refused.
const (
	Unmarked  Mark = ""
	PointMark Mark = "."
	CommaMark Mark = ","
)

var (
	dots          = regexp.MustCompile(`^\d{1,3}(?:\.\d{3})+,(\d{1,2})$`)
	pointMillions = regexp.MustCompile(`^\d{1,3}(?:\.\d{3}){2,}$`)
)

// ParseMarked reads an amount as Parse does and gives cents. With a known mark, `1,234` is no longer ambiguous:
// it is 1234 where decimals follow a point, and ErrDecimals where they follow a comma.
func ParseMarked(text string, mark Mark) (int64, error) {
	digits, negative := strip(text)
	if mark == Unmarked || !ambiguous.MatchString(digits) {
		return Parse(text)
	}
	if strings.Contains(digits, string(mark)) {
		return 0, ErrDecimals
	}
	return cents(ungrouped.Replace(digits), "", negative)
}

// MarkIn tells which mark an amount shows beyond doubt: `1 234,50` a comma, `1,234.50` a point, `1,234` none.
func MarkIn(text string) Mark {
	digits, _ := strip(text)
	switch {
	case ambiguous.MatchString(digits):
		return Unmarked
	case commas.MatchString(digits), millions.MatchString(digits):
		return PointMark
	case dots.MatchString(digits), pointMillions.MatchString(digits):
		return CommaMark
	case plain.MatchString(digits), spaced.MatchString(digits), decimals.MatchString(digits):
		return lastMark(digits)
	}
	return Unmarked
}

func lastMark(digits string) Mark {
	at := strings.LastIndexAny(digits, ".,")
	if at < 0 {
		return Unmarked
	}
	return Mark(digits[at : at+1])
}

// PlainNumber writes a quantity or a percentage as an exact decimal reads it, "1234.5", with the same care about marks;
// a % at the end is left out. Errors: ErrEmpty, ErrAmbiguous, ErrUnread.
func PlainNumber(text string, mark Mark) (string, error) {
	digits, negative := strip(strings.TrimSuffix(strings.TrimSpace(text), "%"))
	sign := ""
	if negative {
		sign = "-"
	}
	last := lastMark(digits)
	switch {
	case digits == "":
		return "", ErrEmpty
	case ambiguous.MatchString(digits) && mark == Unmarked:
		return "", fmt.Errorf("%w: write %s or %s0", ErrAmbiguous, asThousands(digits),
			strings.ReplaceAll(digits, ",", "."))
	case ambiguous.MatchString(digits) && last != mark, millions.MatchString(digits), pointMillions.MatchString(digits):
		return sign + ungrouped.Replace(digits), nil
	case plainNumber.MatchString(digits), groupedNumber.MatchString(digits):
		whole, fraction := digits, ""
		if last != Unmarked {
			at := strings.LastIndex(digits, string(last))
			whole, fraction = digits[:at], "."+digits[at+1:]
		}
		return sign + ungrouped.Replace(whole) + fraction, nil
	}
	return "", ErrUnread
}

var (
	plainNumber   = regexp.MustCompile(`^\d{1,18}(?:[.,]\d{1,18})?$`)
	groupedNumber = regexp.MustCompile(
		`^\d{1,3}(?:(?: \d{3})+(?:[.,]\d{1,18})?|(?:,\d{3})+\.\d{1,18}|(?:\.\d{3})+,\d{1,18})$`)
)
