package mandate

import (
	"fmt"
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
)

// MovedIn is what is known of a permission that was given before the business came here.
type MovedIn struct {
	SignedOn     calendar.Date // zero: the business does not know it, and vouches for the permission
	OldReference string        // of the old system
	Cents        int64         // of each debit; 0: not said
}

// WordingOfMovedIn says in the place of the client's own words what is known of a permission that was given elsewhere.
// It claims no more: the wording that the client agreed to is with the business.
func WordingOfMovedIn(m Mandate, b merchant.Brand, known MovedIn) string {
	given := "The day on which it was given is not known here; " + b.Name + " says that it holds the permission."
	if !known.SignedOn.IsZero() {
		given = fmt.Sprintf("It was given on %s.", known.SignedOn.Format("2 January 2006"))
	}
	lines := []string{
		fmt.Sprintf("%s gave %s permission to debit %s by EFT debit order, before %s moved its debit orders here.",
			holder(m), collector(b), account(m), b.Name),
		given,
		"The wording that the client agreed to is with " + b.Name + ".",
	}
	if known.OldReference != "" && known.OldReference != m.ContractReference {
		lines = append(lines, "Its reference was "+known.OldReference+".")
	}
	if known.Cents > 0 {
		lines = append(lines, fmt.Sprintf("The amount of each debit was %s.", money.Format(known.Cents, money.ZAR)))
	}
	return strings.Join(append(lines,
		fmt.Sprintf("On the bank statement the debits are shown as %s with %s.", m.AbbreviatedName, reference(m))), "\n")
}
