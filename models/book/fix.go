package book

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// FixAll chooses one way for every row of a cause; an empty choice takes it back. All rows are rehearsed anew.
func (s *Service) FixAll(ctx context.Context, who actor.Actor, id uuid.UUID, cause, choice string) (Import, error) {
	if choice != "" && !isFix(cause, choice) {
		return Import{}, fault.At("choice", "invalid_choice", "Choose one of the ways that are offered.")
	}
	return s.fix(ctx, who, id, func(tx *database.Tx, i *Import) (string, error) {
		chosen := Choices{}
		for k, v := range i.Mapping.Choices {
			chosen[k] = v
		}
		if chosen[cause] = choice; choice == "" {
			delete(chosen, cause)
		}
		i.Mapping.Choices = chosen
		if err := remember(tx, *i); err != nil {
			return "", err
		}
		if choice == "" {
			return "A choice was taken back: " + TitleOf(cause) + ".", nil
		}
		return "For all rows: " + fixDone(cause, choice), nil
	})
}

// fix changes rows of a draft, and has them rehearsed anew.
func (s *Service) fix(ctx context.Context, who actor.Actor, id uuid.UUID,
	do func(*database.Tx, *Import) (string, error)) (Import, error) {
	return s.change(ctx, who, id, func(tx *database.Tx, i *Import) error {
		if !i.in(Checked, Checking) {
			return wrongState(*i)
		}
		text, err := do(tx, i)
		if err != nil {
			return err
		}
		i.touched(who)
		note(tx, who, *i, "import.fixed", text, nil, nil)
		return s.rehearse(tx, who, i)
	})
}

func (s *Service) fixRow(ctx context.Context, who actor.Actor, id uuid.UUID, n int,
	do func(*Row, Import) (string, error)) (Import, error) {
	return s.fix(ctx, who, id, func(tx *database.Tx, i *Import) (string, error) {
		rows, err := rowsAt(tx, *i, []int{n})
		if err != nil {
			return "", err
		}
		if len(rows) == 0 {
			return "", fault.Missing()
		}
		text, err := do(&rows[0], *i)
		if err != nil {
			return "", err
		}
		return text, saveRows(tx, *i, rows, true)
	})
}

// FixRow chooses a way for one row.
func (s *Service) FixRow(ctx context.Context, who actor.Actor, id uuid.UUID, n int, cause, choice string) (Import,
	error) {
	if choice != "" && !isFix(cause, choice) {
		return Import{}, fault.At("choice", "invalid_choice", "Choose one of the ways that are offered.")
	}
	return s.fixRow(ctx, who, id, n, func(r *Row, _ Import) (string, error) {
		chosen := Choices{}
		for k, v := range r.Choices {
			chosen[k] = v
		}
		if chosen[cause] = choice; choice == "" {
			delete(chosen, cause)
		}
		r.Choices = chosen
		return fmt.Sprintf("Row %d: %s", n, fixDone(cause, choice)), nil
	})
}

// Edit types another text into one cell of a row; columns count from 1.
func (s *Service) Edit(ctx context.Context, who actor.Actor, id uuid.UUID, n, column int, text string) (Import, error) {
	if len([]rune(text)) > sheet.MaxCell {
		return Import{}, fault.At("text", "max_length", "A cell has at most %d characters.", sheet.MaxCell)
	}
	return s.fixRow(ctx, who, id, n, func(r *Row, i Import) (string, error) {
		if column < 1 || column > len(i.Format.Header) {
			return "", fault.Missing()
		}
		for len(r.Cells) < len(i.Format.Header) {
			r.Cells = append(r.Cells, "")
		}
		r.keepFirst(column)
		r.Cells = append([]string{}, r.Cells...)
		r.Cells[column-1], r.Unread = text, nil
		// What a person typed is a text, whatever the workbook has there.
		r.Numbers = slices.DeleteFunc(slices.Clone(r.Numbers), func(at int) bool { return at == column-1 })
		var left []sheet.Problem
		for _, p := range sheet.WithoutUnreadable(r.Broken) {
			if p.Column != column {
				left = append(left, p)
			}
		}
		r.Broken = left
		return fmt.Sprintf("Row %d: %s was typed again.", n, i.ColumnName(column-1)), nil
	})
}

// keepFirst keeps what the file has in a cell that is typed again.
func (r *Row) keepFirst(column int) {
	if _, known := r.First[column]; known || r.Unread != nil {
		return
	}
	r.First = maps.Clone(r.First)
	if r.First == nil {
		r.First = map[int]string{}
	}
	r.First[column] = r.Cells[column-1]
}

// LeaveOut leaves rows out, or takes them back in.
func (s *Service) LeaveOut(ctx context.Context, who actor.Actor, id uuid.UUID, out bool, numbers ...int) (Import,
	error) {
	return s.fix(ctx, who, id, func(tx *database.Tx, i *Import) (string, error) {
		rows, err := rowsAt(tx, *i, numbers)
		if err != nil {
			return "", err
		}
		if len(rows) == 0 {
			return "", fault.Missing()
		}
		for n := range rows {
			rows[n].LeftOut = out
		}
		word := "left out"
		if !out {
			word = "taken back in"
		}
		return fmt.Sprintf("Row %d was %s.", rows[0].N, word), saveRows(tx, *i, rows, false)
	})
}
