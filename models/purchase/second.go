package purchase

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/mandate"
)

// CorrectSeconds takes the mark of a second debit in its period from planned debits that are not the second any more,
// since the debit before them was cancelled or failed. It asks the store nothing while no planned debit has the mark.
// What it finds is written down when the debit is handed to the bank.
func (s *Service) CorrectSeconds(ctx context.Context, merchantID uuid.UUID, debits ...*collection.Collection) error {
	marked := slices.DeleteFunc(slices.Clone(debits), func(c *collection.Collection) bool {
		return c == nil || c.State != collection.Scheduled ||
			!slices.Contains(c.DisputableBecause, mandate.BecauseSecondInPeriod)
	})
	if len(marked) == 0 {
		return nil
	}
	var ids, mandateIDs []uuid.UUID
	for _, c := range marked {
		ids, mandateIDs = append(ids, c.ID), append(mandateIDs, c.MandateID)
	}
	given, err := s.Mandates().MandatesByID(ctx, merchantID, distinct(mandateIDs))
	if err != nil {
		return err
	}
	mandates := mandate.ByID(given)
	before, err := s.Store.DebitsBefore(ctx, merchantID, ids)
	if err != nil {
		return err
	}
	for _, c := range marked {
		if mandates[c.MandateID].SecondInPeriod(mandate.Day{Due: c.OriginalDate, Action: c.ActionDate}, before[c.ID],
			s.Calendar) {
			continue
		}
		c.DisputableBecause = slices.DeleteFunc(slices.Clone(c.DisputableBecause),
			func(why string) bool { return why == mandate.BecauseSecondInPeriod })
		c.Disputable = len(c.DisputableBecause) > 0
	}
	return nil
}

// latest gives the newest debit of each purchase that has one.
func (s *Service) latest(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs ...uuid.UUID) (map[uuid.UUID]collection.Collection, error) {
	found, err := s.Collections().Latest(ctx, merchantID, purchaseIDs...)
	if err != nil {
		return nil, err
	}
	debits := make([]*collection.Collection, 0, len(found))
	for _, c := range found {
		debits = append(debits, &c)
	}
	if err := s.CorrectSeconds(ctx, merchantID, debits...); err != nil {
		return nil, err
	}
	for _, c := range debits {
		found[c.PurchaseID] = *c
	}
	return found, nil
}

// DebitsUnder gives the newest debits under a mandate, the newest first.
func (s *Service) DebitsUnder(ctx context.Context, merchantID, mandateID uuid.UUID,
	limit int) ([]collection.Collection, error) {
	found, err := s.Collections().Under(ctx, merchantID, mandateID, limit)
	if err != nil {
		return nil, err
	}
	return found, s.CorrectSeconds(ctx, merchantID, pointers(found)...)
}

func pointers(debits []collection.Collection) []*collection.Collection {
	out := make([]*collection.Collection, len(debits))
	for i := range debits {
		out[i] = &debits[i]
	}
	return out
}
