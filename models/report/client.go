package report

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// ClientPurchase is a purchase of a client with its newest debit.
type ClientPurchase struct {
	ID         uuid.UUID
	Reference  string
	Currency   string
	DebitState collection.State // empty: there is no debit
	DebitCents int64
	ActionDate calendar.Date
	SubmitAt   time.Time
	PassAt     time.Time // when its due date passes; zero: it has none, or nothing happens then
	DueStrict  bool      // it cannot be paid any more then
	FirstDebit bool      // it is the first debit of its mandate
	Standing
}

// ClientAccount is what a client owes and has paid, in rand, of its newest purchases.
type ClientAccount struct {
	Sums                  // what is owed includes planned and disputed debits
	Overdue     money.Sum // of what is owed, what failed or is past its due date
	Provisional money.Sum // of what was paid, what the bank can still return
	Failed      *ClientPurchase
	Failures    []ClientPurchase // the newest that failed and are still to be paid, up to failuresShown
	Planned     []ClientPurchase // debits that are planned or at the bank, the earliest first
	Falling     []ClientPurchase // those whose due date passes, the earliest first
	Older       bool             // there are older purchases, which are not counted
}

// mostPurchases is how many purchases of a client are summed up.
const mostPurchases = 200

// failuresShown is of how many failed debits a client's page says when they can be debited again.
const failuresShown = 3

// ClientAccount sums up what a client owes and has paid.
func (s *Service) ClientAccount(ctx context.Context, who actor.Actor, clientID uuid.UUID) (a ClientAccount, err error) {
	if err := who.May(actor.Read); err != nil {
		return a, err
	}
	found, err := s.Store.clientPurchases(ctx, who.MerchantID, clientID, mostPurchases+1)
	if err != nil {
		return a, err
	}
	if a.Older = len(found) > mostPurchases; a.Older {
		found = found[:mostPurchases]
	}
	for _, p := range found {
		a.add(p)
	}
	slices.SortStableFunc(a.Planned, func(x, y ClientPurchase) int { return x.ActionDate.Compare(y.ActionDate) })
	slices.SortStableFunc(a.Falling, func(x, y ClientPurchase) int { return x.PassAt.Compare(y.PassAt) })
	return a, nil
}

func (a *ClientAccount) add(p ClientPurchase) {
	if p.DebitState == collection.Scheduled || p.DebitState == collection.Submitted ||
		p.DebitState == collection.InTracking {
		a.Planned = append(a.Planned, p)
	} else if !p.PassAt.IsZero() &&
		p.Status.Owing() {
		a.Falling = append(a.Falling, p)
	}
	if p.Currency != money.ZAR {
		return
	}
	a.Sums.add(p.Standing)
	if p.DebitState == collection.Provisional {
		a.Provisional = a.Provisional.Plus(money.SumOf(p.DebitCents))
	}
	if slices.Contains(purchase.Late, p.Status) {
		a.Overdue = a.Overdue.Plus(money.SumOf(p.OwedCents()))
		if p.DebitState.Outcome() != collection.OutcomeFailed {
			return
		}
		if a.Failed == nil {
			a.Failed = &p
		}
		if len(a.Failures) < failuresShown {
			a.Failures = append(a.Failures, p)
		}
	}
}
