package batch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
)

// Mend puts another text into one cell and checks its row again. column counts from 0.
func (s *Service) Mend(ctx context.Context, who actor.Actor, id uuid.UUID, n, column int, text string) (Batch, Row, error) {
	var r Row
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, r, err
	}
	b, err := s.change(ctx, who, id, func(tx Tx, b *Batch) (err error) {
		ctx := tx.Context()
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
		if masked := b.Mapping.mask(r.Cells); bank.IsMasked(text) && masked[column] == text {
			return nil // what is hidden was sent back as it is
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
			After: map[string]any{"row": n, "column": b.ColumnName(column), "state": r.State}})
		return nil
	})
	r.Cells = b.Mapping.mask(r.Cells)
	return b, r, err
}

// ColumnName is what a person calls a column; counted from 0.
func (b Batch) ColumnName(column int) string {
	if column < len(b.Format.Header) && b.Format.Header[column] != "" {
		return b.Format.Header[column]
	}
	return ColumnName(column + 1)
}

// FixAll mends every bad row that has the same cause, and checks those rows again. It tells how many it touched.
func (s *Service) FixAll(ctx context.Context, who actor.Actor, id uuid.UUID, fix Fix) (Batch, int, error) {
	touched := 0
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, 0, err
	}
	b, err := s.change(ctx, who, id, func(tx Tx, b *Batch) error {
		ctx := tx.Context()
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
				if !r.has(fix.Cause, fix.Column) {
					continue
				}
				cells, changed := FixAll(b.Mapping, fix, r.Cells)
				if r.Cells = cells; changed {
					if fix.Cause == MendQuotes {
						r.Broken = nil
					}
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
		if touched == 0 {
			return fault.New(fault.Conflict, "nothing_mended", "No row could be mended that way.")
		}
		b.WarningsAccepted = false
		if err := tx.Warn(*b, tx.Now().Add(-warnWithin)); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "batch.rows_mended", ObjectType: "batch", ObjectID: b.ID, Text: fmt.Sprintf("%d rows with the same problem were mended.", touched),
			After: map[string]any{"cause": fix.Cause, "rows": touched}})
		return nil
	})
	return b, touched, err
}

func (r Row) has(cause string, column int) bool {
	return slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Mend == cause && (column == 0 || p.Column == column) })
}

// Causes names what is wrong with a row, each once; rows with the same cause are mended together.
func (r Row) Causes() []string {
	causes := []string{}
	for _, p := range r.Problems {
		if c := p.cause(); !slices.Contains(causes, c) {
			causes = append(causes, c)
		}
	}
	return causes
}

func (p Problem) cause() string {
	if p.Mend == MendQuotes || p.Mend == MendCells {
		p.Column = 0
	}
	return fmt.Sprintf("%s#%d", p.Mend, p.Column)
}

// CauseGroup is one cause with how many rows have it.
type CauseGroup struct {
	Group

	Key string // as RowQuery names it
	N   int
}

// Causes groups the bad rows by what is wrong, the largest group first.
func (s *Service) Causes(ctx context.Context, who actor.Actor, id uuid.UUID) ([]CauseGroup, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	counts, err := s.Read.Causes(ctx, who.MerchantID, id)
	if err != nil {
		return nil, err
	}
	var groups []CauseGroup
	for key, n := range counts {
		rows, err := s.Read.BatchRows(ctx, who.MerchantID, id, RowQuery{States: []RowState{Bad}, Cause: key, Limit: 1})
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			groups = append(groups, groupOf(r, key, n))
		}
	}
	slices.SortFunc(groups, func(a, b CauseGroup) int { return cmp.Or(b.N-a.N, strings.Compare(a.Key, b.Key)) })
	return groups, nil
}

// groupOf names a cause by one of its rows.
func groupOf(r Row, key string, n int) CauseGroup {
	var g Groups
	for _, p := range r.Problems {
		if p.cause() == key {
			g.Add(Line{Row: r.N, Problems: []Problem{p}})
			break
		}
	}
	return CauseGroup{Group: g.List()[0], Key: key, N: n}
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
