package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

// batchLine is a row of a batch with whose it is.
type batchLine struct {
	MerchantID uuid.UUID
	BatchID    uuid.UUID `gorm:"<-:create"`
	batch.Row
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
func linesOf(b batch.Batch, rows []batch.Row) []batchLine {
	out := make([]batchLine, len(rows))
	for i, r := range rows {
		out[i] = batchLine{b.MerchantID, b.ID, r}
	}
	return out
}

// lines reads the rows of a batch that a condition finds, beginning with $3.
func (s *Store) lines(ctx context.Context, merchantID, batchID uuid.UUID, condition string,
	args ...any) ([]batch.Row, error) {
	found, err := database.All(ctx, s.DB, lineTable, "merchant_id = $1 AND batch_id = $2 AND "+condition,
		append([]any{merchantID, batchID}, args...)...)
	out := make([]batch.Row, len(found))
	for i, l := range found {
		out[i] = l.Row
	}
	return out, err
}

// AddRows implements batch.Tx.
func (t *Tx) AddRows(b batch.Batch, rows []batch.Row) error {
	return t.Pgx(func(tx pgx.Tx) error {
		return lineTable.Copy(t.Context(), tx, t.s.Seal, linesOf(b, rows), "merchant_id", "batch_id", "n", "cells", "broken",
			"numbers", "state")
	})
}

// RowsIn implements batch.Tx.
func (t *Tx) RowsIn(b batch.Batch, states []batch.RowState, after, limit int) ([]batch.Row, error) {
	return t.s.lines(t.Context(), b.MerchantID, b.ID, "state = ANY($3) AND n > $4 ORDER BY n LIMIT $5 FOR UPDATE",
		words(states), after, limit)
}

func words[T ~string](list []T) []string { return database.Texts(list) }

// RowAt implements batch.Tx.
func (t *Tx) RowAt(b batch.Batch, n int) (batch.Row, error) {
	return database.First(t.s.lines(t.Context(), b.MerchantID, b.ID, "n = $3 FOR UPDATE", n))
}

// RowsAt implements batch.Tx.
func (t *Tx) RowsAt(b batch.Batch, numbers []int) ([]batch.Row, error) {
	return t.s.lines(t.Context(), b.MerchantID, b.ID, "n = ANY($3) ORDER BY n FOR UPDATE", numbers)
}

// SaveRows implements batch.Tx: all in one round trip.
func (t *Tx) SaveRows(b batch.Batch, rows []batch.Row, withCells bool) error {
	if len(rows) == 0 {
		return nil
	}
	save := saveLine
	if withCells {
		save = saveWholeLine
	}
	for _, l := range linesOf(b, rows) {
		database.Write(t.Tx, save, l)
	}
	return t.Flush()
}

// SaveCharges implements batch.Tx.
func (t *Tx) SaveCharges(b batch.Batch, rows []batch.Row) error {
	for _, r := range rows {
		t.Later(
			`UPDATE batch_rows SET charge = $4, error = $5 WHERE merchant_id = $1 AND batch_id = $2
				AND n = $3 AND charge <> 'done'`,
			b.MerchantID,
			b.ID,
			r.N,
			string(r.Charge),
			r.Error,
		)
	}
	return t.Flush()
}

// DropCharges implements batch.Tx. A debit that stands, and was not written down before a crash, stands.
func (t *Tx) DropCharges(b batch.Batch, why string) {
	t.Later(
		`UPDATE batch_rows r SET charge = CASE WHEN p.token_id IS NULL THEN 'failed' ELSE 'done' END, 
			error = CASE WHEN p.token_id IS NULL THEN $3 ELSE '' END
		FROM purchases p WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.state = 'sent' AND r.charge = 'wanted'
		AND p.merchant_id = $1 AND p.id = r.purchase_id`,
		b.MerchantID,
		b.ID,
		why,
	)
}

// MoveRows implements batch.Tx.
func (t *Tx) MoveRows(b batch.Batch, from []batch.RowState, to batch.RowState, why string,
	numbered []int) (int, error) {
	n, err := t.Exec(
		`UPDATE batch_rows SET state = $4, error = $5, warnings = '{}', revision = $7
			WHERE merchant_id = $1 AND batch_id = $2 AND state = ANY($3)
		AND ($6::int[] IS NULL OR n = ANY($6))`,
		b.MerchantID,
		b.ID,
		words(from),
		string(to),
		why,
		numbered,
		b.Revision,
	)
	if err != nil {
		return 0, fmt.Errorf("move rows of a batch: %w", err)
	}
	return int(n), nil
}

// cellsAt is the place of the cells of one row of a batch.
func cellsAt(merchantID, batchID uuid.UUID, n int) seal.Place {
	return seal.Place{Owner: merchantID, Table: "batch_rows", Column: "cells", Row: batchID.String() + "/" +
		strconv.Itoa(n)}
}
