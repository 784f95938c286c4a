package subscription

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// Subscribers gives a page of a template's subscribers, newest first; with a zero id
// those of all templates, for the page of one client and for those who need attention.
func (s *Service) Subscribers(ctx context.Context, who actor.Actor, templateID uuid.UUID, f SubscriberFilter,
	ask paging.Ask) (paging.Page[Subscriber], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Subscriber]{}, err
	}
	if templateID != uuid.Nil || f.ClientID == uuid.Nil && f.Concern == "" {
		if _, err := s.Get(ctx, who, templateID); err != nil {
			return paging.Page[Subscriber]{}, err
		}
	}
	return s.Store.TemplateClients(ctx, who.MerchantID, templateID, f, ask)
}

// CountSubscribers counts those that a filter lets through in all templates, up to
// CountLimit + 1.
func (s *Service) CountSubscribers(ctx context.Context, who actor.Actor, f SubscriberFilter) (int64, error) {
	if err := who.May(actor.Read); err != nil {
		return 0, err
	}
	return s.Store.CountTemplateClients(ctx, who.MerchantID, f, purchase.CountLimit+1)
}

// Subscriber finds one, of a template or (with a zero id) of any.
func (s *Service) Subscriber(ctx context.Context, who actor.Actor, templateID, id uuid.UUID) (Subscriber, error) {
	if err := who.May(actor.Read); err != nil {
		return Subscriber{}, err
	}
	return s.find(ctx, who.MerchantID, templateID, id)
}

// Several finds those of some subscribers that there are, of whichever template, in no order.
func (s *Service) Several(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Subscriber, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.TemplateClientsByID(ctx, who.MerchantID, ids)
}

func (s *Service) find(ctx context.Context, merchantID, templateID, id uuid.UUID) (Subscriber, error) {
	sub, err := s.Store.TemplateClient(ctx, merchantID, id)
	if err == nil && templateID != uuid.Nil && sub.TemplateID != templateID {
		return Subscriber{}, fault.Missing()
	}
	return sub, err
}

// Change takes new values of a subscriber; change gets the present ones. The client,
// the first date and, while pending or inactive, the status stay as they are.
func (s *Service) Change(ctx context.Context, who actor.Actor, templateID, id uuid.UUID,
	change func(*SubscriberInput)) (Subscriber, error) {
	return s.changeIn(ctx, who, templateID, id, func(tx *database.Tx, t Template, sub *Subscriber) (string, error) {
		in := SubscriberInput{ClientID: sub.ClientID, Whitelist: sub.Whitelist, Switches: sub.Switches,
			Reference: sub.Reference, Override: sub.Override.Every(), First: sub.FirstCents, Debit: sub.Debit}
		change(&in)
		in.FirstOn = calendar.Date{}
		keepMasked(&in.Debit, sub.Debit)
		w := in.Problems
		in.check(&w, t, s.Purchases, today(s.Now()))
		next := *sub
		next.Whitelist, next.Switches, next.Reference, next.Debit = in.Whitelist, in.Switches, in.Reference, in.Debit
		next.Override = in.Override
		if sub.unbilled() {
			next.FirstCents, next.Override = in.First, in.Override.begins(in.First)
		}
		in.checkFixed(&w, *sub)
		o, err := s.orderFor(tx.Context(), t, next)
		o.t, o.sub = t, next
		o.restart(&w, &in, sub.Debit, today(s.Now()))
		next = o.sub
		if err != nil && !fault.Is(err, fault.NotFound) {
			return "", err
		}
		if err == nil {
			s.checkOwn(&w, o, sub.Debit, next.Override.first())
			if err := s.checkLive(tx.Context(), &w, *sub, next); err != nil {
				return "", err
			}
		}
		if err := w.Err(); err != nil {
			return "", err
		}
		if sub.AsksForAccount() && err == nil {
			if next.FirstPurchaseID, err = s.reword(tx, who, o); err != nil {
				return "", err
			}
		}
		*sub = next
		if in.Paused != nil {
			if err := s.mayRun(tx.Context(), *sub, *in.Paused); err != nil {
				return "", err
			}
			sub.pause(*in.Paused, "person")
		}
		return "The subscription was changed.", nil
	})
}

// keepMasked puts the stored numbers back where their masks were sent.
func keepMasked(d *Debit, before Debit) {
	if bank.IsMasked(d.DebtorAccount.Reveal()) {
		d.DebtorAccount = before.DebtorAccount
	}
	if bank.IsMasked(d.DebtorID.Reveal()) {
		d.DebtorID = before.DebtorID
	}
}

// pause moves between active and paused; any other status stays.
func (s *Subscriber) pause(paused bool, why string) {
	switch {
	case paused && s.Status == Active:
		s.Status, s.Why = Paused, why
	case !paused && s.Status == Paused:
		s.Status, s.Why = Active, ""
	}
}

// SetSubscriberPaused pauses one subscriber, or lets it run again. What was missed
// meanwhile is not billed. Conflict while pending or inactive.
func (s *Service) SetSubscriberPaused(ctx context.Context, who actor.Actor, id uuid.UUID,
	paused bool) (Subscriber, error) {
	return s.changeIn(ctx, who, uuid.Nil, id, func(tx *database.Tx, _ Template, sub *Subscriber) (string, error) {
		if err := sub.MayPause(); err != nil {
			return "", err
		}
		if err := s.mayRun(tx.Context(), *sub, paused); err != nil {
			return "", err
		}
		if sub.pause(paused, "person"); paused {
			return "The subscription of this client was paused.", nil
		}
		return "The subscription of this client was resumed.", nil
	})
}

// mayRun refuses to let a subscription run again whose client's debits are stopped, or whose import is not switched on.
func (s *Service) mayRun(ctx context.Context, sub Subscriber, paused bool) error {
	if paused || sub.Status != Paused {
		return nil
	}
	if sub.Parked() {
		return fault.New(fault.Conflict, "client_parked", "This subscription came in with an import and is parked. Switch "+
			"its group on under Imports; nothing is billed before.")
	}
	return s.Purchases.NotStopped(ctx, sub.MerchantID, sub.ClientID)
}

// MayPause refuses to pause or to resume a subscriber for whom neither is possible.
func (s Subscriber) MayPause() error {
	if s.Status == Active || s.Status == Paused {
		return nil
	}
	return wrongStatus("A subscriber who is %s can be neither paused nor resumed.", s)
}

// MayRemove refuses to end a subscription that has ended.
func (s Subscriber) MayRemove() error {
	if s.Status != Inactive {
		return nil
	}
	return wrongStatus("This subscription is already %s.", s)
}

// MayRemind refuses to ask for an account that nobody waits for.
func (s Subscriber) MayRemind() error {
	if s.AsksForAccount() {
		return nil
	}
	return wrongStatus("This subscriber is %s; there is nothing to finish.", s)
}

func wrongStatus(format string, s Subscriber) error {
	return fault.New(fault.Conflict, "subscriber_wrong_status", format, s.Status)
}

// Remove ends the subscription of one client. The unpaid first purchase of a pending
// one is cancelled; what was billed before runs its course.
func (s *Service) Remove(ctx context.Context, who actor.Actor, id uuid.UUID) (Subscriber, error) {
	return s.changeIn(ctx, who, uuid.Nil, id, func(tx *database.Tx, _ Template, sub *Subscriber) (string, error) {
		ctx := tx.Context()
		if err := sub.MayRemove(); err != nil {
			return "", err
		}
		if sub.Status == Pending && sub.FirstPurchaseID != uuid.Nil {
			if err := s.Purchases.CancelIn(ctx, tx, who, sub.FirstPurchaseID); err != nil {
				return "", err
			}
		}
		sub.end("removed")
		return "The subscription of this client was ended.", nil
	})
}

// Remind mails the link of the page that stores the account again. Where an account
// was given and its first debit came back, the client gets another purchase for
// another account; the first one is cancelled. Conflict unless the subscriber is
// pending or waits for a new account.
func (s *Service) Remind(ctx context.Context, who actor.Actor, id uuid.UUID) (Subscriber, error) {
	return s.changeIn(ctx, who, uuid.Nil, id, func(tx *database.Tx, t Template, sub *Subscriber) (string, error) {
		ctx := tx.Context()
		if err := sub.MayRemind(); err != nil {
			return "", err
		}
		first, err := s.Purchases.Get(ctx, who, sub.FirstPurchaseID)
		if err != nil {
			return "", err
		}
		sub.RemindedAt = tx.Now()
		if sub.Status == Pending && first.Status == purchase.Failed && first.Method == purchase.EFT && first.HasMandate() {
			return "The client was asked for another bank account: the first debit had failed.",
				s.askAnew(ctx, tx, who, t, sub)
		}
		return "The client was reminded to give a bank account.", s.Purchases.MailAgainIn(ctx, tx, who, sub.FirstPurchaseID)
	})
}

// askAnew makes another first purchase in the place of one whose account failed: a
// purchase stores one account in its life.
func (s *Service) askAnew(ctx context.Context, tx *database.Tx, who actor.Actor, t Template, sub *Subscriber) error {
	o, err := s.orderFor(ctx, t, *sub)
	if err != nil {
		return err
	}
	rec := purchase.Record{Purchase: s.storing(o, today(tx.Now()), sub.billsFirst()), Brand: o.brand}
	if rec.ReferenceGenerated, err = s.Purchases.NextReference(ctx, o.brand); err != nil {
		return err
	}
	if err := s.Purchases.CancelIn(ctx, tx, who, sub.FirstPurchaseID); err != nil {
		return err
	}
	rec.SubscriberID = sub.ID
	rec.Begin(tx.NewID(), tx.Now())
	s.Purchases.InsertStoring(tx, who, &rec, s.recurrence(o, rec.Purchase), true)
	sub.FirstPurchaseID = rec.ID
	return nil
}

// Periods lists what was billed or skipped, newest first.
func (s *Service) Periods(ctx context.Context, who actor.Actor, id uuid.UUID) ([]Period, error) {
	if _, err := s.Subscriber(ctx, who, uuid.Nil, id); err != nil {
		return nil, err
	}
	return s.Store.PeriodsOf(ctx, who.MerchantID, id)
}

// changeIn changes a subscriber as compare-and-set, with what change writes beside it.
func (s *Service) changeIn(ctx context.Context, who actor.Actor, templateID, id uuid.UUID,
	change func(*database.Tx, Template, *Subscriber) (string, error)) (sub Subscriber, err error) {
	if err := who.May(actor.Bill); err != nil {
		return sub, err
	}
	err = again(func() error {
		before, err := s.find(ctx, who.MerchantID, templateID, id)
		if err != nil {
			return err
		}
		t, err := s.Store.AnyTemplate(ctx, who.MerchantID, before.TemplateID)
		if err != nil {
			return err
		}
		return s.InTx(ctx, func(tx *database.Tx) error {
			sub = before
			words, err := change(tx, t, &sub)
			if err != nil {
				return err
			}
			sub.UpdatedAt = tx.Now()
			moveSubscriber(tx, sub)
			sub.Version++
			noteSubscriber(tx, who, sub, "subscriber.changed", words, before.terms(t), sub.terms(t))
			return tx.Answered(sub)
		})
	})
	return sub, err
}
