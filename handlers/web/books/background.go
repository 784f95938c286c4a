package books

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

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
		parts, entries, err := h.Journal.Parts(ctx, who, ask)
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
				Text: fmt.Sprintf("The journal from %s to %s is exported in the background: %s in %s.", ask.From, ask.To,
					plural.Of(entries, "entry"), plural.Of(len(parts), "part")),
				After: map[string]any{"format": ask.Format, "currency": ask.Currency, "by_day": ask.ByDay,
					"entries": entries}}}})
	}, func(task.Task) string { return "/tasks" })
}

// Begin implements task.Worker.
func (h *Books) Begin() task.Run { return &run{journal: h.Journal} }

// run writes the files of one task into a ZIP, one part of the days at each step. Another process begins it again.
type run struct {
	journal *journal.Service
	ask     journal.Ask
	parts   []journal.Ask
	out     bytes.Buffer
	zip     *zip.Writer
}

// Close implements task.Run.
func (r *run) Close() {}

// Step implements task.Run: it writes the files of the next part.
func (r *run) Step(ctx context.Context, t *task.Task, who actor.Actor) (piece task.Piece, err error) {
	if r.zip == nil {
		if err := r.begin(ctx, t, who); err != nil {
			return piece, err
		}
		piece.Anew = true
	}
	format, err := files.Of(r.ask.Format)
	if err != nil {
		return piece, err
	}
	part := r.parts[0]
	b, err := r.journal.Part(ctx, who, part, format.Check)
	if err != nil {
		return piece, err
	}
	made := format.Parts(&b)
	for i, one := range made {
		name := format.FileName(part)
		if len(made) > 1 {
			name = files.PartName(name, i+1)
		}
		to, err := r.zip.Create(name)
		if err == nil {
			err = format.Write(to, one)
		}
		if err != nil {
			return piece, err
		}
	}
	r.parts = r.parts[1:]
	if t.Done += int64(len(b.Entries)); len(r.parts) > 0 {
		piece.More, t.Total = true, max(t.Total, t.Done)
		err = r.zip.Flush()
	} else {
		t.Total = t.Done
		err = r.zip.Close()
	}
	piece.File = bytes.Clone(r.out.Bytes())
	r.out.Reset()
	return piece, err
}

func (r *run) begin(ctx context.Context, t *task.Task, who actor.Actor) (err error) {
	if err := json.Unmarshal(t.Input, &r.ask); err != nil {
		return err
	}
	format, err := files.Of(r.ask.Format)
	if err != nil {
		return err
	}
	if r.parts, t.Total, err = r.journal.Parts(ctx, who, r.ask); err != nil {
		return err
	}
	t.Done = 0
	name := format.FileName(r.ask)
	t.FileName, t.FileType = strings.TrimSuffix(name, path.Ext(name))+".zip", "application/zip"
	r.zip = zip.NewWriter(&r.out)
	return nil
}
