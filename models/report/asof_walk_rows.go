package report

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// mostRefunds is how many refunds one page looks at for those that were owed at the end of an earlier day.
const mostRefunds = 1000

// partWalk is the way to the rows of a part of the balance, from one of them on.
type partWalk struct {
	now                         bool // the day is today: what stands now
	from                        bool
	direction, compare, reaches string
}

// debits are those that could be returned. What is kept by debit date says on which dates there are any, and how many:
// as many dates are read as fill a page, each by the index of its debits.
func (w partWalk) debits() string {
	states := "'provisional'"
	if !w.now {
		states += ", 'final', 'unpaid', 'disputed', 'dispute_won', 'dispute_lost'"
	}
	const ofBeside = `(SELECT b.action_date FROM collections b WHERE b.id = @beside::uuid AND b.merchant_id = @m::uuid)`
	dates, first, beside := "", "false", ""
	if w.from {
		dates, first = " AND r.since "+w.reaches+" "+ofBeside, "since = "+ofBeside
		open := "ffffffff-ffff-ffff-ffff-ffffffffffff"
		if w.compare == ">" {
			open = uuid.Nil.String()
		}
		beside = fmt.Sprintf(" AND c.id %s CASE WHEN d.first THEN @beside::uuid ELSE '%s' END", w.compare, open)
	}
	return fmt.Sprintf(`SELECT c.* FROM (
			SELECT since, first FROM (SELECT since, n, first, coalesce(sum(n) FILTER (WHERE NOT first) OVER (ORDER BY since %[1]s
				ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
			FROM (SELECT since, sum(n) AS n, %[2]s AS first FROM (%[3]s) AS r
				WHERE (@currency = '' OR r.currency = @currency)%[4]s GROUP BY since HAVING sum(n) > 0) AS all_dates) AS dates
			WHERE before < @fetch::int) AS d
		CROSS JOIN unnest(ARRAY[%[5]s]) AS s (state)
		CROSS JOIN LATERAL (SELECT * FROM (SELECT c.id, c.purchase_id, c.action_date AS sorted,
		c.provisional_at AS at, c.currency,
				c.amount_cents - (SELECT coalesce(sum(r.amount_cents), 0) FROM refunds r WHERE r.merchant_id = c.merchant_id
					AND r.collection_id = c.id AND r.created_at <= @end
					AND NOT (r.state = 'dropped' AND r.updated_at <= @end)
					AND NOT (r.state = 'settled' AND r.settled_at <= @end)) AS cents
			FROM collections c WHERE c.merchant_id = @m::uuid AND c.action_date = d.since
			AND c.state = s.state AND c.method = 'eft'
				AND c.provisional_at <= @end AND (@currency = '' OR c.currency = @currency)
				AND CASE WHEN c.closed_on IS NOT NULL THEN c.closed_on > @day::date WHEN c.state = 'final' THEN c.updated_at > @end
					ELSE c.state = 'provisional' END%[6]s) AS c
			WHERE c.cents > 0 ORDER BY c.id %[1]s LIMIT @fetch) AS c
		ORDER BY c.sorted %[1]s, c.id %[1]s LIMIT @fetch`, w.direction, first, returnable, dates, states, beside)
}

// along is the way through refunds in the order in which they were promised.
func (w partWalk) along() string {
	beside := ""
	if w.from {
		beside = fmt.Sprintf(
			" AND (r.created_at, r.id) %s ((SELECT b.created_at FROM refunds b WHERE b.id = @beside::uuid "+
				"AND b.merchant_id = @m::uuid), @beside::uuid)",
			w.compare,
		)
	}
	return fmt.Sprintf(` FROM refunds r WHERE r.merchant_id = @m::uuid AND r.created_at <= @end%s`, beside)
}

// refunds are those that were owed. Those of now have an index; those of an earlier day are looked for among the
// refunds before its end.
func (w partWalk) refunds() string {
	const columns = `SELECT r.id, r.purchase_id, r.created_at AS sorted, r.created_at AS at,
		r.currency, r.amount_cents AS cents`
	order := fmt.Sprintf(" ORDER BY r.created_at %[1]s, r.id %[1]s", w.direction)
	if w.now {
		return columns + w.along() + ` AND r.state = 'pending'
			AND (@currency = '' OR r.currency = @currency)` + order + " LIMIT @fetch"
	}
	return columns + ` FROM (SELECT r.*` + w.along() + order + fmt.Sprintf(" LIMIT %d", mostRefunds) + `) AS r
		WHERE (r.state = 'pending' OR r.state = 'settled' AND r.settled_at > @end OR r.state = 'dropped'
		AND r.updated_at > @end)
			AND (@currency = '' OR r.currency = @currency)` + order + " LIMIT @fetch"
}

// refundReached is the refund at which a page ended that looked at as many as it may; the zero id where it came
// to the end.
func (s Store) refundReached(ctx context.Context, w partWalk, args pgx.NamedArgs) (uuid.UUID, error) {
	rows, err := s.Pool.Query(
		ctx,
		fmt.Sprintf("SELECT r.id%[1]s ORDER BY r.created_at %[2]s, r.id %[2]s OFFSET %[3]d LIMIT 1",
			w.along(), w.direction, mostRefunds-1),
		args,
	)
	if err != nil {
		return uuid.Nil, fmt.Errorf("end of refunds: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	if err != nil || len(ids) == 0 {
		return uuid.Nil, err
	}
	return ids[0], nil
}
