package followup

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Promising is a promise as it is written down.
type Promising struct {
	AmountCents int64 // 0: all that the purchase comes to
	DueOn       calendar.Date
	Text        string
}

// AddPromise writes down what a client promised to pay of a purchase, or of all it owes. A newer promise takes
// the place of the open one of the same purchase.
func (s *Service) AddPromise(ctx context.Context, who actor.Actor, about Object, in Promising) (p Promise, err error) {
	if err := s.may(who, 1); err != nil {
		return p, err
	}
	if err := s.checkPromise(&in); err != nil {
		return p, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		subjects, err := living(tx, who.MerchantID, []Object{about})
		if err != nil {
			return err
		}
		if p, err = s.promise(tx, who, subjects[0], in); err != nil {
			return err
		}
		return tx.Answered(p)
	})
	return p, err
}

// PromiseByClient writes down what a client itself promised to pay of a purchase, in a caller's transaction. Its name
// stands in the place of the person who wrote it down.
func (s *Service) PromiseByClient(tx *database.Tx, who actor.Actor, purchaseID uuid.UUID,
	in Promising) (Promise, error) {
	if err := s.checkPromise(&in); err != nil {
		return Promise{}, err
	}
	subjects, err := living(tx, who.MerchantID, []Object{{Purchase, purchaseID}})
	if err != nil {
		return Promise{}, err
	}
	return s.promise(tx, who, subjects[0], in)
}

// checkPromise looks at what was typed of a promise.
func (s *Service) checkPromise(in *Promising) (err error) {
	today := calendar.DateOf(s.Now())
	switch {
	case in.DueOn.IsZero() || in.DueOn.Before(today) || in.DueOn.DaysSince(today) > furthest:
		return fault.At("due_on", "invalid", "A promise is for a day from %s to %s.", today, today.AddDays(furthest))
	case in.AmountCents < 0:
		return fault.At("amount", "min_value", "Enter the amount that the client promised.")
	}
	in.Text, err = cleanText("text", in.Text, false)
	return err
}

// promise writes down what was promised about a subject.
func (s *Service) promise(tx *database.Tx, who actor.Actor, of subject, in Promising) (Promise, error) {
	p := Promise{ID: tx.NewID(), MerchantID: who.MerchantID, ClientID: of.ClientID, PurchaseID: of.PurchaseID,
		AmountCents: in.AmountCents, Currency: money.ZAR, DueOn: in.DueOn, State: Open, Text: in.Text, AuthorID: who.ID,
		Author: who.Name, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	if of.PurchaseID != uuid.Nil {
		if err := s.ofPurchase(tx, &p); err != nil {
			return p, err
		}
	}
	if p.AmountCents == 0 {
		return p, fault.At("amount", "required", "Enter the amount that the client promised.")
	}
	tx.Create(&p)
	tx.Audit(
		who,
		of.entry("followup.promised", "The client promised to pay "+money.Format(p.AmountCents, p.Currency)+" on "+
			p.DueOn.Format("Mon 2 Jan 2006")+".", map[string]any{"amount_cents": p.AmountCents, "day": p.DueOn.String()}),
	)
	return p, nil
}

// ofPurchase checks a promise against its purchase.
func (s *Service) ofPurchase(tx *database.Tx, p *Promise) error {
	cents, currency, owed, err := owing(tx, p.MerchantID, p.PurchaseID)
	switch {
	case err != nil:
		return err
	case !owed:
		return fault.New(
			fault.Conflict,
			"not_owed",
			"This purchase is not waiting to be paid, so there is nothing to promise.",
		)
	case p.AmountCents > cents:
		return fault.At("amount", "max_value", "The purchase comes to %s.", money.Format(cents, currency))
	case p.AmountCents == 0:
		p.AmountCents = cents
	}
	p.Currency = currency
	_, err = replaceOpen(tx, p.MerchantID, p.PurchaseID)
	return err
}

// SettlePromise says what became of an open promise: kept, broken or withdrawn.
func (s *Service) SettlePromise(ctx context.Context, who actor.Actor, id uuid.UUID,
	state PromiseState) (p Promise, err error) {
	if err := s.may(who, 1); err != nil {
		return p, err
	}
	if !slices.Contains([]PromiseState{Kept, Broken, Withdrawn}, state) {
		return p, fault.At("state", "invalid_choice", "A promise is kept, broken or withdrawn.")
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if p, err = lockPromise(tx, who.MerchantID, id); err != nil {
			return err
		}
		before := p.State
		p.State, p.UpdatedAt = state, tx.Now()
		won, err := settle(tx, p)
		if err != nil {
			return err
		}
		if !won {
			return fault.New(fault.Conflict, "promise_settled", "This promise is %s already.", before)
		}
		of := subject{Object: Object{Promised, p.ID}, ClientID: p.ClientID, PurchaseID: p.PurchaseID}
		tx.Audit(
			who,
			of.entry("followup.promise_"+string(state), "The promise to pay "+money.Format(p.AmountCents, p.Currency)+
				" on "+p.DueOn.Format("Mon 2 Jan 2006")+" is "+string(state)+".", nil),
		)
		return tx.Answered(p)
	})
	return p, err
}
