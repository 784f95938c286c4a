package subscription

import (
	"context"
	"encoding/json"
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
			total_cents, paused, deleted_at IS NOT NULL, updated_at, period, period_units, due_period, due_units, cycles
		FROM billing_templates WHERE merchant_id = $1 AND id = ANY($2::text[]::uuid[])`,
		merchantID.String(),
		ids,
	)
	if err != nil {
		return nil, fmt.Errorf("plans of templates: %w", err)
	}
	var t Template
	var deleted bool
	p := &t.Plan
	if _, err := pgx.ForEachRow(rows, []any{(*[16]byte)(&t.ID), &t.Title, &t.Currency, &t.TotalCents, &t.Paused, &deleted,
		&t.UpdatedAt, &p.Period, &p.Units, &p.DuePeriod, &p.DueUnits, &p.Cycles}, func() error {
		one := t
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

// subscribersOn reads a page of the subscribers whose next period begins on a day, and of those whose next period
// begins before it and for whom some turns of that day stand. A few of them may not be billed on it.
func (s Store) subscribersOn(ctx context.Context, merchantID uuid.UUID, day calendar.Date, turns []Turn,
	ask paging.Ask) ([]Subscriber, error) {
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
	rows, err := s.Pool.Query(
		ctx,
		fmt.Sprintf(`WITH RECURSIVE on_day AS ((SELECT next_at, template_id FROM template_clients
				WHERE merchant_id = @m::uuid AND next_at >= @from AND next_at < @to ORDER BY 1, 2 LIMIT 1)
			UNION ALL SELECT s.next_at, s.template_id FROM on_day d CROSS JOIN LATERAL (
				SELECT next_at, template_id FROM template_clients
				WHERE merchant_id = @m::uuid AND (next_at, template_id) > (d.next_at, d.template_id) AND next_at < @to
				ORDER BY 1, 2 LIMIT 1) AS s),
		p AS ((SELECT next_at, template_id, NULL::int AS cycles, NULL::text[] AS keys FROM on_day LIMIT %[4]d)
			UNION ALL SELECT next_at, template_id, min(cycles), array_agg(key)
			FROM unnest(@next::timestamptz[], @templates::text[]::uuid[], @cycles::int[], @keys::text[])
				AS a (next_at, template_id, cycles, key) GROUP BY 1, 2)
		SELECT s.id FROM p CROSS JOIN LATERAL (SELECT s.id FROM template_clients s
				WHERE s.merchant_id = @m::uuid AND s.next_at = p.next_at AND s.template_id = p.template_id
					AND (p.keys IS NULL AND s.status <> @paused
						OR concat_ws(' ', s.status, extract(day FROM s.anchor)::int, coalesce(p.cycles - s.passed, -1),
							coalesce(md5(s.override::text), '')) = ANY (p.keys))%[1]s
				ORDER BY s.id %[2]s LIMIT %[3]d) AS s
		ORDER BY s.id %[2]s LIMIT %[3]d`, beside, direction, ask.Fetch(), planLimit),
		pgx.NamedArgs{"m": merchantID.String(), "from": from, "to": day.AddDays(1).At(0, 0),
			"paused": string(Paused), "beside": ask.From.String(),
			"next": next, "templates": templates, "cycles": cycles, "keys": keys},
	)
	if err != nil {
		return nil, fmt.Errorf("subscribers of a day: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	all := make([]uuid.UUID, len(ids))
	for i, id := range ids {
		all[i] = id
	}
	return s.subscribers(ctx, "s.merchant_id = ? AND s.id = ANY(?::uuid[]) ORDER BY s.id "+direction, merchantID,
		database.IDs(all))
}
