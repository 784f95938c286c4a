package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

var (
	messageTable = table.New[Message]("bank_files_out")
	groupTable   = table.New[Group]("bank_file_groups")
	saveMessage  = messageTable.Write(`UPDATE bank_files_out SET @set(state, placed_at, taken_at, ack_due_at, ack_at,
		answered_at, reason, decided_at, decided_by, declined, downloads, downloads_by) WHERE id = @id`)
)

// nextNumber takes the next number of a kind. It is given again if this transaction is undone. The row is
// locked until the transaction ends, so that there are no gaps.
func (t unit) nextNumber(k Kind) (number int64, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `INSERT INTO bank_numbers (kind, next) VALUES ($1, 2)
			ON CONFLICT (kind) DO UPDATE SET next = bank_numbers.next + 1 RETURNING next - 1`, string(k)).Scan(&number)
	})
	return number, err
}

// filesAbove is the sum in cents above which the merchant wants a second approver; nil: none.
func (t unit) filesAbove(merchantID uuid.UUID) (above *int64, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		err := tx.QueryRow(t.Context(), `SELECT approve_files_cents FROM merchants WHERE id = $1`,
			database.Native([]any{merchantID})...).Scan(&above)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return above, err
}

func (t unit) insertMessage(m Message, groups []Group) error {
	database.Insert(t.Tx, messageTable, m)
	for _, g := range groups {
		database.Insert(t.Tx, groupTable, g)
	}
	return t.Flush()
}

// holdMessage locks a message; NotFound when it is not ours. The zero merchant is any.
func (t unit) holdMessage(merchantID uuid.UUID, id string) (Message, error) {
	return database.First(held(t, messageTable, `id = $1 AND ($2 OR merchant_id = $3)`, id, merchantID == uuid.Nil,
		merchantID))
}

// namesErased tells whether a message asks something about a client whose personal data was erased.
func (t unit) namesErased(m Message) (yes bool, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM bank_items i JOIN purchases p ON p.merchant_id = $1
			AND p.payer_name = $3 AND p.id = coalesce(
				(SELECT purchase_id FROM collections c WHERE c.id = i.id OR i.kind = 'recalls' AND c.id = i.subject_id LIMIT 1),
				(SELECT purchase_id FROM refunds r WHERE r.id = i.id),
				(SELECT mandate_id FROM mandate_authentications a
				WHERE a.id = i.id OR i.kind = 'cancellations' AND a.id = i.subject_id LIMIT 1))
			WHERE i.merchant_id = $1 AND i.message_id = $2)`, m.MerchantID, m.ID, client.ErasedName).Scan(&yes)
	})
	if err != nil {
		return false, fmt.Errorf("look for erased clients in a file: %w", err)
	}
	return yes, nil
}

func (t unit) saveMessage(m Message) error {
	database.MustChange(t.Tx, saveMessage, m)
	return nil
}

func contentAt(merchantID uuid.UUID, id string) seal.Place {
	return seal.Place{Owner: merchantID, Table: "bank_files_out", Column: "content", Row: id}
}

// writeContent keeps the bytes of a message, once; false when they were there.
func (t unit) writeContent(m Message, packed []byte) (bool, error) {
	n, err := t.Exec(`UPDATE bank_files_out SET content = $2, sha256 = $3, size = $4 WHERE id = $1 AND content IS NULL`,
		m.ID, t.DB().Seal.SealBytes(contentAt(m.MerchantID, m.ID), packed), m.SHA256, m.Size)
	return n == 1, err
}

func (t unit) refuseGroup(messageID, groupID string) error {
	t.Later(`UPDATE bank_file_groups SET refused = true WHERE message_id = $1 AND id = $2`, messageID, groupID)
	return nil
}

func (t unit) groups(messageID string) ([]Group, error) {
	return Store{t.DB()}.groupsOf(t.Context(), messageID)
}

func (s Store) groupsOf(ctx context.Context, messageID string) ([]Group, error) {
	return database.All(ctx, s.DB, groupTable, `message_id = $1 ORDER BY position`, messageID)
}

// makersOf are the people who had a hand in what a message brings to the bank: who made the batches of its debits, and
// who planned its debits or asked for its refunds one by one.
func (s Store) makersOf(ctx context.Context, m Message) (people []uuid.UUID, err error) {
	rows, err := s.Pool.Query(ctx, `WITH of AS MATERIALIZED (
			SELECT c.purchase_id FROM bank_items i JOIN collections c ON c.id = i.id
			WHERE i.message_id = $2 AND i.merchant_id = $1 AND i.kind = 'debits'
			UNION SELECT r.purchase_id FROM bank_items i JOIN refunds r ON r.id = i.id
			WHERE i.message_id = $2 AND i.merchant_id = $1 AND i.kind = 'refunds'),
		made AS (SELECT DISTINCT r.batch_id FROM of
			JOIN batch_rows r ON r.purchase_id = of.purchase_id AND r.merchant_id = $1)
		SELECT DISTINCT hand FROM (
			SELECT (h.hand->>'id')::uuid AS hand FROM made JOIN batches b ON b.id = made.batch_id,
				jsonb_array_elements(b.hands) AS h (hand)
			UNION ALL SELECT (who->>'ID')::uuid FROM made JOIN batches b ON b.id = made.batch_id,
				LATERAL (VALUES (b.creator), (b.starter)) AS v (who) WHERE who->>'Kind' = 'user'
			UNION ALL SELECT a.actor_id FROM of JOIN audit_entries a ON a.purchase_id = of.purchase_id AND a.merchant_id = $1
			WHERE a.actor_kind = 'user' AND a.action IN ('purchase.charged', 'purchase.refund_requested')) AS hands
		WHERE hand IS NOT NULL`, database.Native([]any{m.MerchantID, m.ID})...)
	if err != nil {
		return nil, fmt.Errorf("find who made a file: %w", err)
	}
	if people, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID]); err != nil {
		return nil, fmt.Errorf("find who made a file: %w", err)
	}
	return people, nil
}
