package papers

import (
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// Reason says to a client why a debit was not paid, in a sentence. A death is nothing to read on a page or in a mail.
func Reason(c *collection.Collection) string {
	const deceased = "18"
	switch {
	case c != nil && (c.State == collection.Cancelled || c.State == collection.Recalled):
		return "The debit was withdrawn."
	case c == nil || c.Result.IsZero() || c.Result.Code == deceased:
		return "Your bank declined it."
	}
	code := bank.CodeOf(c.Result.Code)
	if code.Class == bank.NotRun {
		return "The bank did not run it. Nothing is wrong with your account."
	}
	return "Your bank says: " + code.Meaning + "."
}

// StopLines say to a client what becomes, or became, of the debits of a subscription that is stopped.
func StopLines(s purchase.Stop, brand string, done bool) (lines []string) {
	is := "will be withdrawn"
	if done {
		is = "was withdrawn"
	}
	for _, rec := range s.Withdrawn {
		lines = append(lines, "The debit of "+money.Format(rec.TotalCents, rec.Currency)+" on "+
			rec.Collection.ActionDate.Format(day)+" "+is+". "+brand+" will tell you whether you still have to pay it.")
	}
	for _, rec := range s.Running {
		lines = append(lines, "The debit of "+money.Format(rec.TotalCents, rec.Currency)+" on "+
			rec.Collection.ActionDate.Format(day)+" is with your bank already and is still debited. Ask "+brand+" about it.")
	}
	if len(lines) == 0 {
		lines = []string{"Nothing more will be debited."}
	}
	return lines
}

// BankName names the bank of a branch code.
func BankName(code string) string {
	if name := bank.BankName(code); name != "" {
		return name
	}
	return "Branch " + code
}
