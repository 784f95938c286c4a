package plan_test

import (
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/plan"
	"debitdesk/models/purchase"
)

var usual = plan.Steps{
	plan.Money: {{Kind: plan.Message}, {Kind: plan.DebitAgain}, {Kind: plan.DebitAgain}, {Kind: plan.AskAccount},
		{Kind: plan.Task, Text: "Call the client."}},
	plan.AccountGone: {{Kind: plan.Message}, {Kind: plan.WaitDays, N: 3}, {Kind: plan.AskAccount}, {Kind: plan.Task}},
	plan.Objection:   {{Kind: plan.Task, Text: "Ask the client what is wrong."}},
	plan.BanksFault:  {{Kind: plan.DebitAgain}},
}

// The worked example of follow-up.md, section 5.
func TestTheWorkedExample(t *testing.T) {
	h := open(t)
	h.plan(usual)
	id, _, _ := h.failed("02")
	r := h.run(id)
	if r.State != plan.Waiting || r.Branch != plan.Money || r.FailedOn != nov(25) {
		t.Fatalf("the run is %+v", r)
	}
	taken := h.taken(r)
	if len(taken) != 1 || taken[0].Kind != plan.Message || taken[0].Outcome != plan.Done {
		t.Fatalf("the first steps are %+v", taken)
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE purchase_id = $1 AND kind = 'reminder'`, id); n != 1 {
		t.Errorf("%d reminders", n)
	}
	if r.DebitOn != dec(24) {
		t.Errorf("the next debit is on %s, want 24 December: the 25th is a holiday", r.DebitOn)
	}
	h.to(dec(20).At(9, 0))
	if r = h.run(id); r.State != plan.Waiting || h.purchase(id).Status == purchase.PendingCharge {
		t.Fatalf("the debit was planned before it had to be: %+v", r)
	}
	h.to(dec(22).At(11, 0)) // the cut-off is at 12:00
	if r = h.run(id); r.State != plan.Held || r.HeldFor != plan.ForDebit {
		t.Fatalf("the debit is not planned: %+v", r)
	}
	if c := h.purchase(id).Collection; c.ActionDate != dec(24) || c.AmountCents != 10000 {
		t.Errorf("the debit is %+v", c)
	}
	h.to(dec(28).At(9, 0))
	h.answer(id, "02")
	r = h.run(id)
	taken = h.taken(r)
	if len(taken) != 5 || taken[1].Outcome != plan.Done || taken[1].MadeFor != dec(24) ||
		taken[2].Outcome != plan.Refused || taken[2].Rules != "eft.unpaid_in_row_ends" || taken[3].Kind != plan.AskAccount {
		t.Fatalf("the steps are %+v", taken)
	}
	if r.State != plan.WithPerson || len(h.runs(id)) != 1 {
		t.Errorf("the run is %+v", r)
	}
	if n := h.number(`SELECT count(*) FROM notes WHERE object_id = $1 AND text LIKE '%Call the client.'`, id); n != 1 {
		t.Errorf("%d notes for the person", n)
	}
	h.to(calendar.On(2027, time.January, 26).At(9, 0))
	if n := h.number(`SELECT count(*) FROM collections WHERE purchase_id = $1`, id); n != 2 {
		t.Errorf("%d debits, want 2", n)
	}
}

func (h *house) purchase(id [16]byte) purchase.Record {
	h.t.Helper()
	rec, err := h.use.Purchases.Get(ctx, h.who, id)
	must(h.t, err)
	return rec
}
