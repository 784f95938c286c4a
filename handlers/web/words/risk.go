package words

import (
	"fmt"
	"strconv"

	"debitdesk/models/analysis"
	"debitdesk/models/bank"
	"debitdesk/models/plural"
)

// RiskCases says by which cases a debit is likely to fail: "70 of 82 debits with the same failures before".
func RiskCases(d analysis.AtRisk) string {
	return fmt.Sprintf("%s of %s with %s", plural.Number(d.Like.Failed), plural.Of(d.Like.N, "debit"), common(d))
}

// RiskBefore says how the debits before one went.
func RiskBefore(r analysis.Record) string {
	before := fmt.Sprintf("%d of the %d before it failed.", r.Failed, r.Of)
	if r.Of == 1 {
		return "The one before it failed: " + bank.Label(r.Code) + "."
	}
	return "The last one failed: " + bank.Label(r.Code) + ". " + Capital(before)
}

// common says what the cases have in common with a debit.
func common(d analysis.AtRisk) string {
	if d.Like.Depth < analysis.ByFailures {
		return "the same last result"
	}
	text, and := "the same failures before", []string(nil)
	if d.Like.Depth >= analysis.ByAge {
		and = append(and, "a mandate as old ("+LowerFirst(MandateAge(d.Record.Age))+")")
	}
	if d.Like.Depth >= analysis.ByBank {
		and = append(and, "at "+BankWords(d.Record.Bank))
	}
	if d.Like.Depth >= analysis.ByDay {
		and = append(and, "on day "+strconv.Itoa(d.Record.Day)+" of the month")
	}
	for _, one := range and {
		text += ", " + one
	}
	return text
}
