package money

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What Parse refuses; each is a sentence for the person who typed the amount.
var (
	ErrEmpty     = errors.New("give an amount")
	ErrUnread    = errors.New("write the amount like 1 234,50 or 1234.50")
	ErrDecimals  = errors.New("an amount has at most two decimals")
	ErrAmbiguous = errors.New("that could be thousands or decimals")
)

var (
	plain     = regexp.MustCompile(`^\d+(?:[.,](\d{1,2}))?$`)
	spaced    = regexp.MustCompile(`^\d{1,3}(?: \d{3})+(?:[.,](\d{1,2}))?$`)
	commas    = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+\.(\d{1,2})$`)
	millions  = regexp.MustCompile(`^\d{1,3}(?:,\d{3}){2,}$`)
	ambiguous = regexp.MustCompile(`^[1-9]\d{0,2}[.,]\d{3}$`)
	decimals  = regexp.MustCompile(`^\d[\d ,]*[.,]\d{3,}$`)
)

// Replacers are costly to make and a batch reads a hundred thousand amounts.
var (
	oddSpaces = strings.NewReplacer(NBSP, " ", "\u202f", " ", "\u2009", " ", "\u2212", "-")
	ungrouped = strings.NewReplacer(" ", "", ",", "", ".", "")
)

// Parse reads an amount as people in South Africa type it and gives cents: `1 234,50`, `1234.50`, `R1,234.50`,
// `R 1 234,56`, `1.234,50`, with a minus before or after the R or at the end, or in parentheses. Text that could mean
// two amounts, such as `1,234`, is ErrAmbiguous; other errors are ErrEmpty, ErrUnread, ErrDecimals and ErrTooLarge.
func Parse(text string) (int64, error) {
	digits, negative := strip(text)
	if digits == "" {
		return 0, ErrEmpty
	}
	var fraction []string
	switch {
	case ambiguous.MatchString(digits):
		return 0, fmt.Errorf("%w: write %s or %s", ErrAmbiguous, asThousands(digits), asDecimals(digits))
	case plain.MatchString(digits):
		fraction = plain.FindStringSubmatch(digits)
	case spaced.MatchString(digits):
		fraction = spaced.FindStringSubmatch(digits)
	case commas.MatchString(digits):
		fraction = commas.FindStringSubmatch(digits)
	case dots.MatchString(digits):
		fraction = dots.FindStringSubmatch(digits)
	case millions.MatchString(digits), pointMillions.MatchString(digits):
		fraction = []string{digits, ""}
	case decimals.MatchString(digits):
		return 0, ErrDecimals
	default:
		return 0, ErrUnread
	}
	return cents(digits, fraction[1], negative)
}

// strip takes the currency, the sign and odd spaces away.
func strip(text string) (digits string, negative bool) {
	text, negative = unsigned(strings.TrimSpace(oddSpaces.Replace(text)))
	if upper := strings.ToUpper(text); strings.HasPrefix(upper, ZAR) {
		text = text[len(ZAR):]
	} else if strings.HasPrefix(upper, "R") {
		text = text[1:]
	}
	text = strings.TrimSpace(text)
	if rest, found := unsigned(text); found && !negative {
		text, negative = rest, true
	}
	return text, negative
}

// unsigned takes the sign of a negative amount away: a minus before or after it, or the parentheses of accountants.
func unsigned(text string) (rest string, negative bool) {
	if rest, negative = strings.CutPrefix(text, "-"); !negative {
		rest, negative = strings.CutSuffix(text, "-")
	}
	if inner, opened := strings.CutPrefix(text, "("); opened {
		if inner, closed := strings.CutSuffix(inner, ")"); closed {
			rest, negative = inner, true
		}
	}
	return strings.TrimSpace(rest), negative
}

func cents(digits, fraction string, negative bool) (int64, error) {
	whole := digits
	if fraction != "" {
		whole = digits[:len(digits)-len(fraction)-1]
	}
	whole = ungrouped.Replace(whole)
	fraction += strings.Repeat("0", 2-len(fraction))
	n, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil || n > MaxCents {
		return 0, ErrTooLarge
	}
	if negative {
		n = -n
	}
	return n, nil
}

func asThousands(text string) string {
	return strings.NewReplacer(",", " ", ".", " ").Replace(text)
}

func asDecimals(text string) string {
	at := strings.IndexAny(text, ".,")
	return text[:at] + "," + text[at+1:at+3]
}
