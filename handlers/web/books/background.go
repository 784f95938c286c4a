package books

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
	"debitdesk/models/plural"
	"debitdesk/models/task"
)

// tooMany tells that the journal was refused because it is more than one file holds.
func tooMany(err error) bool {
	f, known := fault.From(err)
	return known && slices.ContainsFunc(f.Fields, func(p fault.Field) bool { return p.Code == journal.TooMany })
}

// inBackground asks for the files of a journal that is more than one file holds, and leads to the tasks.
func (h *Books) inBackground(c echo.Context, formKey string, ask journal.Ask, format files.Format) error {
	return kit.Once(c, h.Desk, formKey, func(ctx context.Context) (task.Task, error) {
		who := access.Actor(c)
		about, entries, err := h.lengthOf(ctx, who, ask)
		if err != nil {
			return task.Task{}, err
		}
		input, err := json.Marshal(ask)
		if err != nil {
			return task.Task{}, err
		}
		return h.Tasks.Ask(ctx, who, task.Wish{Kind: task.Journal, Title: "Export of the books, " + format.Label,
			Needs: actor.Books, Input: input, Total: entries, About: []audit.Entry{{Action: "books.exported",
				ObjectType: "books", ObjectID: who.MerchantID,
				Text: fmt.Sprintf("The journal from %s to %s is exported in the background: %s.", ask.From, ask.To, about),
				After: map[string]any{"format": ask.Format, "currency": ask.Currency, "by_day": ask.ByDay,
					"entries": entries}}}})
	}, func(task.Task) string { return "/tasks" })
}

// lengthOf tells how many entries a file in the background has, and in how many parts.
func (h *Books) lengthOf(ctx context.Context, who actor.Actor, ask journal.Ask) (about string, n int64, err error) {
	if ask.Documents {
		d, err := h.Journal.Documents(ctx, who, ask)
		if err != nil {
			return "", 0, err
		}
		return plural.Number(d.Total) + " invoices and credit notes", d.Total, nil
	}
	parts, n, err := h.Journal.Parts(ctx, who, ask)
	return plural.Of(n, "entry") + " in " + plural.Of(len(parts), "part"), n, err
}

// Begin implements task.Worker.
func (h *Books) Begin() task.Run { return &run{journal: h.Journal} }

// run writes the files of one task into a ZIP, one part of the days, or some invoices, at each step. Another process
// begins it again.
type run struct {
	journal *journal.Service
	ask     journal.Ask
	parts   []journal.Ask
	papers  *documentsRun // nil: it is of entries
	out     bytes.Buffer
	zip     *zip.Writer
}

// Close implements task.Run.
func (r *run) Close() {}

// Step implements task.Run: it writes the next files.
func (r *run) Step(ctx context.Context, t *task.Task, who actor.Actor) (piece task.Piece, err error) {
	if r.zip == nil {
		if err := r.begin(ctx, t, who); err != nil {
			return piece, err
		}
		piece.Anew = true
	}
	if r.papers != nil {
		piece.More, err = r.papers.step(ctx, t, who)
	} else {
		piece.More, err = r.part(ctx, t, who)
	}
	if err != nil {
		return piece, err
	}
	if piece.More {
		t.Total = max(t.Total, t.Done)
		err = r.zip.Flush()
	} else {
		t.Total = t.Done
		err = r.zip.Close()
	}
	piece.File = bytes.Clone(r.out.Bytes())
	r.out.Reset()
	return piece, err
}

// part writes the file of the next part of the days, and tells whether there are more.
func (r *run) part(ctx context.Context, t *task.Task, who actor.Actor) (more bool, err error) {
	format, err := files.Of(r.ask.Format)
	if err != nil {
		return false, err
	}
	part := r.parts[0]
	b, err := r.journal.Part(ctx, who, part, format.Check)
	if err != nil {
		return false, err
	}
	to, err := r.zip.Create(format.FileName(part))
	if err == nil {
		err = format.Write(to, &b)
	}
	r.parts = r.parts[1:]
	t.Done += int64(len(b.Entries))
	return len(r.parts) > 0, err
}

func (r *run) begin(ctx context.Context, t *task.Task, who actor.Actor) (err error) {
	if err := json.Unmarshal(t.Input, &r.ask); err != nil {
		return err
	}
	format, err := files.Of(r.ask.Format)
	if err != nil {
		return err
	}
	t.Done = 0
	t.FileName, t.FileType = files.ZipName(format.FileName(r.ask)), "application/zip"
	packed := zip.NewWriter(&r.out)
	if format.Documents() {
		r.papers = &documentsRun{journal: r.journal, ask: r.ask, format: format}
		err = r.papers.begin(ctx, t, who, packed)
	} else {
		r.parts, t.Total, err = r.journal.Parts(ctx, who, r.ask)
	}
	if err == nil {
		r.zip = packed
	}
	return err
}
