package recurring_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/calendar"
	"debitdesk/models/database/dbtest"
	"debitdesk/models/recurring"
	"debitdesk/models/subscription"
)

func open(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), dbtest.Empty(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// The database knows when the next period of a subscriber begins, as the schedule does.
func TestAPeriodEndsWhereTheScheduleHasTheNextBegin(t *testing.T) {
	t.Parallel()
	pool := open(t)
	compared := 0
	for _, plan := range []subscription.Plan{{Period: 1, Units: subscription.Months},
		{Period: 3, Units: subscription.Months}, {Period: 12, Units: subscription.Months},
		{Period: 1, Units: subscription.Weeks}, {Period: 2, Units: subscription.Weeks},
		{Period: 10, Units: subscription.Days}} {
		var starts, anchors, want []string
		for _, anchor := range []calendar.Date{calendar.On(2026, time.January, 1), calendar.On(2026, time.January, 28),
			calendar.On(2026, time.January, 29), calendar.On(2027, time.October, 30), calendar.On(2027, time.December, 31)} {
			for n := range 30 {
				starts, anchors = append(starts, plan.Start(anchor, n).String()), append(anchors, anchor.String())
				want = append(want, plan.Start(anchor, n+1).String())
			}
		}
		rows, err := pool.Query(t.Context(), `SELECT day.n, (`+recurring.NextStart+`)::text
			FROM (SELECT u.n, u.starts, 1 AS periods, u.anchor FROM unnest($1::date[], $2::date[])
					WITH ORDINALITY AS u (starts, anchor, n)) day
				CROSS JOIN LATERAL (SELECT day.anchor) c CROSS JOIN (SELECT $3::int AS period, $4::text AS period_units) t
			ORDER BY 1`, starts, anchors, plan.Period, string(plan.Units))
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var n int
			var got string
			if err := rows.Scan(&n, &got); err != nil {
				t.Fatal(err)
			}
			if compared++; got != want[n-1] {
				t.Errorf("%s from %s: after %s comes %s, the schedule has %s", plan.Every(), anchors[n-1], starts[n-1], got,
					want[n-1])
			}
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
	if compared != 6*5*30 {
		t.Errorf("%d were compared", compared)
	}
}

func TestAPriceCountsWithWhatItComesToAMonth(t *testing.T) {
	t.Parallel()
	pool := open(t)
	for _, c := range []struct {
		cents  int64
		period int
		units  string
		want   int64
	}{{45000, 1, "months", 45000}, {120000, 12, "months", 10000}, {10000, 3, "months", 3333}, {20000, 3, "months", 6667},
		{1, 2, "months", 1}, {12000, 1, "weeks", 52000}, {12000, 2, "weeks", 26000}, {1000, 1, "days", 30417},
		{0, 1, "months", 0}} {
		var got int64
		if err := pool.QueryRow(t.Context(), `SELECT `+recurring.Monthly+` FROM (SELECT $1::bigint AS cents) paid,
			(SELECT $2::int AS period, $3::text AS period_units) t`, c.cents, c.period, c.units).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%d cents each %d %s: %d a month, want %d", c.cents, c.period, c.units, got, c.want)
		}
	}
}
