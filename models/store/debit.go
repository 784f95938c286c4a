package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/debit"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/models/webhook"
)

// Rows that wait for nobody but other writers are locked FOR NO KEY UPDATE: a new
// record may refer to them meanwhile.

// Hold implements debit.Tx.
func (t *Tx) Hold(collectionIDs []uuid.UUID) (debit.Held, error) {
	held := debit.Held{Collections: map[uuid.UUID]collection.Collection{}, Purchases: map[uuid.UUID]purchase.Purchase{},
		Tokens: map[uuid.UUID]token.Token{}}
	if len(collectionIDs) == 0 {
		return held, nil
	}
	ctx := t.Context()
	tokens, err := database.All(ctx, t.s.DB, token.Table,
		`id IN (SELECT token_id FROM collections WHERE id = ANY($1)) ORDER BY id FOR NO KEY UPDATE`, collectionIDs)
	if err != nil {
		return held, fmt.Errorf("hold tokens: %w", err)
	}
	for _, k := range tokens {
		held.Tokens[k.ID] = k
	}
	collections, err := database.All(ctx, t.s.DB, collection.Table, `id = ANY($1) ORDER BY id FOR NO KEY UPDATE`,
		collectionIDs)
	if err != nil {
		return held, fmt.Errorf("hold collections: %w", err)
	}
	var purchaseIDs []uuid.UUID
	for _, c := range collections {
		held.Collections[c.ID] = c
		purchaseIDs = append(purchaseIDs, c.PurchaseID)
	}
	purchases, err := t.holdPurchases(`id = ANY($1) ORDER BY id FOR NO KEY UPDATE`, purchaseIDs)
	for _, p := range purchases {
		held.Purchases[p.ID] = p
	}
	return held, err
}

// ExecuteDue implements debit.Tx: one statement for all. What purchase.Execute says of one purchase is said here
// of many.
func (t *Tx) ExecuteDue(limit int) (moved []purchase.Record, err error) {
	before := purchase.Purchase{Status: purchase.PendingCharge}
	before.Seen = before.AsSeen()
	after := before
	if !after.Execute(t.Now()) {
		return nil, nil
	}
	news, err := json.Marshal(after.History)
	if err != nil {
		return nil, fmt.Errorf("start purchases: %w", err)
	}
	if err = t.dateCharges(limit); err != nil {
		return nil, err
	}
	var row struct {
		id, merchant  uuid.UUID
		client, debit *uuid.UUID
		action        calendar.Date
		callback      string
	}
	err = database.Query(t.Tx,
		func(*struct{}) []any {
			return []any{&row.id, &row.merchant, &row.client, &row.callback, &row.debit, &row.action}
		},
		func(struct{}) {
			p := purchase.Record{Purchase: after}
			p.ID, p.MerchantID, p.ClientID = row.id, row.merchant, database.OrZero(row.client)
			p.Options.SuccessCallback = row.callback
			if row.debit != nil {
				p.Collection = &collection.Collection{ID: *row.debit, ActionDate: row.action}
			}
			moved = append(moved, p)
		},
		`WITH moved AS (UPDATE purchases
			SET status = $1, history = history || $2::jsonb, version = version + 1, updated_at = $3
			WHERE id IN (SELECT id FROM purchases WHERE status = $5 AND execute_at <= $3
				ORDER BY execute_at LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED)
			RETURNING id, merchant_id, client_id, COALESCE(options ->> 'success_callback', '') AS callback, collection_count)
		SELECT m.id, m.merchant_id, m.client_id, m.callback, c.id, c.action_date
		FROM moved m LEFT JOIN collections c ON c.purchase_id = m.id AND c.attempt = m.collection_count`,
		after.Status, string(news), t.Now(), limit, before.Status)
	if err != nil {
		return nil, fmt.Errorf("start purchases: %w", err)
	}
	for _, p := range moved {
		purchase.TellMoved(t.Tx, p.Purchase)
	}
	return moved, nil
}

// Purchases that the release before charged keep their execute_at with the debit alone, and that release may still
// serve beside this one. They are the last of those that wait: asked for by themselves, they would be looked for
// among all.
const (
	lastCharged = `FROM purchases WHERE status = 'pending_charge' ORDER BY execute_at DESC NULLS FIRST LIMIT `
	undated     = `EXISTS (SELECT FROM (SELECT execute_at ` + lastCharged + `1) AS last WHERE execute_at IS NULL)`
)

func (t *Tx) dateCharges(limit int) error {
	var some bool
	err := database.Query(t.Tx, func(is *bool) []any { return []any{is} }, func(is bool) { some = is }, `SELECT `+undated)
	if err == nil && some {
		_, err = t.Exec(`UPDATE purchases p SET execute_at = COALESCE((SELECT c.execute_at FROM collections c
				WHERE c.purchase_id = p.id AND c.attempt = p.collection_count), p.due)
			FROM (SELECT id, execute_at `+lastCharged+`$1 FOR NO KEY UPDATE SKIP LOCKED) AS last
			WHERE p.id = last.id AND last.execute_at IS NULL`, limit)
	}
	if err != nil {
		return fmt.Errorf("date charges: %w", err)
	}
	return nil
}

// HoldPassing implements debit.Tx.
func (t *Tx) HoldPassing(limit int) ([]purchase.Purchase, error) {
	return t.holdPurchases(`pass_at <= $1 ORDER BY pass_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`, t.Now(), limit)
}

func (t *Tx) holdPurchases(which string, args ...any) ([]purchase.Purchase, error) {
	return database.All(t.Context(), t.s.DB, purchase.Table, which, args...)
}

// Submitted implements debit.Tx.
func (t *Tx) Submitted(ids []uuid.UUID) ([]collection.Collection, error) {
	moved, err := t.moveCollections(`UPDATE collections SET state = 'submitted', claimed_until = NULL, updated_at = $1
		WHERE id = ANY($2) AND state = 'scheduled' RETURNING *`, t.Now(), ids)
	if err != nil {
		return nil, err
	}
	if len(moved) < len(ids) { // cancelled while the bank took it
		t.Later(`UPDATE collections SET recall_due = true, claimed_until = NULL WHERE id = ANY($1) AND state = 'cancelled'`,
			ids)
	}
	return moved, nil
}

// CloseDue implements debit.Tx.
func (t *Tx) CloseDue(limit int) ([]collection.Collection, error) {
	closed, err := t.moveCollections(
		`UPDATE collections SET state = 'final', updated_at = $1 WHERE id IN (SELECT id FROM collections
		WHERE state = 'provisional' AND final_at <= $1 ORDER BY final_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) RETURNING *`,
		t.Now(), limit)
	for _, c := range closed {
		t.Tell(c.MerchantID, webhook.PurchaseSettled, webhook.ObjectPurchase, c.PurchaseID, c.PurchaseID)
	}
	return closed, err
}

// AlertDue implements debit.Tx.
func (t *Tx) AlertDue(limit int) ([]collection.Collection, error) {
	return t.moveCollections(
		`UPDATE collections SET alerted_at = $1, updated_at = $1 WHERE id IN (SELECT id FROM collections
		WHERE state = 'submitted' AND alerted_at IS NULL AND alert_at <= $1
		ORDER BY alert_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) RETURNING *`,
		t.Now(),
		limit,
	)
}

func (t *Tx) moveCollections(sql string, args ...any) ([]collection.Collection, error) {
	return database.Collect(t.Context(), t.s.DB, collection.Table, sql, args)
}

// RecallTold implements debit.Tx.
func (t *Tx) RecallTold(collectionID uuid.UUID) (bool, error) {
	n, err := t.Exec(`UPDATE collections SET recall_due = false, updated_at = $2 WHERE id = $1 AND recall_due`,
		collectionID, t.Now())
	return n == 1, err
}

// ProofSent implements debit.Tx.
func (t *Tx) ProofSent(collectionID uuid.UUID) (bool, error) {
	n, err := t.Exec(`UPDATE collections SET proof_due = false, updated_at = $2 WHERE id = $1 AND proof_due`, collectionID,
		t.Now())
	return n == 1, err
}

// messaging lets one transaction at a time take messages of the bank about what it does not hold.
const messaging = 7316214005

// KeepMessages implements debit.Tx. A message is written once, with its outcome; until then a lock stands for it: that
// of the debit which the message is about, or one for all others.
func (t *Tx) KeepMessages(gateway string, messages []bank.Message,
	held func(bank.Message) bool) (map[string]bool, error) {
	fresh, ids := map[string]bool{}, make([]string, len(messages))
	t.messages = make(map[string]bank.Message, len(messages))
	all := true
	for i, m := range messages {
		all = all && held(m)
		if ids[i] = m.ID; !fresh[m.ID] {
			fresh[m.ID], t.messages[m.ID] = true, m
		}
	}
	if !all {
		t.Later(`SELECT pg_advisory_xact_lock($1)`, messaging)
	}
	err := database.Query(t.Tx, func(id *string) []any { return []any{id} }, func(id string) { delete(fresh, id) },
		`SELECT message_id FROM bank_messages WHERE gateway = $1 AND message_id = ANY($2)`, gateway, ids)
	if err != nil {
		return nil, fmt.Errorf("keep bank messages: %w", err)
	}
	return fresh, nil
}

func orEmptyBytes(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// NoteOutcomes implements debit.Tx.
func (t *Tx) NoteOutcomes(gateway string, outcomes []debit.Outcome) {
	n := len(outcomes)
	ids, kinds, codes, texts := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	instructions, merchants := make([]uuid.UUID, n), make([]*uuid.UUID, n)
	times, raws := make([]time.Time, n), make([][]byte, n)
	for i, o := range outcomes {
		m := t.messages[o.MessageID]
		ids[i], kinds[i], codes[i], instructions[i], times[i], raws[i] = m.ID, string(m.Kind), m.Code, m.InstructionID,
			database.Instant(m.At), orEmptyBytes(m.Raw)
		texts[i], merchants[i] = o.Text, database.OrNull(o.MerchantID)
	}
	t.Later(
		`INSERT INTO bank_messages (gateway, message_id, instruction_id, kind, code, at, raw,
			received_at, outcome, merchant_id)
		SELECT $1, m.id, m.instruction, m.kind, m.code, m.at, m.raw, $8, m.outcome, m.merchant
		FROM unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::bytea[], $9::text[], $10::uuid[])
			AS m (id, instruction, kind, code, at, raw, outcome, merchant) ORDER BY m.id`,
		gateway,
		ids,
		instructions,
		kinds,
		codes,
		times,
		raws,
		t.Now(),
		texts,
		merchants,
	)
}

// ClaimRefunds implements debit.Tx.
func (t *Tx) ClaimRefunds(ids []uuid.UUID) (claimed []uuid.UUID, err error) {
	err = database.Query(t.Tx, func(id *uuid.UUID) []any { return []any{id} },
		func(id uuid.UUID) { claimed = append(claimed, id) },
		`UPDATE refunds SET claimed_at = coalesce(claimed_at, $2) WHERE id = ANY($1) AND state = 'pending'
			AND channel = 'bank' RETURNING id`, ids, t.Now())
	if err != nil {
		return nil, fmt.Errorf("claim refunds: %w", err)
	}
	return claimed, nil
}

// RefundsHandedOver implements debit.Tx.
func (t *Tx) RefundsHandedOver(ids []uuid.UUID) {
	t.Later(`UPDATE refunds SET handed_over = true, updated_at = $2 WHERE id = ANY($1) AND NOT handed_over`, ids, t.Now())
}

// DropRefunds implements debit.Tx. One that the bank gave back to a person is not with it.
func (t *Tx) DropRefunds(merchantID, purchaseID uuid.UUID) ([]purchase.Refund, error) {
	dropped, err := database.Seek(t.Context(), t.s.DB, purchase.Refunds,
		`UPDATE refunds SET state = 'dropped', updated_at = ? WHERE merchant_id = ? AND purchase_id = ? AND state = 'pending'
		AND (NOT handed_over AND claimed_at IS NULL OR channel = 'person') RETURNING *`, t.Now(), merchantID, purchaseID)
	for _, r := range dropped {
		purchase.TellRefundFailed(t.Tx, r)
	}
	return dropped, err
}
