package subscription

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
)

// maySend asks the rule for what bills many: whether this person may bill that many cents together without a second
// approver.
func (s *Service) maySend(ctx context.Context, who actor.Actor, cents int64) error {
	demands, err := merchant.Store{DB: s.Store.DB}.Demands(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	return demands.MaySend(who, cents)
}

// MayAddMany tells whether this person may add so many subscribers to a template together: what one period of all of
// them comes to is held against the limits of batches.
func (s *Service) MayAddMany(ctx context.Context, who actor.Actor, id uuid.UUID, n int) error {
	if err := who.May(actor.Bill); err != nil {
		return err
	}
	t, err := s.Store.Template(ctx, who.MerchantID, id)
	if err != nil {
		return err
	}
	return s.maySend(ctx, who, money.Times(t.TotalCents, n))
}

// mayChangePrice: a higher price bills every subscriber of a template more, so that what a period of all of them comes
// to is held against the limits of batches. Those that are paused count, for they can be resumed.
func (s *Service) mayChangePrice(ctx context.Context, who actor.Actor, before, after Template) error {
	if after.TotalCents <= before.TotalCents {
		return nil
	}
	n := 0
	for status, count := range before.Counts {
		if status != Inactive {
			n += int(count)
		}
	}
	if n == 0 {
		return nil
	}
	err := s.maySend(ctx, who, money.Times(after.TotalCents, n))
	if fault.HasCode(err, "approval_needed") {
		err = fault.New(fault.Conflict, "approval_needed", "Your business asks for a second approver before a price is "+
			"raised by which the subscribers of a template pay %s together. Use Change the price on the page of the "+
			"template: approval is asked for there.", money.Format(money.Times(after.TotalCents, n), after.Currency))
	}
	return err
}
