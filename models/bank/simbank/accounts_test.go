package simbank

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

// apart are accounts that mean something else at a bank that takes files, as the table in accounts.go says.
var apart = map[string]bool{"7001": true, "9901": true}

// The tables are two on purpose, and say the same.
func TestAccountsMeanWhatTheyMeanInTheSandbox(t *testing.T) {
	t.Parallel()
	cal, compared := calendar.New(), 0
	for _, magic := range sandbox.Catalogue() {
		if apart[magic.Ending] {
			continue
		}
		for _, method := range []bank.Method{bank.EFT, bank.DebiCheck} {
			for previous := range 2 {
				in := bank.Instruction{ID: uuid.New(), Method: method, ActionDate: wednesday, Account: magic.Account,
					TrackingDays: 5,
					Disputable:   true}
				theirs := toldBySandbox(sandbox.Script(in, previous, collection.DefaultTimetable().For(method), cal))
				o := &order{Kind: debit, Day: wednesday, Account: magic.Account.Reveal(), Tracking: 5, Service: "EFT"}
				if method == bank.DebiCheck {
					o.Service = "REGISTERED DEBICHECK"
				}
				p := planner{cal: cal, now: monday, order: o, previous: previous}
				p.planDebit()
				if ours := toldByPlan(o.Plan); ours != theirs {
					t.Errorf("%s %s after %d: %q, in the sandbox %q", magic.Account.Reveal(), method, previous, ours, theirs)
				}
				compared++
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d were compared", compared)
	}
}

// toldBySandbox is whether the merchant has the money in the end, and why not.
func toldBySandbox(entries []sandbox.Entry) string {
	paid, why := false, ""
	for _, e := range entries {
		switch e.Kind {
		case bank.Provisional, bank.Successful:
			paid = true
		case bank.Unpaid, bank.Disputed:
			paid, why = false, e.Code
		default: // says nothing about the money
		}
	}
	return words(paid, why)
}

func toldByPlan(plan []event) string {
	balance, why := 0, ""
	for _, e := range plan {
		balance += e.Book
		if e.Notify || e.Status == "RJCT" {
			why, _, _ = strings.Cut(e.Code.Text, " ")
		}
	}
	return words(balance == 1, why)
}

func words(paid bool, why string) string {
	if paid {
		return "paid"
	}
	return "not paid " + why
}

// The native codes are written with the ISO twins that the product knows.
func TestEveryNativeCodeIsOneThatTheProductKnows(t *testing.T) {
	t.Parallel()
	for code := range native {
		if _, known := bank.FindCode(code); !known {
			t.Errorf("%s is not a code", code)
		}
	}
}
