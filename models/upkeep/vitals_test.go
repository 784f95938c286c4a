package upkeep_test

import (
	"maps"
	"testing"
	"time"

	"debitdesk/models/storetest"
	"debitdesk/models/upkeep"
)

func TestVitalsAreOfTheOldestOfEachKindThatWaits(t *testing.T) {
	s := storetest.Open(t)
	ago := func(hours int) time.Time { return s.Now().Add(-time.Duration(hours) * time.Hour) }
	s.Run(`INSERT INTO river_job (kind, args, max_attempts, state, scheduled_at)
		VALUES ('a', '{}', 1, 'available', now() - interval '1 hour'), ('a', '{}', 1, 'pending', now() - interval '9 hours')`)
	s.Run(`INSERT INTO mails (id, merchant_id, object_id, kind, attempt, recipient, subject, text_body, html_body, state,
			created_at)
		SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'invoice', 1, 'a@b.example', '', '', '', state, at
		FROM (VALUES ('queued', $1::timestamptz), ('sent', $2)) AS v (state, at)`, ago(2), ago(9))
	s.Run(`INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, endpoint, address, state, created_at)
		SELECT gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '', state, at
		FROM (VALUES ('pending', $1::timestamptz), ('delivered', $2)) AS v (state, at)`, ago(3), ago(9))
	s.Run(`INSERT INTO audit_alarms (merchant_id, found_at, n, why, stopped)
		VALUES (gen_random_uuid(), now(), 1, '', false)`)
	v, err := upkeep.Store{DB: s.DB}.Vitals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]time.Duration{"queue": v.QueueLag, "outbox": v.OutboxAge, "webhook": v.WebhookAge,
		"overdue": v.OverdueAge}
	for name, age := range got {
		got[name] = age.Round(time.Hour)
	}
	if want := map[string]time.Duration{"queue": time.Hour, "outbox": 2 * time.Hour, "webhook": 3 * time.Hour,
		"overdue": 0}; !maps.Equal(got, want) {
		t.Errorf("ages %v, want %v", got, want)
	}
	if v.AuditAlarms != 1 || v.Connections < 1 || v.MaxConnections <= v.Connections {
		t.Errorf("%d alarms, %d of %d connections", v.AuditAlarms, v.Connections, v.MaxConnections)
	}
}
