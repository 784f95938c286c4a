package subscription

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// billedAlike reads the groups of subscribers whose next period begins by the end of some days, the earliest first: up
// to a limit of those on these days, and fewer of those before them. It tells from which day on some are left out.
func (s Store) billedAlike(ctx context.Context, merchantID uuid.UUID, from,
	to calendar.Date) (groups []alike, moreFrom calendar.Date, err error) {
	const columns = `next_at, template_id, status, month_day, remaining, price, override, n`
	rows, err := s.Pool.Query(ctx, fmt.Sprintf(`(SELECT 1, %[1]s FROM billing_groups
			WHERE merchant_id = $1 AND next_at >= $2 AND next_at < $3 ORDER BY next_at LIMIT %[2]d)
		UNION ALL (SELECT 2, %[1]s FROM billing_groups WHERE merchant_id = $1 AND next_at < $2
		ORDER BY next_at DESC LIMIT %[3]d)
		UNION ALL SELECT 3, %[1]s FROM billing_group_deltas WHERE merchant_id = $1
		AND next_at < $3`, columns, planLimit+1, planBefore+1),
		merchantID.String(), from.At(0, 0), to.AddDays(1).At(0, 0))
	if err != nil {
		return nil, moreFrom, fmt.Errorf("subscribers billed alike: %w", err)
	}
	type key struct {
		next                time.Time
		template            uuid.UUID
		status              Status
		monthDay, remaining int
		price               string
	}
	all := map[key]*alike{}
	var read [4]int
	var last time.Time
	var part int
	var g alike
	var override []byte
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&part, &g.NextAt, (*[16]byte)(&g.TemplateID), &g.Status, &g.MonthDay, &g.Remaining,
			&g.Price, &override, &g.N},
		func() error {
			if read[part]++; part == 1 {
				last = g.NextAt
			}
			k := key{g.NextAt.UTC(), g.TemplateID, g.Status, g.MonthDay, g.Remaining, g.Price}
			if of := all[k]; of != nil {
				of.N += g.N
				return nil
			}
			one := g
			if one.Override = nil; override != nil {
				if err := json.Unmarshal(override, &one.Override); err != nil {
					return err
				}
			}
			all[k] = &one
			return nil
		},
	); err != nil {
		return nil, moreFrom, fmt.Errorf("subscribers billed alike: %w", err)
	}
	switch {
	case read[2] > planBefore:
		moreFrom = from
	case read[1] > planLimit:
		moreFrom = calendar.DateOf(last)
	}
	for _, g := range all {
		if g.N > 0 {
			groups = append(groups, *g)
		}
	}
	slices.SortFunc(groups, func(a, b alike) int { return a.NextAt.Compare(b.NextAt) })
	return groups, moreFrom, nil
}

// plans reads what decides about the periods of the templates of some groups.
func (s Store) plans(ctx context.Context, merchantID uuid.UUID, groups []alike) (map[uuid.UUID]Template, error) {
	out := map[uuid.UUID]Template{}
	var ids []string
	for _, g := range groups {
		if _, known := out[g.TemplateID]; !known {
			out[g.TemplateID] = Template{}
			ids = append(ids, g.TemplateID.String())
		}
	}
	clear(out)
	rows, err := s.Pool.Query(
		ctx,
		`SELECT id, coalesce(nullif(title, ''), details -> 'products' -> 0 ->> 'name', ''), currency,
			total_cents, paused, deleted_at IS NOT NULL, updated_at, period, period_units, due_period, due_units, cycles,
			price_change FROM billing_templates WHERE merchant_id = $1 AND id = ANY($2::text[]::uuid[])`,
		merchantID.String(),
		ids,
	)
	if err != nil {
		return nil, fmt.Errorf("plans of templates: %w", err)
	}
	var t Template
	var deleted bool
	var price []byte
	p := &t.Plan
	if _, err := pgx.ForEachRow(rows, []any{(*[16]byte)(&t.ID), &t.Title, &t.Currency, &t.TotalCents, &t.Paused, &deleted,
		&t.UpdatedAt, &p.Period, &p.Units, &p.DuePeriod, &p.DueUnits, &p.Cycles, &price}, func() error {
		one := t
		if one.Price = nil; price != nil {
			if err := json.Unmarshal(price, &one.Price); err != nil {
				return err
			}
		}
		if deleted {
			one.DeletedAt = t.UpdatedAt
		}
		out[t.ID] = one
		return nil
	}); err != nil {
		return nil, fmt.Errorf("plans of templates: %w", err)
	}
	return out, nil
}

// lookedAt is how many subscribers whose next period begins on a day are looked at for a page of those who are billed.
const lookedAt = 3_000

// subscribersOn reads a page of the subscribers whose next period begins on a day, along an index of them, and of those
// whose next period begins before it and for whom some turns of that day stand. Those who are paused, or whose template
// is or comes to nothing, are passed over; a few who have a price of their own may not be billed either. It gives how
// far it came where so many are passed over that it did not come to the end of a page.
func (s Store) subscribersOn(ctx context.Context, merchantID uuid.UUID, day calendar.Date, turns []Turn,
	ask paging.Ask) (found []Subscriber, reached uuid.UUID, err error) {
	from := day.At(0, 0)
	turns = slices.DeleteFunc(slices.Clone(turns), func(t Turn) bool { return !t.alike.NextAt.Before(from) })
	n := len(turns)
	next, templates, keys, cycles := make([]time.Time, n), make([]string, n), make([]string, n), make([]*int, n)
	for i, t := range turns {
		g := t.alike
		next[i], templates[i], cycles[i] = g.NextAt, g.TemplateID.String(), t.Template.Plan.Cycles
		keys[i] = fmt.Sprintf("%s %d %d %s", g.Status, g.MonthDay, g.Remaining, g.Price)
	}
	direction, compare, beside := "DESC", "<", ""
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	if ask.From != uuid.Nil {
		beside = " AND s.id " + compare + " @beside::uuid"
	}
	// The order begins with the merchant, who is not one value to the planner, so that no other index has it.
	onDay := "FROM template_clients s WHERE s.merchant_id = ANY(ARRAY[@m]::uuid[]) AND s.next_at = @from" + beside +
		" ORDER BY s.merchant_id " + direction + ", s.id " + direction
	args := pgx.NamedArgs{"m": merchantID.String(), "from": from, "paused": string(Paused), "beside": ask.From.String(),
		"next": next, "templates": templates, "cycles": cycles, "keys": keys}
	rows, err := s.Pool.Query(
		ctx,
		fmt.Sprintf(`WITH before AS (SELECT next_at, template_id, min(cycles) AS cycles, array_agg(key) AS keys
			FROM unnest(@next::timestamptz[], @templates::text[]::uuid[], @cycles::int[], @keys::text[])
				AS a (next_at, template_id, cycles, key) GROUP BY 1, 2)
		SELECT id FROM ((SELECT s.id FROM (SELECT s.merchant_id, s.id, s.template_id, s.status, s.override %[4]s
				LIMIT %[5]d) AS s
				WHERE s.status <> @paused AND (SELECT NOT t.paused AND t.deleted_at IS NULL
					AND (t.total_cents <> 0 OR s.override IS NOT NULL) FROM billing_templates t WHERE t.id = s.template_id)
				ORDER BY s.merchant_id %[2]s, s.id %[2]s LIMIT %[3]d)
			UNION ALL SELECT s.id FROM before p CROSS JOIN LATERAL (SELECT s.id FROM template_clients s
				WHERE s.merchant_id = @m::uuid AND s.next_at = p.next_at AND s.template_id = p.template_id
					AND concat_ws(' ', s.status, extract(day FROM s.anchor)::int, coalesce(p.cycles - s.passed, -1),
						coalesce(md5(s.override::text), '')) = ANY (p.keys)%[1]s
				ORDER BY s.id %[2]s LIMIT %[3]d) AS s) AS s
		ORDER BY s.id %[2]s LIMIT %[3]d`, beside, direction, ask.Fetch(), onDay, lookedAt),
		args,
	)
	if err != nil {
		return nil, reached, fmt.Errorf("subscribers of a day: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	if err != nil {
		return nil, reached, fmt.Errorf("subscribers of a day: %w", err)
	}
	if len(ids) < ask.Fetch() {
		err := s.Pool.QueryRow(ctx, fmt.Sprintf("SELECT s.id %s OFFSET %d LIMIT 1", onDay, lookedAt-1), args).
			Scan((*[16]byte)(&reached))
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return nil, reached, fmt.Errorf("subscribers of a day: %w", err)
		}
	}
	all := make([]uuid.UUID, 0, len(ids))
	for _, id := range ids {
		beyond := bytes.Compare(id[:], reached[:]) < 0 != ask.Newer && reached != uuid.Nil && uuid.UUID(id) != reached
		if !beyond {
			all = append(all, id)
		}
	}
	if len(all) == 0 {
		return nil, reached, nil
	}
	found, err = s.subscribers(ctx, "s.merchant_id = ? AND s.id = ANY(?::uuid[]) ORDER BY s.id "+direction, merchantID,
		database.IDs(all))
	return found, reached, err
}
