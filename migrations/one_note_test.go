package migrations_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// tellsOf makes a purchase and changes it in every way that matters, and tells what was noted and counted of each.
const tellsOf = `CREATE FUNCTION tells_of(subject uuid, blocked uuid, active uuid,
	subscriber uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    c record;
    told text;
    everything text := '';
    made boolean;
    kept purchases;
BEGIN
    FOR c IN SELECT was.s AS was, now.s AS now, method, debits, cents, token.was AS token_was, token.now AS token_now
        FROM unnest(ARRAY['created', 'error', 'pending_charge', 'chargeback', 'paid']) AS was (s),
            unnest(ARRAY['created', 'error', 'pending_charge', 'chargeback', 'paid']) AS now (s),
            unnest(ARRAY['', 'debicheck']) AS method, (VALUES (0, 100), (1, 0)) AS plan (debits, cents),
            (VALUES (NULL, NULL), (NULL, blocked), (blocked, active), (active, active)) AS token (was, now)
        ORDER BY 1, 2, 3, 4, 5, 6, 7
    LOOP
        UPDATE purchases SET status = c.was, method = c.method, total_cents = 100,
net_cents = 0, token_id = c.token_was,
            collection_count = 0, is_recurring_token = false, subscriber_id = subscriber WHERE id = subject;
        UPDATE template_clients SET stored_token = NULL WHERE id = subscriber;
        SELECT * INTO kept FROM purchases WHERE id = subject;
        DELETE FROM purchases WHERE id = subject;
        FOREACH made IN ARRAY ARRAY[true, false] LOOP
            DELETE FROM attention_changes;
            DELETE FROM storing_count_deltas;
            IF made THEN
                INSERT INTO purchases VALUES (kept.*);
            ELSE
                UPDATE purchases SET status = c.now, token_id = c.token_now,
collection_count = c.debits, total_cents = c.cents,
                    is_recurring_token = c.debits = 1, net_cents = CASE c.now WHEN 'paid' THEN -c.cents ELSE 0 END
WHERE id = subject;
            END IF;
            SELECT concat_ws(', ', c, made, (SELECT string_agg(DISTINCT CASE object_id
WHEN subject THEN 'purchase' WHEN blocked
                    THEN 'blocked token' WHEN subscriber THEN 'subscriber' ELSE 'promise' END, ' ')
FROM attention_changes),
                (SELECT string_agg(status || n, ' ' ORDER BY status)
FROM (SELECT status, sum(delta) AS n FROM storing_count_deltas
                    GROUP BY 1 HAVING sum(delta) <> 0) AS counted),
                (SELECT 'stored' FROM template_clients WHERE id = subscriber AND stored_token = subject)) INTO told;
            everything := everything || told || E'\n';
        END LOOP;
    END LOOP;
    RETURN everything;
END $$`

// One trigger notes and counts of a purchase what several did before it, and the step can be taken back.
func TestOneTriggerNotesWhatSeveralDid(t *testing.T) {
	t.Parallel()
	p := before(t, 58)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	brand := p.row("brands", map[string]any{"id": uuid.New(), "merchant_id": merchant})
	subject := p.row(
		"purchases",
		map[string]any{"merchant_id": merchant, "brand_id": brand, "status": "created", "currency": "ZAR",
			"total_cents": 100},
	)
	p.row(
		"mandates",
		map[string]any{"id": subject, "merchant_id": merchant, "brand_id": brand, "kind": "debicheck", "state": "rejected",
			"contract_reference": "1"},
	)
	p.row(
		"promises",
		map[string]any{"id": uuid.New(), "merchant_id": merchant, "purchase_id": subject, "amount_cents": 100,
			"currency": "ZAR", "due_on": "2026-01-01", "state": "open"},
	)
	token := func(state string) uuid.UUID {
		id := uuid.New()
		p.row(
			"mandates",
			map[string]any{"id": id, "merchant_id": merchant, "brand_id": brand, "kind": "eft", "state": "active",
				"contract_reference": state},
		)
		return p.row(
			"tokens",
			map[string]any{"id": id, "merchant_id": merchant, "brand_id": brand, "mandate_id": id, "state": state},
		)
	}
	blocked, active := token("blocked"), token("active")
	template := p.row(
		"billing_templates",
		map[string]any{"id": uuid.New(), "merchant_id": merchant, "brand_id": brand, "period": 1, "period_units": "days",
			"due_period": 1, "due_units": "days", "cycles": 1},
	)
	client := p.row("clients", map[string]any{"id": uuid.New(), "merchant_id": merchant})
	subscriber := p.row(
		"template_clients",
		map[string]any{"id": uuid.New(), "merchant_id": merchant, "template_id": template,
			"client_id": client, "status": "pending", "first_purchase_id": subject},
	)
	_, err := p.db.Exec(tellsOf)
	must(t, err)
	tells := func() []string {
		return strings.Split(p.says(`SELECT tells_of($1, $2, $3, $4)`, subject, blocked, active, subscriber), "\n")
	}
	want := tells()
	if len(want) < 800 || !strings.Contains(strings.Join(want, ""), "blocked token") {
		t.Fatalf("little was told: %d lines", len(want))
	}
	same := func(when string) {
		t.Helper()
		for i, got := range tells() {
			if got != want[i] {
				t.Fatalf("%s: %q, want %q", when, got, want[i])
			}
		}
	}
	p.upTo(58)
	same("one trigger")
	_, err = p.steps.DownTo(context.Background(), 57)
	must(t, err)
	same("taken back")
}
