package templates

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/replay"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// maxBulk is how many rows are added at once.
const maxBulk = 10_000

// AskBulk serves GET /templates/:id/subscribers/bulk.
func (h *Templates) AskBulk(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	return h.bulkForm(c, http.StatusOK, t, "", nil)
}

func (h *Templates) bulkForm(c echo.Context, status int, t subscription.Template, cells string, wrong error) error {
	byInput, summary, _ := kit.Problems(wrong)
	if f, ok := fault.From(wrong); ok && len(summary) == 0 {
		summary = []components.ErrorItem{{Field: "file", Text: f.Message}}
	}
	v := pages.BulkView{Back: components.Link{Text: t.Name(), Href: words.TemplateHref(t.ID, "")},
		Action: words.TemplateHref(t.ID, "/subscribers/check"), Problems: components.ErrorSummary{Items: summary},
		File: components.FileInput{Label: "File", Name: "file", Accept: ".csv,.txt,.tsv,.xlsx",
			Hint: "CSV or .xlsx, at most 20 MB and 10 000 rows.", Required: true, Error: byInput["file"]},
		Paste: components.Textarea{Label: "Cells", Name: "cells", Value: cells, Rows: 6,
			Hint: "Copy them from a spreadsheet, with the heading row.", Required: true, Error: byInput["cells"]}}
	return h.Desk.ShowIn(c, status, "Add many subscribers", templatesSection,
		func(f layout.Frame) templ.Component { return pages.BulkSubscribers(f, v) })
}

// CheckBulk serves POST /templates/:id/subscribers/check: every row with what is
// wrong with it, before anything is added.
func (h *Templates) CheckBulk(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	kit.Patient(c, kit.UploadPatience)
	rows, cells, err := readBulk(c)
	if err == nil {
		err = h.judge(c.Request().Context(), who, t, rows)
	}
	if f, ok := fault.From(err); ok && (f.Kind == fault.Invalid || f.Kind == fault.TooLarge) {
		return h.bulkForm(c, http.StatusUnprocessableEntity, t, cells, err)
	}
	if err != nil {
		return err
	}
	view := bulkCheck(t, rows)
	switch err := h.Service.MayAddMany(c.Request().Context(), who, t.ID, int(ready(rows))); {
	case fault.HasCode(err, "approval_needed"):
		bulkSecond(&view, t, rows, "", nil)
	case fault.HasCode(err, "batch_limit"):
		view.Button, view.Kept, view.Note = "", "", err.Error()
	case err != nil:
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, view.Title, templatesSection,
		func(f layout.Frame) templ.Component { return pages.BulkCheck(f, view) })
}

func bulkCheck(t subscription.Template, rows []bulkRow) pages.BulkCheckView {
	v := pages.BulkCheckView{Title: "Check the rows",
		Back:   components.Link{Text: "Another file", Href: words.TemplateHref(t.ID, "/subscribers/bulk")},
		Action: words.TemplateHref(t.ID, "/subscribers/bulk"), Key: kit.NewFormKey()}
	for _, r := range rows {
		v.Rows = append(v.Rows, r.view())
	}
	good := ready(rows)
	bad := int64(len(rows)) - good
	v.Sum = words.Grouped(int64(len(rows))) + " rows: " + words.Grouped(good) + " ready · " + words.Grouped(bad) +
		" with a problem"
	if good > 0 {
		v.Button, v.Kept = "Add "+plural.Of(good, "subscriber"), carried(rows)
	}
	v.Note = "Rows with a problem are left out. Each client without a token gets a mail with the link."
	if good > bulk.AtOnce {
		v.Note += " They are added in the background, and you can close the page."
	}
	return v
}

// readBulk reads the file or the pasted cells.
func readBulk(c echo.Context) (rows []bulkRow, cells string, err error) {
	if !strings.HasPrefix(c.Request().Header.Get("Content-Type"), "multipart/") {
		form, err := kit.FormOf(c)
		if err != nil {
			return nil, "", err
		}
		if cells = form.Get("cells"); strings.TrimSpace(cells) == "" {
			return nil, cells, fault.At("cells", "required", "Paste the cells, with the heading row.")
		}
		rows, err = rowsOf(strings.NewReader(cells), sheet.Told{Kind: sheet.Paste}, "cells")
		return rows, cells, err
	}
	if err := c.Request().ParseMultipartForm(kit.UploadMemory); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, "", fault.At("file", "file_too_large", kit.TooLargeFile)
		}
		return nil, "", fault.At("file", "required", "Choose a file.")
	}
	defer func() { _ = c.Request().MultipartForm.RemoveAll() }()
	part, err := c.FormFile("file")
	if err != nil || part.Size == 0 {
		return nil, "", fault.At("file", "required", "Choose a file that is not empty.")
	}
	if part.Size > kit.MostUpload {
		return nil, "", fault.At("file", "file_too_large", kit.TooLargeFile)
	}
	content, err := part.Open()
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = content.Close() }()
	rows, err = rowsOf(content, sheet.Told{}, "file")
	return rows, "", err
}

func rowsOf(content io.ReadSeeker, told sheet.Told, name string) ([]bulkRow, error) {
	file, err := sheet.Open(content, told)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	columns := bulkColumns(file.Format.Header)
	if columns.client < 0 {
		return nil, fault.At(name, "no_client_column",
			"No column says which client. Name one “email” or “client id” in the heading.")
	}
	var rows []bulkRow
	err = file.Each(func(r sheet.Row) error {
		if len(rows) == maxBulk {
			return fault.At(name, "too_many_rows", "There are more than 10 000 rows. Split them into several files.")
		}
		rows = append(rows, columns.read(r, file.Format.Dates))
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = fault.At(name, "empty", "There are no rows below the heading.")
	}
	return rows, err
}

// Bulk serves POST /templates/:id/subscribers/bulk: adds what was ready. Each row
// counts once however often the form is sent, so that what was interrupted can be
// sent again.
func (h *Templates) Bulk(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	rows, err := uncarried(form)
	if err != nil {
		return h.bulkForm(c, http.StatusUnprocessableEntity, t, "", err)
	}
	switch err := h.Service.MayAddMany(c.Request().Context(), access.Actor(c), t.ID, int(ready(rows))); {
	case fault.HasCode(err, "approval_needed"):
		return h.askToAdd(c, t, form.Get(kit.FormKeyName), form.Get("reason"), rows)
	case fault.HasCode(err, "batch_limit"):
		return h.refusedMany(c, t, err)
	case err != nil:
		return err
	}
	if ready(rows) > bulk.AtOnce {
		return h.addInBackground(c, t, form.Get(kit.FormKeyName), rows)
	}
	kit.Patient(c, kit.UploadPatience)
	v := pages.BulkResultView{Back: components.Link{Text: t.Name(), Href: words.TemplateHref(t.ID, "")}}
	n := map[addResult]int64{}
	for _, r := range rows {
		result, err := h.addIfReady(c.Request().Context(), access.Actor(c), t.ID, form.Get(kit.FormKeyName), &r)
		if err != nil {
			return err
		}
		if n[result]++; result == added {
			continue
		}
		if result == failed {
			r.state = "Failed"
		}
		v.Rows = append(v.Rows, r.view())
	}
	v.Sum = addedWords(int64(len(rows)), n[added], n[leftOut], n[failed])
	return h.Desk.ShowIn(c, http.StatusOK, "Subscribers added", templatesSection,
		func(f layout.Frame) templ.Component { return pages.BulkResult(f, v) })
}

// addedWords accounts for every row.
func addedWords(rows, added, skipped, failed int64) string {
	return plural.Of(rows, "row") + " read = " + words.Grouped(added) + " added + " +
		words.Grouped(skipped) + " skipped + " + words.Grouped(failed) + " failed"
}

// ready counts the rows that can be added.
func ready(rows []bulkRow) (n int64) {
	for _, r := range rows {
		if r.problem == "" {
			n++
		}
	}
	return n
}

// addResult is what became of a row.
type addResult string

const (
	added   addResult = "added"
	leftOut addResult = "left out"
	failed  addResult = "failed"
)

// addIfReady adds a row with which nothing is wrong, and writes into it why it could not be added.
func (h *Templates) addIfReady(ctx context.Context, who actor.Actor, templateID uuid.UUID, formKey string,
	r *bulkRow) (result addResult, err error) {
	if r.problem != "" {
		return leftOut, nil
	}
	if r.problem, err = h.addRow(ctx, who, templateID, formKey, *r); r.problem != "" {
		return failed, err
	}
	return added, err
}

// addRow adds one row, once for each form, and tells why it could not.
func (h *Templates) addRow(ctx context.Context, who actor.Actor, templateID uuid.UUID, formKey string,
	r bulkRow) (problem string, err error) {
	in := subscription.SubscriberInput{ClientID: r.clientID, Agreed: r.agreed, FirstOn: r.firstOn, Reference: r.reference,
		Switches: subscription.Switches{InvoiceOnAdd: true, InvoiceOnChargeFailure: true, Receipt: true}}
	fingerprint := sha256.Sum256([]byte(fmt.Sprint(templateID, r.clientID, r.firstOn, r.reference)))
	key := replay.Key{MerchantID: who.MerchantID, IsTest: h.Desk.Sandbox,
		Key: "form:" + strconv.Itoa(r.number) + ":" + formKey, Fingerprint: fingerprint[:]}
	to := ""
	err = kit.OnceKeyed(ctx, h.Desk.Replays, key, func(ctx context.Context) (subscription.Added, error) {
		return h.Service.Add(ctx, who, templateID, in)
	}, func(a subscription.Added) string { return subscriberHref(a.Subscriber, "") }, &to)
	if f, ok := fault.From(err); ok && (f.Kind == fault.Invalid || f.Kind == fault.Conflict || f.Kind == fault.NotFound) {
		return f.Message, nil
	}
	return "", err
}

// carried are the rows in one hidden field: what the check found is what is added.
func carried(rows []bulkRow) string {
	var b strings.Builder
	for _, r := range rows {
		id := ""
		if r.problem == "" {
			id = r.clientID.String()
		}
		fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\t%s\n", r.number, id, r.firstOn, flatText(r.reference), flatText(r.who),
			flatText(r.problem))
	}
	return b.String()
}

func flatText(text string) string { return strings.Join(strings.Fields(text), " ") }

func uncarried(form url.Values) ([]bulkRow, error) {
	if _, err := uuid.Parse(form.Get(kit.FormKeyName)); err != nil {
		return nil, fault.At("file", "invalid", "The form cannot be read. Upload the file again.")
	}
	var rows []bulkRow
	for line := range strings.SplitSeq(strings.ReplaceAll(form.Get("rows"), "\r", ""), "\n") {
		if line == "" {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 6 || len(rows) == maxBulk {
			return nil, fault.At("file", "invalid", "The rows cannot be read. Upload the file again.")
		}
		r := bulkRow{reference: cells[3], who: cells[4], problem: cells[5]}
		var err error
		if r.number, err = strconv.Atoi(cells[0]); err != nil {
			return nil, fault.At("file", "invalid", "The rows cannot be read. Upload the file again.")
		}
		if r.clientID, err = uuid.Parse(cells[1]); err != nil && r.problem == "" {
			r.problem = "No client is named."
		}
		if cells[2] != "" {
			if r.firstOn, err = calendar.ParseDate(cells[2]); err != nil && r.problem == "" {
				r.problem = "The date cannot be read."
			}
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fault.At("file", "empty", "There is nothing to add.")
	}
	return rows, nil
}
