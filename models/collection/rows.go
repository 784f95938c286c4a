package collection

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

// Store is where debits are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Collection) TableName() string { return "collections" }

// Columns are what is read of a debit.
func Columns(alias string) string { return database.Columns[Collection](alias) }

// Value implements driver.Valuer: of an answer its code is kept.
func (r Result) Value() (driver.Value, error) { return r.Code, nil }

// Scan implements sql.Scanner.
func (r *Result) Scan(stored any) error {
	code, is := stored.(string)
	if bytes, raw := stored.([]byte); raw {
		code, is = string(bytes), true
	}
	if !is && stored != nil {
		return fmt.Errorf("what the bank answered cannot be read from %T", stored)
	}
	if *r = (Result{}); code != "" {
		*r = ResultOf(code)
	}
	return nil
}

// ResultColumn keeps the code of what the bank answered about a collection.
func ResultColumn[T any](of func(*T) *Collection) table.Column[T] {
	return table.Column[T]{
		Name:  "result_code",
		Write: func(_ *seal.Box, record *T) (any, error) { return of(record).Result.Code, nil },
		Read: func(_ *seal.Box, record *T, stored []byte) error {
			if len(stored) > 0 {
				of(record).Result = ResultOf(string(stored))
			}
			return nil
		},
	}
}

// Table holds the debits. By it go the statements that travel with what is charged or answered; all else is GORM's.
var Table = table.New("collections", ResultColumn(func(c *Collection) *Collection { return c }))

// Insert plans a debit, in this transaction.
func Insert(tx *database.Tx, c Collection) { database.Insert(tx, Table, c) }

// moveCollection never takes back what another step noted meanwhile: that a
// cancelled collection may be at the bank, since a process had claimed it for the
// hand-over.
var moveCollection = Table.Write(`UPDATE collections SET
	recall_due = @recall_due OR (@state = 'cancelled' AND claimed_until IS NOT NULL),
	@set(state, proof_due, soft_before, result_code, result_at,
		provisional_at, final_at, alert_at, disputable, disputable_because, dispute_deadline, dispute_until, dispute_rows,
		proof_until, updated_at)
	WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")

// Move writes what may change of a collection, if it still stands in the state from; false when another was quicker.
func Move(tx *database.Tx, c Collection, from State) (bool, error) {
	return database.Change(tx, moveCollection, c, from)
}

// Save is Move for a row that this transaction has locked: nobody can be quicker, so the write may wait and travel
// with others.
func Save(tx *database.Tx, c Collection, from State) { database.Save(tx, moveCollection, c, from) }

var planCollection = Table.Write(
	`UPDATE collections SET @set(action_date, original_date, submit_at, execute_at, final_at, alert_at,
		dispute_deadline, dispute_until, dispute_rows, statement_line, updated_at, disputable, disputable_because)
	WHERE merchant_id = @merchant_id AND id = @id AND state = 'scheduled' AND claimed_until IS NULL`)

// Replan gives a scheduled collection other days, and its purchase the moment at which it turns; false when a process
// began to hand it over.
func Replan(tx *database.Tx, c Collection) (bool, error) {
	planned, err := database.Change(tx, planCollection, c)
	if planned && err == nil {
		err = tx.Gorm().Exec(`UPDATE purchases SET execute_at = ?, version = version + 1, updated_at = ?
			WHERE merchant_id = ? AND id = ? AND status = 'pending_charge'`, c.ExecuteAt, tx.Now(), c.MerchantID, c.PurchaseID).
			Error
	}
	return planned, err
}

// Withdraw cancels a scheduled collection that no process ever began to hand over, so that the bank cannot have it;
// false for any other. A claim that has run out counts too: the bank may have got the collection all the same.
func Withdraw(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	withdrawn, err := database.Found(tx.Gorm().Exec(`UPDATE collections SET state = 'cancelled', updated_at = ?
		WHERE merchant_id = ? AND id = ? AND state = 'scheduled' AND claimed_until IS NULL`, tx.Now(), merchantID, id))
	if err != nil {
		return false, fmt.Errorf("withdraw collection: %w", err)
	}
	return withdrawn, nil
}

// Restore plans a debit again that was cancelled before any process began to hand it over; false when the bank may have
// it, or its cut-off has passed.
func Restore(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	restored, err := database.Found(tx.Gorm().Exec(`UPDATE collections SET state = 'scheduled', updated_at = ?
		WHERE merchant_id = ? AND id = ? AND state = 'cancelled' AND claimed_until IS NULL AND NOT recall_due
		AND submit_at > ?`, tx.Now(), merchantID, id, tx.Now()))
	if err != nil {
		return false, fmt.Errorf("restore collection: %w", err)
	}
	return restored, nil
}

// Standing is the condition on collections that a debit is under way or was collected, and did not fail; as the index
// collections_once says it.
const Standing = `state NOT IN ('unpaid', 'cancelled', 'recalled', 'dispute_lost')`

// HoldUnder keeps other debits from beginning under a mandate; the transaction ends with fault.ErrLost when not exactly
// so many as were seen are under way or collected between two days. Debits of one mandate begin one after the other:
// the second waits for the first, and then finds it.
func HoldUnder(tx *database.Tx, merchantID, mandateID uuid.UUID, from, to calendar.Date, seen int) {
	tx.Check(`SELECT count(*) FROM (SELECT 1 FROM mandates WHERE merchant_id = $1 AND id = $2 FOR NO KEY UPDATE) AS held`,
		merchantID, mandateID)
	tx.Check(`SELECT CASE WHEN count(*) = $5 THEN 1 ELSE 0 END FROM collections WHERE merchant_id = $1 AND mandate_id = $2
		AND action_date BETWEEN $3 AND $4 AND `+Standing, merchantID, mandateID, from, to, seen)
}

// Latest gives the newest collection of each purchase that has one.
func (s Store) Latest(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs ...uuid.UUID) (map[uuid.UUID]Collection, error) {
	latest := make(map[uuid.UUID]Collection, len(purchaseIDs))
	if len(purchaseIDs) == 0 {
		return latest, nil
	}
	var found []Collection
	err := s.Gorm(ctx).Raw(`SELECT c.*,
			EXISTS (SELECT FROM tokens t WHERE t.id = c.token_id AND t.state = 'deleting') AS held
		FROM unnest(?::text[]::uuid[]) AS p (id) CROSS JOIN LATERAL (SELECT * FROM collections
			WHERE purchase_id = p.id AND merchant_id = ?
			ORDER BY attempt DESC LIMIT 1) AS c`, database.IDs(purchaseIDs), merchantID).Find(&found).Error
	for _, c := range found {
		latest[c.PurchaseID] = c
	}
	return latest, err
}

// ByID finds those of some debits that there are, in no order.
func (s Store) ByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (found []Collection, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).
		Find(&found, "id = ANY(?::uuid[])", database.IDs(ids)).Error
	return found, err
}

// Under gives the newest debits under a mandate, the newest first.
func (s Store) Under(ctx context.Context, merchantID, mandateID uuid.UUID, limit int) (found []Collection, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("id DESC").Limit(limit).
		Find(&found, "mandate_id = ?", mandateID).Error
	return found, err
}

// CountUnder counts the debits under a mandate that are under way or collected.
func (s Store) CountUnder(ctx context.Context, merchantID, mandateID uuid.UUID) (n int, err error) {
	err = s.Gorm(ctx).Raw(`SELECT count(*) FROM collections WHERE merchant_id = ? AND mandate_id = ?
		AND `+Standing, merchantID, mandateID).Find(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count debits under a mandate: %w", err)
	}
	return n, nil
}
