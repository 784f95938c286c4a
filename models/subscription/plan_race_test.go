package subscription_test

import (
	"context"
	"testing"

	"debitdesk/models/database"
	"debitdesk/models/subscription"
)

// meanwhile is a service with which something else happens between what it reads and what it writes, once.
func (h *house) meanwhile(other func()) *subscription.Service {
	slow := *h.subs
	done := false
	slow.InTx = func(ctx context.Context, fn func(*database.Tx) error) error {
		if !done {
			done = true
			other()
		}
		return h.subs.InTx(ctx, fn)
	}
	return &slow
}

func TestAPlanStaysAsItIsWhenTheFirstSubscriberComesWhileItIsEdited(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	edit := h.asked(subscription.Default())
	edit.Plan.Period, edit.Title = 2, "Renamed"
	changed, err := h.meanwhile(func() { h.add(tpl, clientID) }).Update(ctx, h.who, tpl.ID, edit)
	must(t, err)
	if changed.Plan.Period != 1 || changed.Title != "Renamed" {
		t.Errorf("every %d months under the title %s, for a subscriber of every month", changed.Plan.Period, changed.Title)
	}
}

func TestASubscriptionBeginsByThePlanAsItWasEditedMeanwhile(t *testing.T) {
	t.Parallel()
	h := open(t)
	atEnd := subscription.Default()
	atEnd.ChargeAtEnd = true
	twoMonths := atEnd
	twoMonths.Period = 2
	tpl := h.template(atEnd)
	edit := func() {
		_, err := h.subs.Update(ctx, h.who, tpl.ID, h.asked(twoMonths))
		must(t, err)
	}
	pending := h.add(tpl, h.client())
	h.give(pending.Purchase, "4000000000")
	_, err := h.meanwhile(edit).Run(ctx)
	must(t, err)
	tpl = h.template(atEnd)
	clientID, _ := h.stored("4000000000")
	added, err := h.meanwhile(edit).Add(ctx, h.who, tpl.ID, subscription.SubscriberInput{ClientID: clientID})
	must(t, err)
	for _, of := range []subscription.Added{pending, added} {
		if s := h.sub(of.Subscriber.ID); s.Status != subscription.Active || s.NextOn != s.Anchor.AddMonths(2, s.Anchor.Day) {
			t.Errorf("%s from %s, next on %s, of a plan of two months", s.Status, s.Anchor, s.NextOn)
		}
	}
}
