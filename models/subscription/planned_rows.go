package subscription

import (
	"bytes"
	"context"
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
	var rows []struct {
		Part int
		Of   alike `gorm:"embedded"`
	}
	if err := s.Gorm(ctx).Raw(fmt.Sprintf(`(SELECT 1 AS part, %[1]s FROM billing_groups
			WHERE merchant_id = ? AND next_at >= ? AND next_at < ? ORDER BY next_at LIMIT %[2]d)
		UNION ALL (SELECT 2, %[1]s FROM billing_groups WHERE merchant_id = ? AND next_at < ?
		ORDER BY next_at DESC LIMIT %[3]d)
		UNION ALL SELECT 3, %[1]s FROM billing_group_deltas WHERE merchant_id = ?
		AND next_at < ?`, columns, planLimit+1, planBefore+1), merchantID, from.At(0, 0), to.AddDays(1).At(0, 0), merchantID,
		from.At(0, 0), merchantID, to.AddDays(1).At(0, 0)).Find(&rows).Error; err != nil {
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
	for _, r := range rows {
		g := r.Of
		if read[r.Part]++; r.Part == 1 {
			last = g.NextAt
		}
		k := key{g.NextAt.UTC(), g.TemplateID, g.Status, g.MonthDay, g.Remaining, g.Price}
		if of := all[k]; of != nil {
			of.N += g.N
			continue
		}
		all[k] = &g
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
	var ids []uuid.UUID
	for _, g := range groups {
		if !slices.Contains(ids, g.TemplateID) {
			ids = append(ids, g.TemplateID)
		}
	}
	var found []Template
	if err := s.Gorm(ctx).Select(`id, coalesce(nullif(title, ''), details -> 'products' -> 0 ->> 'name', '') AS title,
			currency, total_cents, paused, deleted_at, period, period_units, due_period, due_units, cycles, price_change`).
		Scopes(database.OfMerchant(merchantID)).Find(&found, "id = ANY(?::uuid[])", database.IDs(ids)).Error; err != nil {
		return nil, fmt.Errorf("plans of templates: %w", err)
	}
	for _, t := range found {
		out[t.ID] = t
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
