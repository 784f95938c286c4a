package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

// batchLine is a row of a batch with whose it is.
type batchLine struct {
	MerchantID uuid.UUID
	BatchID    uuid.UUID `gorm:"<-:create"`
	Row
}

var (
	lineTable = table.New("batch_rows",
		table.Column[batchLine]{Name: "cells", Once: true, Write: func(box *seal.Box, l *batchLine) (any, error) {
			if l.Unread != nil {
				return l.Unread, nil
			}
			cells, err := json.Marshal(l.Cells)
			return box.SealBytes(cellsAt(l.MerchantID, l.BatchID, l.N), cells), err
		}, Read: func(box *seal.Box, l *batchLine, stored []byte) error {
			cells, err := box.OpenBytes(cellsAt(l.MerchantID, l.BatchID, l.N), stored)
			if err == nil && len(cells) > 0 {
				err = json.Unmarshal(cells, &l.Cells)
			}
			if errors.Is(err, seal.ErrDamaged) {
				l.Unread, l.Broken, err = bytes.Clone(stored), sheet.WithUnreadable(l.Broken), nil
			}
			return err
		}},
		table.Column[batchLine]{Name: "causes", Write: func(_ *seal.Box, l *batchLine) (any, error) {
			return l.Causes(),
				nil
		}},
		table.Column[batchLine]{Name: "same_hash", Write: func(box *seal.Box, l *batchLine) (any, error) {
			return box.Hash(l.MerchantID, "batch_row", l.SameKey), nil
		}},
		table.Column[batchLine]{Name: "client_hash", Write: func(box *seal.Box, l *batchLine) (any, error) {
			return box.Hash(l.MerchantID, "batch_client", l.ClientKey), nil
		}})
	saveLine = lineTable.Write(
		`UPDATE batch_rows SET @set WHERE merchant_id = @merchant_id AND batch_id = @batch_id AND n = @n`)
	saveWholeLine = lineTable.Write(
		`UPDATE batch_rows SET @set, @set(cells, broken, numbers) WHERE merchant_id = @merchant_id
			AND batch_id = @batch_id AND n = @n`,
	)
)

// linesOf are rows of a batch to be written.
func linesOf(b Batch, rows []Row) []batchLine {
	out := make([]batchLine, len(rows))
	for i, r := range rows {
		out[i] = batchLine{b.MerchantID, b.ID, r}
	}
	return out
}

// lines reads the rows of a batch that a condition finds, beginning with $3.
func (s Store) lines(ctx context.Context, merchantID, batchID uuid.UUID, condition string,
	args ...any) ([]Row, error) {
	found, err := database.All(ctx, s.DB, lineTable, "merchant_id = $1 AND batch_id = $2 AND "+condition,
		append([]any{merchantID, batchID}, args...)...)
	out := make([]Row, len(found))
	for i, l := range found {
		out[i] = l.Row
	}
	return out, err
}

// addRows writes rows as they were read, many at a time.
func addRows(tx *database.Tx, b Batch, rows []Row) error {
	return tx.Pgx(func(conn pgx.Tx) error {
		return lineTable.Copy(tx.Context(), conn, tx.DB().Seal, linesOf(b, rows), "merchant_id", "batch_id", "n", "cells",
			"broken",
			"numbers", "state")
	})
}

// rowsIn reads rows in one of the states whose number is above after, in order.
func rowsIn(tx *database.Tx, b Batch, states []RowState, after, limit int) ([]Row, error) {
	return Store{tx.DB()}.lines(tx.Context(), b.MerchantID, b.ID,
		"state = ANY($3) AND n > $4 ORDER BY n LIMIT $5 FOR UPDATE",
		database.Texts(states), after, limit)
}

// rowsAt reads rows by their numbers, in order.
func rowsAt(tx *database.Tx, b Batch, numbers []int) ([]Row, error) {
	return Store{tx.DB()}.lines(tx.Context(), b.MerchantID, b.ID, "n = ANY($3) ORDER BY n FOR UPDATE", numbers)
}

// saveRows writes what became of rows; cells too when withCells. All in one round trip.
func saveRows(tx *database.Tx, b Batch, rows []Row, withCells bool) error {
	if len(rows) == 0 {
		return nil
	}
	save := saveLine
	if withCells {
		save = saveWholeLine
	}
	for _, l := range linesOf(b, rows) {
		database.Write(tx, save, l)
	}
	return tx.Flush()
}

// saveCharges writes what became of the charges of rows, and nothing else.
func saveCharges(tx *database.Tx, b Batch, rows []Row) error {
	for _, r := range rows {
		tx.Later(
			`UPDATE batch_rows SET charge = $4, error = $5 WHERE merchant_id = $1 AND batch_id = $2
				AND n = $3 AND charge <> 'done'`,
			b.MerchantID,
			b.ID,
			r.N,
			string(r.Charge),
			r.Error,
		)
	}
	return tx.Flush()
}

// dropCharges gives up the debits that are still to be planned. A debit that stands, and was not written down before
// a crash, stands.
func dropCharges(tx *database.Tx, b Batch, why string) {
	tx.Exec(`UPDATE batch_rows r SET charge = CASE WHEN p.token_id IS NULL THEN 'failed' ELSE 'done' END,
			error = CASE WHEN p.token_id IS NULL THEN ? ELSE '' END
		FROM purchases p WHERE r.merchant_id = ? AND r.batch_id = ? AND r.state = 'sent' AND r.charge = 'wanted'
		AND p.merchant_id = r.merchant_id AND p.id = r.purchase_id`, why, b.MerchantID, b.ID)
}

// moveRows takes all rows in the states from to another; only those numbered, when any are. It tells how many.
func moveRows(tx *database.Tx, b Batch, from []RowState, to RowState, why string,
	numbered []int) (int, error) {
	rows := tx.Gorm().Table("batch_rows").
		Where("merchant_id = ? AND batch_id = ? AND state = ANY(?::text[])", b.MerchantID, b.ID, database.Texts(from))
	if numbered != nil {
		rows = rows.Where("n = ANY(?::int[])", database.Numbers(numbered))
	}
	moved := rows.UpdateColumns(map[string]any{"state": to, "error": why, "warnings": database.TextArray{},
		"revision": b.Revision})
	if moved.Error != nil {
		return 0, fmt.Errorf("move rows of a batch: %w", moved.Error)
	}
	return int(moved.RowsAffected), nil
}

// cellsAt is the place of the cells of one row of a batch.
func cellsAt(merchantID, batchID uuid.UUID, n int) seal.Place {
	return seal.Place{Owner: merchantID, Table: "batch_rows", Column: "cells", Row: batchID.String() + "/" +
		strconv.Itoa(n)}
}
