package mandate

import (
	"fmt"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
)

// Start is what a permission says beside the mandate's own particulars.
type Start struct {
	Currency   string
	FirstDebit calendar.Date // zero: nothing is debited now
	AnyDay     bool          // nobody chose the deduction day: it is left out
	TrackDays  *int          // DebiCheck: how long the bank watches the account; nil: the industry's ten days
}

// Wording is the text of the permission, one clause a line, without line breaks
// inside a clause. It names everything that a mandate must name (industry: short
// name, user name, first and recurring date and amount, the client's name and
// account, an explicit authority); what is not known yet points to the form that
// asks for it. The clauses around it are ours. A mandate with terms is a DebiCheck
// mandate, and says what the client authenticates.
func Wording(m Mandate, b merchant.Brand, t Start) string {
	particulars := []string{
		fmt.Sprintf("I, %s, authorise %s to debit %s by EFT debit order.", holder(m), collector(b), account(m)),
		first(m, t),
		later(m, b, t),
		"A payment day on which banks are closed moves to " + shift(b.Shift) + ".",
	}
	if m.Terms != nil {
		particulars = authenticated(m, b, t)
	}
	return strings.Join(append(particulars,
		fmt.Sprintf("On my bank statement the debits are shown as %s with %s.", m.AbbreviatedName, reference(m)),
		"My bank may treat each of these debits as if I had instructed it myself.",
		lasting(m, b),
		fmt.Sprintf(
			"I may cancel this authority by giving 20 ordinary working days' notice in writing%s. "+
				"Cancelling does not end my agreement with %s, "+
				"and what I lawfully owed before is not paid back.",
			address(b),
			b.Name,
		),
		"This authority may be passed to somebody else only together with that agreement.",
	), "\n")
}

// later is what follows the first debit, if anything may.
func later(m Mandate, b merchant.Brand, t Start) string {
	switch {
	case m.OneDebit:
		return fmt.Sprintf(
			"This authority is for this one debit, for what I owe %s, and never for more. "+
				"My account is not stored for later debits.",
			b.Name,
		)
	case m.AllowsOneDebit() && !t.FirstDebit.IsZero(): // its date is named
		return fmt.Sprintf("This authority is for that one debit, for what I owe %s under our agreement, and never for more.",
			b.Name)
	case m.AllowsOneDebit():
		return fmt.Sprintf(
			"This authority is for one debit, for what I owe %s under our agreement, and never for more. "+
				"It runs on the date that we agreed%s.",
			b.Name,
			rhythm(m, t),
		)
	}
	return fmt.Sprintf(
		"Later debits are for what I owe %s under our agreement, and never for more. "+
			"They run on the dates that we agreed%s.%s",
		b.Name,
		rhythm(m, t),
		onePerPeriod(m),
	)
}

// Later is the clause of the mandate about later debits, for a form on which the
// client chooses whether there may be any.
func Later(m Mandate, b merchant.Brand, t Start) string { return later(m, b, t) }

func lasting(m Mandate, b merchant.Brand) string {
	if m.OneDebit {
		return "This authority begins when I give it and ends when I cancel it or when the debit has run."
	}
	return fmt.Sprintf(
		"This authority begins when I give it and ends when I cancel it or when I owe %s nothing more under our agreement.",
		b.Name)
}

func holder(m Mandate) string {
	if m.HolderName == "" {
		return "the account holder named on this form"
	}
	return m.HolderName
}

// collector is the business in law and the name it trades as.
func collector(b merchant.Brand) string {
	if b.LegalName == "" || b.LegalName == b.Name {
		return b.Name
	}
	return fmt.Sprintf("%s (trading as %s)", b.LegalName, b.Name)
}

func account(m Mandate) string {
	if m.AccountMask == "" || m.BankCode == "" {
		return "the bank account given on this form"
	}
	kind := "account"
	if m.AccountType.Known() {
		kind = strings.ToLower(m.AccountType.Label())
	}
	at := "branch " + m.BankCode
	if name := bank.BankName(m.BankCode); name != "" {
		at = name + ", " + at
	}
	return fmt.Sprintf("my %s %s at %s,", kind, strings.ReplaceAll(m.AccountMask, " ", money.NBSP), at)
}

// reference is what finds this mandate; it is given out when the mandate is kept.
func reference(m Mandate) string {
	if m.ContractReference == "" {
		return "the contract reference of this authority"
	}
	return "the contract reference " + m.ContractReference
}

func first(m Mandate, t Start) string {
	if t.FirstDebit.IsZero() {
		return "Nothing is debited now."
	}
	return fmt.Sprintf("The first debit is %s on %s.", money.Format(m.AmountCents, t.Currency),
		t.FirstDebit.Format("Monday 2 January 2006"))
}

// rhythm is the recurring date, as far as the mandate has one.
func rhythm(m Mandate, t Start) string {
	switch {
	case t.AnyDay:
		return ""
	case m.PeriodUnits == "days":
		return ", as often as every day"
	case m.PeriodUnits == "weeks" && m.DeductionDay >= 1 && m.DeductionDay <= 7:
		return ", normally on " + [...]string{"Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays",
			"Sundays"}[m.DeductionDay-1]
	case m.PeriodUnits == "months" && m.DeductionDay == 99:
		return ", normally on the last day of the month"
	case m.PeriodUnits == "months" && m.DeductionDay >= 1:
		return ", normally on the " + Ordinal(m.DeductionDay) + " of the month"
	}
	return ""
}

// Ordinal writes a day of the month in English: "1st".
func Ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

func shift(s calendar.Shift) string {
	if s == calendar.Next {
		return "the next ordinary business day"
	}
	return "the ordinary business day before"
}

// address is where a cancellation goes, when the brand has one on record.
func address(b merchant.Brand) string {
	if to := firstOf(b.Email, strings.Join(nonEmpty(b.StreetAddress, b.City, b.ZipCode), ", ")); to != "" {
		return " to " + to
	}
	return ""
}

func firstOf(texts ...string) string {
	if given := nonEmpty(texts...); len(given) > 0 {
		return given[0]
	}
	return ""
}

func nonEmpty(texts ...string) (given []string) {
	for _, t := range texts {
		if t != "" {
			given = append(given, t)
		}
	}
	return given
}
