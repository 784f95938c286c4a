package papers

import (
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/locale"
	"debitdesk/models/purchase"
)

// Reason says to a client why a debit was not paid, in a sentence. A death is nothing to read on a page or in a mail.
func Reason(w locale.Words, c *collection.Collection) string {
	const deceased = "18"
	switch {
	case c != nil && (c.State == collection.Cancelled || c.State == collection.Recalled):
		return w.Say("pay.why.withdrawn")
	case c == nil || c.Result.IsZero() || c.Result.Code == deceased:
		return w.Say("pay.why.declined")
	}
	code := bank.CodeOf(c.Result.Code)
	if code.Class == bank.NotRun {
		return w.Say("pay.why.not_run")
	}
	if key := "reason." + code.Code; w.Language != locale.English && locale.Has(key) {
		return w.Say("pay.why.says", "reason", w.Say(key))
	}
	return w.Say("pay.why.says", "reason", w.Own(code.Meaning))
}

// StopLines say to a client what becomes, or became, of the debits of a subscription that is stopped.
func StopLines(w locale.Words, s purchase.Stop, brand string, done bool) (lines []string) {
	debit := func(rec purchase.Record) []string {
		return []string{"amount", w.Money(rec.TotalCents, rec.Currency), "date", w.Day(rec.Collection.ActionDate),
			"business", brand}
	}
	withdrawn := "sub.will_be_withdrawn"
	if done {
		withdrawn = "sub.was_withdrawn"
	}
	for _, rec := range s.Withdrawn {
		lines = append(lines, w.Say(withdrawn, debit(rec)...))
	}
	for _, rec := range s.Running {
		lines = append(lines, w.Say("sub.runs_anyway", debit(rec)...))
	}
	if len(lines) == 0 {
		lines = []string{w.Say("sub.nothing_more")}
	}
	return lines
}

// BankName names a bank, or its branch where the bank is not known.
func BankName(w locale.Words, code string) string {
	if name := bank.BankName(code); name != "" {
		return name
	}
	return w.Say("pay.branch", "code", code)
}

// Every says how often something recurs: "every month".
func Every(w locale.Words, r purchase.Recurrence) string {
	if key := "every." + r.Units; w.Language != locale.English && locale.Has(key) {
		return w.Count(key, r.Period)
	}
	return w.Own(r.Every)
}
