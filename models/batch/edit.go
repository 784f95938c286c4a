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
	"debitdesk/models/batch/sheet"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Edit is another text for one cell.
type Edit struct {
	N, Column int // Column counts from 0
	Text      string
	Was       *string // what the cell said, masked, when the person began; nil: whatever it says
}

// EditCell puts another text into one cell of a row that is not sent yet, and checks the row again.
func (s *Service) EditCell(ctx context.Context, who actor.Actor, id uuid.UUID, e Edit) (Batch, Row, error) {
	var r Row
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, r, err
	}
	b, err := s.edit(ctx, who, id, func(b Batch) (func(*database.Tx, *Batch) error, error) {
		var err error
		if r, err = s.open(ctx, b, e.N); err != nil {
			return nil, err
		}
		if r.Unread != nil {
			r.Cells = make([]string, len(b.Format.Header)) // they are typed again
		}
		if e.Column < 0 || e.Column >= len(r.Cells) {
			return nil, fault.Missing()
		}
		masked := b.Mapping.mask(r.Cells)[e.Column]
		switch {
		case e.Was != nil && *e.Was != masked && e.Text != masked:
			return nil, fault.New(fault.Conflict, "cell_changed",
				"Row %d, %s now says “%s”: another person changed it. Check it again.", e.N, b.ColumnName(e.Column), masked)
		case bank.IsMasked(e.Text) && masked == e.Text:
			return func(*database.Tx, *Batch) error { return nil }, nil // what is hidden was sent back as it is
		}
		cells := slices.Clone(r.Cells)
		cells[e.Column] = strings.ReplaceAll(strings.ToValidUTF8(e.Text, ""), "\x00", "")
		// What is typed is a text, whatever stood there.
		r.Numbers = slices.DeleteFunc(slices.Clone(r.Numbers), func(i int) bool { return i == e.Column })
		r = b.rewritten(r, cells, true) // a person who edits a row has seen how it is cut
		rows, err := s.judgeTogether(ctx, b, []Row{r})
		if err != nil {
			return nil, err
		}
		return func(tx *database.Tx, b *Batch) error {
			if err := keepMend(tx, who, *b, fmt.Sprintf("Row %d, %s: changed.", e.N, b.ColumnName(e.Column)),
				[]int{e.N}); err != nil {
				return err
			}
			if err := saveRows(tx, *b, rows, true); err != nil {
				return err
			}
			if err := warn(tx, *b, []int{e.N}); err != nil {
				return err
			}
			tx.Audit(who, audit.Entry{Action: "batch.row_mended", ObjectType: "batch", ObjectID: b.ID,
				Text:  fmt.Sprintf("Row %d was fixed.", e.N),
				After: map[string]any{"row": e.N, "column": b.ColumnName(e.Column)}})
			return nil
		}, nil
	})
	if err == nil {
		r, err = s.open(ctx, b, e.N) // with what the whole file says of it
	}
	r.Cells = b.Mapping.mask(r.Cells)
	return b, r, err
}

// open reads a row that can still change.
func (s *Service) open(ctx context.Context, b Batch, n int) (Row, error) {
	rows, err := s.Store.rows(ctx, b.MerchantID, b.ID, RowQuery{After: n - 1, Limit: 1})
	switch {
	case err != nil:
		return Row{}, err
	case len(rows) == 0 || rows[0].N != n:
		return Row{}, fault.Missing()
	case rows[0].State != Bad && rows[0].State != Ready:
		return Row{}, fault.New(fault.Conflict, "row_wrong_state", "Row %d is %s and can no longer change.",
			n, rows[0].State.Words())
	}
	return rows[0], nil
}

// Words say where a row stands, as the end of a sentence.
func (s RowState) Words() string { return rowWords[s] }

// rowWords say where a row stands, as the end of a sentence.
var rowWords = map[RowState]string{Fresh: "being checked", Ready: "ready", Bad: "not ready", Skipped: "left out",
	Sent: "sent", Failed: "failed", Voided: "voided"}

// rewritten is a row with other cells. A decision about a person does not hold for another person, and whole tells that
// a person saw how the row is cut; texts in extra cells are lost only when somebody takes them out.
func (b Batch) rewritten(r Row, cells []string, whole bool) Row {
	was := b.read([]Row{r}, Day{})[0].Values
	r.Cells, r.Revision, r.Unread, r.Broken = cells, b.Revision, nil, sheet.WithoutUnreadable(r.Broken)
	if whole {
		r.Cells, r.Broken = b.cut(cells)
	}
	is := b.read([]Row{r}, Day{})[0].Values
	if renamed := is.address() == was.address() && r.Decision == CreateClient; is.person() != was.person() && !renamed {
		r.Decision, r.Chosen = Undecided, uuid.Nil
	}
	return r
}

// cut takes blank cells beyond the heading away and says whether others are left.
func (b Batch) cut(cells []string) ([]string, []sheet.Problem) {
	width := len(b.Format.Header)
	for len(cells) > width && Tidy(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) > width {
		return cells, []sheet.Problem{sheet.Extra(len(cells), width)}
	}
	return cells, nil
}

// ColumnName is what a person calls a column; counted from 0.
func (b Batch) ColumnName(column int) string {
	if column < len(b.Format.Header) && b.Format.Header[column] != "" {
		return b.Format.Header[column]
	}
	return ColumnName(column + 1)
}

// FixAll fixes every bad row that has the same cause, and checks those rows again. It tells how many it touched. Rows
// that changed after the revision that the person saw are left as they are; 0 takes all.
func (s *Service) FixAll(ctx context.Context, who actor.Actor, id uuid.UUID, fix Fix,
	revision int) (Batch, int, error) {
	touched := 0
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, 0, err
	}
	b, err := s.edit(ctx, who, id, func(b Batch) (func(*database.Tx, *Batch) error, error) {
		fixed, err := s.fixRows(ctx, b, fix, revision)
		if err != nil {
			return nil, err
		}
		if touched = len(fixed); touched == 0 {
			return nil, fault.New(fault.Conflict, "nothing_mended", "No row could be fixed that way.")
		}
		numbers := numbersOf(fixed)
		if fixed, err = s.judgeTogether(ctx, b, fixed); err != nil {
			return nil, err
		}
		return func(tx *database.Tx, b *Batch) error {
			if err := keepMend(tx, who, *b, fix.done(len(numbers)), numbers); err != nil {
				return err
			}
			if err := saveRows(tx, *b, fixed, true); err != nil {
				return err
			}
			if err := warn(tx, *b, nil); err != nil {
				return err
			}
			tx.Audit(who, audit.Entry{Action: "batch.rows_mended", ObjectType: "batch", ObjectID: b.ID,
				Text:  plural.Of(touched, "row") + " with the same problem " + plural.Was(touched) + " fixed.",
				After: map[string]any{"cause": fix.Cause, "choice": fix.Choice, "rows": touched}})
			return nil
		}, nil
	})
	return b, touched, err
}

// fixRows gives the rows that a fix changes, with their new cells.
func (s *Service) fixRows(ctx context.Context, b Batch, fix Fix, revision int) (fixed []Row, err error) {
	for q := (RowQuery{States: []RowState{Bad}, Limit: checkedAtOnce}); ; {
		rows, err := s.Store.rows(ctx, b.MerchantID, b.ID, q)
		if err != nil || len(rows) == 0 {
			return fixed, err
		}
		q.After = rows[len(rows)-1].N
		for _, r := range rows {
			if !r.has(fix.Cause, fix.Column) || revision > 0 && r.Revision > revision {
				continue
			}
			if fix.Cause == CauseUnknown {
				r.Decision, r.Chosen, r.Revision = CreateClient, uuid.Nil, b.Revision
				fixed = append(fixed, r)
			} else if fix.Cause == CauseHidden {
				r.Broken, r.Revision = r.seen(), b.Revision
				fixed = append(fixed, r)
			} else if cells, changed := FixAll(b.Mapping, fix, r.Cells, r.Numbers...); changed || fix.Cause == CauseCells {
				fixed = append(fixed, b.rewritten(r, cells, fix.Cause == CauseQuotes || fix.Cause == CauseCells))
			}
		}
	}
}

// seen is what stays wrong with a row once a person wants it although a spreadsheet hides it.
func (r Row) seen() []sheet.Problem {
	return slices.DeleteFunc(slices.Clone(r.Broken), func(p sheet.Problem) bool { return p.Code == sheet.HiddenRow })
}

func (r Row) has(cause string, column int) bool {
	return slices.ContainsFunc(r.Problems, func(p Problem) bool {
		return p.Cause == cause &&
			(column == 0 || p.Column == column)
	})
}

// Causes names what is wrong with a row, each once; rows with the same cause are fixed together.
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
	if p.Cause == CauseQuotes || p.Cause == CauseCells {
		p.Column = 0
	}
	return fmt.Sprintf("%s#%d", p.Cause, p.Column)
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
	counts, err := s.Store.causes(ctx, who.MerchantID, id)
	if err != nil {
		return nil, err
	}
	var groups []CauseGroup
	for key, n := range counts {
		rows, err := s.Store.rows(ctx, who.MerchantID, id, RowQuery{States: []RowState{Bad}, Cause: key, Limit: 1})
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
