package filestest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
)

var (
	posting   = regexp.MustCompile(`^\s+([A-Z].*?)  (?:R )?(-?[0-9.]+)(?: ZAR)?(?: = R (-?[0-9.]+))?$`)
	assertion = regexp.MustCompile(`^\d{4}-\d{2}-\d{2} balance (\S+)  (-?[0-9.]+) ~`)
)

// Own is what we know of such a book without any program: each entry comes to zero, and what it says of an account at
// the end of a month is what was posted until then.
func Own(book string) error {
	stands, entry, ends := map[string]decimal.Decimal{}, decimal.Zero, 0
	says := func(account, amount string) error {
		ends++
		if want, err := decimal.NewFromString(amount); err != nil || !stands[account].Equal(want) {
			return fmt.Errorf("%s stands at %s, and the book says %s", account, stands[account], amount)
		}
		return nil
	}
	for n, line := range strings.Split(book, "\n") {
		if m := assertion.FindStringSubmatch(line); m != nil {
			if err := says(m[1], m[2]); err != nil {
				return err
			}
		}
		m := posting.FindStringSubmatch(line)
		if m == nil {
			if !entry.IsZero() && strings.TrimSpace(line) == "" {
				return fmt.Errorf("the entry before line %d comes to %s", n+1, entry)
			}
			continue
		}
		cents, err := decimal.NewFromString(m[2])
		if err != nil {
			return err
		}
		entry, stands[m[1]] = entry.Add(cents), stands[m[1]].Add(cents)
		if m[3] != "" {
			if err := says(m[1], m[3]); err != nil {
				return err
			}
		}
	}
	if ends == 0 || !entry.IsZero() {
		return fmt.Errorf("%d balances are asserted, and the last entry comes to %s", ends, entry)
	}
	return nil
}
