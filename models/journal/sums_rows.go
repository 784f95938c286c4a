package journal

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
)

// keptSums is a relation k of what the entries of some days come to, by currency, brand, kind and role, from what is
// kept by month, by day, and not yet folded in. The values are those of spanOf.
const keptSums = `(SELECT currency, brand_id, kind, role, n, cents FROM journal_months WHERE merchant_id = (@m)::uuid
		AND day >= (@first)::date AND day < (@end)::date
	UNION ALL SELECT currency, brand_id, kind, role, n, cents FROM journal_days WHERE merchant_id = (@m)::uuid
		AND day BETWEEN (@from)::date AND least((@to)::date, (@first)::date - 1)
	UNION ALL SELECT currency, brand_id, kind, role, n, cents FROM journal_days WHERE merchant_id = (@m)::uuid
		AND day BETWEEN greatest((@from)::date, (@end)::date) AND (@to)::date
	UNION ALL SELECT currency, brand_id, kind, role, n, cents FROM journal_day_deltas WHERE merchant_id = (@m)::uuid
		AND day BETWEEN (@from)::date AND (@to)::date) AS k`

// ever begins and ends what has no first or last day.
var ever = struct{ first, last calendar.Date }{calendar.On(1, 1, 1), calendar.On(9999, 11, 30)}

// spanOf are the values of keptSums. Days that are zero leave an end open.
func spanOf(merchantID uuid.UUID, from, to calendar.Date) map[string]any {
	if from.IsZero() {
		from = ever.first
	}
	if to.IsZero() {
		to = ever.last
	}
	first, end := calendar.WholeMonths(from, to)
	return map[string]any{"m": merchantID.String(), "from": from.String(), "to": to.String(), "first": first.String(),
		"end": end.String()}
}

// balances are what the roles came to before a day, by currency.
func (s Store) balances(ctx context.Context, merchantID uuid.UUID, before calendar.Date) (map[string]Cents, error) {
	return s.turnover(ctx, merchantID, calendar.Date{}, before.AddDays(-1))
}

// turnover is what was posted to the roles in some days, by currency. A currency in which all came to nothing is there.
func (s Store) turnover(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) (map[string]Cents, error) {
	var found []struct {
		Currency string
		Role     Role
		Cents    int64
	}
	err := s.Gorm(ctx).Raw(`SELECT currency, role, sum(cents)::bigint AS cents FROM `+keptSums+` GROUP BY 1, 2
		HAVING sum(n) <> 0`, spanOf(merchantID, from, to)).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("sums of the journal: %w", err)
	}
	out := map[string]Cents{}
	for _, f := range found {
		cents := out[f.Currency]
		if i := f.Role.place(); i >= 0 {
			cents[i] = f.Cents
		}
		out[f.Currency] = cents
	}
	return out, nil
}

// openingOf is what the roles of each brand came to before the days that are asked for.
func openingOf(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID, ask Ask) (out []Entry, err error) {
	args := pgx.NamedArgs(spanOf(merchantID, calendar.Date{}, ask.From.AddDays(-1)))
	args["currency"] = ask.Currency
	rows, err := tx.Query(ctx, `SELECT brand_id, role, sum(cents)::bigint FROM `+keptSums+` WHERE currency = @currency
		GROUP BY 1, 2 HAVING sum(n) <> 0 ORDER BY 1`, args)
	if err != nil {
		return nil, err
	}
	var brand uuid.UUID
	var role Role
	var cents int64
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&brand), &role, &cents}, func() error {
		if len(out) == 0 || out[len(out)-1].BrandID != brand {
			out = append(out, Entry{BrandID: brand})
		}
		if i := role.place(); i >= 0 {
			out[len(out)-1].Cents[i] = cents
		}
		return nil
	})
	return out, err
}

// summed counts the entries that a filter lets through from the sums that are kept, and adds up its figure.
func (s Store) summed(ctx context.Context, merchantID uuid.UUID, f Filter) (n, sum int64, err error) {
	args := spanOf(merchantID, f.From, f.To)
	args["currency"], args["role"], args["kind"] = f.Currency, string(f.Role), string(f.Kind)
	var found struct{ N, Sum int64 }
	err = s.Gorm(ctx).Raw(`SELECT coalesce(sum(n), 0)::bigint AS n, coalesce(sum(cents), 0)::bigint AS sum FROM `+
		keptSums+` WHERE currency = @currency AND role = @role AND (@kind = '' OR kind = @kind)`, args).Take(&found).Error
	if err != nil {
		return 0, 0, fmt.Errorf("count entries: %w", err)
	}
	return found.N, found.Sum, nil
}

// holding are a day and a kind whose entries have an amount in some role.
type holding struct {
	Day  calendar.Date
	Kind Kind
}

// holdings are where the first entries of a list behind a place are, in which a role is told: the newest days until
// there are so many, each with its kinds.
func (s Store) holdings(ctx context.Context, merchantID uuid.UUID, f Filter, after Place, most int) (out []holding,
	err error) {
	args := spanOf(merchantID, f.From, f.To)
	args["currency"], args["role"], args["kind"], args["most"] = f.Currency, string(f.Role), string(f.Kind), most
	args["after"] = ever.last.String()
	if after.N != 0 {
		args["after"] = after.Day.String()
	}
	err = s.Gorm(ctx).Raw(`SELECT day, kind FROM (SELECT day, kind, sum(n) AS n,
			sum(sum(n) FILTER (WHERE day < (@after)::date)) OVER (ORDER BY day DESC GROUPS BETWEEN UNBOUNDED PRECEDING
				AND 1 PRECEDING) AS before
		FROM journal_day_sums WHERE merchant_id = (@m)::uuid AND currency = @currency AND role = @role
			AND (@kind = '' OR kind = @kind) AND day BETWEEN (@from)::date AND least((@to)::date, (@after)::date)
		GROUP BY 1, 2) d WHERE n > 0 AND coalesce(before, 0) < @most`, args).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("days of a role: %w", err)
	}
	return out, nil
}

// entriesAfter counts the entries behind a day, until another.
func (s Store) entriesAfter(ctx context.Context, merchantID uuid.UUID,
	after, until calendar.Date) (n int64, err error) {
	if !after.IsZero() {
		after = after.AddDays(1)
	}
	var found struct{ N int64 }
	err = s.Gorm(ctx).Raw(`SELECT coalesce(sum(n), 0)::bigint AS n FROM `+keptSums+` WHERE role = ''`,
		spanOf(merchantID, after, until)).Take(&found).Error
	return found.N, err
}
