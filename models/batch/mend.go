package batch

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Mend is a change that a person made in the rows of a draft, and what it is undone to. One without rows marks that
// the columns were chosen again.
type Mend struct {
	ID, MerchantID, BatchID uuid.UUID
	Revision                int // of the batch: their order
	Text, Who               string
	Rows                    []int    `gorm:"serializer:json;not null"`
	Was                     []Before `gorm:"column:was_sealed;serializer:sealed;not null"`
	CreatedAt               time.Time
	database.Damage         `gorm:"-"` // what is stored of the rows before it cannot be read
}

// mendRows is the column of the rows before a change.
const mendRows = "was_sealed"

// Before is a row before a change.
type Before struct {
	N         int             `json:"n"`
	Cells     []string        `json:"cells"`
	Broken    []sheet.Problem `json:"broken,omitempty"`
	Numbers   []int           `json:"numbers,omitempty"`
	Decision  Decision        `json:"decision,omitempty"`
	Chosen    uuid.UUID       `json:"chosen,omitzero"`
	Confirmed bool            `json:"confirmed,omitempty"`
	LeftOut   bool            `json:"left_out,omitempty"`
	Error     string          `json:"error,omitempty"`
}

// keepMend keeps rows as they are before a change, so that it can be undone.
func keepMend(tx *database.Tx, who actor.Actor, b Batch, text string, numbers []int) error {
	rows, err := rowsAt(tx, b, numbers)
	if err != nil {
		return err
	}
	m := Mend{ID: tx.NewID(), MerchantID: b.MerchantID, BatchID: b.ID, Revision: b.Revision, Text: text,
		Who: who.Name, CreatedAt: tx.Now()}
	for _, r := range rows {
		m.Rows = append(m.Rows, r.N)
		m.Was = append(m.Was, Before{N: r.N, Cells: r.Cells, Broken: r.Broken, Numbers: r.Numbers, Decision: r.Decision,
			Chosen: r.Chosen, Confirmed: r.Confirmed, LeftOut: r.State == Skipped, Error: r.Error})
	}
	insertMend(tx, m)
	return nil
}

// keepMark keeps that the columns are chosen again: decisions from before do not come back.
func keepMark(tx *database.Tx, who actor.Actor, b Batch) {
	insertMend(tx, Mend{ID: tx.NewID(), MerchantID: b.MerchantID, BatchID: b.ID, Revision: b.Revision + 1,
		Text: "The columns were chosen again.", Who: who.Name, CreatedAt: tx.Now()})
}

// Mends are the changes of a draft that can be undone, the newest first.
func (s *Service) Mends(ctx context.Context, who actor.Actor, id uuid.UUID) ([]Mend, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	all, err := s.Store.mends(ctx, who.MerchantID, id)
	return slices.DeleteFunc(all, func(m Mend) bool { return len(m.Rows) == 0 }), err
}

// Undo takes a change of rows back and checks these rows again. A change whose rows were changed again since waits
// until that is undone.
func (s *Service) Undo(ctx context.Context, who actor.Actor, id, mendID uuid.UUID) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	m, err := s.Store.mend(ctx, who.MerchantID, id, mendID)
	if fault.Is(err, fault.NotFound) {
		if _, err := s.Store.Batch(ctx, who.MerchantID, id); err != nil {
			return Batch{}, err
		}
		return Batch{}, fault.New(fault.Conflict, "nothing_to_undo", "This change was undone already, or its rows were sent.")
	}
	if err != nil {
		return Batch{}, err
	}
	if m.Unreadable(mendRows) {
		return Batch{}, fault.New(fault.Conflict, "mend_unreadable", "This change cannot be undone: what is stored of the "+
			"rows before it was damaged. Correct the rows one by one.")
	}
	b, err := s.change(ctx, who, id, func(tx *database.Tx, b *Batch) error {
		if !b.in(Checked) {
			return wrongState(*b)
		}
		mapped, err := s.undoable(tx.Context(), m)
		if err != nil {
			return err
		}
		b.Revision++
		b.touched(who)
		rows, err := rowsAt(tx, *b, m.Rows)
		if err != nil {
			return err
		}
		for i := range rows {
			if err := rows[i].putBack(m.Was, mapped, b.Revision); err != nil {
				return err
			}
		}
		if err := saveRows(tx, *b, rows, true); err != nil {
			return err
		}
		dropMend(tx, m)
		tx.Audit(who, audit.Entry{Action: "batch.mend_undone", ObjectType: "batch", ObjectID: b.ID,
			Text: "A change was undone: " + m.Text, After: map[string]any{"rows": len(m.Rows), "by": m.Who}})
		return checkRest(tx, b)
	})
	return s.checked(ctx, b, err)
}

// undoable refuses to undo below another change of the same rows, and tells whether the columns were chosen since.
func (s *Service) undoable(ctx context.Context, m Mend) (mapped bool, err error) {
	all, err := s.Store.mends(ctx, m.MerchantID, m.BatchID)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(all, func(one Mend) bool { return one.ID == m.ID })
	if at < 0 {
		return false, fault.New(fault.Conflict, "nothing_to_undo", "This change was undone already.")
	}
	for _, later := range all[:at] {
		if len(later.Rows) == 0 {
			mapped = true
		}
		for _, n := range later.Rows {
			if _, both := slices.BinarySearch(m.Rows, n); both {
				return mapped, fault.New(fault.Conflict, "changed_since",
					"Row %d was changed again since. Undo that first: %s", n, later.Text)
			}
		}
	}
	return mapped, nil
}

// putBack makes a row what it was; mapped tells that the columns were chosen since, so that decisions do not hold.
func (r *Row) putBack(was []Before, mapped bool, revision int) error {
	if r.State != Ready && r.State != Bad && r.State != Skipped {
		return fault.New(fault.Conflict, "row_wrong_state", "Row %d is %s and can no longer change.", r.N, r.State.Words())
	}
	at, found := slices.BinarySearchFunc(was, r.N, func(b Before, n int) int { return b.N - n })
	if !found {
		return fault.Missing()
	}
	before := was[at]
	r.Cells, r.Broken, r.Numbers, r.Confirmed = before.Cells, before.Broken, before.Numbers, before.Confirmed
	if len(before.Cells) > 0 {
		r.Unread = nil
	}
	r.Decision, r.Chosen, r.State, r.Error, r.Revision = before.Decision, before.Chosen, Fresh, "", revision
	if mapped {
		r.Decision, r.Chosen, r.Confirmed = Undecided, uuid.Nil, false
	}
	if before.LeftOut {
		r.State, r.Error, r.Warnings = Skipped, before.Error, nil
	}
	return nil
}
