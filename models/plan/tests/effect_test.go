package tests

import (
	"slices"
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/plan"
	"debitdesk/models/report"
)

// A debit that never ran may have failed: clients would have paid nothing or the highest charge, and the month may have
// had one failure more.
func TestARehearsalSaysWhatItsDebitsWouldHaveMeant(t *testing.T) {
	h := open(t)
	h.failing("02")
	clientID, tokenID := h.stored()
	id := h.charged(clientID, tokenID, dec(24))
	h.to(dec(28).At(9, 0))
	h.answer(id, "12")
	h.to(calendar.On(2027, 1, 20).At(9, 0))
	p := h.plan(usual)
	r, err := h.use.Plans.Rehearse(ctx, h.who, p.ID, nov(1))
	must(t, err)
	if want := (plan.Bounces{Debits: 1, Open: 1}); r.Bounces != want {
		t.Errorf("the debits are %+v, want %+v", r.Bounces, want)
	}
	if least, most := r.Bounces.Fees(); least != 0 || most != plan.HighestFee {
		t.Errorf("clients would have paid %d to %d cents", least, most)
	}
	if len(r.Months) != 1 || r.Months[0].First != dec(1) || r.Months[0].More != 1 ||
		r.Months[0].Was != (report.Outcome{Unpaid: 1}) || r.Months[0].Limits.Unpaid != 1000 {
		t.Fatalf("the months are %+v", r.Months)
	}
	best, worst := r.Months[0].With()
	if best != (report.Outcome{Collected: 1, Unpaid: 1}) || worst != (report.Outcome{Unpaid: 2}) {
		t.Errorf("with the plan it is %+v to %+v", best, worst)
	}
}

// What did fail is counted, and what followed a failure is told with how many cases there are.
func TestARehearsalCountsWhatDidFail(t *testing.T) {
	h := open(t)
	p := h.plan(usual)
	id := h.failing("02")[0]
	h.to(dec(28).At(9, 0))
	h.answer(id, "02")
	h.to(calendar.On(2027, 1, 20).At(9, 0))
	r, err := h.use.Plans.Rehearse(ctx, h.who, p.ID, nov(1))
	must(t, err)
	if want := (plan.Bounces{Debits: 1, Failed: 1}); r.Bounces != want || len(r.Months) != 0 {
		t.Errorf("the debits are %+v, want %+v, and the months %+v", r.Bounces, want, r.Months)
	}
	if least, most := r.Bounces.Fees(); least != plan.LowestFee || most != plan.HighestFee {
		t.Errorf("clients would have paid %d to %d cents", least, most)
	}
	want := []plan.After{{Method: bank.EFT, Cause: plan.NoFunds, Distance: plan.Distance{From: 29, To: 35}, N: 1}}
	if !slices.Equal(r.After, want) {
		t.Fatalf("after failures: %+v, want %+v", r.After, want)
	}
	if _, ok := r.After[0].Interval(); ok {
		t.Error("one case is called enough")
	}
}

func TestAMonthSaysWhatItBears(t *testing.T) {
	m := plan.Month{Was: report.Outcome{Collected: 900, Unpaid: 95, Disputed: 3}, More: 2,
		Limits: report.Limits{Unpaid: 1000, Dispute: 50}}
	if was, best, worst := m.Above(); was || best || worst {
		t.Errorf("97 of 1 000 are above 10 %%: %v %v %v", was, best, worst)
	}
	if n := m.Spare(); n != 2 {
		t.Errorf("it bears %d more disputes, want 2: 5 of 1 000 are at the limit", n)
	}
	m.Was.Unpaid, m.More = 100, 97
	if was, best, worst := m.Above(); was || best || !worst {
		t.Errorf("100 of 1 003 are at most 10 %%, 197 of 1 100 are not: %v %v %v", was, best, worst)
	}
}
