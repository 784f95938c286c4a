package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/paging"
)

// DebitFilter narrows the list of debits. Each attempt is one, so a purchase that
// was debited twice has two.
type DebitFilter struct {
	Outcomes []collection.Outcome // none: all, withdrawn ones included
	From, To calendar.Date        // debit dates, both included; zero: open
	SubmitBy time.Time            // takes those that wait to be handed over by then; zero: does not matter
	SubmitAt time.Time            // takes those that wait to be handed over at that moment; zero: does not matter
	States   []collection.State   // narrower than Outcomes; none: does not matter
	Method   bank.Method          // empty: any
}

// Debits gives a page of debits, newest first, each as the record of its purchase.
func (s *Service) Debits(ctx context.Context, who actor.Actor, f DebitFilter,
	ask paging.Ask) (paging.Page[Record], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Record]{}, err
	}
	page, err := s.Lists.Debits(ctx, who.MerchantID, f, ask)
	if err != nil {
		return paging.Page[Record]{}, err
	}
	if err := s.CorrectSeconds(ctx, who.MerchantID, pointers(page.Items)...); err != nil {
		return paging.Page[Record]{}, err
	}
	ids := make([]uuid.UUID, len(page.Items))
	for i, c := range page.Items {
		ids[i] = c.PurchaseID
	}
	owed, err := s.Lists.PurchasesOf(ctx, who.MerchantID, ids)
	if err != nil {
		return paging.Page[Record]{}, err
	}
	return paging.Map(page, func(c collection.Collection) Record {
		return Record{Purchase: owed[c.PurchaseID],
			Collection: &c}
	}), nil
}

// TallyDebits counts and sums what the filter lets through; it stops at CountLimit + 1.
func (s *Service) TallyDebits(ctx context.Context, who actor.Actor, f DebitFilter) (Tally, error) {
	if err := who.May(actor.Read); err != nil {
		return Tally{}, err
	}
	return s.Lists.TallyDebits(ctx, who.MerchantID, f, CountLimit+1)
}
