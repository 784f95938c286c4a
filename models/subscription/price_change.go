package subscription

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// ChangePrice plans another price from a date on, and lets every client whose price changes be told, once each. Seen
// is the digest of the plan that the person was shown. The same again changes nothing.
func (s *Service) ChangePrice(ctx context.Context, who actor.Actor, id uuid.UUID, in PriceInput,
	seen string) (p PricePlan, err error) {
	if err := who.May(actor.Bill); err != nil {
		return p, err
	}
	err = again(func() error {
		t, err := s.Store.Template(ctx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if p, err = s.planPrice(ctx, who, t, in); err != nil {
			return err
		}
		if c := t.Price; c != nil && c.From == p.Change.From && c.Cents == p.Change.Cents &&
			slices.EqualFunc(c.Products, p.Change.Products, samePrice) {
			return nil
		}
		if p.Second != nil && !in.Agreed {
			return p.Second
		}
		if seen != p.Digest() {
			return fault.New(fault.Conflict, "stakes_grew",
				"The subscribers or their terms changed since you looked. Look at it again.")
		}
		return s.writePrice(ctx, who, &p)
	})
	return p, err
}

func (s *Service) writePrice(ctx context.Context, who actor.Actor, p *PricePlan) error {
	return s.InTx(ctx, func(tx *database.Tx) error {
		t := p.Template
		c := p.Change
		c.ID, c.By, c.At = tx.NewID(), who.Name, tx.Now()
		if t.Price = &c; p.Stays {
			t.Price = nil
		}
		t.UpdatedAt = tx.Now()
		if err := moveTemplate(tx, t); err != nil {
			return err
		}
		t.Version++
		n, ended, err := s.writeLetters(tx, *p, c)
		if err != nil {
			return err
		}
		words := fmt.Sprintf("Billed from %s on, %s comes to %s in place of %s: %s told.", c.From.Format("2 Jan 2006"),
			t.Name(), money.Format(c.Cents, t.Currency), money.Format(t.TotalCents, t.Currency), plural.Of(n, "client"))
		if p.Stays {
			words = "The price of " + t.Name() + " stays as it is: the change that was planned was withdrawn."
		}
		noteTemplate(tx, who, t, "template.price_planned", words,
			map[string]any{"total_cents": t.TotalCents}, map[string]any{"total_cents": c.Cents, "from": c.From.String(),
				"subscribers": len(p.Changed), "fixed": len(p.Fixed()), "below": len(p.Below()), "letters": n,
				"letters_ended": ended})
		p.Template, p.Change, p.Clients = t, c, n
		return nil
	})
}

// ApplyPrices makes the prices that have begun those of their templates. What is billed for a day has the price of that
// day before and after, so that it may be late or repeated.
func (s *Service) ApplyPrices(ctx context.Context) error {
	const atOnce = 100
	due, err := s.Store.pricesBegun(ctx, today(s.Now()), atOnce)
	if err != nil {
		return err
	}
	for _, t := range due {
		err := s.InTx(ctx, func(tx *database.Tx) error {
			before, c := t, *t.Price
			c.Was, c.WasCents, c.Applied = t.Details.Products, t.TotalCents, true
			next := t.at(c.Products, c.Cents)
			next.Price, next.UpdatedAt = &c, tx.Now()
			if err := moveTemplate(tx, next); err != nil {
				return err
			}
			next.Version++
			noteTemplate(tx, actor.SystemOf(t.MerchantID), next, "template.price_changed",
				"The new price of "+t.Name()+" has begun.", before.facts(), next.facts())
			return nil
		})
		if err != nil && !fault.Is(err, fault.Conflict) && !errors.Is(err, fault.ErrLost) { // another process was quicker
			return fmt.Errorf("begin the price of template %s: %w", t.ID, err)
		}
	}
	return nil
}
