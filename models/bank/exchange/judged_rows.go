package exchange

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// ToJudge are the oldest movements that the rule for EFT payments has not looked at, of the businesses that have it on.
func (s Store) ToJudge(ctx context.Context, most int) (found []Entry, err error) {
	err = s.Gorm(ctx).Raw(`SELECT e.* FROM merchants m CROSS JOIN LATERAL (SELECT * FROM bank_entries e
			WHERE e.merchant_id = m.id AND e.state = 'unmatched' AND e.credit AND e.judged_at IS NULL
			ORDER BY e.id LIMIT ?) e
		WHERE m.eft_rule_since IS NOT NULL ORDER BY e.merchant_id, e.id LIMIT ?`, most, most).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("movements that the rule looks at: %w", err)
	}
	return found, nil
}

// Judge notes that the rule has looked at a movement; false where it, or a person, has before.
func (s Store) Judge(tx *database.Tx, merchantID, id uuid.UUID) (first bool, err error) {
	return database.Found(tx.Gorm().Model(&Entry{}).Scopes(database.OfMerchant(merchantID)).
		Where("id = ? AND judged_at IS NULL AND state = ? AND paid_cents = 0", id, EntryUnmatched).
		UpdateColumns(map[string]any{"judged_at": tx.Now()}))
}

// JudgeAll leaves movements to people: those of some ids, or without any all that wait.
func (s Store) JudgeAll(tx *database.Tx, merchantID uuid.UUID, ids []uuid.UUID) error {
	waiting := tx.Gorm().Model(&Entry{}).Scopes(database.OfMerchant(merchantID)).
		Where("judged_at IS NULL AND state = ? AND credit", EntryUnmatched)
	if ids != nil {
		waiting = waiting.Where("id = ANY(?::uuid[])", database.IDs(ids))
	}
	return waiting.UpdateColumns(map[string]any{"judged_at": tx.Now()}).Error
}

// Rehearsed is a movement of the past, with the purchase that all of it paid; zero: it waits for a match.
type Rehearsed struct {
	Entry  `gorm:"embedded"`
	PaidID uuid.UUID
}

// ToRehearse are the newest movements since a day that the rule would have looked at: what waits, and what paid one
// purchase.
func (s Store) ToRehearse(ctx context.Context, merchantID uuid.UUID, since calendar.Date, most int) (found []Rehearsed,
	err error) {
	err = s.Gorm(ctx).Raw(`SELECT e.*, b.purchase_id AS paid_id FROM bank_entries e
		LEFT JOIN bank_payments b ON b.entry_id = e.id AND b.undone_at IS NULL AND b.amount_cents = e.amount_cents
		WHERE e.merchant_id = ? AND e.booked_on >= ? AND e.credit
			AND (e.state = 'unmatched' AND e.paid_cents = 0 OR e.state = 'paid' AND b.id IS NOT NULL)
		ORDER BY e.booked_on DESC, e.id DESC LIMIT ?`, merchantID, since, most).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("movements that the rule would have looked at: %w", err)
	}
	return found, nil
}
