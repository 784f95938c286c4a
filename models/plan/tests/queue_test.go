package tests

import (
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/attention"
	"debitdesk/models/calendar"
	"debitdesk/models/plan"
)

// What a plan is at work on waits for nobody. It stands in the queue again at once where the plan rests, ends, hands
// over or does not take its step on its day; and never in neither part. (follow-up.md, section 2)
func TestWhatAPlanIsAtWorkOnWaitsForNobody(t *testing.T) {
	h := open(t)
	p := h.plan(usual)
	id := h.failing("02")[0]
	queued := func(when string, want bool) {
		t.Helper()
		counts, err := h.use.Attention.Counts(ctx, h.who)
		must(t, err)
		now, err := h.use.Attention.Items(ctx, h.who, attention.Everyones)
		must(t, err)
		later, err := h.use.Attention.Items(ctx, h.who, attention.Later)
		must(t, err)
		sums, err := h.use.Attention.Summary(ctx, h.who, attention.Later)
		must(t, err)
		waits, rests := has(now.Failed, id), has(later.Failed, id)
		if waits != want || rests == want || counts[0] != len(now.Failed) || counts[3] != len(later.Failed) {
			t.Errorf("%s: in the queue %t, for later %t; counted %v", when, waits, rests, counts)
		}
		if n := int64(len(later.Failed)); sums.AtWork.N != n || sums.AtWork.Cents != n*10000 {
			t.Errorf("%s: a plan is at work on %+v of %d", when, sums.AtWork, n)
		}
		if !want && len(later.Failed) > 0 &&
			(later.Failed[0].Plan != "Monthly" || later.Failed[0].Step.Before(h.store.Now())) {
			t.Errorf("%s: the plan is %+v", when, later.Failed[0])
		}
		h.exec(`SELECT fold_figures(1000000)`) // so that what happens next is noted by itself
	}
	until := calendar.Date{}
	byHand := func(do plan.ByHand) {
		_, err := h.use.Plans.Do(ctx, h.who, id, h.run(id).ID, do, until)
		must(t, err)
		// The page of the purchase and the queue say the same of the plan.
		runs, err := h.use.Plans.Outlooks(ctx, h.who.MerchantID, []plan.Run{h.run(id)})
		must(t, err)
		later, err := h.use.Attention.Items(ctx, h.who, attention.Later)
		must(t, err)
		if says := runs[0].GoesOn(); says != has(later.Failed, id) {
			t.Errorf("after %s the page says that the plan is at work: %t", do, says)
		}
	}
	set := func(to plan.State) {
		_, err := h.use.Plans.SetState(ctx, h.who, p.ID, to)
		must(t, err)
	}
	h.to(nov(26).At(12, 0))
	queued("the plan has written to the client", false)
	byHand(plan.HoldRun)
	queued("a person holds it", true)
	byHand(plan.Resume)
	until = calendar.On(2026, 12, 4)
	byHand(plan.HoldRun)
	queued("a person holds it until a day", false)
	byHand(plan.Resume)
	h.to(nov(27).At(12, 0))
	queued("it goes on", false)
	set(plan.Paused)
	queued("the plan is paused", true)
	set(plan.Active)
	queued("the plan goes on", false)
	h.exec(`UPDATE plan_runs SET due_at = $2 WHERE purchase_id = $1`, id, nov(26).At(12, 0))
	queued("nobody took its step on its day", true)
	h.exec(`UPDATE plan_runs SET due_at = $2 WHERE purchase_id = $1`, id, nov(30).At(12, 0))
	queued("its step is for another day", false)
	byHand(plan.EndRun)
	queued("it has ended", true)
}

// A plan that begins with a person never takes a failure out of the queue.
func TestWhatAPlanHandsOverStandsInTheQueue(t *testing.T) {
	h := open(t)
	h.plan(usual)
	id := h.failing("04")[0]
	h.to(nov(26).At(12, 0))
	now, err := h.use.Attention.Items(ctx, h.who, attention.Everyones)
	must(t, err)
	if h.run(id).State != plan.WithPerson || !has(now.Failed, id) {
		t.Errorf("the run is %s and the queue %+v", h.run(id).State, now.Failed)
	}
}

func has(items []attention.Item, id uuid.UUID) bool {
	for _, i := range items {
		if i.PurchaseID == id {
			return true
		}
	}
	return false
}
