package batch

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Skip leaves rows out: the bad or the ready ones that are numbered, or all bad ones when none are.
func (s *Service) Skip(ctx context.Context, who actor.Actor, id uuid.UUID, numbered ...int) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	return s.change(ctx, who, id, func(tx *database.Tx, b *Batch) error {
		if !b.in(Checked, Paused) {
			return wrongState(*b)
		}
		from := []RowState{Bad}
		if len(numbered) > 0 {
			from = append(from, Ready)
		}
		leaving, err := rowsToLeave(tx, *b, from, numbered)
		if err != nil {
			return err
		}
		b.Revision++
		b.touched(who)
		if err := keepMend(tx, who, *b, plural.Of(len(leaving), "row")+" left out"+whichRows(leaving)+".",
			leaving); err != nil {
			return err
		}
		n, err := moveRows(tx, *b, from, Skipped, "Left out by "+who.Name+".", numbered)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "nothing_left_out",
				"There is no longer such a row to leave out. Look at the rows again.")
		}
		if err := warn(tx, *b, nil); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "batch.rows_skipped", ObjectType: "batch", ObjectID: b.ID,
			Text:  plural.Of(n, "row") + " " + plural.Was(n) + " left out.",
			After: map[string]any{"rows": n, "numbers": numbered}})
		return nil
	})
}

// rowsToLeave numbers the rows in some states: of those that are named, or all.
func rowsToLeave(tx *database.Tx, b Batch, from []RowState, numbered []int) ([]int, error) {
	var rows []Row
	var err error
	if len(numbered) > 0 {
		rows, err = rowsAt(tx, b, numbered)
	} else {
		rows, err = rowsIn(tx, b, from, 0, sheet.Usual.Rows)
	}
	rows = slices.DeleteFunc(rows, func(r Row) bool { return !slices.Contains(from, r.State) })
	return numbersOf(rows), err
}

func numbersOf(rows []Row) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		out[i] = r.N
	}
	return out
}

// whichRows names a few rows: ": row 3", ": rows 3, 5"; nothing for many.
func whichRows(numbers []int) string {
	const named = 5
	if len(numbers) == 0 || len(numbers) > named {
		return ""
	}
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return ": " + plural.Pick(len(texts), "row ", "rows ") + strings.Join(texts, ", ")
}
