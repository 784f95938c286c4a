package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

// AccountLine is a purchase of a client as it stood at the end of a day.
type AccountLine struct {
	ID        uuid.UUID
	ClientID  uuid.UUID
	MadeAt    time.Time
	Due       time.Time // zero: at once
	Reference string
	Currency  string
	ChangedAt time.Time // when it came to that status
	MovedAt   time.Time // when it was made, changed, paid, refunded or credited last
	Standing            // then
}

// Account is what a client was billed, paid and owed at the end of a day. Lines are newest first.
type Account struct {
	AsOf  calendar.Date
	Lines []AccountLine
	Sums
	More bool // the client has older purchases than are read
}

// Sums are what purchases come to together: Billed − Credited − Paid + Refunded = Owing.
type Sums struct {
	BilledCents, CreditedCents, PaidCents, RefundedCents, Owing money.Sum
}

// AddUp adds purchases up.
func AddUp(lines []AccountLine) (out Sums) {
	for _, l := range lines {
		out.add(l.Standing)
	}
	return out
}

func (a *Sums) add(s Standing) {
	a.BilledCents = a.BilledCents.Plus(money.SumOf(s.BilledCents()))
	a.CreditedCents = a.CreditedCents.Plus(money.SumOf(s.CreditedCents()))
	a.PaidCents = a.PaidCents.Plus(money.SumOf(s.ReceivedCents))
	a.RefundedCents = a.RefundedCents.Plus(money.SumOf(s.RefundedCents))
	a.Owing = a.Owing.Plus(money.SumOf(s.OwedCents()))
}

// accountLimit is how many purchases of a client are read.
const accountLimit = 2000

// Account looks back to the end of a day. What was booked by then counts, and each purchase in the status in which it
// stood then; of today it is the account now.
func (s *Money) Account(ctx context.Context, who actor.Actor, clientID uuid.UUID,
	day calendar.Date) (Account, error) {
	return s.AccountAt(ctx, who, clientID, EndOf(day))
}

// AccountAt is the account as it stood at a moment.
func (s *Money) AccountAt(ctx context.Context, who actor.Actor, clientID uuid.UUID, at time.Time) (Account, error) {
	all, err := s.AccountsAt(ctx, who, []uuid.UUID{clientID}, at)
	return all[clientID], err
}

// AccountsAt are those of several clients.
func (s *Money) AccountsAt(ctx context.Context, who actor.Actor, clients []uuid.UUID,
	at time.Time) (map[uuid.UUID]Account, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	lines, err := s.Store.accounts(ctx, who.MerchantID, clients, at, accountLimit+1)
	if err != nil {
		return nil, err
	}
	of := map[uuid.UUID][]AccountLine{}
	for _, l := range lines {
		of[l.ClientID] = append(of[l.ClientID], l)
	}
	out := make(map[uuid.UUID]Account, len(clients))
	for _, id := range clients {
		a := Account{AsOf: calendar.DateOf(at), Lines: of[id]}
		if a.More = len(a.Lines) > accountLimit; a.More {
			a.Lines = a.Lines[:accountLimit]
		}
		a.Sums = AddUp(a.Lines)
		out[id] = a
	}
	return out, nil
}
