package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
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
	tokens, err := database.Seek(ctx, t.s.DB, token.Table, token.Table.Select+
		`id IN (SELECT token_id FROM collections WHERE id IN ?) ORDER BY id FOR NO KEY UPDATE`, collectionIDs)
	if err != nil {
		return held, fmt.Errorf("hold tokens: %w", err)
	}
	for _, k := range tokens {
		held.Tokens[k.ID] = k
	}
	collections, err := database.Seek(ctx, t.s.DB, collectionTable, collectionTable.Select+`id IN ? ORDER BY id FOR NO KEY UPDATE`,
		collectionIDs)
	if err != nil {
		return held, fmt.Errorf("hold collections: %w", err)
	}
	var purchaseIDs []uuid.UUID
	for _, c := range collections {
		held.Collections[c.ID] = c
		purchaseIDs = append(purchaseIDs, c.PurchaseID)
	}
	purchases, err := t.HoldPurchases(purchaseIDs)
	for _, p := range purchases {
		held.Purchases[p.ID] = p
	}
	return held, err
}

// HoldPurchases implements debit.Tx.
func (t *Tx) HoldPurchases(ids []uuid.UUID) ([]purchase.Purchase, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return t.holdPurchases(`id IN ? ORDER BY id FOR NO KEY UPDATE`, ids)
}

// HoldPassing implements debit.Tx.
func (t *Tx) HoldPassing(limit int) ([]purchase.Purchase, error) {
	return t.holdPurchases(`pass_at <= ? ORDER BY pass_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED`, t.Now(), limit)
}

func (t *Tx) holdPurchases(which string, args ...any) ([]purchase.Purchase, error) {
	return database.Seek(t.Context(), t.s.DB, purchaseTable, purchaseTable.Select+which, args...)
}

// Submitted implements debit.Tx.
func (t *Tx) Submitted(ids []uuid.UUID) ([]collection.Collection, error) {
	moved, err := t.moveCollections(`UPDATE collections SET state = 'submitted', claimed_until = NULL, updated_at = ?
		WHERE id IN ? AND state = 'scheduled' RETURNING *`, t.Now(), ids)
	if err != nil {
		return nil, err
	}
	if len(moved) < len(ids) { // cancelled while the bank took it
		t.Later(`UPDATE collections SET recall_due = true, claimed_until = NULL WHERE id = ANY($1) AND state = 'cancelled'`,
			ids)
	}
	return moved, nil
}

// StartDue implements debit.Tx.
func (t *Tx) StartDue(limit int) ([]collection.Collection, error) {
	return t.moveCollections(`UPDATE collections SET started = true, updated_at = ? WHERE id IN (SELECT id FROM collections
		WHERE NOT started AND state IN ('scheduled', 'submitted', 'in_tracking') AND execute_at <= ?
		ORDER BY execute_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED) RETURNING *`, t.Now(), t.Now(), limit)
}

// CloseDue implements debit.Tx.
func (t *Tx) CloseDue(limit int) ([]collection.Collection, error) {
	closed, err := t.moveCollections(
		`UPDATE collections SET state = 'final', updated_at = ? WHERE id IN (SELECT id FROM collections
		WHERE state = 'provisional' AND final_at <= ? ORDER BY final_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED) RETURNING *`,
		t.Now(), t.Now(), limit)
	for _, c := range closed {
		t.tellPurchase(webhook.PurchaseSettled, c.MerchantID, c.PurchaseID)
	}
	return closed, err
}

// AlertDue implements debit.Tx.
func (t *Tx) AlertDue(limit int) ([]collection.Collection, error) {
	return t.moveCollections(`UPDATE collections SET alerted_at = ?, updated_at = ? WHERE id IN (SELECT id FROM collections
		WHERE state = 'submitted' AND alerted_at IS NULL AND alert_at <= ? ORDER BY alert_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED) RETURNING *`, t.Now(), t.Now(), t.Now(), limit)
}

func (t *Tx) moveCollections(sql string, args ...any) ([]collection.Collection, error) {
	return database.Seek(t.Context(), t.s.DB, collectionTable, sql, args...)
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

// KeepMessages implements debit.Tx. The ids go in one order for everybody, so that
// two processes with the same messages wait for each other and never in a ring.
func (t *Tx) KeepMessages(gateway string, messages []bank.Message) (map[string]bool, error) {
	sorted := slices.SortedFunc(slices.Values(messages), func(a, b bank.Message) int { return cmp.Compare(a.ID, b.ID) })
	ids, kinds, codes := make([]string, len(sorted)), make([]string, len(sorted)), make([]string, len(sorted))
	instructions, times, raws := make([]uuid.UUID, len(sorted)), make([]time.Time, len(sorted)),
		make([][]byte, len(sorted))
	for i, m := range sorted {
		ids[i], kinds[i], codes[i], instructions[i], times[i], raws[i] = m.ID, string(m.Kind), m.Code, m.InstructionID,
			database.Instant(m.At), orEmptyBytes(m.Raw)
	}
	fresh := map[string]bool{}
	err := database.Query(t.Tx, func(id *string) []any { return []any{id} }, func(id string) { fresh[id] = true },
		`INSERT INTO bank_messages (gateway, message_id, instruction_id, kind, code, at, raw, received_at, outcome)
		SELECT $1, m.id, m.instruction, m.kind, m.code, m.at, m.raw, $8, '' FROM unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::bytea[])
			AS m (id, instruction, kind, code, at, raw) ORDER BY m.id ON CONFLICT DO NOTHING RETURNING message_id`,
		gateway, ids, instructions, kinds, codes, times, raws, t.Now())
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
	ids, texts, merchants := make([]string, len(outcomes)), make([]string, len(outcomes)),
		make([]*uuid.UUID, len(outcomes))
	for i, o := range outcomes {
		ids[i], texts[i], merchants[i] = o.MessageID, o.Text, database.OrNull(o.MerchantID)
	}
	t.Later(
		`UPDATE bank_messages b SET outcome = o.text, merchant_id = o.merchant FROM unnest($2::text[], $3::text[], $4::uuid[]) AS o (id, text, merchant)
		WHERE b.gateway = $1 AND b.message_id = o.id`, gateway, ids, texts, merchants)
}

// RefundsHandedOver implements debit.Tx.
func (t *Tx) RefundsHandedOver(ids []uuid.UUID) {
	t.Later(`UPDATE refunds SET handed_over = true, updated_at = $2 WHERE id = ANY($1) AND NOT handed_over`, ids, t.Now())
}

// DropRefunds implements debit.Tx. One that the bank gave back to a person is not with it.
func (t *Tx) DropRefunds(merchantID, purchaseID uuid.UUID) ([]purchase.Refund, error) {
	dropped, err := database.Seek(t.Context(), t.s.DB, refundTable,
		`UPDATE refunds SET state = 'dropped', updated_at = ? WHERE merchant_id = ? AND purchase_id = ? AND state = 'pending'
		AND (NOT handed_over OR channel = 'person') RETURNING *`, t.Now(), merchantID, purchaseID)
	for _, r := range dropped {
		t.tellRefundFailed(r)
	}
	return dropped, err
}
