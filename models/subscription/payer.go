package subscription

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/database"
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
		p, err := s.Purchases.Store.PurchaseForPayer(ctx, purchaseID)
		if err != nil {
			return err
		}
		if p.SubscriberID == uuid.Nil {
			return fault.Missing()
		}
		if sub, err = s.Store.TemplateClient(ctx, p.MerchantID, p.SubscriberID); err != nil {
			return err
		}
		if stopped, err := sub.mayStop(); stopped || err != nil {
			return err
		}
		return s.InTx(ctx, func(tx *database.Tx) error {
			who.MerchantID = sub.MerchantID
			if err := s.stopByClient(tx, who, p, &sub); err != nil {
				return err
			}
			return tx.Answered(sub)
		})
	})
	return sub, err
}

// mayStop is nil when a client can stop the subscription, or has stopped it.
func (s Subscriber) mayStop() (stopped bool, err error) {
	switch {
	case s.Status == Paused && s.Why == "payer":
		return true, nil
	case s.Status != Active && s.Status != Paused:
		return false, wrongStatus("This subscription is %s; there is nothing to stop.", s)
	}
	return false, nil
}

// MayStopByClient is nil when a client can stop the subscription.
func (s Subscriber) MayStopByClient() error {
	stopped, err := s.mayStop()
	if stopped {
		return wrongStatus("This subscription is stopped already.", s)
	}
	return err
}

// stopByClient stops a subscription and tells both sides. p is one of its purchases: in its name they are mailed.
func (s *Service) stopByClient(tx *database.Tx, who actor.Actor, p purchase.Purchase, sub *Subscriber) error {
	before := *sub
	stop, err := s.Purchases.StopIn(tx, who, sub.ID)
	if err != nil {
		return err
	}
	if err := s.mailStop(tx, p, before, stop); err != nil {
		return err
	}
	sub.Status, sub.Why, sub.UpdatedAt = Paused, "payer", tx.Now()
	moveSubscriber(tx, *sub)
	sub.Version++
	tell(tx, CancelledByClient, *sub)
	noteSubscriber(tx, who, *sub, "subscriber.cancelled", "The client stopped the subscription."+withdrawnWords(stop),
		before.facts(), sub.facts())
	return nil
}

// StopByClientIn is CancelByClient for a subscription that the client's own page names, in a caller's transaction.
func (s *Service) StopByClientIn(tx *database.Tx, who actor.Actor, id uuid.UUID) error {
	sub, err := s.Store.TemplateClient(tx.Context(), who.MerchantID, id)
	if err != nil {
		return err
	}
	if err := sub.MayStopByClient(); err != nil {
		return err
	}
	p := purchase.Purchase{MerchantID: sub.MerchantID, ClientID: sub.ClientID}
	if sub.FirstPurchaseID != uuid.Nil {
		if p, err = s.Purchases.Store.Purchase(tx.Context(), who.MerchantID, sub.FirstPurchaseID); err != nil {
			return err
		}
	} else {
		t, err := s.Store.AnyTemplate(tx.Context(), sub.MerchantID, sub.TemplateID)
		if err != nil {
			return err
		}
		p.BrandID = t.BrandID
		clients := client.Store{DB: s.Store.DB}
		if p.Payer, err = clients.ClientDetails(tx.Context(), who.MerchantID, sub.ClientID); err != nil {
			return err
		}
	}
	return s.stopByClient(tx, who, p, &sub)
}

// MayPauseByClient is nil when a client can pause the subscription.
func (s Subscriber) MayPauseByClient() error {
	if s.Status == Active {
		return nil
	}
	return wrongStatus("This subscription is %s; there is nothing to pause.", s)
}

// PauseByClientIn pauses a subscription as its client asked, in a caller's transaction. What is not billed meanwhile is
// not billed later; staff let it run again.
func (s *Service) PauseByClientIn(tx *database.Tx, who actor.Actor, id uuid.UUID) error {
	sub, err := s.Store.TemplateClient(tx.Context(), who.MerchantID, id)
	if err != nil {
		return err
	}
	if err := sub.MayPauseByClient(); err != nil {
		return err
	}
	before := sub
	sub.pause(true, PausedByClient)
	sub.UpdatedAt = tx.Now()
	moveSubscriber(tx, sub)
	sub.Version++
	noteSubscriber(tx, who, sub, "subscriber.paused_by_client", "The client paused the subscription.", before.facts(),
		sub.facts())
	return nil
}

// PausedByClient is why a subscriber is paused whose client did so on the own page.
const PausedByClient = "client"

// SubscriptionOf tells which subscription a purchase belongs to; known is false when
// to none. It is for the client's own pages: knowing the id is the permission.
func (s *Service) SubscriptionOf(ctx context.Context,
	purchaseID uuid.UUID) (t Template, sub Subscriber, known bool, err error) {
	p, err := s.Purchases.Store.PurchaseForPayer(ctx, purchaseID)
	if err != nil || p.SubscriberID == uuid.Nil {
		return t, sub, false, err
	}
	if sub, err = s.Store.TemplateClient(ctx, p.MerchantID, p.SubscriberID); err != nil {
		return t, sub, false, err
	}
	t, err = s.Store.AnyTemplate(ctx, p.MerchantID, sub.TemplateID)
	return t, sub, err == nil, err
}
