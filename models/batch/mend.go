package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
)

// Mend puts another text into one cell and checks its row again. column counts from 0.
func (s *Service) Mend(ctx context.Context, who actor.Actor, id uuid.UUID, n, column int, text string) (Batch, Row, error) {
	var r Row
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, r, err
	}
	b, err := s.change(ctx, who, id, func(tx Tx, b *Batch) (err error) {
		if !b.in(Checked) {
			return wrongState(*b)
		}
		if r, err = tx.RowAt(*b, n); err != nil {
			return err
		}
		switch {
		case r.State != Bad && r.State != Ready:
			return fault.New(fault.Conflict, "row_wrong_state", "Row %d is %s and cannot change any more.", n, r.State)
		case column < 0 || column >= len(r.Cells):
			return fault.Missing()
		}
		r.Cells[column] = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
		r.Broken = nil // whoever mends a row has seen how it is cut
		rows := []Row{r}
		if err := s.judge(ctx, tx, *b, rows); err != nil {
			return err
		}
		r = rows[0]
		if err := tx.SaveRows(*b, rows, true); err != nil {
			return err
		}
		b.WarningsAccepted = false
		if err := tx.Warn(*b, tx.Now().Add(-warnWithin)); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "batch.row_mended", ObjectType: "batch", ObjectID: b.ID, Text: fmt.Sprintf("Row %d was mended.", n),
			After: map[string]any{"row": n, "column": b.columnName(column), "state": r.State}})
		return nil
	})
	r.Cells = b.Mapping.mask(r.Cells)
	return b, r, err
}

// columnName is what a person calls a column; counted from 0.
func (b Batch) columnName(column int) string {
	if column < len(b.Format.Header) && b.Format.Header[column] != "" {
		return b.Format.Header[column]
	}
	return fmt.Sprintf("column %d", column+1)
}

// FixAll mends every bad row that has the same cause, and checks those rows again. It tells how many it touched.
func (s *Service) FixAll(ctx context.Context, who actor.Actor, id uuid.UUID, cause string, fix Fix) (Batch, int, error) {
	touched := 0
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, 0, err
	}
	b, err := s.change(ctx, who, id, func(tx Tx, b *Batch) error {
		if !b.in(Checked) {
			return wrongState(*b)
		}
		touched = 0
		for after := 0; ; {
			rows, err := tx.RowsIn(*b, []RowState{Bad}, after, checkedAtOnce)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				break
			}
			after = rows[len(rows)-1].N
			var mended []Row
			for _, r := range rows {
				if r.has(cause) && fix.apply(*b, &r, cause) {
					mended = append(mended, r)
				}
			}
			if err := s.judge(ctx, tx, *b, mended); err != nil {
				return err
			}
			if err := tx.SaveRows(*b, mended, true); err != nil {
				return err
			}
			touched += len(mended)
		}
		b.WarningsAccepted = false
		if err := tx.Warn(*b, tx.Now().Add(-warnWithin)); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "batch.rows_mended", ObjectType: "batch", ObjectID: b.ID, Text: fmt.Sprintf("%d rows with the same problem were mended.", touched),
			After: map[string]any{"cause": cause, "rows": touched}})
		return nil
	})
	return b, touched, err
}

func (r Row) has(cause string) bool {
	for _, p := range r.Problems {
		if p.Cause() == cause {
			return true
		}
	}
	return false
}

// Causes are what is wrong with a row, each once.
func (r Row) Causes() []string {
	causes := []string{}
	for _, p := range r.Problems {
		if c := p.Cause(); !slices.Contains(causes, c) {
			causes = append(causes, c)
		}
	}
	return causes
}

// Skip leaves rows out: the bad or the ready ones that are numbered, or all bad ones when none are.
func (s *Service) Skip(ctx context.Context, who actor.Actor, id uuid.UUID, numbered ...int) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	return s.change(ctx, who, id, func(tx Tx, b *Batch) error {
		if !b.in(Checked, Paused) {
			return wrongState(*b)
		}
		from := []RowState{Bad}
		if len(numbered) > 0 {
			from = append(from, Ready)
		}
		n, err := tx.MoveRows(*b, from, Skipped, "Left out by "+who.Name+".", numbered)
		if err != nil {
			return err
		}
		if err := tx.Warn(*b, tx.Now().Add(-warnWithin)); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "batch.rows_skipped", ObjectType: "batch", ObjectID: b.ID, Text: fmt.Sprintf("%d rows were left out.", n), After: map[string]any{"rows": n}})
		return nil
	})
}
