package journal

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// documentsThere counts the invoices and credit notes of some days, and gives the last entry and the numbers that more
// than one of them has.
func (s Store) documentsThere(ctx context.Context, merchantID uuid.UUID, ask Ask) (n, last int64, again Repeats,
	err error) {
	args := pgx.NamedArgs{"m": merchantID.String(), "from": ask.From.String(), "to": ask.To.String(),
		"currency": ask.Currency, "kinds": kindsOf(ask)}
	err = s.Pool.QueryRow(ctx, `WITH taken AS (SELECT i.number, count(*) AS n, max(e.n) AS last FROM journal_entries e
			LEFT JOIN invoices i ON i.id = e.source_id AND i.merchant_id = e.merchant_id`+ofDays+` GROUP BY 1)
		SELECT coalesce(sum(n), 0)::bigint, coalesce(max(last), 0),
			coalesce(sum(n - 1) FILTER (WHERE number <> ''), 0)::bigint,
			coalesce(min(number) FILTER (WHERE n > 1 AND number <> ''), '') FROM taken`, args).
		Scan(&n, &last, &again.N, &again.First)
	if err != nil {
		return 0, 0, again, fmt.Errorf("count the documents of some days: %w", err)
	}
	return n, last, again, nil
}

// documentEntries are the next entries of invoices and credit notes behind a place, up to the last. What they are
// called is on the documents.
func (s Store) documentEntries(ctx context.Context, merchantID uuid.UUID, ask Ask, after Place, last int64,
	most int) (out []Entry, err error) {
	args := pgx.NamedArgs{"m": merchantID.String(), "from": ask.From.String(), "to": ask.To.String(),
		"currency": ask.Currency, "kinds": kindsOf(ask), "last": last, "day": ask.From.String(), "n": after.N}
	if after.N != 0 {
		args["day"] = after.Day.String()
	}
	rows, err := s.Pool.Query(ctx, `SELECT e.n, 0, e.kind, e.brand_id, e.purchase_id, e.day::text, e.true_day::text,
			e.source_id, e.currency, e.code, '', '', `+roleColumns()+` FROM journal_entries e`+ofDays+`
			AND (e.day, e.n) > (@day::date, @n::bigint) AND e.n <= @last
		ORDER BY e.day, e.n LIMIT `+strconv.Itoa(most), args)
	if err != nil {
		return nil, fmt.Errorf("read documents of the journal: %w", err)
	}
	var e Entry
	if err := eachEntry(rows, &e, nil, func() error { out = append(out, e); return nil }); err != nil {
		return nil, fmt.Errorf("read documents of the journal: %w", err)
	}
	return out, nil
}
