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
func (f Filter) within(merchantID uuid.UUID) (string, map[string]any) {
	from, to := f.From, f.To
	if from.IsZero() {
		from = calendar.On(1, 1, 1)
	}
	if to.IsZero() {
		to = calendar.On(9999, 12, 31)
	}
	args := map[string]any{"m": merchantID.String(), "from": from.String(), "to": to.String(), "currency": f.Currency,
		"rate": rateOn(to), "kind": string(f.Kind), "about": f.About, "cents": f.Cents}
	if to.Year == 9999 {
		args["rate"] = rateOn(from)
	}
	where := ` WHERE e.merchant_id = (@m)::uuid AND e.day BETWEEN (@from)::date AND (@to)::date AND e.currency = @currency`
	if f.Kind != "" {
		where += ` AND e.kind = @kind`
	}
	if f.Of() {
		where += ` AND ` + f.figure() + ` <> 0`
	}
	if f.About != "" {
		where += ` AND e.n IN (SELECT j.n FROM journal_entries j WHERE j.merchant_id = (@m)::uuid
				AND j.purchase_id IN (SELECT id FROM purchases WHERE merchant_id = (@m)::uuid
					AND lower(reference_generated) = lower(@about) UNION ALL
				SELECT purchase_id FROM invoices WHERE merchant_id = (@m)::uuid AND lower(number) = lower(@about))
			UNION ALL SELECT j.n FROM book_records r JOIN journal_entries j ON j.source_id = r.id AND j.kind = r.kind
			WHERE r.merchant_id = (@m)::uuid AND lower(r.reference) = lower(@about))`
	}
	if f.Cents != 0 {
		sides := make([]string, len(Roles))
		for i, r := range Roles {
			sides[i] = "abs(e." + string(r) + ")"
		}
		where += ` AND (abs((@cents)::bigint) IN (` + strings.Join(sides, ", ") + `)
			OR (@cents)::bigint % 2 = 0 AND abs((@cents)::bigint) / 2 IN (` + strings.Join(sides, ", ") + `))`
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

// countEntries is how many entries a filter lets through, and what its figure comes to.
func (s Store) countEntries(ctx context.Context, merchantID uuid.UUID, f Filter) (n, sum int64, err error) {
	if f.summed() {
		return s.summed(ctx, merchantID, f)
	}
	where, args := f.within(merchantID)
	var found struct{ N, Sum int64 }
	err = s.Gorm(ctx).Raw(`SELECT count(*) AS n, coalesce(sum(`+f.figure()+`), 0)::bigint AS sum`+f.rows()+where, args).
		Take(&found).Error
	if err != nil {
		return 0, 0, fmt.Errorf("count entries: %w", err)
	}
	return found.N, found.Sum, nil
}

// summed tells whether the sums that are kept say how many entries the filter lets through, and what they come to.
func (f Filter) summed() bool { return f.Box == "" && f.About == "" && f.Cents == 0 }

// rows are the entries e, each with what of it goes where on the VAT201 if the filter asks for that.
func (f Filter) rows() string {
	if f.Box != "" {
		return ` FROM journal_entries e` + vatOf
	}
	return ` FROM journal_entries e`
}

func (s Store) entries(ctx context.Context, merchantID uuid.UUID, f Filter, after Place) (l List, err error) {
	if l.Total, l.Sum, err = s.countEntries(ctx, merchantID, f); err != nil {
		return l, err
	}
	var more bool
	if l.Entries, more, err = s.entriesBehind(ctx, merchantID, f, after, pageOfEntries); more {
		last := l.Entries[len(l.Entries)-1]
		l.Next = Place{Day: last.Day, N: last.N}
	}
	return l, err
}

// entriesBehind are at most so many entries behind a place, and whether there are more.
func (s Store) entriesBehind(ctx context.Context, merchantID uuid.UUID, f Filter, after Place, most int) (out []Listed,
	more bool, err error) {
	where, args := f.within(merchantID)
	if after.N != 0 {
		where += ` AND (e.day, e.n) < ((@day)::date, (@n)::bigint)`
		args["day"], args["n"] = after.Day.String(), after.N
	}
	last := ` ORDER BY e.day DESC, e.n DESC LIMIT ` + fmt.Sprint(most+1)
	found := `SELECT e.*, (` + f.figure() + `)::bigint AS figure` + f.rows() + where + last
	if f.Role != "" && f.summed() { // what has an amount in it may be rare
		at, err := s.holdings(ctx, merchantID, f, after, most+1)
		if err != nil {
			return nil, false, err
		}
		days, kinds := make([]string, len(at)), make([]string, len(at))
		for i, h := range at {
			days[i], kinds[i] = h.Day.String(), string(h.Kind)
		}
		args["days"], args["kinds"] = days, kinds
		found = `SELECT e.* FROM unnest((@days)::date[], (@kinds)::text[]) AS h (day, kind) CROSS JOIN LATERAL (
			SELECT e.*, (` + f.figure() + `)::bigint AS figure` + f.rows() + where + ` AND e.day = h.day AND e.kind = h.kind` +
			last + `) AS e` + last
	}
	rows, err := s.Pool.Query(ctx, `SELECT e.n, 0, e.kind, e.brand_id, e.purchase_id, e.day::text, e.true_day::text,
			e.source_id, e.currency, e.code, `+calledBy+`,
			coalesce(nullif(p.payer_name, ''), p.payer_email, ''), `+roleColumns()+`, e.figure
		FROM (`+found+`) AS e
			LEFT JOIN purchases p ON p.id = e.purchase_id AND p.merchant_id = e.merchant_id
			`+called+`
		ORDER BY e.day DESC, e.n DESC`, pgx.NamedArgs(args))
	if err != nil {
		return nil, false, fmt.Errorf("list entries: %w", err)
	}
	var one Listed
	err = eachEntry(rows, &one.Entry, []any{&one.Figure}, func() error { out = append(out, one); return nil })
	if err != nil {
		return nil, false, fmt.Errorf("list entries: %w", err)
	}
	if len(out) > most {
		return out[:most], true, nil
	}
	return out, false, nil
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
