package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

// Movements implements report.Reader.
func (s *Store) Movements(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) ([]report.Day, error) {
	var rows []struct {
		Day         calendar.Date
		Up, Down    money.Sum
		Debits, Bad int64
	}
	err := s.read(ctx).Raw(`SELECT day,
			coalesce(sum(amount_cents) FILTER (WHERE amount_cents > 0), 0)::text AS up, coalesce(-sum(amount_cents) FILTER (WHERE amount_cents < 0), 0)::text AS down,
			count(*) FILTER (WHERE kind = 'collected') AS debits, count(*) FILTER (WHERE kind IN ('returned', 'disputed')) AS bad
		FROM ledger_entries WHERE merchant_id = ? AND day BETWEEN ? AND ? AND currency = 'ZAR' GROUP BY day ORDER BY day`,
		merchantID, from, to).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("movements of money: %w", err)
	}
	out := make([]report.Day, len(rows))
	for i, r := range rows {
		out[i] = report.Day{Date: r.Day, InCents: r.Up, BackCents: r.Down, Debits: r.Debits, ReturnedLater: r.Bad}
	}
	return out, nil
}

// Outcomes implements report.Reader; the index alone answers it.
func (s *Store) Outcomes(ctx context.Context, merchantID uuid.UUID, from,
	to calendar.Date) (map[calendar.Date]report.Outcome, error) {
	var rows []struct {
		ActionDate calendar.Date
		State      string
		N          int64
	}
	err := s.read(ctx).Raw(
		`SELECT action_date, state, count(*) AS n FROM collections WHERE merchant_id = ? AND action_date BETWEEN ? AND ? GROUP BY 1, 2`,
		merchantID, from, to).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("outcomes of debits: %w", err)
	}
	out := map[calendar.Date]report.Outcome{}
	for _, r := range rows {
		o := out[r.ActionDate]
		switch collection.State(r.State).Outcome() {
		case collection.OutcomeFailed:
			o.Unpaid += r.N
		case collection.OutcomeDisputed:
			o.Disputed += r.N
		case collection.OutcomeCollected:
			o.Collected += r.N
		case collection.OutcomeOpen:
		}
		out[r.ActionDate] = o
	}
	return out, nil
}

// DebitTally implements report.Reader.
func (s *Store) DebitTally(ctx context.Context, merchantID uuid.UUID, f purchase.DebitFilter) (report.Tally, error) {
	t, err := s.TallyDebits(ctx, merchantID, f, 0)
	return report.Tally(t), err
}

// Start implements report.Reader.
func (s *Store) Start(ctx context.Context, merchantID uuid.UUID) (report.Start, error) {
	var out report.Start
	err := s.read(ctx).Raw(`SELECT
		EXISTS (SELECT FROM clients WHERE merchant_id = @m AND deleted_at IS NULL) AS client,
		EXISTS (SELECT FROM tokens WHERE merchant_id = @m AND state <> 'pending') AS token,
		EXISTS (SELECT FROM collections WHERE merchant_id = @m) AS charge,
		EXISTS (SELECT FROM ledger_entries WHERE merchant_id = @m AND kind = 'collected') AS collected,
		EXISTS (SELECT FROM credentials WHERE merchant_id = @m) AS credential`,
		map[string]any{"m": merchantID}).Scan(&out).Error
	if err != nil {
		return out, fmt.Errorf("first steps: %w", err)
	}
	return out, nil
}

// movedBy is the debit d that a movement e belongs to: its method, account and way are
// those of the movement for good. Money that came by hand has none.
const movedBy = " JOIN purchases p ON p.id = e.purchase_id LEFT JOIN collections d ON d.id = e.collection_id"

// moneyFilter is what a filter asks of the purchase p and the debit d behind a movement.
func moneyFilter(f report.Filter, args pgx.NamedArgs) string {
	var where []string
	add := func(name, condition string, list []string) {
		if len(list) > 0 {
			where = append(where, condition)
			args[name] = list
		}
	}
	ids := make([]string, len(f.Brands))
	for i, id := range f.Brands {
		ids[i] = id.String()
	}
	add("brands", "p.brand_id = ANY(@brands::text[]::uuid[])", ids)
	add("methods", "coalesce(d.method, '') = ANY(@methods::text[])", f.Methods)
	add("products", "p.product = ANY(@products::text[])", f.Products)
	add("flows",
		`coalesce((SELECT a ->> 'flow' FROM jsonb_array_elements(p.attempts) AS a WHERE a ->> 'tx_id' = d.id::text LIMIT 1), 'payform') = ANY(@flows::text[])`, f.Flows)
	add("countries", "'ZA' = ANY(@countries::text[])", f.Countries)
	if len(f.Terminals) > 0 {
		where = append(where, "false")
	}
	if f.Tokenized != nil {
		where = append(where, "(d.token_id IS NOT NULL AND d.token_id <> p.id) = @tokenized")
		args["tokenized"] = *f.Tokenized
	}
	where = append(where, standsFilter(f, args)...)
	if len(where) == 0 {
		return "true"
	}
	return strings.Join(where, " AND ")
}

// standsFilter is what a filter asks of the purchase p as it stands now.
func standsFilter(f report.Filter, args pgx.NamedArgs) (where []string) {
	add := func(given bool, condition, name string, value any) {
		if given {
			where = append(where, condition)
			args[name] = value
		}
	}
	add(len(f.Statuses) > 0, "p.status = ANY(@statuses::text[])", "statuses", f.Statuses)
	add(len(f.Totals) > 0, "p.total_cents = ANY(@totals::bigint[])", "totals", f.Totals)
	add(len(f.Lines) > 0,
		`EXISTS (SELECT FROM jsonb_array_elements(p.details -> 'products') AS l, unnest(@lines::text[]) AS part
		WHERE strpos(lower(l ->> 'name'), lower(part)) > 0)`, "lines", f.Lines)
	if query := searchQuery(f.Query); query != "" {
		add(true, "p.search @@ @query::tsquery", "query", query)
	} else if f.Query != "" { // nothing in it can be looked for
		where = append(where, "false")
	}
	add(!f.Paid.From.IsZero(), "(p.payment ->> 'paid_on')::timestamptz >= @paid_from", "paid_from", f.Paid.From)
	add(!f.Paid.To.IsZero(), "(p.payment ->> 'paid_on')::timestamptz <= @paid_to", "paid_to", f.Paid.To)
	add(!f.Updated.From.IsZero(), "p.updated_at >= @updated_from", "updated_from", f.Updated.From)
	add(!f.Updated.To.IsZero(), "p.updated_at <= @updated_to", "updated_to", f.Updated.To)
	return where
}

// movementsOf is FROM and WHERE of the movements e that a filter lets through. Only
// a filter that looks at what is behind them joins it; without, an index holds it all.
func movementsOf(merchantID uuid.UUID, f report.Filter, args pgx.NamedArgs) string {
	args["m"] = merchantID.String()
	from, where := " FROM ledger_entries e", " WHERE e.merchant_id = @m::uuid"
	if f.Narrow() {
		from += movedBy
		where += " AND " + moneyFilter(f, args)
	}
	if len(f.Currencies) > 0 {
		where += " AND e.currency = ANY(@currencies::text[])"
		args["currencies"] = f.Currencies
	}
	if !f.From.IsZero() {
		where += " AND e.day >= @from_day::date AND e.at >= @from_at"
		args["from_day"], args["from_at"] = calendar.DateOf(f.From).String(), f.From
	}
	if !f.To.IsZero() {
		where += " AND e.day <= @to_day::date AND e.at <= @to_at"
		args["to_day"], args["to_at"] = calendar.DateOf(f.To).String(), f.To
	}
	return from + where
}

// waitingMoney narrows what is not settled yet in the same way; at is its moment.
func waitingMoney(f report.Filter, currency, at string, args pgx.NamedArgs) string {
	where := " AND " + moneyFilter(f, args)
	if len(f.Currencies) > 0 {
		where += " AND " + currency + " = ANY(@currencies::text[])"
	}
	if !f.From.IsZero() {
		where += " AND " + at + " >= @from_at"
	}
	if !f.To.IsZero() {
		where += " AND " + at + " <= @to_at"
	}
	return where
}

// Balances implements report.MoneyReader in one statement: what moved, what of it
// may still be returned, and what is owed back. The latter two are few at any time
// and have indexes of their own.
func (s *Store) Balances(ctx context.Context, merchantID uuid.UUID,
	f report.Filter) (map[string]report.Balance, error) {
	args := pgx.NamedArgs{}
	query := `SELECT currency, sum(gross)::text, sum(reserved)::text, sum(owed)::text FROM (
		SELECT e.currency, sum(e.amount_cents) AS gross, 0 AS reserved, 0 AS owed` + movementsOf(merchantID, f, args) +
		` GROUP BY 1
		UNION ALL
		SELECT d.currency, 0, sum(greatest(d.amount_cents::numeric - p.refunded_cents - p.refunding_cents, 0)), 0 FROM collections d JOIN purchases p ON p.id = d.purchase_id
			WHERE d.merchant_id = @m::uuid AND d.state = 'provisional'` + waitingMoney(f, "d.currency", "d.provisional_at",
		args) + ` GROUP BY 1
		UNION ALL
		SELECT r.currency, 0, 0, sum(r.amount_cents) FROM refunds r JOIN purchases p ON p.id = r.purchase_id LEFT JOIN collections d ON d.id = r.collection_id
			WHERE r.merchant_id = @m::uuid AND r.state = 'pending'` + waitingMoney(f, "r.currency", "r.created_at", args) +
		` GROUP BY 1
	) AS parts GROUP BY 1`
	rows, err := s.Pool.Query(ctx, query, args)
	if err != nil {
		return nil, fmt.Errorf("balances: %w", err)
	}
	out := map[string]report.Balance{}
	var currency string
	var b report.Balance
	if _, err := pgx.ForEachRow(rows, []any{&currency, &b.GrossCents, &b.ReservedCents, &b.OwedCents},
		func() error { out[currency] = b; return nil }); err != nil {
		return nil, fmt.Errorf("balances: %w", err)
	}
	return out, nil
}

// Turnover implements report.MoneyReader.
func (s *Store) Turnover(ctx context.Context, merchantID uuid.UUID, f report.Filter) (t report.Turnover, err error) {
	args := pgx.NamedArgs{}
	err = s.Pool.QueryRow(ctx,
		`SELECT coalesce(sum(e.amount_cents) FILTER (WHERE e.amount_cents > 0), 0)::text, count(*) FILTER (WHERE e.amount_cents > 0),
		coalesce(-sum(e.amount_cents) FILTER (WHERE e.amount_cents < 0), 0)::text, count(*) FILTER (WHERE e.amount_cents < 0)`+movementsOf(merchantID, f, args), args).
		Scan(&t.Incoming.Cents, &t.Incoming.N, &t.Outgoing.Cents, &t.Outgoing.N)
	if err != nil {
		return t, fmt.Errorf("turnover: %w", err)
	}
	return t, nil
}

var _ report.MoneyReader = (*Store)(nil)
