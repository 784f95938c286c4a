package tests

import (
	"context"
	"testing"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/plan"
)

// What is under way moves to the plan's new version as it was foreseen, goes on behind what is done already, and
// repeats none of it.
func TestWhatIsUnderWayMovesToTheNewVersion(t *testing.T) {
	h := open(t)
	p := h.plan(plan.Steps{
		plan.Money:       {{Kind: plan.Message}, {Kind: plan.WaitDays, N: 10}, {Kind: plan.Task, Text: "Old."}},
		plan.AccountGone: {{Kind: plan.Message}, {Kind: plan.WaitDays, N: 10}, {Kind: plan.AskAccount}}})
	ids := h.failing("02", "02", "12")
	stays, held, ends := ids[0], ids[1], ids[2]
	_, err := h.use.Plans.Do(ctx, h.who, held, h.run(held).ID, plan.HoldRun, dec(30))
	must(t, err)
	old := h.run(stays)
	p, err = h.use.Plans.Change(ctx, h.who, p.ID, plan.Input{Name: "Monthly", Steps: plan.Steps{
		plan.Money: {{Kind: plan.WaitDays, N: 1}, {Kind: plan.Message}, {Kind: plan.WaitDays, N: 3},
			{Kind: plan.Task, Text: "New."}}, plan.AccountGone: {{Kind: plan.Message}}}})
	must(t, err)

	m, err := h.use.Plans.MovePreview(ctx, h.who, p.ID)
	must(t, err)
	if m.All != 3 || m.Ends() != 1 || len(m.Rows) != 3 || len(m.Ahead) != 3 {
		t.Fatalf("foreseen: %+v", m)
	}
	for _, o := range m.Rows {
		if o.PurchaseID == stays && (o.Step != 2 || o.Move.What != plan.Rest || o.Move.At != nov(28).At(8, 0)) {
			t.Errorf("foreseen: step %d, %+v", o.Step, o.Move)
		}
		if o.PurchaseID == ends && o.Move.What != plan.End {
			t.Errorf("foreseen for what has no step left: %+v", o.Move)
		}
	}
	if r := h.run(stays); r.Version != 1 {
		t.Error("looking moved a run")
	}
	staff := h.who
	staff.Role = actor.Staff
	stranger, _ := h.merchant("stranger")
	for _, who := range []actor.Actor{staff, stranger} {
		if _, _, err := h.use.Plans.Move(ctx, who, p.ID, 2); err == nil {
			t.Errorf("a %s of another business or without the right moves runs", who.Role)
		}
	}
	if _, _, err := h.use.Plans.Move(ctx, h.who, p.ID, 1); err == nil {
		t.Error("runs move to a version that was not looked at")
	}

	n, left, err := h.use.Plans.Move(ctx, h.who, p.ID, 2)
	must(t, err)
	if n != 3 || left != 0 {
		t.Errorf("%d moved, %d left", n, left)
	}
	if n, _, err := h.use.Plans.Move(ctx, h.who, p.ID, 2); n != 0 || err != nil {
		t.Errorf("again %d moved: %v", n, err)
	}
	if r := h.run(held); r.Version != 2 || r.State != plan.Held || r.HeldUntil != dec(30) {
		t.Errorf("what a person held is %+v", r)
	}
	_, err = h.use.Plans.Run(ctx)
	must(t, err)
	if r := h.run(ends); r.State != plan.Over || r.EndReason != "steps_over" {
		t.Errorf("without a step left: %+v", r)
	}
	h.to(nov(28).At(9, 0))
	r := h.run(stays)
	taken := h.taken(r)
	if r.State != plan.WithPerson || len(taken) != 3 || taken[2].N != 3 || taken[2].Why != "New." || r.ID != old.ID {
		t.Errorf("moved, the run is %+v with %+v", r, taken)
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE kind = 'reminder'`); n != 3 {
		t.Errorf("%d reminders for 3 failures", n)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'plan.run_moved' AND before->>'version' = '1'
		AND after->>'version' = '2'`); n != 3 {
		t.Errorf("%d entries", n)
	}
}

// A step that was decided by the old version, before the run moved, is not taken.
func TestAStepOfTheOldVersionIsNotTakenAfterTheMove(t *testing.T) {
	h := open(t)
	p := h.plan(plan.Steps{plan.BanksFault: {{Kind: plan.DebitAgain}, {Kind: plan.Task}}})
	plans := h.use.Controls.Plans
	h.use.Controls.Plans = nil
	id := h.failing("NR")[0]
	h.use.Controls.Plans = plans
	_, err := h.use.Plans.Change(ctx, h.who, p.ID, plan.Input{Name: "Monthly", Steps: plan.Steps{
		plan.BanksFault: {{Kind: plan.Task}}}})
	must(t, err)
	second, other := h.process()
	must(t, second.Clock.Follow(ctx))
	// The second process moves the run while the first plans the debit: between its decision and its transaction.
	again := h.use.Plans.Purchases.InTx
	first := true
	purchases := *h.use.Plans.Purchases
	purchases.InTx = func(c context.Context, do func(*database.Tx) error) error {
		if first {
			first = false
			if n, _, err := other.Plans.Move(ctx, h.who, p.ID, 2); n != 1 || err != nil {
				t.Errorf("%d moved: %v", n, err)
			}
		}
		return again(c, do)
	}
	service := *h.use.Plans
	service.Purchases = &purchases
	_, err = service.Run(ctx)
	must(t, err)
	if n := h.number(`SELECT count(*) FROM collections WHERE purchase_id = $1`, id); n != 1 {
		t.Errorf("%d debits: the old version's step was taken", n)
	}
	_, err = h.use.Plans.Run(ctx)
	must(t, err)
	if r := h.run(id); r.State != plan.WithPerson || r.Version != 2 {
		t.Errorf("the run is %+v", r)
	}
}
