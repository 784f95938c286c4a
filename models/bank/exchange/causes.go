package exchange

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/discrepancy"
)

// daysBeside is how far before and after a day the next bank day may be that a debit was booked on instead (ours).
const daysBeside = 5

// causes are what would explain the difference of a day, among what is in one of its lists only, its movements without
// a match, and what is in one list only on the bank day before and after it.
func (s *Service) causes(ctx context.Context, merchantID uuid.UUID, d DayDifference) ([]discrepancy.Cause, error) {
	cents, told := d.Difference()
	if !told || cents == 0 || d.State() == DayAccepted {
		return nil, nil
	}
	var here, beside []discrepancy.Item
	for _, a := range d.Apart {
		here = append(here, itemOfDay(a, d.Day.Day))
	}
	for _, e := range d.Unmatched {
		if e.PaidCents > 0 {
			continue // it pays purchases, so that it is of no debit
		}
		here = append(here, looseItem(e.Entry))
	}
	days, err := s.Store.BankDays(ctx, merchantID, d.Day.Day.AddDays(-daysBeside), d.Day.Day.AddDays(daysBeside))
	if err != nil {
		return nil, err
	}
	for _, day := range nextTo(days, d.Day.Day) {
		all, _, err := s.Store.apart(ctx, merchantID, day)
		if err != nil {
			return nil, err
		}
		for _, a := range all {
			beside = append(beside, itemOfDay(a, day))
		}
	}
	return discrepancy.Between(cents, here, beside), nil
}

// nextTo are the bank days closest before and after a day; they come newest first.
func nextTo(days []Day, of calendar.Date) (out []calendar.Date) {
	var after calendar.Date
	for _, d := range days {
		if d.Day.After(of) {
			after = d.Day
		} else if d.Day.Before(of) {
			out = append(out, d.Day)
			break
		}
	}
	if !after.IsZero() {
		out = append(out, after)
	}
	return out
}

func itemOfDay(a Apart, day calendar.Date) discrepancy.Item {
	i := discrepancy.Item{Day: day, Ours: a.ExpectedCents, Theirs: a.BookedCents, PurchaseID: a.PurchaseID,
		File: a.MessageID, Return: a.ExpectedCents < 0}
	if a.ID == uuid.Nil {
		i.Key = "sum " + a.MessageID + " " + a.GroupID
		i.Name = "Sum of " + cmp.Or(a.GroupID, a.MessageID)
		return i
	}
	i.Key = a.ID.String()
	i.Name = cmp.Or(a.ClientName, a.Reference, "An item without a purchase")
	if a.ClientName != "" && a.Reference != "" {
		i.Name = a.ClientName + ", " + a.Reference
	}
	return i
}

func looseItem(e Entry) discrepancy.Item {
	cents := e.AmountCents
	if !e.Credit {
		cents = -cents
	}
	return discrepancy.Item{Name: cmp.Or(e.Text, e.Reference, "A movement"), Day: e.BookedOn, Theirs: cents, Loose: true,
		MovementID: e.ID}
}
