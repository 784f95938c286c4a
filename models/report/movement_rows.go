package report

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

// mostWalked is how many movements one page looks at where an index does not lead through the filter: the page after
// it goes on.
const mostWalked = 10_000

// EndOf is the last moment of a day.
func EndOf(day calendar.Date) time.Time { return day.AddDays(1).At(0, 0).Add(-time.Microsecond) }

// sums is the filter as the sums that are kept by day and month know it.
func (f MovementFilter) sums() (of Filter) {
	if !f.From.IsZero() {
		of.From = f.From.At(0, 0)
	}
	if !f.To.IsZero() {
		of.To = EndOf(f.To)
	}
	if f.Currency != "" {
		of.Currencies = []string{f.Currency}
	}
	if f.Kind != "" {
		of.Kinds = []string{f.Kind}
	}
	return of
}

// signed is the condition of a direction on a column that is below zero for what went out.
func (f MovementFilter) signed(column string) string {
	switch f.Direction {
	case In:
		return column + " > 0"
	case Out:
		return column + " < 0"
	}
	return "true"
}

// ofClient narrows movements e to those of one client.
const ofClient = " AND e.purchase_id = ANY (ARRAY(SELECT id FROM purchases " +
	"WHERE client_id = @client::uuid AND merchant_id = @m::uuid))"

func (s Store) sumMovements(ctx context.Context, merchantID uuid.UUID, f MovementFilter) (sum MovementSum, err error) {
	args := pgx.NamedArgs{}
	query := `SELECT coalesce(sum(e.n), 0)::bigint, coalesce(sum(e.cents), 0)::text FROM ` +
		SumsOf(merchantID, f.sums(), args) + " WHERE " + f.signed("e.sign")
	if f.ClientID != uuid.Nil {
		args["client"] = f.ClientID.String()
		query = `SELECT count(*), coalesce(sum(e.amount_cents), 0)::text` + MovementsOf(merchantID, f.sums(),
			args) + ofClient +
			" AND " + f.signed(
			"e.amount_cents",
		)
	}
	if err := s.Pool.QueryRow(ctx, query, args).Scan(&sum.N, &sum.Cents); err != nil {
		return sum, fmt.Errorf("sum of movements: %w", err)
	}
	return sum, nil
}

// movements reads in the order of the days, and within a day in that of the ids, which an index has.
func (s Store) movements(ctx context.Context, merchantID uuid.UUID, f MovementFilter,
	ask paging.Ask) (page paging.Page[Movement], err error) {
	args := pgx.NamedArgs{}
	all := f.sums()
	all.Kinds = nil // no index leads to them: the walk looks at each
	from := MovementsOf(merchantID, all, args)
	kind, fits := "", f.signed("amount_cents")
	if f.Kind != "" {
		kind, fits = ", e.kind", fits+" AND kind = @kind"
		args["kind"] = f.Kind
	}
	if f.ClientID != uuid.Nil {
		from += ofClient
		args["client"] = f.ClientID.String()
	}
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	if ask.From != uuid.Nil {
		from += " AND (e.day, e.id) " + compare + " ((SELECT b.day FROM ledger_entries b " +
			"WHERE b.id = @beside::uuid AND b.merchant_id = @m::uuid), @beside::uuid)"
		args["beside"] = ask.From.String()
	}
	order := " ORDER BY day " + direction + ", id " + direction
	// The index has the day, the id and the amount: what else is shown is read of one page alone.
	walked := fmt.Sprintf("SELECT e.day, e.id, e.amount_cents%s%s%s LIMIT %d", kind, from, order, mostWalked)
	rows, err := s.Pool.Query(
		ctx,
		fmt.Sprintf(`SELECT w.id, w.purchase_id, coalesce(p.client_id, '00000000-0000-0000-0000-000000000000'),
			w.at, w.day::text, w.kind, w.amount_cents, w.currency, w.code,
			coalesce(nullif(p.reference, ''), p.reference_generated, ''),
			coalesce(nullif(p.payer_name, ''), p.payer_email, '')
		FROM (SELECT id FROM (%s) AS walked WHERE %s%s LIMIT %d) AS of CROSS JOIN LATERAL
			(SELECT * FROM ledger_entries WHERE id = of.id AND merchant_id = @m::uuid OFFSET 0) AS w
			LEFT JOIN purchases p ON p.id = w.purchase_id AND p.merchant_id = w.merchant_id ORDER BY w.day %s, w.id %s`,
			walked, fits, order, ask.Fetch(), direction, direction),
		args,
	)
	if err != nil {
		return page, fmt.Errorf("movements: %w", err)
	}
	found, err := pgx.CollectRows(rows, movement)
	if err != nil {
		return page, fmt.Errorf("movements: %w", err)
	}
	reached := uuid.Nil
	if (f.Direction != "" || f.Kind != "") && len(found) < ask.Fetch() {
		if reached, err = s.walkedTo(ctx, from+order, args); err != nil {
			return page, err
		}
	}
	return paging.CutAt(ask, found, reached), nil
}

// walkedTo is the movement at which a page ended that looked at as many as it may; the zero id where it came to
// the end.
func (s Store) walkedTo(ctx context.Context, from string, args pgx.NamedArgs) (uuid.UUID, error) {
	rows, err := s.Pool.Query(ctx, fmt.Sprintf("SELECT e.id%s OFFSET %d LIMIT 1", from, mostWalked-1), args)
	if err != nil {
		return uuid.Nil, fmt.Errorf("end of movements: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	if err != nil || len(ids) == 0 {
		return uuid.Nil, err
	}
	return ids[0], nil
}

func movement(row pgx.CollectableRow) (m Movement, err error) {
	var day string
	if err := row.Scan((*[16]byte)(&m.ID), (*[16]byte)(&m.PurchaseID), (*[16]byte)(&m.ClientID), &m.At, &day, &m.Kind,
		&m.Cents, &m.Currency, &m.Code, &m.Reference, &m.Payer); err != nil {
		return m, err
	}
	if day != "" {
		m.Day, err = calendar.ParseDate(day)
	}
	return m, err
}
