package debit

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/models/webhook"
)

// Store is where what running the debits reads and writes is kept. What runs the debits
// crosses merchants: it serves them all.
type Store struct{ *database.DB }

// heldRows are the rows that some collections touch, locked until the transaction ends.
type heldRows struct {
	Collections map[uuid.UUID]collection.Collection
	Purchases   map[uuid.UUID]purchase.Purchase
	Tokens      map[uuid.UUID]token.Token
}

// Rows that wait for nobody but other writers are locked FOR NO KEY UPDATE: a new
// record may refer to them meanwhile.

// hold locks what the collections touch: tokens first, then collections, then
// purchases, each in the order of their ids, as the use cases of purchases do.
func hold(tx *database.Tx, collectionIDs []uuid.UUID) (heldRows, error) {
	held := heldRows{Collections: map[uuid.UUID]collection.Collection{}, Purchases: map[uuid.UUID]purchase.Purchase{},
		Tokens: map[uuid.UUID]token.Token{}}
	if len(collectionIDs) == 0 {
		return held, nil
	}
	ctx := tx.Context()
	tokens, err := database.All(ctx, tx.DB(), token.Table,
		`id IN (SELECT token_id FROM collections WHERE id = ANY($1)) ORDER BY id FOR NO KEY UPDATE`, collectionIDs)
	if err != nil {
		return held, fmt.Errorf("hold tokens: %w", err)
	}
	for _, k := range tokens {
		held.Tokens[k.ID] = k
	}
	collections, err := database.All(ctx, tx.DB(), collection.Table, `id = ANY($1) ORDER BY id FOR NO KEY UPDATE`,
		collectionIDs)
	if err != nil {
		return held, fmt.Errorf("hold collections: %w", err)
	}
	var purchaseIDs []uuid.UUID
	for _, c := range collections {
		held.Collections[c.ID] = c
		purchaseIDs = append(purchaseIDs, c.PurchaseID)
	}
	purchases, err := holdPurchases(tx, `id = ANY($1) ORDER BY id FOR NO KEY UPDATE`, purchaseIDs)
	for _, p := range purchases {
		held.Purchases[p.ID] = p
	}
	return held, err
}

// executeDue does for purchases whose execute_at has come what purchase.Execute does for one, and gives those that it
// moved: one statement for all. Of their debits only the ids and action dates are read.
func executeDue(tx *database.Tx, limit int) (moved []purchase.Record, err error) {
	before := purchase.Purchase{Status: purchase.PendingCharge}
	before.Seen = before.AsSeen()
	after := before
	if !after.Execute(tx.Now()) {
		return nil, nil
	}
	news, err := json.Marshal(after.History)
	if err != nil {
		return nil, fmt.Errorf("start purchases: %w", err)
	}
	if err = dateCharges(tx, limit); err != nil {
		return nil, err
	}
	var row struct {
		id, merchant  uuid.UUID
		client, debit *uuid.UUID
		action        calendar.Date
		callback      string
	}
	err = database.Query(tx,
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
		after.Status, string(news), tx.Now(), limit, before.Status)
	if err != nil {
		return nil, fmt.Errorf("start purchases: %w", err)
	}
	for _, p := range moved {
		purchase.TellMoved(tx, p.Purchase)
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

func dateCharges(tx *database.Tx, limit int) error {
	var some bool
	err := tx.Gorm().Raw(`SELECT ` + undated).Find(&some).Error
	if err == nil && some {
		err = tx.Gorm().Exec(`UPDATE purchases p SET execute_at = COALESCE((SELECT c.execute_at FROM collections c
				WHERE c.purchase_id = p.id AND c.attempt = p.collection_count), p.due)
			FROM (SELECT id, execute_at `+lastCharged+`? FOR NO KEY UPDATE SKIP LOCKED) AS last
			WHERE p.id = last.id AND last.execute_at IS NULL`, limit).Error
	}
	if err != nil {
		return fmt.Errorf("date charges: %w", err)
	}
	return nil
}

// holdPassing locks purchases whose due passes now.
func holdPassing(tx *database.Tx, limit int) ([]purchase.Purchase, error) {
	return holdPurchases(tx, `pass_at <= $1 ORDER BY pass_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`, tx.Now(), limit)
}

func holdPurchases(tx *database.Tx, which string, args ...any) ([]purchase.Purchase, error) {
	return database.All(tx.Context(), tx.DB(), purchase.Table, which, args...)
}

// submitted moves scheduled collections to submitted and gives those that were
// moved. One that was cancelled meanwhile is marked for a recall.
func submitted(tx *database.Tx, ids []uuid.UUID) ([]collection.Collection, error) {
	moved, err := moveCollections(tx, `UPDATE collections SET state = 'submitted', claimed_until = NULL, updated_at = $1
		WHERE id = ANY($2) AND state = 'scheduled' RETURNING *`, tx.Now(), ids)
	if err != nil {
		return nil, err
	}
	if len(moved) < len(ids) { // cancelled while the bank took it
		tx.Later(`UPDATE collections SET recall_due = true, claimed_until = NULL WHERE id = ANY($1) AND state = 'cancelled'`,
			ids)
	}
	return moved, nil
}

// closeDue moves provisional collections whose final_at has come to final.
func closeDue(tx *database.Tx, limit int) ([]collection.Collection, error) {
	closed, err := moveCollections(tx,
		`UPDATE collections SET state = 'final', updated_at = $1 WHERE id IN (SELECT id FROM collections
		WHERE state = 'provisional' AND final_at <= $1 ORDER BY final_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) RETURNING *`,
		tx.Now(), limit)
	for _, c := range closed {
		tx.Tell(c.MerchantID, webhook.PurchaseSettled, webhook.ObjectPurchase, c.PurchaseID, c.PurchaseID)
	}
	return closed, err
}

// alertDue marks collections about which the bank keeps silent, once.
func alertDue(tx *database.Tx, limit int) ([]collection.Collection, error) {
	return moveCollections(tx,
		`UPDATE collections SET alerted_at = $1, updated_at = $1 WHERE id IN (SELECT id FROM collections
		WHERE state = 'submitted' AND alerted_at IS NULL AND alert_at <= $1
		ORDER BY alert_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) RETURNING *`,
		tx.Now(),
		limit,
	)
}

func moveCollections(tx *database.Tx, sql string, args ...any) ([]collection.Collection, error) {
	return database.Collect(tx.Context(), tx.DB(), collection.Table, sql, args)
}

// recallTold notes that the bank knows of a recall; false when it was noted before.
func recallTold(tx *database.Tx, collectionID uuid.UUID) (bool, error) {
	return database.Found(tx.Gorm().Exec(`UPDATE collections SET recall_due = false, updated_at = ?
		WHERE id = ? AND recall_due`, tx.Now(), collectionID))
}

// proofSent notes that the bank has the proof; false when it was noted before.
func proofSent(tx *database.Tx, collectionID uuid.UUID) (bool, error) {
	return database.Found(tx.Gorm().Exec(`UPDATE collections SET proof_due = false, updated_at = ?
		WHERE id = ? AND proof_due`, tx.Now(), collectionID))
}
