package report

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// longestWindow is more days than lie between a debit date and the end of its return window, closed days included.
const longestWindow = 40

// returnable are the debits that were collected by the end of a day and could still be returned then: they were taken
// as paid by then, and neither returned nor disputed nor made final before it, less what of them went back or was on
// its way. A debit that is final keeps the moment at which it became so; one that ended later in another way would have
// become final when its return window closed. It reads the debits of one return window and what was refunded in it; of
// today, only those that are not final.
func returnable(today bool) string {
	state := `CASE c.state WHEN 'provisional' THEN true WHEN 'final' THEN c.updated_at > @end
			ELSE c.final_at > @end AND NOT EXISTS (SELECT FROM ledger_entries e WHERE e.merchant_id = c.merchant_id
				AND e.purchase_id = c.purchase_id AND e.collection_id = c.id AND e.kind IN ('returned', 'disputed')
				AND e.at <= @end OFFSET 0) END`
	if today {
		state = "c.state = 'provisional'"
	}
	return `WITH back AS MATERIALIZED (SELECT r.collection_id, sum(r.amount_cents) AS cents FROM refunds r
			WHERE r.merchant_id = @m::uuid AND r.created_at BETWEEN @oldest::date AND @end
				AND NOT (r.state = 'dropped' AND r.updated_at <= @end) GROUP BY 1)
		SELECT c.id, c.purchase_id, c.provisional_at AS at, c.currency,
			greatest(c.amount_cents::numeric - coalesce(b.cents, 0), 0) AS cents
		FROM collections c LEFT JOIN back b ON b.collection_id = c.id
		WHERE c.merchant_id = @m::uuid AND c.action_date BETWEEN @oldest::date AND @day::date AND c.method = 'eft'
			AND c.provisional_at <= @end AND ` + state
}

// owed are the refunds that were promised by the end of a day, and neither paid out nor dropped by then.
func owed(today bool) string {
	state := "(r.state = 'pending' OR r.state = 'settled' AND r.settled_at > @end OR r.state = 'dropped' AND r.updated_at > @end)"
	if today {
		state = "r.state = 'pending'"
	}
	return `SELECT r.id, r.purchase_id, r.created_at AS at, r.currency, r.amount_cents::numeric AS cents FROM refunds r
		WHERE r.merchant_id = @m::uuid AND r.created_at <= @end AND ` + state
}

// partSQL is a part of a balance. Nothing of it is ever booked on an earlier day.
func (s Store) partSQL(f PartFilter) string {
	today := f.AsOf == calendar.DateOf(s.Now())
	if f.Part == Owed {
		return owed(today)
	}
	return returnable(today)
}

func asOf(merchantID uuid.UUID, day calendar.Date) pgx.NamedArgs {
	return pgx.NamedArgs{"m": merchantID.String(), "end": endOf(day), "day": day.String(),
		"oldest": day.AddDays(-longestWindow).String()}
}

// balancesAsOf gives the balances at the end of a day. What moved is what was booked by then.
func (s Store) balancesAsOf(ctx context.Context, merchantID uuid.UUID, day calendar.Date) (map[string]Balance, error) {
	args := asOf(merchantID, day)
	gross := SumsOf(merchantID, Filter{To: endOf(day)}, args)
	rows, err := s.Pool.Query(ctx, `SELECT currency, sum(gross)::text, sum(reserved)::text, sum(owed)::text FROM (
		SELECT e.currency, sum(e.cents) AS gross, 0 AS reserved, 0 AS owed FROM `+gross+` GROUP BY 1
		UNION ALL SELECT currency, 0, sum(cents), 0 FROM (`+returnable(false)+`) AS may_return GROUP BY 1
		UNION ALL SELECT currency, 0, 0, sum(cents) FROM (`+owed(false)+`) AS owed GROUP BY 1
	) AS parts GROUP BY 1`, args)
	if err != nil {
		return nil, fmt.Errorf("balances of a day: %w", err)
	}
	out := map[string]Balance{}
	var currency string
	var b Balance
	if _, err := pgx.ForEachRow(rows, []any{&currency, &b.GrossCents, &b.ReservedCents, &b.OwedCents},
		func() error { out[currency] = b; return nil }); err != nil {
		return nil, fmt.Errorf("balances of a day: %w", err)
	}
	return out, nil
}

// partRows reads a page of what a part of the balance is made of.
func (s Store) partRows(ctx context.Context, merchantID uuid.UUID, f PartFilter,
	ask paging.Ask) (page paging.Page[Movement], err error) {
	args := asOf(merchantID, f.AsOf)
	args["currency"] = f.Currency
	direction, beside, _ := database.BesideID("t.id", ask)
	if beside != "" {
		beside = beside[:len(beside)-1] + "@beside::uuid"
		args["beside"] = ask.From.String()
	}
	rows, err := s.Pool.Query(ctx, fmt.Sprintf(`SELECT t.id, t.purchase_id,
			coalesce(p.client_id, '00000000-0000-0000-0000-000000000000'), t.at, '', '', t.cents::bigint, t.currency, '',
			coalesce(nullif(p.reference, ''), p.reference_generated, ''), coalesce(nullif(p.payer_name, ''), p.payer_email, '')
		FROM (SELECT t.* FROM (%s) AS t WHERE t.cents > 0 AND (@currency = '' OR t.currency = @currency)%s ORDER BY t.id %s LIMIT %d) AS t
			LEFT JOIN purchases p ON p.id = t.purchase_id AND p.merchant_id = @m::uuid ORDER BY t.id %s`, s.partSQL(f), beside,
		direction, ask.Fetch(), direction), args)
	if err != nil {
		return page, fmt.Errorf("part of a balance: %w", err)
	}
	found, err := pgx.CollectRows(rows, movement)
	if err != nil {
		return page, fmt.Errorf("part of a balance: %w", err)
	}
	return paging.Cut(ask, found), nil
}

// sumPart counts and sums a part of the balance.
func (s Store) sumPart(ctx context.Context, merchantID uuid.UUID, f PartFilter) (sum MovementSum, err error) {
	args := asOf(merchantID, f.AsOf)
	args["currency"] = f.Currency
	if err := s.Pool.QueryRow(ctx, `SELECT count(*), coalesce(sum(t.cents), 0)::text FROM (`+s.partSQL(f)+`) AS t
		WHERE t.cents > 0 AND (@currency = '' OR t.currency = @currency)`, args).Scan(&sum.N, &sum.Cents); err != nil {
		return sum, fmt.Errorf("sum of a part of a balance: %w", err)
	}
	return sum, nil
}
