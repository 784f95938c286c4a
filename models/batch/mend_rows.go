package batch

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

var mendTable = table.New("batch_mends",
	table.Column[Mend]{Name: "was_sealed", Once: true,
		Write: func(box *seal.Box, m *Mend) (any, error) {
			was, err := json.Marshal(m.Was)
			return box.SealBytes(mendPlace(m), was), err
		},
		Read: func(box *seal.Box, m *Mend, stored []byte) error {
			was, err := box.OpenBytes(mendPlace(m), stored)
			if err == nil {
				err = json.Unmarshal(was, &m.Was)
			}
			if errors.Is(err, seal.ErrDamaged) {
				m.Unread, err = true, nil
			}
			return err
		}})

func mendPlace(m *Mend) seal.Place {
	return seal.PlaceOf("batch_mends", "was_sealed", m.MerchantID, m.ID)
}

// mendFacts are the columns of a change without the rows before it.
var mendFacts = mendTable.Columns("", "was_sealed")

// insertMend keeps a change with the rows before it, dropMend forgets one, dropMends all of a batch.
func insertMend(tx *database.Tx, m Mend) { database.Insert(tx, mendTable, m) }

func dropMend(tx *database.Tx, m Mend) {
	tx.Later(`DELETE FROM batch_mends WHERE merchant_id = $1 AND batch_id = $2 AND id = $3`, m.MerchantID, m.BatchID, m.ID)
}

func dropMends(tx *database.Tx, b Batch) {
	tx.Later(`DELETE FROM batch_mends WHERE merchant_id = $1 AND batch_id = $2`, b.MerchantID, b.ID)
}

// deleteBatch deletes a draft with its rows.
func deleteBatch(tx *database.Tx, b Batch) {
	dropMends(tx, b)
	tx.Later(`DELETE FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2`, b.MerchantID, b.ID)
	tx.Later(`DELETE FROM batches WHERE merchant_id = $1 AND id = $2 AND started_at IS NULL`, b.MerchantID, b.ID)
}

// mends lists changes of a draft that can be undone, the newest first, without the rows before them.
func (s Store) mends(ctx context.Context, merchantID, id uuid.UUID) ([]Mend, error) {
	return database.Seek(ctx, s.DB, mendTable, `SELECT `+mendFacts+` FROM batch_mends
		WHERE merchant_id = ? AND batch_id = ? ORDER BY revision DESC, id DESC`, merchantID, id)
}

// mend finds one of them with the rows before it; NotFound when there is none.
func (s Store) mend(ctx context.Context, merchantID, batchID, id uuid.UUID) (Mend, error) {
	return database.One(ctx, s.DB, mendTable, "merchant_id = $1 AND batch_id = $2 AND id = $3", merchantID, batchID, id)
}
