package store

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

const lineColumns = `n, cells, broken, state, problems, warnings, name, client_id, new_client, due, total_cents, charge, purchase_id, number, error,
	decision, chosen_client, mailed, coalesce(usual_cents, 0), confirmed, digest, revision, token_id, debit_method, debit_date, disputable`

// lineOf reads one row of a batch.
func (s *Store) lineOf(merchantID, batchID uuid.UUID, row pgx.CollectableRow) (batch.Row, error) {
	var r batch.Row
	var sealed []byte
	var broken, problems *string
	var warnings []string
	var clientID, purchaseID *uuid.UUID
	var due, debited *calendar.Date
	var chosen, tokenID *uuid.UUID
	err := row.Scan(&r.N, &sealed, &broken, (*string)(&r.State), &problems, &warnings, &r.Name, &clientID, &r.NewClient, &due, &r.TotalCents,
		(*string)(&r.Charge), &purchaseID, &r.Number, &r.Error,
		(*string)(&r.Decision), &chosen, &r.Mailed, &r.UsualCents, &r.Confirmed, &r.Digest, &r.Revision, &tokenID, &r.Debit.Method, &debited, &r.Debit.Disputable)
	if err != nil {
		return r, err
	}
	r.ClientID, r.PurchaseID, r.Due = orZero(clientID), orZero(purchaseID), orZero(due)
	r.Chosen, r.Debit.TokenID, r.Debit.Date = orZero(chosen), orZero(tokenID), orZero(debited)
	for _, w := range warnings {
		r.Warnings = append(r.Warnings, batch.Warning(w))
	}
	cells, err := s.seal.OpenBytes(cellsAt(merchantID, batchID, r.N), sealed)
	if err == nil && len(cells) > 0 {
		err = json.Unmarshal(cells, &r.Cells)
	}
	if err == nil && broken != nil {
		err = json.Unmarshal([]byte(*broken), &r.Broken)
	}
	if err == nil && problems != nil {
		err = json.Unmarshal([]byte(*problems), &r.Problems)
	}
	if err != nil {
		return r, fmt.Errorf("read row %d of a batch: %w", r.N, err)
	}
	return r, nil
}

func (s *Store) cellsOf(merchantID, batchID uuid.UUID, r batch.Row) ([]byte, error) {
	cells, err := json.Marshal(r.Cells)
	if err != nil {
		return nil, fmt.Errorf("write row %d of a batch: %w", r.N, err)
	}
	return s.seal.SealBytes(cellsAt(merchantID, batchID, r.N), cells), nil
}

// listJSON writes a list; nil for an empty one.
func listJSON[T any](list []T) *string {
	if len(list) == 0 {
		return nil
	}
	text, _ := json.Marshal(list) //nolint:errchkjson // words and numbers always encode
	return new(string(text))
}

// AddRows implements batch.Tx.
func (t *Tx) AddRows(b batch.Batch, rows []batch.Row) error {
	return t.Pgx(func(tx pgx.Tx) error {
		_, err := tx.CopyFrom(t.ctx, pgx.Identifier{"batch_rows"}, []string{"merchant_id", "batch_id", "n", "cells", "broken", "state"},
			pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
				cells, err := t.s.cellsOf(b.MerchantID, b.ID, rows[i])
				return native([]any{b.MerchantID, b.ID, rows[i].N, cells, listJSON(rows[i].Broken), string(rows[i].State)}), err
			}))
		if err != nil {
			return fmt.Errorf("add rows of a batch: %w", err)
		}
		return nil
	})
}

// RowsIn implements batch.Tx.
func (t *Tx) RowsIn(b batch.Batch, states []batch.RowState, after, limit int) (rows []batch.Row, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		found, err := tx.Query(t.ctx, `SELECT `+lineColumns+` FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state = ANY($3) AND n > $4
			ORDER BY n LIMIT $5 FOR UPDATE`, b.MerchantID, b.ID, words(states), after, limit)
		if err != nil {
			return err
		}
		rows, err = pgx.CollectRows(found, func(r pgx.CollectableRow) (batch.Row, error) { return t.s.lineOf(b.MerchantID, b.ID, r) })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("take rows of a batch: %w", err)
	}
	return rows, nil
}

func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, one := range list {
		out[i] = string(one)
	}
	return out
}

// RowAt implements batch.Tx.
func (t *Tx) RowAt(b batch.Batch, n int) (row batch.Row, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		found, err := tx.Query(t.ctx, `SELECT `+lineColumns+` FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND n = $3 FOR UPDATE`, b.MerchantID, b.ID, n)
		if err != nil {
			return err
		}
		row, err = pgx.CollectExactlyOneRow(found, func(r pgx.CollectableRow) (batch.Row, error) { return t.s.lineOf(b.MerchantID, b.ID, r) })
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, fault.Missing()
	}
	return row, err
}

// SaveRows implements batch.Tx: one statement for all, by way of a table of their values.
func (t *Tx) SaveRows(b batch.Batch, rows []batch.Row, withCells bool) error {
	if len(rows) == 0 {
		return nil
	}
	return t.Pgx(func(tx pgx.Tx) error {
		p := &pgx.Batch{}
		for _, r := range rows {
			var cells []byte
			if withCells {
				var err error
				if cells, err = t.s.cellsOf(b.MerchantID, b.ID, r); err != nil {
					return err
				}
			}
			var due, debited *calendar.Date
			if !r.Due.IsZero() {
				due = &r.Due
			}
			if !r.Debit.Date.IsZero() {
				debited = &r.Debit.Date
			}
			p.Queue(`UPDATE batch_rows SET state = $4, problems = $5, causes = $6, warnings = $7, name = $8, client_id = $9, new_client = $10, due = $11,
				total_cents = $12, same_hash = $13, charge = $14, purchase_id = $15, number = $16, error = $17,
				cells = coalesce($18, cells), broken = CASE WHEN $18::bytea IS NULL THEN broken ELSE $19::jsonb END,
				decision = $20, chosen_client = $21, client_hash = $22, mailed = $23, usual_cents = nullif($24::bigint, 0), confirmed = $25, digest = $26, revision = $27,
				token_id = $28, debit_method = $29, debit_date = $30, disputable = $31
				WHERE merchant_id = $1 AND batch_id = $2 AND n = $3`,
				b.MerchantID, b.ID, r.N, string(r.State), listJSON(r.Problems), r.Causes(), words(r.Warnings), r.Name, orNull(r.ClientID), r.NewClient, due,
				r.TotalCents, t.s.seal.Hash(b.MerchantID, "batch_row", r.SameKey), string(r.Charge), orNull(r.PurchaseID), r.Number, r.Error, cells, listJSON(r.Broken),
				string(r.Decision), orNull(r.Chosen), t.s.seal.Hash(b.MerchantID, "batch_client", r.ClientKey), r.Mailed, r.UsualCents, r.Confirmed, r.Digest, r.Revision,
				orNull(r.Debit.TokenID), r.Debit.Method, debited, words(r.Debit.Disputable))
		}
		if err := tx.SendBatch(t.ctx, p).Close(); err != nil {
			return fmt.Errorf("save rows of a batch: %w", err)
		}
		return nil
	})
}

// SaveCharges implements batch.Tx.
func (t *Tx) SaveCharges(b batch.Batch, rows []batch.Row) error {
	for _, r := range rows {
		t.later(`UPDATE batch_rows SET charge = $4, error = $5 WHERE merchant_id = $1 AND batch_id = $2 AND n = $3 AND charge <> 'done'`,
			b.MerchantID, b.ID, r.N, string(r.Charge), r.Error)
	}
	return t.flush()
}

// DropCharges implements batch.Tx. A debit that stands, and was not written down before a crash, stands.
func (t *Tx) DropCharges(b batch.Batch, why string) {
	t.later(`UPDATE batch_rows r SET charge = CASE WHEN p.token_id IS NULL THEN 'failed' ELSE 'done' END, error = CASE WHEN p.token_id IS NULL THEN $3 ELSE '' END
		FROM purchases p WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.state = 'sent' AND r.charge = 'wanted' AND p.merchant_id = $1 AND p.id = r.purchase_id`,
		b.MerchantID, b.ID, why)
}

// MoveRows implements batch.Tx.
func (t *Tx) MoveRows(b batch.Batch, from []batch.RowState, to batch.RowState, why string, numbered []int) (int, error) {
	n, err := t.exec(`UPDATE batch_rows SET state = $4, error = $5, warnings = '{}', revision = $7 WHERE merchant_id = $1 AND batch_id = $2 AND state = ANY($3)
		AND ($6::int[] IS NULL OR n = ANY($6))`, b.MerchantID, b.ID, words(from), string(to), why, numbered, b.Revision)
	if err != nil {
		return 0, fmt.Errorf("move rows of a batch: %w", err)
	}
	return int(n), nil
}
