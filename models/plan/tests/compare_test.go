package tests

import (
	"testing"

	"debitdesk/models/fault"
	"debitdesk/models/plan"
)

// A share of the clients is left to the old way: their failures are noted and nothing else is done, always the same
// clients, and both sides are counted.
func TestAShareOfTheClientsIsLeftToTheOldWay(t *testing.T) {
	t.Parallel()
	h := open(t)
	p, err := h.use.Plans.Create(ctx, h.who, plan.Input{Name: "Monthly", Steps: usual, HoldOut: 5000})
	must(t, err)
	codes := make([]string, 24)
	for i := range codes {
		codes[i] = "02"
	}
	ids := h.failing(codes...)
	out := map[string]bool{}
	var paid plan.Comparison
	for i, id := range ids {
		r := h.run(id)
		if r.State == plan.Over && r.EndReason != "hold_out" || r.State != plan.Over && r.EndReason != "" {
			t.Fatalf("%+v", r)
		}
		side := &paid.With
		if out[r.ClientID.String()] = r.State == plan.Over; r.State == plan.Over {
			side = &paid.Without
			if mails := h.number(`SELECT count(*) FROM mails WHERE purchase_id = $1 AND kind = 'reminder'`, id); mails != 0 {
				t.Errorf("%d mails to a client that is left to the old way", mails)
			}
		}
		if side.Failed++; i%2 == 0 {
			side.Paid++
			_, err := h.use.Purchases.MarkAsPaid(ctx, h.who, id, nil)
			must(t, err)
		}
	}
	if paid.With.Failed < 3 || paid.Without.Failed < 3 {
		t.Fatalf("half of 24 clients: %+v", paid)
	}
	for id, held := range out {
		n := h.number(`SELECT count(*) FROM plan_runs r JOIN plans pl ON pl.id = r.plan_id WHERE r.client_id = $1
			AND (end_reason = 'hold_out') = $2`, id, held)
		if n != 1 {
			t.Errorf("client %s: %d runs", id, n)
		}
	}
	if c, err := h.use.Plans.Compare(ctx, h.who, p.ID); err != nil || c != (plan.Comparison{}) {
		t.Errorf("before 30 days: %+v %v", c, err)
	}
	h.to(dec(31).At(9, 0))
	paid.With.Paid = 0 // the plan had some debited again
	for _, id := range ids {
		if !out[h.run(id).ClientID.String()] {
			paid.With.Paid += h.number(`SELECT count(*) FROM purchases WHERE id = $1 AND status = 'paid'`, id)
		}
	}
	if c, err := h.use.Plans.Compare(ctx, h.who, p.ID); err != nil || c != paid {
		t.Errorf("counted %+v, want %+v, %v", c, paid, err)
	}
	stranger, _ := h.merchant("stranger")
	if c, err := h.use.Plans.Compare(ctx, stranger, p.ID); err != nil || c != (plan.Comparison{}) {
		t.Errorf("a stranger is told %+v, %v", c, err)
	}
}

func TestAShareThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, share := range []int{-1, 5001} {
		_, err := h.use.Plans.Create(ctx, h.who, plan.Input{Name: "x", Steps: usual, HoldOut: share})
		if f, ok := fault.From(err); !ok || len(f.Fields) != 1 || f.Fields[0].Path != "hold_out" {
			t.Errorf("%d: %v", share, err)
		}
	}
}

func TestADifferenceMeansSomethingOnlyBeyondChance(t *testing.T) {
	for c, want := range map[plan.Comparison]plan.Verdict{
		{With: plan.Arm{Paid: 9, Failed: 20}}:                                               plan.NoneYet,
		{With: plan.Arm{Paid: 90, Failed: 100}, Without: plan.Arm{Paid: 1, Failed: 29}}:     plan.TooFew,
		{With: plan.Arm{Paid: 55, Failed: 100}, Without: plan.Arm{Paid: 50, Failed: 100}}:   plan.Even,
		{With: plan.Arm{Paid: 70, Failed: 100}, Without: plan.Arm{Paid: 50, Failed: 100}}:   plan.Better,
		{With: plan.Arm{Paid: 300, Failed: 1000}, Without: plan.Arm{Paid: 50, Failed: 100}}: plan.Worse,
	} {
		if got := c.Verdict(); got != want {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
}
