package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/purchase"
	"debitdesk/models/upkeep"
)

// sentence is something that must be true of the rows. Its query gives a line for each case in which it is not.
type sentence struct{ name, sql string }

// always holds at every moment between two transactions.
var always = []sentence{
	{"a purchase's net amount is the sum of its movements", `SELECT p.id || ': ' || p.net_cents || ', the movements ' ||
		coalesce(sum(e.amount_cents), 0) FROM purchases p LEFT JOIN ledger_entries e ON e.purchase_id = p.id
		GROUP BY p.id HAVING p.net_cents <> coalesce(sum(e.amount_cents), 0)`},
	{"what was paid is what the movements without refunds come to", `SELECT p.id || ': ' ||
		coalesce((p.payment ->> 'amount')::bigint, 0) || ', the movements ' ||
		p.net_cents + p.refunded_cents FROM purchases p WHERE p.net_cents + p.refunded_cents <>
		coalesce((p.payment ->> 'amount')::bigint, 0)`},
	{"what goes back was sent back by refunds", `SELECT p.id || ': ' || p.refunded_cents || ' and ' || p.refunding_cents
		FROM purchases p LEFT JOIN refunds r ON r.purchase_id = p.id GROUP BY p.id
		HAVING p.refunding_cents <> coalesce(sum(r.amount_cents) FILTER (WHERE r.state = 'pending'), 0)
		OR p.refunded_cents <> p.overpaid_cents + coalesce(sum(r.amount_cents) FILTER (WHERE r.state = 'settled'), 0)`},
	{"no one pays more than a purchase comes to", `SELECT p.id || ': ' || p.net_cents || ' of ' || p.total_cents
		FROM purchases p WHERE p.net_cents + p.refunded_cents > p.total_cents`},
	{"a debit is collected once for each time it is paid", `SELECT c.id || ': ' || count(*) FROM collections c
		JOIN ledger_entries e ON e.collection_id = c.id AND e.kind = 'collected' GROUP BY c.id
		HAVING count(*) > 1 + (SELECT count(*) FROM bank_messages m
			WHERE m.instruction_id = c.id AND m.kind = 'paid_again')`},
	{"a movement is as large as its debit", `SELECT e.id || ': ' || e.amount_cents || ' of ' || c.amount_cents
		FROM ledger_entries e JOIN collections c ON c.id = e.collection_id
		WHERE e.kind = 'collected' AND e.amount_cents <> c.amount_cents`},
	{"what was collected was with the bank", `SELECT e.id::text FROM ledger_entries e
		LEFT JOIN sandbox_instructions i ON i.id = e.collection_id WHERE e.kind = 'collected' AND i.id IS NULL`},
	{"the bank has what was handed over, with its amount", `SELECT c.id || ' ' || c.state FROM collections c
		LEFT JOIN sandbox_instructions i ON i.id = c.id AND i.amount_cents = c.amount_cents
		WHERE c.state NOT IN ('scheduled', 'cancelled', 'unpaid') AND i.id IS NULL`},
	{"the bank has nothing that was not asked for", `SELECT i.kind || ' ' || i.id FROM sandbox_instructions i
		WHERE (i.kind = 'collection' AND NOT EXISTS (SELECT FROM collections c WHERE c.id = i.id))
		OR (i.kind = 'refund' AND NOT EXISTS (SELECT FROM refunds r WHERE r.id = i.id AND r.amount_cents = i.amount_cents))`},
	{"of one purchase one debit is under way", `SELECT purchase_id || ': ' || count(*) FROM collections
		WHERE state IN ('scheduled', 'submitted', 'in_tracking', 'provisional') GROUP BY purchase_id HAVING count(*) > 1`},
	{"a token that is deleted debits nothing more", `SELECT c.id::text FROM collections c
		JOIN tokens t ON t.id = c.token_id WHERE c.state = 'scheduled' AND t.state = 'deleted'`},
	{"a deleted token is none of its purchase", `SELECT t.id::text FROM tokens t JOIN purchases p ON p.id = t.id
		WHERE t.state IN ('deleted', 'active') AND p.is_recurring_token <> (t.state = 'active')`},
	{"what waits for its day has a debit", `SELECT p.id::text FROM purchases p WHERE p.status = 'pending_charge'
		AND NOT EXISTS (SELECT FROM collections c WHERE c.purchase_id = p.id AND c.state IN ('scheduled', 'submitted'))`},
	{"a cancelled purchase has no debit before it", `SELECT p.id || ' ' || c.state FROM purchases p
		JOIN collections c ON c.purchase_id = p.id WHERE p.status = 'cancelled' AND c.state = 'scheduled'`},
	{"one key makes one purchase", `SELECT reference || ': ' || count(*) FROM purchases WHERE reference LIKE 'shared-%'
		GROUP BY reference HAVING count(*) > 1`},
	{"every purchase has one beginning in the audit", `SELECT p.id || ': ' || count(a.id) FROM purchases p
		LEFT JOIN audit_entries a ON a.purchase_id = p.id AND a.action = 'purchase.created'
		GROUP BY p.id HAVING count(a.id) <> 1`},
	{"every movement has its entry in the audit", `SELECT e.id || ' ' || e.kind FROM ledger_entries e
		WHERE NOT EXISTS (SELECT FROM audit_entries a
			WHERE a.purchase_id = e.purchase_id AND a.action <> 'purchase.created')`},
	{"every purchase was told once that it was made", `SELECT p.id || ': ' || count(e.id) FROM purchases p
		LEFT JOIN events e ON e.object_id = p.id AND e.type = 'purchase.created' GROUP BY p.id HAVING count(e.id) <> 1`},
	{"every payment was told", `SELECT p.id || ': ' || count(e.id) || ' of ' || p.payment_count FROM purchases p
		LEFT JOIN events e ON e.object_id = p.id AND e.type = 'purchase.paid' GROUP BY p.id
		HAVING count(e.id) < least(p.payment_count, 1)`},
	{"an event goes to an endpoint once", `SELECT event_id || ': ' || count(*) FROM deliveries WHERE NOT resend
		GROUP BY event_id, webhook_id HAVING count(*) > 1`},
	{"invoices count without gaps", `SELECT kind || ': ' || next FROM invoice_series s WHERE next - 1 <> (SELECT count(*)
		FROM invoices i WHERE i.kind = s.kind AND i.brand_id = s.brand_id AND i.year = s.year)`},
	{"a subscriber is billed once for a period", `SELECT p.id || ' of ' || p.subscriber_id FROM purchases p
		WHERE p.subscriber_id IS NOT NULL AND p.method = '' AND (SELECT count(*)
			FROM billing_periods b WHERE b.purchase_id = p.id) <> 1`},
}

// settled holds when nothing is due any more.
var settled = []sentence{
	{"what the bank said is kept", `SELECT a.instruction_id || '/' || a.seq || ' ' || a.kind FROM sandbox_answers a
		WHERE a.delivered_at IS NOT NULL AND NOT EXISTS (SELECT FROM bank_messages m
			WHERE m.message_id = a.instruction_id || '/' || a.seq)`},
	{"nothing that the bank said waits", `SELECT a.instruction_id || '/' || a.seq FROM sandbox_answers a, sandbox_clock c
		WHERE a.delivered_at IS NULL AND a.due_at < now() + make_interval(secs => c.offset_micros / 1e6)
			- interval '1 minute'`},
	{"no debit is late for the bank", `SELECT id::text FROM collections, sandbox_clock c WHERE state = 'scheduled'
		AND submit_at < now() + make_interval(secs => c.offset_micros / 1e6) - interval '1 minute'`},
	{"every mail has left", `SELECT id || ' ' || kind || ' ' || state FROM mails WHERE state <> 'sent'`},
	{"every event was taken", `SELECT id || ' ' || state || ' ' || last_error FROM deliveries
		WHERE state NOT IN ('delivered', 'dropped')`},
}

func (h *history) statuses(ctx context.Context) (map[string]string, error) {
	rows, err := h.db.Query(ctx, `SELECT p.id::text, p.status, EXISTS (SELECT FROM mandate_authentications a
		WHERE a.mandate_id = p.id) FROM purchases p`)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	var id, status string
	var asked bool
	_, err = pgx.ForEachRow(rows, []any{&id, &status, &asked}, func() error {
		out[id], h.debicheck[id] = status, asked
		return nil
	})
	return out, err
}

// money is what can be asked at any moment.
func (h *history) money(ctx context.Context) ([]string, error) {
	return h.untrue(ctx, slices.Concat(always, ofPlans))
}

func (h *history) untrue(ctx context.Context, of []sentence) (wrong []string, err error) {
	for _, s := range of {
		rows, err := h.db.Query(ctx, s.sql)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, one := range found {
			wrong = append(wrong, fmt.Sprintf("it is not true that %s: %s", s.name, one))
		}
	}
	return wrong, nil
}

// check is everything that can be asked of the rows once a history is over.
func (h *history) check(ctx context.Context) (wrong []string, err error) {
	if wrong, err = h.untrue(ctx, slices.Concat(always, ofPlans, settled, queued)); err != nil {
		return nil, err
	}
	for _, ask := range []func(context.Context) ([]string, error){h.figures, h.journal, h.audit, h.moves, h.told} {
		more, err := ask(ctx)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, more...)
	}
	return wrong, nil
}

func (h *history) figures(ctx context.Context) (wrong []string, err error) {
	all, err := upkeep.Store{DB: h.desk.Store}.WrongFigures(ctx)
	for _, w := range all {
		wrong = append(wrong, "a figure is wrong: "+w.String())
	}
	return wrong, err
}

func (h *history) journal(ctx context.Context) (wrong []string, err error) {
	all, err := h.desk.Journal.Check(ctx, h.who)
	for _, d := range all {
		wrong = append(wrong, fmt.Sprintf("the journal differs: %s %s: it has %s, the facts are %s", d.Figure, d.What, d.Kept,
			d.Facts))
	}
	return wrong, err
}

func (h *history) audit(ctx context.Context) (wrong []string, err error) {
	if err := h.desk.Audit.Link(ctx); err != nil {
		return nil, err
	}
	all, err := h.desk.Audit.VerifyAll(ctx, actor.OperatorOf(h.who.MerchantID))
	for _, c := range all {
		if !c.Holds() {
			wrong = append(wrong, fmt.Sprintf("the chain of the audit is broken at link %d: %s", c.Broken, c.Why))
		}
	}
	return wrong, err
}

// moves follows each purchase through its statuses.
func (h *history) moves(ctx context.Context) (wrong []string, err error) {
	rows, err := h.db.Query(ctx, `SELECT id::text, status, history FROM purchases`)
	if err != nil {
		return nil, err
	}
	var id, status string
	var raw []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &status, &raw}, func() error {
		var all []purchase.Change
		if err := json.Unmarshal(raw, &all); err != nil {
			return err
		}
		for i := range all {
			if i > 0 && !purchase.CanMove(all[i-1].Status, all[i].Status) {
				wrong = append(wrong, fmt.Sprintf("purchase %s went from %s to %s", id, all[i-1].Status, all[i].Status))
			}
		}
		if len(all) == 0 || string(all[len(all)-1].Status) != status {
			wrong = append(wrong, fmt.Sprintf("purchase %s is %s, and its history ends otherwise", id, status))
		}
		return nil
	})
	return wrong, err
}

// told compares what the merchant's program heard with what there was to tell.
func (h *history) told(ctx context.Context) (wrong []string, err error) {
	rows, err := h.db.Query(ctx, `SELECT e.id::text, e.source_id::text FROM events e JOIN deliveries d ON d.event_id = e.id
		WHERE d.state = 'delivered' AND d.webhook_id IS NOT NULL ORDER BY e.seq`)
	if err != nil {
		return nil, err
	}
	h.till.mu.Lock()
	defer h.till.mu.Unlock()
	there := map[string]bool{}
	var event, source string
	if _, err = pgx.ForEachRow(rows, []any{&event, &source}, func() error {
		if there[event] = true; h.till.heard[event] == 0 {
			wrong = append(wrong, "no one heard of event "+event+", which counts as delivered")
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for _, event := range sorted(h.till.heard) {
		if !there[event] {
			wrong = append(wrong, "event "+event+" was told and is not among the delivered")
		}
	}
	return wrong, nil
}
