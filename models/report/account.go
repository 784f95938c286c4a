package report

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
func (s *Money) Account(ctx context.Context, who actor.Actor, clientID uuid.UUID, day calendar.Date) (a Account, err error) {
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

// account reads the purchases of a client that were made by a moment, each with the last status of its history and the
// sum of its movements by then.
func (s Store) account(ctx context.Context, merchantID, clientID uuid.UUID, end time.Time,
	limit int) ([]AccountLine, error) {
	rows, err := s.Pool.Query(ctx, `SELECT p.id, p.created_at, coalesce(nullif(p.reference, ''), p.reference_generated, ''), p.currency,
			p.total_cents, coalesce(h.status, 'created'), coalesce(h.at, p.created_at), coalesce(m.cents, 0)::bigint
		FROM (SELECT * FROM purchases WHERE merchant_id = @m::uuid AND client_id = @client::uuid AND created_at <= @end
				ORDER BY id DESC LIMIT @limit) AS p
			LEFT JOIN LATERAL (SELECT x ->> 'status' AS status, (x ->> 'at')::timestamptz AS at
				FROM jsonb_array_elements(p.history) WITH ORDINALITY AS e (x, n)
				WHERE (x ->> 'at')::timestamptz <= @end ORDER BY n DESC LIMIT 1) AS h ON true
			LEFT JOIN LATERAL (SELECT sum(e.amount_cents) AS cents FROM ledger_entries e
				WHERE e.purchase_id = p.id AND e.merchant_id = p.merchant_id AND e.at <= @end) AS m ON true
		ORDER BY p.id DESC`, pgx.NamedArgs{"m": merchantID.String(), "client": clientID.String(), "end": end, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("account of a client: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l AccountLine, err error) {
		err = row.Scan((*[16]byte)(&l.ID), &l.MadeAt, &l.Reference, &l.Currency, &l.TotalCents, &l.Status, &l.ChangedAt,
			&l.PaidCents)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("account of a client: %w", err)
	}
	return out, nil
}
