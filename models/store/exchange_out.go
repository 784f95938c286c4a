package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

var (
	messageTable = table.New[exchange.Message]("bank_files_out")
	groupTable   = table.New[exchange.Group]("bank_file_groups")
	saveMessage  = messageTable.Write(`UPDATE bank_files_out SET @set(state, placed_at, taken_at, ack_due_at, ack_at,
		answered_at, reason, decided_at, decided_by, declined, downloads, downloads_by) WHERE id = @id`)
)

// NextNumber implements exchange.Tx: the row is locked until the transaction ends, so that there are no gaps.
func (t *Tx) NextNumber(k exchange.Kind) (number int64, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `INSERT INTO bank_numbers (kind, next) VALUES ($1, 2)
			ON CONFLICT (kind) DO UPDATE SET next = bank_numbers.next + 1 RETURNING next - 1`, string(k)).Scan(&number)
	})
	return number, err
}

// FilesAbove implements exchange.Tx.
func (t *Tx) FilesAbove(merchantID uuid.UUID) (above *int64, err error) {
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

// InsertMessage implements exchange.Tx.
func (t *Tx) InsertMessage(m exchange.Message, groups []exchange.Group) error {
	database.Insert(t.Tx, messageTable, m)
	for _, g := range groups {
		database.Insert(t.Tx, groupTable, g)
	}
	return t.Flush()
}

// HoldMessage implements exchange.Tx.
func (t *Tx) HoldMessage(merchantID uuid.UUID, id string) (exchange.Message, error) {
	return database.First(held(t, messageTable, `id = $1 AND ($2 OR merchant_id = $3)`, id, merchantID == uuid.Nil,
		merchantID))
}

// SaveMessage implements exchange.Tx.
func (t *Tx) SaveMessage(m exchange.Message) error {
	database.MustChange(t.Tx, saveMessage, m)
	return nil
}

func contentAt(merchantID uuid.UUID, id string) seal.Place {
	return seal.Place{Owner: merchantID, Table: "bank_files_out", Column: "content", Row: id}
}

// WriteContent implements exchange.Tx.
func (t *Tx) WriteContent(m exchange.Message, packed []byte) (bool, error) {
	n, err := t.Exec(`UPDATE bank_files_out SET content = $2, sha256 = $3, size = $4 WHERE id = $1 AND content IS NULL`,
		m.ID, t.s.Seal.SealBytes(contentAt(m.MerchantID, m.ID), packed), m.SHA256, m.Size)
	return n == 1, err
}

// RefuseGroup implements exchange.Tx.
func (t *Tx) RefuseGroup(messageID, groupID string) error {
	t.Later(`UPDATE bank_file_groups SET refused = true WHERE message_id = $1 AND id = $2`, messageID, groupID)
	return nil
}

// Groups implements exchange.Tx.
func (t *Tx) Groups(messageID string) ([]exchange.Group, error) {
	return t.s.groupsOf(t.Context(), messageID)
}

func (s *Store) groupsOf(ctx context.Context, messageID string) ([]exchange.Group, error) {
	return database.All(ctx, s.DB, groupTable, `message_id = $1 ORDER BY position`, messageID)
}
