package tests

import (
	"slices"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/followup"
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
	id := h.failing("02")[0]
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

// same is a step as the run and the rehearsal are compared.
type same struct {
	N     int
	Kind  plan.Kind
	What  plan.Outcome
	Why   string
	Rules string
	On    calendar.Date
	Debit calendar.Date
	Cents int64
}

func ran(taken []plan.Taken) (out []same) {
	for _, s := range taken {
		out = append(out, same{s.N, s.Kind, s.Outcome, s.Why, s.Rules, s.PlannedOn, s.MadeFor, s.Cents})
	}
	return out
}

func rehearsed(r plan.Rehearsal, of [16]byte) (out []same) {
	for _, s := range r.Steps {
		if s.Run.PurchaseID == of {
			out = append(out, same{s.N, s.Kind, s.What, s.Why, s.Rules, s.On, s.Debit, s.Cents})
		}
	}
	return out
}

// On the history that a run has made, the rehearsal is the run, to the step.
func TestARehearsalOnTheSameHistoryIsTheRun(t *testing.T) {
	h := open(t)
	p := h.plan(usual)
	ids := h.failing("02", "12", "04", "02")
	first, fourth := ids[0], ids[3]
	_, err := h.use.Followups.AddPromise(ctx, h.who, about(fourth), followup.Promising{DueOn: dec(10)})
	must(t, err)
	h.to(dec(28).At(9, 0))
	h.answer(first, "02")
	h.to(calendar.On(2027, time.February, 1).At(9, 0))
	r, err := h.use.Plans.Rehearse(ctx, h.who, p.ID, nov(1))
	must(t, err)
	if r.Failures < 4 {
		t.Errorf("%d failures", r.Failures)
	}
	for i, id := range ids {
		var was []same
		for _, run := range slices.Backward(h.runs(id)) {
			was = append(was, ran(h.taken(run))...)
		}
		if is := rehearsed(r, id); !slices.Equal(was, is) {
			t.Errorf("purchase %d: the run\n%v\nthe rehearsal\n%v", i+1, was, is)
		}
		if len(was) == 0 {
			t.Errorf("purchase %d has no steps", i+1)
		}
	}
}

// Without the debits that the plan made, nothing is made up of what the bank would have answered.
func TestARehearsalInventsNoAnswerOfTheBank(t *testing.T) {
	h := open(t)
	id := h.failing("02")[0]
	h.to(calendar.On(2027, time.January, 20).At(9, 0))
	p := h.plan(usual)
	r, err := h.use.Plans.Rehearse(ctx, h.who, p.ID, nov(1))
	must(t, err)
	steps := rehearsed(r, id)
	if len(steps) != 2 || steps[1].Kind != plan.DebitAgain || steps[1].Debit != dec(24) || r.Bounces.Open != 1 {
		t.Errorf("the rehearsal is %+v", r)
	}
	if n := h.number(`SELECT count(*) FROM plan_runs`); n != 0 {
		t.Errorf("%d runs were written", n)
	}
}
