package subscription

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// CancelledByClient is the event that tells a merchant that the client stopped a
// subscription (API contract 5.2).
const CancelledByClient = "billing_template_client.subscription_billing_cancelled"

// CancelByClient stops a subscription from the client's link: knowing the id of one of
// its purchases is the permission. It is paused, and the merchant hears of it; what
// was billed before runs its course. Repeating it changes nothing. NotFound when the
// purchase belongs to no subscriber, Conflict when nothing runs that could be stopped.
func (s *Service) CancelByClient(ctx context.Context, who actor.Actor,
	purchaseID uuid.UUID) (sub Subscriber, err error) {
	err = again(func() error {
		p, err := s.Purchases.Read.PurchaseForPayer(ctx, purchaseID)
		if err != nil {
			return err
		}
		if p.SubscriberID == uuid.Nil {
			return fault.Missing()
		}
		if sub, err = s.Store.TemplateClient(ctx, p.MerchantID, p.SubscriberID); err != nil {
			return err
		}
		before := sub
		switch {
		case sub.Status == Paused && sub.Why == "payer":
			return nil
		case sub.Status != Active && sub.Status != Paused:
			return wrongStatus("This subscription is %s; there is nothing to stop.", sub)
		}
		return s.InTx(ctx, func(tx purchase.Tx) error {
			who.MerchantID = sub.MerchantID
			stop, err := s.Purchases.StopIn(tx, who, sub.ID)
			if err != nil {
				return err
			}
			if err := s.mailStop(tx, p, before, stop); err != nil {
				return err
			}
			sub.Status, sub.Why, sub.UpdatedAt = Paused, "payer", tx.Now()
			moveSubscriber(tx.Unit(), sub)
			sub.Version++
			tell(tx.Unit(), CancelledByClient, sub)
			noteSubscriber(tx, who, sub, "subscriber.cancelled", "The client stopped the subscription."+withdrawnWords(stop),
				before.facts(), sub.facts())
			return tx.Answered(sub)
		})
	})
	return sub, err
}

// SubscriptionOf tells which subscription a purchase belongs to; known is false when
// to none. It is for the client's own pages: knowing the id is the permission.
func (s *Service) SubscriptionOf(ctx context.Context,
	purchaseID uuid.UUID) (t Template, sub Subscriber, known bool, err error) {
	p, err := s.Purchases.Read.PurchaseForPayer(ctx, purchaseID)
	if err != nil || p.SubscriberID == uuid.Nil {
		return t, sub, false, err
	}
	if sub, err = s.Store.TemplateClient(ctx, p.MerchantID, p.SubscriberID); err != nil {
		return t, sub, false, err
	}
	t, err = s.Store.AnyTemplate(ctx, p.MerchantID, sub.TemplateID)
	return t, sub, err == nil, err
}
