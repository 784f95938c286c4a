package books

import (
	"archive/zip"
	"bytes"
	"context"
	"io"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/models/actor"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
	"debitdesk/models/task"
)

// documents answers with the invoices and credit notes of some days: as one file, as a ZIP of several, or in the
// background where they are many.
func (h *Books) documents(c echo.Context, formKey string, ask journal.Ask, format files.Format) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	wrong := format.Takes(ask)
	if err := wrong.Err(); err != nil {
		return err
	}
	d, err := h.Journal.Documents(ctx, who, ask)
	if err != nil {
		return err
	}
	if !d.AtOnce() {
		return h.inBackground(c, formKey, d.Ask, format)
	}
	var file bytes.Buffer
	sheets := format.SheetsOf(d, func(string) (io.Writer, error) { return &file, nil })
	name, kind := format.FileName(ask), format.Type
	var packed *zip.Writer
	if sheets.Several() {
		name, kind, packed = files.ZipName(name), "application/zip", zip.NewWriter(&file)
		sheets.Create = packed.Create
	}
	if err := h.Journal.ExportDocuments(ctx, who, d, format.MostDocuments(), sheets.Add, sheets.Err); err != nil {
		return err
	}
	if err := sheets.Close(d); err != nil {
		return err
	}
	if packed != nil {
		if err := packed.Close(); err != nil {
			return err
		}
	}
	return download.Send(c, name, kind, file.Bytes())
}

// documentsOfStep is how many files of invoices and credit notes one step of a task writes.
const documentsOfStep = 4

// documentsRun is the work of one process at a task that writes invoices and credit notes.
type documentsRun struct {
	journal *journal.Service
	ask     journal.Ask
	format  files.Format
	read    *journal.Documents
	sheets  *files.Sheets
}

// begin counts the documents, and has their files written into the ZIP.
func (r *documentsRun) begin(ctx context.Context, t *task.Task, who actor.Actor, to *zip.Writer) (err error) {
	if r.read, err = r.journal.Documents(ctx, who, r.ask); err != nil {
		return err
	}
	r.sheets, t.Total = r.format.SheetsOf(r.read, to.Create), r.read.Total
	return nil
}

// step writes the next files, and tells whether there are more. What the package refuses is said once all were seen.
func (r *documentsRun) step(ctx context.Context, t *task.Task, who actor.Actor) (more bool, err error) {
	for range documentsOfStep {
		b, err := r.read.Next(ctx, who, r.format.MostDocuments())
		if err != nil {
			return false, err
		}
		if len(b.Entries) == 0 {
			return false, r.sheets.Err()
		}
		if err := r.sheets.Add(&b); err != nil {
			return false, err
		}
		t.Done += int64(len(b.Entries))
	}
	return true, nil
}
