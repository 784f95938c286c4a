package collection

import (
	"fmt"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// Verdict is what a result means for the token it was collected from.
type Verdict struct {
	SoftInRow int  // soft unpaids in a row, this result counted
	Blocked   bool // the token must not be charged again until Remedy
	Reason    string
	Remedy    string
}

// Judge decides after a bank's answer whether its token stays usable. softBefore counts the soft unpaids in a row
// before this answer; the rule is that of the debit's action date. A success starts the count anew; a soft failure
// blocks at the limit (industry: two in a row revoke an EFT mandate); hard, disputed and blocked answers block at
// once; information changes nothing, nor does a debit that was not run.
func (t Timetable) Judge(code string, softBefore int, action calendar.Date) Verdict {
	c := bank.CodeOf(code)
	switch c.Class {
	case bank.Success:
		return Verdict{}
	case bank.Info, bank.NotRun:
		return Verdict{SoftInRow: softBefore}
	case bank.Soft:
		return judgeSoft(c, softBefore+1, t.SoftLimit(action))
	case bank.Hard, bank.Unknown, bank.Dispute, bank.Blocked:
	}
	return Verdict{SoftInRow: softBefore, Blocked: true, Reason: c.Label(), Remedy: c.Remedy}
}

func judgeSoft(c bank.ReturnCode, inRow, limit int) Verdict {
	v := Verdict{SoftInRow: inRow}
	if limit > 0 && inRow >= limit {
		v.Blocked = true
		v.Reason = fmt.Sprintf("Failed %d times in a row, last: %s", inRow, c.Label())
		v.Remedy = "Store the client’s account again with a new mandate, and agree on a day when there is money."
	}
	return v
}
