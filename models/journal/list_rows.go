package journal

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
)

// within is the condition of a filter on entries e, with its values.
func (f Filter) within(merchantID uuid.UUID) (string, pgx.NamedArgs) {
	from, to := f.From, f.To
	if from.IsZero() {
		from = calendar.On(1, 1, 1)
	}
	if to.IsZero() {
		to = calendar.On(9999, 12, 31)
	}
	args := pgx.NamedArgs{"m": merchantID.String(), "from": from.String(), "to": to.String(), "currency": f.Currency,
		"rate": rateOn(to), "kind": string(f.Kind), "about": f.About, "cents": f.Cents}
	if to.Year == 9999 {
		args["rate"] = rateOn(from)
	}
	where := ` WHERE e.merchant_id = @m::uuid AND e.day BETWEEN @from::date AND @to::date AND e.currency = @currency`
	if f.Kind != "" {
		where += ` AND e.kind = @kind`
	}
	if f.Of() {
		where += ` AND ` + f.figure() + ` <> 0`
	}
	if f.About != "" {
		where += ` AND e.purchase_id IN (SELECT id FROM purchases WHERE merchant_id = @m::uuid
			AND lower(reference_generated) = lower(@about) UNION ALL
			SELECT purchase_id FROM invoices WHERE merchant_id = @m::uuid AND lower(number) = lower(@about))`
	}
	if f.Cents != 0 {
		sides := make([]string, len(Roles))
		for i, r := range Roles {
			sides[i] = "abs(e." + string(r) + ")"
		}
		where += ` AND (abs(@cents::bigint) IN (` + strings.Join(sides, ", ") + `)
			OR @cents::bigint % 2 = 0 AND abs(@cents::bigint) / 2 IN (` + strings.Join(sides, ", ") + `))`
	}
	return where, args
}

// figure is the column that the list adds up.
func (f Filter) figure() string {
	switch {
	case f.Box != "":
		return boxes[f.Box]
	case f.Role != "":
		return "e." + string(f.Role)
	}
	return "0"
}

func (s Store) entries(ctx context.Context, merchantID uuid.UUID, f Filter, after Place) (l List, err error) {
	where, args := f.within(merchantID)
	from := ` FROM journal_entries e`
	if f.Box != "" {
		from += vatOf
	}
	if err := s.Pool.QueryRow(ctx, `SELECT count(*), coalesce(sum(`+f.figure()+`), 0)::bigint`+from+where, args).
		Scan(&l.Total, &l.Sum); err != nil {
		return l, fmt.Errorf("count entries: %w", err)
	}
	if after.N != 0 {
		where += ` AND (e.day, e.n) < (@day::date, @n::bigint)`
		args["day"], args["n"] = after.Day.String(), after.N
	}
	rows, err := s.Pool.Query(ctx, `SELECT e.n, 0, e.kind, e.brand_id, e.purchase_id, e.day::text, e.true_day::text,
			e.source_id, e.currency, e.code, `+calledBy+`,
			coalesce(nullif(p.payer_name, ''), p.payer_email, ''), `+roleColumns()+`, e.figure
		FROM (SELECT e.*, (`+f.figure()+`)::bigint AS figure`+from+where+` ORDER BY e.day DESC, e.n DESC LIMIT `+
		fmt.Sprint(pageOfEntries+1)+`) AS e
			LEFT JOIN purchases p ON p.id = e.purchase_id AND p.merchant_id = e.merchant_id
			`+called+`
		ORDER BY e.day DESC, e.n DESC`, args)
	if err != nil {
		return l, fmt.Errorf("list entries: %w", err)
	}
	var one Listed
	err = eachEntry(rows, &one.Entry, []any{&one.Figure}, func() error { l.Entries = append(l.Entries, one); return nil })
	if err != nil {
		return l, fmt.Errorf("list entries: %w", err)
	}
	if len(l.Entries) > pageOfEntries {
		l.Entries = l.Entries[:pageOfEntries]
		last := l.Entries[pageOfEntries-1]
		l.Next = Place{Day: last.Day, N: last.N}
	}
	return l, nil
}

// eachEntry reads the columns of entries, and what stands behind them.
func eachEntry(rows pgx.Rows, e *Entry, more []any, do func() error) error {
	var day, trueDay string
	fields := append([]any{&e.N, &e.Merged, &e.Kind, (*[16]byte)(&e.BrandID), (*[16]byte)(&e.PurchaseID), &day,
		&trueDay, (*[16]byte)(&e.SourceID), &e.Currency, &e.Code, &e.Reference, &e.Client}, into(&e.Cents)...)
	_, err := pgx.ForEachRow(rows, append(fields, more...), func() (err error) {
		if e.Day, err = calendar.ParseDate(day); err != nil {
			return err
		}
		if e.TrueDay, err = calendar.ParseDate(trueDay); err != nil {
			return err
		}
		return do()
	})
	return err
}
