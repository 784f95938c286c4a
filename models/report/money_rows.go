package report

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Store is where the figures are found.
type Store struct{ *database.DB }

// movedBy is the debit d that a movement e belongs to: its method, account and way are
// those of the movement for good. Money that came by hand has none.
const movedBy = " JOIN purchases p ON p.id = e.purchase_id LEFT JOIN collections d ON d.id = e.collection_id"

// moneyFilter is what a filter asks of the purchase p and the debit d behind a movement.
func moneyFilter(f Filter, args pgx.NamedArgs) string {
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
	add(
		"flows",
		`coalesce((SELECT a ->> 'flow' FROM jsonb_array_elements(p.attempts) AS a WHERE a ->> 'tx_id' = d.id::text LIMIT 1),
			'payform') = ANY(@flows::text[])`,
		f.Flows,
	)
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
func standsFilter(f Filter, args pgx.NamedArgs) (where []string) {
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
	if query := database.SearchQuery(f.Query); query != "" {
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

// MovementsOf is FROM and WHERE of the movements e that a filter lets through. Only
// a filter that looks at what is behind them joins it; without, an index holds it all.
func MovementsOf(merchantID uuid.UUID, f Filter, args pgx.NamedArgs) string {
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
	if len(f.Kinds) > 0 {
		where += " AND e.kind = ANY(@kinds::text[])"
		args["kinds"] = f.Kinds
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
func waitingMoney(f Filter, currency, at string, args pgx.NamedArgs) string {
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

// Balances gives the balance of each currency that has any, in one statement: what moved, what of it
// may still be returned, and what is owed back.
func (s Store) Balances(ctx context.Context, merchantID uuid.UUID,
	f Filter) (map[string]Balance, error) {
	args := pgx.NamedArgs{}
	behind := "" // of a refund: who asks for no more than the refund itself reads nothing else
	if f.Narrow() {
		behind = " JOIN purchases p ON p.id = r.purchase_id LEFT JOIN collections d ON d.id = r.collection_id"
	}
	query := `SELECT currency, sum(gross)::text, sum(reserved)::text, sum(owed)::text FROM (
		SELECT e.currency, sum(e.cents) AS gross, 0 AS reserved, 0 AS owed FROM ` + SumsOf(merchantID, f, args) +
		` GROUP BY 1
		UNION ALL
		SELECT currency, 0, sum(cents), 0 FROM (` + reserved(f, args) + `) AS may_return GROUP BY 1
		UNION ALL
		SELECT r.currency, 0, 0, sum(r.amount_cents) FROM refunds r` + behind + `
			WHERE r.merchant_id = @m::uuid AND r.state = 'pending'` + waitingMoney(f, "r.currency", "r.created_at", args) +
		` GROUP BY 1
	) AS parts GROUP BY 1`
	rows, err := s.Pool.Query(ctx, query, args)
	if err != nil {
		return nil, fmt.Errorf("balances: %w", err)
	}
	out := map[string]Balance{}
	var currency string
	var b Balance
	if _, err := pgx.ForEachRow(rows, []any{&currency, &b.GrossCents, &b.ReservedCents, &b.OwedCents},
		func() error { out[currency] = b; return nil }); err != nil {
		return nil, fmt.Errorf("balances: %w", err)
	}
	return out, nil
}

// reserved are the amounts that may still be returned, by currency: the whole debit, also if a refund of it was paid.
// A refund that is on its way is taken off, since it falls away when the debit is returned. What is kept by day holds
// the debits. A filter that looks further goes through the debits, which are those of one return window.
func reserved(f Filter, args pgx.NamedArgs) string {
	if !f.rolled() || len(f.Products) > 0 || !f.From.IsZero() || !f.To.IsZero() {
		return `SELECT d.currency, greatest(d.amount_cents::numeric - (SELECT coalesce(sum(b.amount_cents), 0) FROM refunds b
				WHERE b.merchant_id = d.merchant_id AND b.collection_id = d.id AND b.state = 'pending'), 0) AS cents
			FROM collections d JOIN purchases p ON p.id = d.purchase_id
			WHERE d.merchant_id = @m::uuid AND d.state = 'provisional'` + waitingMoney(f, "d.currency", "d.provisional_at", args)
	}
	kept := " WHERE r.merchant_id = @m::uuid AND r.state = 'provisional'"
	where := rolledFilter(f, "r", args)
	return `SELECT r.currency, r.cents FROM debit_sums r` + kept + where + `
		UNION ALL SELECT d.currency, -least(d.amount_cents::numeric, b.cents)
		FROM (SELECT b.collection_id, sum(b.amount_cents) AS cents FROM refunds b
			WHERE b.merchant_id = @m::uuid AND b.state = 'pending' GROUP BY 1) AS b
		CROSS JOIN LATERAL (SELECT c.* FROM collections c WHERE c.id = b.collection_id
		AND c.state = 'provisional' OFFSET 0) d
		JOIN purchases p ON p.id = d.purchase_id
		WHERE d.merchant_id = @m::uuid` + waitingMoney(f, "d.currency", "d.provisional_at", args)
}

// Turnover sums the movements of the first currency of the filter.
func (s Store) Turnover(ctx context.Context, merchantID uuid.UUID, f Filter) (t Turnover, err error) {
	args := pgx.NamedArgs{}
	err = s.Pool.QueryRow(
		ctx,
		`SELECT coalesce(sum(e.cents) FILTER (WHERE e.sign > 0), 0)::text,
			coalesce(sum(e.n) FILTER (WHERE e.sign > 0), 0)::bigint,
		coalesce(-sum(e.cents) FILTER (WHERE e.sign < 0), 0)::text, coalesce(sum(e.n) FILTER (WHERE e.sign < 0), 0)::bigint
		FROM `+
			SumsOf(merchantID, f, args),
		args,
	).
		Scan(&t.Incoming.Cents, &t.Incoming.N, &t.Outgoing.Cents, &t.Outgoing.N)
	if err != nil {
		return t, fmt.Errorf("turnover: %w", err)
	}
	return t, nil
}
