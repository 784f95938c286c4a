package report

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

// longestWindow is more days than lie between a debit date and the end of its return window, closed days included.
const longestWindow = 40

// returnable is what is kept of the debits that could be returned at the end of a day: those of the debit dates before
// it, back to the longest window, or to the oldest debit that can be returned now.
const returnable = `SELECT r.since, r.currency, r.n, r.cents FROM part_days r
	WHERE r.merchant_id = @m::uuid AND r.part = 'returnable'
		AND r.since BETWEEN (` + oldestDate + `) AND @day::date AND r.day <= @day::date
	UNION ALL SELECT r.since, r.currency, r.n, r.cents FROM part_day_deltas r
	WHERE r.merchant_id = @m::uuid AND r.part = 'returnable'
		AND r.since BETWEEN (` + oldestDate + `) AND @day::date AND r.day <= @day::date`

const oldestDate = `SELECT least(@oldest::date,
	(SELECT min(d.day) FROM debit_days d WHERE d.merchant_id = @m::uuid AND d.state = 'provisional'))`

// owed is what is kept of the refunds that were promised by the end of a day, and neither paid out nor dropped by then:
// whole months, the days of its own month, and what is not added up yet.
const owed = `SELECT r.since, r.currency, r.n, r.cents FROM part_days r
	WHERE r.merchant_id = @m::uuid AND r.part = 'owed by month'
		AND r.since < @month::date
	UNION ALL SELECT r.since, r.currency, r.n, r.cents FROM part_days r WHERE r.merchant_id = @m::uuid AND r.part = 'owed'
		AND r.since BETWEEN @month::date AND @day::date
	UNION ALL SELECT r.since, r.currency, r.n, r.cents FROM part_day_deltas r
	WHERE r.merchant_id = @m::uuid AND r.part = 'owed'
		AND r.since <= @day::date`

// partSums are the parts of a balance. None of them is ever booked on an earlier day.
var partSums = map[Part]string{Returnable: returnable, Owed: owed}

func asOf(merchantID uuid.UUID, day calendar.Date) pgx.NamedArgs {
	oldest := day.AddDays(-longestWindow)
	if oldest.Year < 1 { // there are no dates before that, and nothing was debited
		oldest = day
	}
	return pgx.NamedArgs{"m": merchantID.String(), "end": EndOf(day), "day": day.String(),
		"month": day.FirstDayOfMonth().String(), "oldest": oldest.String()}
}

// balancesAsOf gives the balances at the end of a day. What moved is what was booked by then.
func (s Store) balancesAsOf(ctx context.Context, merchantID uuid.UUID, day calendar.Date) (map[string]Balance, error) {
	args := asOf(merchantID, day)
	gross := SumsOf(merchantID, Filter{To: EndOf(day)}, args)
	rows, err := s.Pool.Query(ctx, `SELECT currency, sum(gross)::text, sum(reserved)::text, sum(owed)::text FROM (
		SELECT e.currency, sum(e.cents) AS gross, 0 AS reserved, 0 AS owed FROM `+gross+` GROUP BY 1
		UNION ALL SELECT currency, 0, sum(cents), 0 FROM (`+returnable+`) AS may_return GROUP BY 1
		UNION ALL SELECT currency, 0, 0, sum(cents) FROM (`+owed+`) AS owed GROUP BY 1
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

// sumPart counts and sums a part of the balance.
func (s Store) sumPart(ctx context.Context, merchantID uuid.UUID, f PartFilter) (sum MovementSum, err error) {
	args := asOf(merchantID, f.AsOf)
	args["currency"] = f.Currency
	if err := s.Pool.QueryRow(ctx, `SELECT coalesce(sum(t.n), 0)::bigint, coalesce(sum(t.cents), 0)::text
		FROM (`+partSums[f.Part]+`) AS t WHERE @currency = ''
			OR t.currency = @currency`, args).Scan(&sum.N, &sum.Cents); err != nil {
		return sum, fmt.Errorf("sum of a part of a balance: %w", err)
	}
	return sum, nil
}

// partRows reads a page of what a part of the balance is made of.
func (s Store) partRows(ctx context.Context, merchantID uuid.UUID, f PartFilter,
	ask paging.Ask) (page paging.Page[Movement], err error) {
	args := asOf(merchantID, f.AsOf)
	args["currency"], args["beside"], args["fetch"] = f.Currency, ask.From.String(), ask.Fetch()
	w := partWalk{now: f.AsOf == calendar.DateOf(s.Now()), direction: "DESC", compare: "<", reaches: "<="}
	if ask.Newer {
		w.direction, w.compare, w.reaches = "ASC", ">", ">="
	}
	w.from = ask.From != uuid.Nil
	walk := w.debits
	if f.Part == Owed {
		walk = w.refunds
	}
	rows, err := s.Pool.Query(ctx, fmt.Sprintf(`SELECT t.id, t.purchase_id,
			coalesce(p.client_id, '00000000-0000-0000-0000-000000000000'), t.at, '', '', t.cents::bigint, t.currency, '',
			coalesce(nullif(p.reference, ''), p.reference_generated, ''), coalesce(nullif(p.payer_name, ''), p.payer_email, '')
		FROM (%s) AS t LEFT JOIN purchases p ON p.id = t.purchase_id AND p.merchant_id = @m::uuid
		ORDER BY t.sorted %[2]s, t.id %[2]s`,
		walk(), w.direction), args)
	if err != nil {
		return page, fmt.Errorf("part of a balance: %w", err)
	}
	found, err := pgx.CollectRows(rows, movement)
	if err != nil {
		return page, fmt.Errorf("part of a balance: %w", err)
	}
	if f.Part != Owed || w.now || len(found) >= ask.Fetch() {
		return paging.Cut(ask, found), nil
	}
	sum, err := s.sumPart(ctx, merchantID, f)
	if err != nil || sum.N == int64(len(found)) {
		return paging.Cut(ask, found), err
	}
	reached, err := s.refundReached(ctx, w, args)
	return paging.CutAt(ask, found, reached), err
}
