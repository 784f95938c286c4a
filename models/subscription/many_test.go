package subscription_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/subscription"
)

// BenchmarkMidnight bills many subscribers whose periods begin at the same moment.
func BenchmarkMidnight(b *testing.B) {
	const many = 10_000
	for b.Loop() {
		b.StopTimer()
		h := open(b)
		h.crowd(many)
		must(b, h.store.Clock.MoveTo(ctx, day(time.February, 3).At(0, 0)))
		b.StartTimer()
		if n, err := h.subs.Run(ctx); err != nil || n != many {
			b.Fatalf("%d billed: %v", n, err)
		}
	}
}

// crowd copies one active subscriber, with client and account, straight in the
// tables; all accounts share one mandate.
func (h *house) crowd(n int) uuid.UUID {
	clientID, tokenID := h.stored("4000000000")
	sub := h.add(h.template(subscription.Default()), clientID, firstOn(day(time.February, 3))).Subscriber
	h.exec(
		`CREATE TABLE crowd AS SELECT gen_random_uuid() AS client, gen_random_uuid() AS token, gen_random_uuid() AS sub
			FROM generate_series(2, $1::int)`,
		n,
	)
	h.exec(
		`INSERT INTO clients SELECT (jsonb_populate_record(c, jsonb_build_object('id', w.client))).*
			FROM clients c, crowd w WHERE c.id = $1`,
		clientID,
	)
	h.exec(
		`INSERT INTO tokens SELECT (jsonb_populate_record(t, jsonb_build_object('id', w.token, 'client_id', w.client))).*
			FROM tokens t, crowd w WHERE t.id = $1`,
		tokenID,
	)
	h.exec(
		`INSERT INTO template_clients SELECT (jsonb_populate_record(s,
			jsonb_build_object('id', w.sub, 'client_id', w.client, 'token_id', w.token))).*
			FROM template_clients s, crowd w WHERE s.id = $1`,
		sub.ID,
	)
	return sub.TemplateID
}
