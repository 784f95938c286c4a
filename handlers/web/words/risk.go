package words

import (
	"fmt"
	"strconv"
	"strings"

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
	if r.Of == 1 {
		return "The one before it failed: " + bank.Label(r.Code) + "."
	}
	return fmt.Sprintf("The last one failed: %s. %d of the %d before it failed.", bank.Label(r.Code), r.Failed, r.Of)
}

// common says what the cases have in common with a debit.
func common(d analysis.AtRisk) string {
	if d.Like.Depth < analysis.ByFailures {
		return "the same last result"
	}
	same := []string{"the same failures before"}
	if d.Like.Depth >= analysis.ByAge {
		same = append(same, "a mandate as old ("+LowerFirst(MandateAge(d.Record.Age))+")")
	}
	if d.Like.Depth >= analysis.ByBank {
		same = append(same, "at "+BankWords(d.Record.Bank))
	}
	if d.Like.Depth >= analysis.ByDay {
		same = append(same, "on day "+strconv.Itoa(d.Record.Day)+" of the month")
	}
	return strings.Join(same, ", ")
}
