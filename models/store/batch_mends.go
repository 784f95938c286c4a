package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/batch"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

var mendTable = table.New("batch_mends",
	table.Column[batch.Mend]{Name: "was_sealed", Once: true,
		Write: func(box *seal.Box, m *batch.Mend) (any, error) {
			was, err := json.Marshal(m.Was)
			return box.SealBytes(mendPlace(m), was), err
		},
		Read: func(box *seal.Box, m *batch.Mend, stored []byte) error {
			was, err := box.OpenBytes(mendPlace(m), stored)
			if err == nil {
				err = json.Unmarshal(was, &m.Was)
			}
			if errors.Is(err, seal.ErrDamaged) {
				m.Unread, err = true, nil
			}
			return err
		}})

func mendPlace(m *batch.Mend) seal.Place {
	return seal.PlaceOf("batch_mends", "was_sealed", m.MerchantID, m.ID)
}

// mendFacts are the columns of a change without the rows before it.
var mendFacts = mendTable.Columns("", "was_sealed")

// KeepMend implements batch.Tx.
func (t *Tx) KeepMend(m batch.Mend) { database.Insert(t.Tx, mendTable, m) }

// DropMend implements batch.Tx.
func (t *Tx) DropMend(m batch.Mend) {
	t.Later(`DELETE FROM batch_mends WHERE merchant_id = $1 AND batch_id = $2 AND id = $3`, m.MerchantID, m.BatchID, m.ID)
}

// DropMends implements batch.Tx.
func (t *Tx) DropMends(b batch.Batch) {
	t.Later(`DELETE FROM batch_mends WHERE merchant_id = $1 AND batch_id = $2`, b.MerchantID, b.ID)
}

// DeleteBatch implements batch.Tx.
func (t *Tx) DeleteBatch(b batch.Batch) {
	t.DropMends(b)
	t.Later(`DELETE FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2`, b.MerchantID, b.ID)
	t.Later(`DELETE FROM batches WHERE merchant_id = $1 AND id = $2 AND started_at IS NULL`, b.MerchantID, b.ID)
}

// Mends implements batch.Reader.
func (s *Store) Mends(ctx context.Context, merchantID, id uuid.UUID) ([]batch.Mend, error) {
	return database.Seek(ctx, s.DB, mendTable, `SELECT `+mendFacts+` FROM batch_mends
		WHERE merchant_id = ? AND batch_id = ? ORDER BY revision DESC, id DESC`, merchantID, id)
}

// Mend implements batch.Reader.
func (s *Store) Mend(ctx context.Context, merchantID, batchID, id uuid.UUID) (batch.Mend, error) {
	return database.One(ctx, s.DB, mendTable, "merchant_id = $1 AND batch_id = $2 AND id = $3", merchantID, batchID, id)
}
