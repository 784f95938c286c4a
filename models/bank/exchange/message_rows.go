package exchange

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
)

// TableName implements GORM's Tabler.
func (Message) TableName() string { return "bank_files_out" }

// TableName implements GORM's Tabler.
func (Group) TableName() string { return "bank_file_groups" }

// nextNumber takes the next number of a kind. It is given again if this transaction is undone. The row is
// locked until the transaction ends, so that there are no gaps.
func (t unit) nextNumber(k Kind) (number int64, err error) {
	err = t.Gorm().Raw(`INSERT INTO bank_numbers (kind, next) VALUES (?, 2)
		ON CONFLICT (kind) DO UPDATE SET next = bank_numbers.next + 1 RETURNING next - 1`, k).Scan(&number).Error
	return number, err
}

// filesAbove is the sum in cents above which the merchant wants a second approver; nil: none.
func (t unit) filesAbove(merchantID uuid.UUID) (above *int64, err error) {
	var of struct{ ApproveFilesCents *int64 }
	err = t.Gorm().Raw(`SELECT approve_files_cents FROM merchants WHERE id = ?`, merchantID).Find(&of).Error
	return of.ApproveFilesCents, err
}

func (t unit) insertMessage(m Message, groups []Group) error {
	if err := t.Gorm().Create(&m).Error; err != nil || len(groups) == 0 {
		return err
	}
	return t.Gorm().Create(&groups).Error
}

// holdMessage locks a message; NotFound when it is not ours. The zero merchant is any.
func (t unit) holdMessage(merchantID uuid.UUID, id string) (m Message, err error) {
	err = t.Gorm().Scopes(ofOrAll(merchantID), withoutContent, database.ForNoKeyUpdate).Take(&m, "id = ?", id).Error
	return m, err
}

// withoutContent is the scope of a record without the bytes of its file, which are read apart.
func withoutContent(db *gorm.DB) *gorm.DB { return db.Omit("content") }

// ofOrAll is the scope of the records of a merchant; of all where none is named.
func ofOrAll(merchantID uuid.UUID) func(*gorm.DB) *gorm.DB {
	if merchantID == uuid.Nil {
		return database.AcrossMerchants
	}
	return database.OfMerchant(merchantID)
}

// namesErased tells whether a message asks something about a client whose personal data was erased.
func (t unit) namesErased(m Message) (yes bool, err error) {
	err = t.Gorm().Raw(`SELECT EXISTS (SELECT FROM bank_items i JOIN purchases p ON p.merchant_id = i.merchant_id
			AND p.payer_name = ? AND p.id = coalesce(
				(SELECT purchase_id FROM collections c WHERE c.id = i.id OR i.kind = 'recalls' AND c.id = i.subject_id LIMIT 1),
				(SELECT purchase_id FROM refunds r WHERE r.id = i.id),
				(SELECT mandate_id FROM mandate_authentications a
				WHERE a.id = i.id OR i.kind = 'cancellations' AND a.id = i.subject_id LIMIT 1))
			WHERE i.merchant_id = ? AND i.message_id = ?)`, client.ErasedName, m.MerchantID, m.ID).Scan(&yes).Error
	if err != nil {
		return false, fmt.Errorf("look for erased clients in a file: %w", err)
	}
	return yes, nil
}

func (t unit) saveMessage(m Message) error {
	return database.OneRow(t.Gorm().Model(&m).Scopes(database.OfMerchant(m.MerchantID)).Select("state", "placed_at",
		"taken_at", "ack_due_at", "ack_at", "answered_at", "reason", "decided_at", "decided_by", "declined", "downloads",
		"downloads_by").UpdateColumns(m))
}

func contentAt(merchantID uuid.UUID, id string) seal.Place {
	return seal.Place{Owner: merchantID, Table: "bank_files_out", Column: "content", Row: id}
}

// writeContent keeps the bytes of a message, once; false when they were there.
func (t unit) writeContent(m Message, packed []byte) (bool, error) {
	return database.Found(t.Gorm().Model(&m).Scopes(database.OfMerchant(m.MerchantID)).Where("content IS NULL").
		UpdateColumns(map[string]any{"content": t.DB().Seal.SealBytes(contentAt(m.MerchantID, m.ID), packed),
			"sha256": m.SHA256, "size": m.Size}))
}

func (t unit) refuseGroup(messageID, groupID string) error {
	return t.Gorm().Model(&Group{}).Where("message_id = ? AND id = ?", messageID, groupID).
		UpdateColumn("refused", true).Error
}

func (t unit) groups(messageID string) ([]Group, error) {
	return Store{t.DB()}.groupsOf(t.Context(), messageID)
}

func (s Store) groupsOf(ctx context.Context, messageID string) (groups []Group, err error) {
	err = s.Gorm(ctx).Where("message_id = ?", messageID).Order("position").Find(&groups).Error
	return groups, err
}

// makersOf are the people who had a hand in what a message brings to the bank: who made the batches of its debits, and
// who planned its debits or asked for its refunds one by one.
func (s Store) makersOf(ctx context.Context, m Message) (people []uuid.UUID, err error) {
	err = s.Gorm(ctx).Raw(`WITH of AS MATERIALIZED (
			SELECT c.purchase_id FROM bank_items i JOIN collections c ON c.id = i.id
			WHERE i.message_id = @message AND i.merchant_id = @merchant AND i.kind = 'debits'
			UNION SELECT r.purchase_id FROM bank_items i JOIN refunds r ON r.id = i.id
			WHERE i.message_id = @message AND i.merchant_id = @merchant AND i.kind = 'refunds'),
		made AS (SELECT DISTINCT r.batch_id FROM of
			JOIN batch_rows r ON r.purchase_id = of.purchase_id AND r.merchant_id = @merchant)
		SELECT DISTINCT hand FROM (
			SELECT (h.hand->>'id')::uuid AS hand FROM made JOIN batches b ON b.id = made.batch_id,
				jsonb_array_elements(b.hands) AS h (hand)
			UNION ALL SELECT (who->>'ID')::uuid FROM made JOIN batches b ON b.id = made.batch_id,
				LATERAL (VALUES (b.creator), (b.starter)) AS v (who) WHERE who->>'Kind' = 'user'
			UNION ALL SELECT a.actor_id FROM of JOIN audit_entries a ON a.purchase_id = of.purchase_id
				AND a.merchant_id = @merchant
			WHERE a.actor_kind = 'user' AND a.action IN ('purchase.charged', 'purchase.refund_requested')) AS hands
		WHERE hand IS NOT NULL`, map[string]any{"merchant": m.MerchantID, "message": m.ID}).
		Scan(&people).Error
	if err != nil {
		return nil, fmt.Errorf("find who made a file: %w", err)
	}
	return people, nil
}
