package batches

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/batch"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// gridColumns are the columns that mean something.
func gridColumns(b batch.Batch) (columns []int) {
	for i, t := range b.Mapping.Columns {
		if t.Field != "" {
			columns = append(columns, i)
		}
	}
	return columns
}

func gridRow(b batch.Batch, r batch.Row, at gridPlace, now time.Time) pages.GridRow {
	out := pages.GridRow{ID: "row-" + strconv.Itoa(r.N), Keep: at.pairs(), N: strconv.Itoa(r.N),
		Action: words.BatchHref(b.ID, "cells"), SkipAction: words.BatchHref(b.ID, "skips"),
		RestoreAction: words.BatchHref(b.ID, "restores"),
		DecideAction:  words.BatchHref(b.ID, "decisions"), Revision: strconv.Itoa(r.Revision), Bad: r.State == batch.Bad,
		LeftOut: r.State == batch.Skipped, State: components.Pill{Kind: "done", Word: "Ready"}}
	if out.LeftOut {
		out.State = components.Pill{Kind: "draft", Word: "Left out"}
	}
	used := gridColumns(b)
	for _, i := range used {
		out.Cells = append(out.Cells, gridCell(b, r, i))
	}
	if slices.ContainsFunc(r.Problems, func(p batch.Problem) bool { return p.Cause == batch.CauseCells }) {
		for i := range r.Cells { // where a value was cut in two, the texts stand in the wrong columns
			if !slices.Contains(used, i) {
				out.Others = append(out.Others, gridCell(b, r, i))
			}
		}
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, strings.TrimPrefix(p.Name+": ", ": ")+p.Message)
		if p.Cause == batch.CauseUnknown || p.Cause == batch.CauseClient && p.Field == batch.Email {
			out.MayCreate = true
		}
		if p.Cause == batch.CauseUnknown || p.Cause == batch.CauseClient {
			out.PickHref = pickHref(b, r, at)
		}
	}
	out.Notes = append(rowNotes(r, now), rowWarnings(r)...)
	if r.State == batch.Ready && (r.NewClient || r.MayBeOther()) {
		out.PickHref = pickHref(b, r, at)
		out.MayCreate = !r.NewClient
	}
	if r.State == batch.Ready && r.UsualCents > 0 && !r.Confirmed {
		out.State = components.Pill{Kind: "wait", Word: "Unusual amount"}
		out.Tick = fmt.Sprintf("%d:%d", r.N, r.TotalCents)
		out.TickLabel = words.Sum(r.TotalCents, money.ZAR) + " is right; usual is " + words.Sum(r.UsualCents, money.ZAR)
		if r.UsualCents == batch.UnusualAlone {
			out.TickLabel = words.Sum(r.TotalCents, money.ZAR) +
				" is right, though it is a large amount for a new client"
		}
	}
	return out
}

func gridCell(b batch.Batch, r batch.Row, i int) pages.GridCell {
	name := b.ColumnName(i)
	if i >= len(b.Format.Header) {
		name = "extra cell " + name
	}
	cell := pages.GridCell{ID: fmt.Sprintf("cell-%d-%d", r.N, i), Column: strconv.Itoa(i), Name: words.Capital(name),
		Label: fmt.Sprintf("Row %d, %s", r.N, name)}
	if i < len(r.Cells) {
		cell.Text = r.Cells[i]
	}
	for _, p := range r.Problems {
		if p.Column == i+1 {
			cell.Error = p.Message
		}
	}
	return cell
}

// rowNotes say what a row does beside its invoice.
func rowNotes(r batch.Row, now time.Time) (notes []string) {
	if r.State != batch.Ready {
		return nil
	}
	switch {
	case r.NewClient:
		notes = append(notes, "A new client is created.")
	case r.Decision == batch.BillClient:
		notes = append(notes, "Billed to "+r.Name+", who was chosen by hand.")
	}
	if d := r.Debit; !d.Date.IsZero() {
		text := "Debited on " + words.SayDay(d.Date, now) + " by " + methodNames[d.Method]
		if d.Date != r.Due {
			text += ", because " + words.SayDay(r.Due, now) + " is closed for it"
		}
		notes = append(notes, text+".")
		for _, because := range d.Disputable {
			if because != collection.BecauseEFT {
				notes = append(notes, "The client could dispute it: "+words.Because(because)+".")
			}
		}
	}
	return notes
}

func pickHref(b batch.Batch, r batch.Row, at gridPlace) string {
	return words.BatchHref(b.ID, "client") + at.query("row", strconv.Itoa(r.N))
}

// rowWarnings say what a person should look at before the row is sent.
func rowWarnings(r batch.Row) (out []string) {
	if r.State != batch.Ready {
		return nil
	}
	for _, w := range r.Warnings {
		out = append(out, "Warning: "+warningWords(r, w))
	}
	return out
}

// warningWords are a warning about a row, as a sentence.
func warningWords(r batch.Row, w batch.Warning) string {
	switch w {
	case batch.BilledTwice:
		return fmt.Sprintf("%s is billed %s more than once in this file.", r.Name, words.Sum(r.TotalCents, "ZAR"))
	case batch.BilledLately:
		return fmt.Sprintf("%s was billed %s within the last seven days.", r.Name, words.Sum(r.TotalCents, "ZAR"))
	}
	return words.Capital(w.Alone(r.N)) + "."
}
