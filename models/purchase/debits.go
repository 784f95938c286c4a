package purchase

import (
	"context"
	"maps"
	"slices"
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
	BrandID  uuid.UUID            // zero: any
	Weekday  int                  // of the debit date, 1 is Monday and 7 Sunday; 0: any
	MonthDay int                  // of the debit date, 1 to 31; 0: any
	Traits   Traits
	Code     string // the bank's reason for which a debit failed or was disputed, or NoCode; empty: any
}

// Traits are what debits have in common that stands in their mandate and their purchase.
type Traits struct {
	Bank     string         // a universal branch code, or Without; empty: any
	Template string         // the id of a template, or Without; empty: any
	Age      collection.Age // of the mandate on the debit date; empty: any
}

// Without asks for debits whose bank was erased with their client, or that follow no template.
const Without = "none"

// NoCode asks for debits that failed or were disputed without a reason.
const NoCode = "none"

// Debits gives a page of debits, newest first, each as the record of its purchase.
func (s *Service) Debits(ctx context.Context, who actor.Actor, f DebitFilter,
	ask paging.Ask) (paging.Page[Record], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Record]{}, err
	}
	page, err := s.Store.Debits(ctx, who.MerchantID, f, ask)
	if err != nil {
		return paging.Page[Record]{}, err
	}
	records, err := s.recordsOf(ctx, who.MerchantID, page.Items)
	if err != nil {
		return paging.Page[Record]{}, err
	}
	return paging.Map(page, func(c collection.Collection) Record { return records[c.ID] }), nil
}

// SeveralDebits finds those of some debits that there are, in no order, each as the record of its purchase.
func (s *Service) SeveralDebits(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Record, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	found, err := s.Collections().ByID(ctx, who.MerchantID, ids)
	if err != nil {
		return nil, err
	}
	records, err := s.recordsOf(ctx, who.MerchantID, found)
	return slices.Collect(maps.Values(records)), err
}

// recordsOf gives the records of the purchases of debits, by the ids of the debits.
func (s *Service) recordsOf(ctx context.Context, merchantID uuid.UUID,
	debits []collection.Collection) (map[uuid.UUID]Record, error) {
	if err := s.CorrectSeconds(ctx, merchantID, pointers(debits)...); err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(debits))
	for i, c := range debits {
		ids[i] = c.PurchaseID
	}
	owed, err := s.Store.PurchasesOf(ctx, merchantID, ids)
	if err != nil {
		return nil, err
	}
	records := make(map[uuid.UUID]Record, len(debits))
	for _, c := range debits {
		records[c.ID] = Record{Purchase: owed[c.PurchaseID], Collection: &c}
	}
	return records, nil
}

// TallyDebits counts and sums what the filter lets through; it stops at CountLimit + 1.
func (s *Service) TallyDebits(ctx context.Context, who actor.Actor, f DebitFilter) (Tally, error) {
	if err := who.May(actor.Read); err != nil {
		return Tally{}, err
	}
	return s.Store.TallyDebits(ctx, who.MerchantID, f, CountLimit+1)
}
