package journal

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/discrepancy"
)

// daysBeside is how far before and after the days of a list something may be that the other list has within them.
const daysBeside = 5

// Causes are what would explain that another list differs by the amount of a filter from the entries that it lets
// through. All reports that every one of those was looked at, and not only the newest.
func (s *Service) Causes(ctx context.Context, who actor.Actor, f Filter) (out []discrepancy.Cause, all bool,
	err error) {
	if err := f.readable(who); err != nil || f.Cents == 0 {
		return nil, true, err
	}
	within := f
	within.Cents = 0
	found, more, err := s.Store.entriesBehind(ctx, who.MerchantID, within, Place{}, discrepancy.MostItems)
	if err != nil {
		return nil, false, err
	}
	if more { // those of the amount itself are found however old they are
		exact, _, err := s.Store.entriesBehind(ctx, who.MerchantID, f, Place{}, pageOfEntries)
		if err != nil {
			return nil, false, err
		}
		found = slices.DeleteFunc(append(exact, found...), seenBefore())
	}
	beside, err := s.beside(ctx, who.MerchantID, f)
	return discrepancy.Against(f.Cents, f.items(found), f.items(beside)), !more, err
}

func seenBefore() func(Listed) bool {
	seen := map[int64]bool{}
	return func(e Listed) bool {
		before := seen[e.N]
		seen[e.N] = true
		return before
	}
}

// beside are the entries of the amount on the days beside those of a list.
func (s *Service) beside(ctx context.Context, merchantID uuid.UUID, f Filter) (out []Listed, err error) {
	read := func(from, to calendar.Date) {
		if err != nil {
			return
		}
		at := f
		at.From, at.To = from, to
		var some []Listed
		some, _, err = s.Store.entriesBehind(ctx, merchantID, at, Place{}, pageOfEntries)
		out = append(out, some...)
	}
	if !f.From.IsZero() {
		read(f.From.AddDays(-daysBeside), f.From.AddDays(-1))
	}
	if !f.To.IsZero() {
		read(f.To.AddDays(1), f.To.AddDays(daysBeside))
	}
	return out, err
}

// items are entries as what may explain a difference of the account that the filter is of, or of any.
func (f Filter) items(entries []Listed) (out []discrepancy.Item) {
	for _, e := range entries {
		i := discrepancy.Item{Name: e.Text(), Day: e.Day, Ours: e.Figure,
			Return: e.Kind == Returned || e.Kind == Disputed, PurchaseID: e.PurchaseID}
		if !f.Of() {
			i.Ours = e.largest()
		}
		if e.PurchaseID != uuid.Nil {
			i.Key = string(e.Kind) + e.PurchaseID.String()
		}
		if e.Kind.Recorded() {
			i.RecordID = e.SourceID
		}
		if e.Kind == PaidOut {
			i.Fee = e.Cents.Of(Fees) + e.Cents.Of(InputVAT)
		}
		out = append(out, i)
	}
	return out
}

// largest is the largest side of an entry.
func (e Entry) largest() (cents int64) {
	for _, c := range e.Cents {
		if max(c, -c) > max(cents, -cents) {
			cents = c
		}
	}
	return cents
}
