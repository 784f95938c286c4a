package subscription

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/clientstop"
	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Why a subscription is paused or over whose account was deleted.
const (
	WhyDeleted = "account_deleted"
	WhyAsked   = "account_asked"  // until the client has given a new account
	WhyStopped = "client_stopped" // until the debits of the client are resumed
)

var (
	_ deletion.Subscriptions   = (*Service)(nil)
	_ clientstop.Subscriptions = (*Service)(nil)
)

// Unfunded tells that the account of a subscription that is billed was deleted: each
// period stays unpaid, and an invoice is mailed where the switch is on.
func (s Subscriber) Unfunded() bool {
	return s.Status == Active && (s.Account == token.Deleted || s.Account == token.Superseded)
}

// Held tells that the account is being deleted: nothing is billed until that is undone
// or final.
func (s Subscriber) Held() bool { return s.Account == token.Deleting && s.Status != Inactive }

// AsksForAccount tells that the client has a link to store an account.
func (s Subscriber) AsksForAccount() bool {
	return s.FirstPurchaseID != uuid.Nil && (s.Status == Pending || s.Status == Paused && s.Why == WhyAsked)
}

// ChargedOn implements deletion.Subscriptions.
func (s *Service) ChargedOn(ctx context.Context, merchantID, tokenID uuid.UUID) ([]purchase.Subscribed, error) {
	found, err := s.Store.SubscribersOn(ctx, merchantID, tokenID)
	return s.subscribed(ctx, found, err)
}

// OfClient implements deletion.Subscriptions.
func (s *Service) OfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]purchase.Subscribed, error) {
	found, err := s.Store.RunningOf(ctx, merchantID, clientID)
	return s.subscribed(ctx, found, err)
}

func (s *Service) subscribed(ctx context.Context, found []Subscriber, err error) ([]purchase.Subscribed, error) {
	if err != nil {
		return nil, err
	}
	out := make([]purchase.Subscribed, 0, len(found))
	for _, sub := range found {
		t, err := s.Store.AnyTemplate(ctx, sub.MerchantID, sub.TemplateID)
		if err != nil {
			return nil, err
		}
		one := purchase.Subscribed{ID: sub.ID, ClientID: sub.ClientID, Title: t.Title, Paused: sub.Status != Active ||
			t.Paused, Billed: sub.Status == Active, Stopped: sub.Status == Paused && sub.Why == WhyStopped,
			NextOn: sub.NextOn, Email: sub.ClientEmail,
			Invoices: sub.Switches.InvoiceOnChargeFailure, Version: sub.Version}
		next := sub.NextOn
		if next.IsZero() {
			next = today(s.Now())
		}
		o, err := s.orderFor(ctx, t, sub)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		one.Next = s.bill(o, next)
		out = append(out, one)
	}
	return out, nil
}

// Stop implements clientstop.Subscriptions.
func (s *Service) Stop(ctx context.Context, tx *database.Tx, who actor.Actor, of purchase.Subscribed) error {
	return s.turn(ctx, tx, who, of, "The subscription was paused: all debits of the client were stopped.",
		func(sub *Subscriber) { sub.pause(true, WhyStopped) })
}

// Resume implements clientstop.Subscriptions.
func (s *Service) Resume(ctx context.Context, tx *database.Tx, who actor.Actor, of purchase.Subscribed) error {
	return s.turn(ctx, tx, who, of, "The subscription was resumed: the debits of the client are no longer stopped.",
		func(sub *Subscriber) { sub.pause(false, "") })
}

// turn changes a subscription that is as it was listed.
func (s *Service) turn(ctx context.Context, tx *database.Tx, who actor.Actor, of purchase.Subscribed, words string,
	change func(*Subscriber)) error {
	sub, err := s.Store.TemplateClient(ctx, who.MerchantID, of.ID)
	switch {
	case err != nil:
		return err
	case sub.Version != of.Version:
		return fault.ErrLost
	}
	before := sub
	change(&sub)
	sub.UpdatedAt = tx.Now()
	moveSubscriber(tx, sub)
	sub.Version++
	noteSubscriber(tx, who, sub, "subscriber.changed", words, before.facts(), sub.facts())
	return nil
}

// FollowToken gives subscribers that are charged on one token the other.
func (s *Service) FollowToken(tx *database.Tx, merchantID, old, next uuid.UUID) {
	followToken(tx, merchantID, old, next)
}

// EndOf implements deletion.Subscriptions.
func (s *Service) EndOf(tx *database.Tx, merchantID, clientID uuid.UUID) ([]uuid.UUID, error) {
	return endOf(tx, merchantID, clientID)
}

// LoseAccount implements deletion.Subscriptions.
func (s *Service) LoseAccount(ctx context.Context, tx *database.Tx, who actor.Actor, of purchase.Subscribed,
	e deletion.Effect) error {
	sub, err := s.Store.TemplateClient(ctx, who.MerchantID, of.ID)
	switch {
	case err != nil:
		return err
	case sub.Version != of.Version:
		return fault.ErrLost
	}
	before := sub
	switch e.Do {
	case deletion.UseOther:
		sub.TokenID = e.To
	case deletion.Cancel:
		sub.end(WhyDeleted)
	case deletion.Ask:
		if err := s.askForAccount(ctx, tx, who, &sub); err != nil {
			return err
		}
		sub.Status, sub.Why = Paused, WhyAsked
	case deletion.Pause:
		sub.pause(true, WhyDeleted)
	case deletion.Drop, deletion.Invoice:
	}
	sub.UpdatedAt = tx.Now()
	moveSubscriber(tx, sub)
	sub.Version++
	noteSubscriber(tx, who, sub, "subscriber.account_deleted", "The token of the subscription was deleted. "+
		e.Words, before.facts(), sub.facts())
	return nil
}

// askForAccount makes a purchase of nothing whose page stores an account, and mails
// its link. What was billed before stays as it is.
func (s *Service) askForAccount(ctx context.Context, tx *database.Tx, who actor.Actor, sub *Subscriber) error {
	t, err := s.Store.AnyTemplate(ctx, sub.MerchantID, sub.TemplateID)
	if err != nil {
		return err
	}
	o, err := s.orderFor(ctx, t, *sub)
	if err != nil {
		return err
	}
	rec := purchase.Record{Purchase: s.storing(o, today(tx.Now()), false), Brand: o.brand}
	if rec.ReferenceGenerated, err = s.Purchases.NextReference(ctx, o.brand); err != nil {
		return err
	}
	rec.SubscriberID = sub.ID
	rec.Begin(tx.NewID(), tx.Now())
	s.Purchases.InsertStoring(tx, who, &rec, s.recurrence(o, rec.Purchase), true)
	sub.FirstPurchaseID, sub.RemindedAt = rec.ID, tx.Now()
	return nil
}
