package report

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// AccountLine is a purchase of a client as it stood at the end of a day.
type AccountLine struct {
	ID          uuid.UUID
	MadeAt      time.Time
	Reference   string
	Currency    string
	TotalCents  int64
	Status      purchase.Status // as it stood then
	PaidCents   int64           // all that was booked of it by then: below zero where more went back than came
	ChangedAt   time.Time       // when it came to that status
	OpenedCents int64           // what was still to be paid
}

// Account is what a client was billed, paid and owed at the end of a day. Lines are newest first.
type Account struct {
	AsOf                          calendar.Date
	Lines                         []AccountLine
	BilledCents, PaidCents, Owing money.Sum
	More                          bool // the client has older purchases than are read
}

// accountLimit is how many purchases of a client are read.
const accountLimit = 2000

// Account looks back to the end of a day. What was booked by then counts, and each purchase in the status in which it
// stood then; of today it is the account now. Purchases that were withdrawn or expired by then are not billed.
func (s *Money) Account(ctx context.Context, who actor.Actor, clientID uuid.UUID,
	day calendar.Date) (a Account, err error) {
	if err := who.May(actor.Read); err != nil {
		return a, err
	}
	a.AsOf = day
	if a.Lines, err = s.Store.account(ctx, who.MerchantID, clientID, endOf(day), accountLimit+1); err != nil {
		return a, err
	}
	if a.More = len(a.Lines) > accountLimit; a.More {
		a.Lines = a.Lines[:accountLimit]
	}
	for i := range a.Lines {
		l := &a.Lines[i]
		if l.Status.Owing() {
			l.OpenedCents = max(l.TotalCents-l.PaidCents, 0)
		}
		a.PaidCents = a.PaidCents.Plus(money.SumOf(l.PaidCents))
		a.Owing = a.Owing.Plus(money.SumOf(l.OpenedCents))
		if !slices.Contains([]purchase.Status{purchase.Cancelled, purchase.Expired}, l.Status) || l.PaidCents != 0 {
			a.BilledCents = a.BilledCents.Plus(money.SumOf(l.TotalCents))
		}
	}
	return a, nil
}
