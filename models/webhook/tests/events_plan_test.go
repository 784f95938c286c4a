package tests

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/paging"
	"debitdesk/models/storetest"
	"debitdesk/models/storetest/plans"
	"debitdesk/models/webhook"
)

// A page of the events of a day reads the newest of them, however many there were that day.
func TestAPageOfTheEventsOfADayDoesNotReadTheDay(t *testing.T) {
	const events, most = 60_000, 5_000
	dsn := storetest.DSN(t)
	s, l := plans.Listened(t, dsn)
	mine, others := uuid.New(), uuid.New()
	day := paging.FirstAt(start)
	_, err := s.Pool.Exec(t.Context(), fmt.Sprintf(`INSERT INTO events (id, merchant_id, type, object_type, object_id,
			source_id, created_at)
		SELECT overlay('%s' placing lpad(to_hex(n), 12, '0') from 25)::uuid,
			CASE n %% 4 WHEN 0 THEN '%s' ELSE '%s' END::uuid,
			CASE n %% 8 WHEN 0 THEN 'purchase.created' ELSE 'purchase.paid' END, 'purchase', gen_random_uuid(),
			gen_random_uuid(), $1 FROM generate_series(1, %d) n`, day, others, mine, events), start)
	must(t, err)
	_, err = s.Pool.Exec(t.Context(), "VACUUM ANALYZE events")
	must(t, err)
	l.Doing("events")
	hooks := webhook.Store{DB: s}
	for _, f := range []webhook.EventFilter{
		{From: start.Add(-time.Hour), To: start.Add(time.Hour)},
		{From: start.Add(-time.Hour), To: start.Add(time.Hour), Types: []string{"purchase.created", "purchase.paid"}},
		{From: start.Add(-2 * time.Hour), To: start.Add(-time.Hour)},
	} {
		_, err := hooks.Events(t.Context(), mine, f, paging.Ask{Limit: 50})
		must(t, err)
	}
	l.Doing("")
	plans.NoneReadsMore(t, dsn, l.Statements(), "events", most)
}
