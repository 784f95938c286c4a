package subscription_test

import (
	"testing"
	"time"

	"debitdesk/models/fault"
	"debitdesk/models/subscription"
)

// What bills many asks one rule: subscribers that are added together, a higher price for those there are, and invoices
// of a template.
func TestWhatBillsManyAsksForASecondApprover(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	h.add(tpl, clientID)
	limit := func(cents int64) { h.exec(`UPDATE merchants SET approve_batches_cents = $1`, cents) }
	limit(3 * tpl.TotalCents)
	must(t, h.subs.MayAddMany(ctx, h.who, tpl.ID, 3))
	if err := h.subs.MayAddMany(ctx, h.who, tpl.ID, 4); !fault.HasCode(err, "approval_needed") {
		t.Errorf("four together: %v", err)
	}
	dearer := h.asked(subscription.Default())
	dearer.Pattern.Details.Products[0].PriceCents += 100
	limit(tpl.TotalCents + 100)
	_, err := h.subs.Update(ctx, h.who, tpl.ID, dearer)
	must(t, err)
	dearer.Pattern.Details.Products[0].PriceCents += 100
	if _, err := h.subs.Update(ctx, h.who, tpl.ID, dearer); !fault.HasCode(err, "approval_needed") {
		t.Errorf("a price above the limit: %v", err)
	}
	cheaper := h.asked(subscription.Default())
	limit(0)
	_, err = h.subs.Update(ctx, h.who, tpl.ID, cheaper)
	must(t, err)

	due := day(time.February, 26).At(12, 0)
	once := h.asked(subscription.Default())
	once.IsSubscription, once.Pattern.Due = false, &due
	bill, err := h.subs.Create(ctx, h.who, once)
	must(t, err)
	if _, err := h.subs.SendInvoice(ctx, h.who, bill.ID,
		subscription.SubscriberInput{ClientID: clientID}); !fault.HasCode(err, "approval_needed") {
		t.Errorf("an invoice of a template: %v", err)
	}
}
