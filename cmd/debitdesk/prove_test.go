package main

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"debitdesk/cmd/prove"
	"debitdesk/models/database/dbtest"
)

// proving is what histories of the tests are played with.
func proving(t *testing.T, seed uint64, faults ...prove.Fault) prove.Options {
	t.Helper()
	program, err := binary()
	must(t, err)
	server, migrated := dbtest.Server(t)
	return prove.Options{Seed: seed, Histories: 1, Faults: faults, Server: server, Template: migrated, Program: program,
		Out: t.Output(), Open: openDesk(streams{strings.NewReader(""), t.Output(), t.Output()})}
}

// plantedFaults are faults as the product could have them, written into the rows of a history in which nothing was
// wrong. Each is found by one of the sentences.
var plantedFaults = []struct{ name, sql, found string }{
	{"an update of the net amount is lost", `UPDATE purchases SET net_cents = net_cents + 1 WHERE id = (SELECT id
		FROM purchases WHERE payment IS NOT NULL LIMIT 1)`, "net amount is the sum"},
	{"a payment is written twice", `UPDATE purchases SET payment = jsonb_set(payment, '{amount}', '1')
		WHERE id = (SELECT id FROM purchases WHERE payment IS NOT NULL LIMIT 1)`, "what was paid is what"},
	{"a refund is forgotten", `UPDATE purchases SET refunding_cents = refunding_cents + 5 WHERE id = (SELECT id
		FROM purchases LIMIT 1)`, "what goes back was sent back"},
	{"more is taken than was agreed", `UPDATE purchases SET total_cents = 1 WHERE id = (SELECT id FROM purchases
		WHERE net_cents > 1 LIMIT 1)`, "no one pays more"},
	{"a debit is collected twice", `INSERT INTO ledger_entries SELECT (r).* FROM (SELECT jsonb_populate_record(e,
		jsonb_build_object('id', gen_random_uuid())) AS r FROM ledger_entries e WHERE kind = 'collected' LIMIT 1) x`,
		"collected once for each time"},
	{"a movement has another amount", `UPDATE ledger_entries SET amount_cents = amount_cents + 1 WHERE id = (SELECT id
		FROM ledger_entries WHERE kind = 'collected' LIMIT 1)`, "as large as its debit"},
	{"the bank has another amount", `UPDATE sandbox_instructions SET amount_cents = amount_cents + 1 WHERE id = (SELECT id
		FROM collections WHERE state = 'final' LIMIT 1)`, "the bank has what was handed over"},
	{"a debit was never handed over", `DELETE FROM sandbox_instructions WHERE id = (SELECT collection_id
		FROM ledger_entries WHERE kind = 'collected' ORDER BY id DESC LIMIT 1)`, "what was collected was with the bank"},
	{"a debit is submitted twice, under another id", `INSERT INTO sandbox_instructions SELECT (r).* FROM (SELECT
		jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid())) AS r FROM sandbox_instructions i
		WHERE kind = 'collection' LIMIT 1) x`, "nothing that was not asked for"},
	{"a deleted token goes on", `WITH one AS (UPDATE collections SET state = 'scheduled' WHERE id = (SELECT id
		FROM collections WHERE state = 'final' LIMIT 1) RETURNING token_id)
		UPDATE tokens SET state = 'deleted' WHERE id = (SELECT token_id FROM one)`, "a token that is deleted debits nothing"},
	{"a deletion reaches one side only", `UPDATE purchases SET is_recurring_token = NOT is_recurring_token
		WHERE id = (SELECT id FROM tokens WHERE state = 'active' LIMIT 1)`, "a deleted token is none"},
	{"a debit is dropped and its purchase waits", `UPDATE purchases SET status = 'pending_charge' WHERE id = (SELECT id
		FROM purchases WHERE collection_count = 0 LIMIT 1)`, "what waits for its day has a debit"},
	{"a status is written out of turn", `UPDATE purchases SET history = history || jsonb_build_array(history -> -1)
		WHERE id = (SELECT id FROM purchases WHERE status = 'cancelled' LIMIT 1)`, "went from cancelled"},
	{"a cancellation leaves its debit", `UPDATE collections SET state = 'scheduled' WHERE id = (SELECT max(id::text)::uuid
		FROM collections WHERE purchase_id IN (SELECT id FROM purchases WHERE status = 'cancelled'))`,
		"a cancelled purchase has no debit"},
	{"two purchases under one key", `UPDATE purchases SET reference = 'shared-77' WHERE id IN (SELECT id FROM purchases
		LIMIT 2)`, "one key makes one purchase"},
	{"an entry of the audit is missing", `DELETE FROM audit_entries WHERE id = (SELECT id FROM audit_entries
		WHERE action = 'purchase.created' LIMIT 1)`, "one beginning in the audit"},
	{"an entry of the audit was changed", `UPDATE audit_entries SET text = text || '.' 
		WHERE id = (SELECT min(id::text)::uuid
		FROM audit_entries WHERE merchant_id IN (SELECT id FROM merchants))`, "chain of the audit is broken"},
	{"an event is not written", `DELETE FROM events WHERE id = (SELECT id FROM events WHERE type = 'purchase.created'
		LIMIT 1)`, "told once that it was made"},
	{"an event goes out twice", `INSERT INTO deliveries SELECT (r).* FROM (SELECT jsonb_populate_record(d,
		jsonb_build_object('id', gen_random_uuid())) AS r FROM deliveries d WHERE state = 'delivered' LIMIT 1) x`,
		"an event goes to an endpoint once"},
	{"an event counts as delivered and was not", `WITH one AS (UPDATE events SET id = gen_random_uuid() WHERE seq = (SELECT
		max(seq) FROM deliveries WHERE state = 'delivered') RETURNING id, seq)
		UPDATE deliveries SET event_id = one.id FROM one WHERE deliveries.seq = one.seq`, "no one heard of event"},
	{"an invoice is gone", `DELETE FROM invoices WHERE id = (SELECT id FROM invoices LIMIT 1)`, "count without gaps"},
	{"an answer of the bank is acknowledged and not kept", `DELETE FROM bank_messages WHERE message_id = (SELECT message_id
		FROM bank_messages LIMIT 1)`, "what the bank said is kept"},
	{"an answer of the bank is never fetched", `UPDATE sandbox_answers SET delivered_at = NULL
		WHERE (instruction_id, seq) =
		(SELECT instruction_id, seq FROM sandbox_answers LIMIT 1)`, "nothing that the bank said waits"},
	{"a mail stays", `UPDATE mails SET state = 'queued' WHERE id = (SELECT id FROM mails LIMIT 1)`, "every mail has left"},
	{"a period is billed twice", `DELETE FROM billing_periods WHERE purchase_id = (SELECT purchase_id FROM billing_periods
		WHERE purchase_id IS NOT NULL LIMIT 1)`, "billed once for a period"},
	{"a plan takes a step twice", `DELETE FROM mails WHERE kind = 'reminder'`, "a reminder leaves once"},
	{"a plan debits something else", `UPDATE plan_steps SET kind = 'debit_again', made_id = gen_random_uuid()
		WHERE (run_id, n) = (SELECT run_id, n FROM plan_steps WHERE kind = 'message' AND outcome = 'done' LIMIT 1)`,
		"is a debit of its purchase"},
	{"a plan debits after a dispute", `WITH one AS (UPDATE plan_runs SET branch = 'other' WHERE id = (SELECT run_id
		FROM plan_steps WHERE outcome = 'done' LIMIT 1) RETURNING id)
		UPDATE plan_steps SET kind = 'debit_again' FROM one WHERE run_id = id`, "never debits again what the client"},
	{"a plan does not hear of a payment", `UPDATE plan_runs SET state = 'waiting', held_for = '', ended_at = NULL, due_at = '9999-01-01'
		WHERE id = (SELECT r.id FROM plan_runs r JOIN purchases p ON p.id = r.purchase_id WHERE p.status = 'paid' LIMIT 1)`,
		"no plan works on what is not owed"},
	{"a plan does not hear of a deletion", `WITH one AS (UPDATE plan_runs SET state = 'waiting', held_for = '',
		ended_at = NULL, due_at = '9999-01-01' WHERE id = (SELECT max(id::text)::uuid FROM plan_runs) RETURNING token_id)
		UPDATE tokens SET state = 'deleted' FROM one WHERE id = token_id`, "on an account that was deleted"},
	{"a step of a plan is lost", `WITH on_ AS (UPDATE plans SET state = 'active')
		UPDATE plan_runs SET state = 'waiting', held_for = '', ended_at = NULL, due_at = '2020-01-01'
		WHERE id = (SELECT min(id::text)::uuid FROM plan_runs)`, "no step of a plan is late"},
	{"a figure is not counted on", `DELETE FROM debit_day_deltas; UPDATE debit_days SET n = n + 1`, "a figure is wrong"},
	{"the journal misses an entry", `DELETE FROM journal_entries WHERE kind = 'invoice'
		OR source_id = (SELECT source_id FROM journal_entries LIMIT 1)`, "the journal differs"},
}

// One history with every fault around the product holds; each fault planted in its rows is then found.
func TestAHistoryHoldsAndEachPlantedFaultIsFound(t *testing.T) {
	t.Parallel()
	o := proving(t, 100, prove.Faults...)
	o.After = func(ctx context.Context, p *prove.Played) error {
		seen, count := map[string]bool{}, 0
		for _, plant := range plantedFaults {
			var rows int64
			if err := pgx.BeginFunc(ctx, p.DB, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, `SET LOCAL session_replication_role = replica`); err != nil { // no trigger mends it
					return err
				}
				done, err := tx.Exec(ctx, plant.sql)
				rows = done.RowsAffected()
				return err
			}); err != nil {
				t.Errorf("%s: %v", plant.name, err)
				continue
			}
			if rows == 0 { // what the faults cut off differs from run to run
				t.Logf("%s: the history had no row for it", plant.name)
				continue
			}
			count++
			wrong, err := p.Check(ctx)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(wrong, func(w string) bool { return !seen[w] && strings.Contains(w, plant.found) }) {
				t.Errorf("%s: not found among %q", plant.name, wrong)
			}
			for _, w := range wrong {
				seen[w] = true
			}
		}
		if t.Logf("%d faults were planted", count); count < 20 {
			t.Errorf("only %d faults could be planted", count)
		}
		return nil
	}
	failed, err := prove.Run(t.Context(), o)
	must(t, err)
	if failed != nil {
		failed.Tell(t.Output(), o.Faults)
		t.Fatal("the history does not hold")
	}
}

// carrier does something else with a call than it should.
type carrier func(*http.Request) (*http.Response, error)

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

// A server that forgets keys makes two purchases of one; what is answered about them gives it away while it goes on.
func TestAServerThatForgetsKeysIsFound(t *testing.T) {
	t.Parallel()
	o := proving(t, 3)
	o.Transport = carrier(func(r *http.Request) (*http.Response, error) {
		r.Header.Del("Idempotency-Key")
		return http.DefaultTransport.RoundTrip(r)
	})
	failed, err := prove.Run(t.Context(), o)
	must(t, err)
	if failed == nil {
		t.Fatal("nothing was found")
	}
	var said bytes.Buffer
	failed.Tell(&said, nil)
	if !strings.Contains(said.String(), "one key makes one purchase") ||
		!strings.Contains(said.String(), "debitdesk prove --seed 3 --histories 1 --faults none\n") {
		t.Errorf("it says %s", said.String())
	}
}

func TestProveRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--faults kil": `there is no fault "kil"; there are ` + prove.Names(prove.Faults) +
			` and none. Did you mean "kill"?`,
		"--histories 0":              "0 is less than 1",
		"--seed 9999999999999999999": "the greatest is 9223372036854775807",
	} {
		got := typed(t, map[string]string{}, "", append([]string{"prove"}, strings.Fields(args)...)...)
		if got.code != exitUsage || !strings.Contains(got.err, want) {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
