package batches

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// New serves GET /batches/new. The address may say which clients, as the address of their list does.
func (h *Batches) New(c echo.Context) error {
	return h.form(c, http.StatusOK, url.Values{clientsKey: {c.QueryParam(clientsKey)}}, nil)
}

// clientsKey holds what the address of the list of clients says about which it shows.
const clientsKey = "clients"

// chosen says which clients the form is about, where that is given; nil: they are searched in the form.
func (h *Batches) chosen(c echo.Context, form url.Values) (*pages.ChosenClients, error) {
	query, err := url.ParseQuery(form.Get(clientsKey))
	if query = kit.Which(query); err != nil || len(query) == 0 {
		return nil, nil //nolint:nilerr // nothing that could be read says which
	}
	count, by, err := h.Clients().Told(c.Request().Context(), access.Actor(c), query)
	if err != nil {
		return nil, err
	}
	return &pages.ChosenClients{Query: query.Encode(), Count: count, By: strings.Join(by, " · "),
		Href: h.Clients().Href(query)}, nil
}

func (h *Batches) form(c echo.Context, status int, form url.Values, refused error) error {
	who := access.Actor(c)
	brands, err := h.Brands(c.Request().Context(), who.MerchantID)
	if err != nil {
		return err
	}
	byInput, summary, _ := kit.Problems(refused)
	if f, ok := fault.From(refused); ok && len(summary) == 0 {
		summary = []components.ErrorItem{{Field: "file", Text: f.Message}}
		if form.Get(clientsKey) != "" { // there is no file in this form
			summary[0].Field = ""
		}
	}
	view := newBatchView(form, byInput, brands)
	switch view.Chosen, err = h.chosen(c, form); {
	case kit.MayShow(err): // such as a selection that is over
		summary = []components.ErrorItem{{Text: err.Error()}}
	case err != nil:
		return err
	}
	view.Problems = components.ErrorSummary{Items: summary}
	return h.Desk.ShowIn(c, status, "New batch", batchesSection, func(f layout.Frame) templ.Component {
		return pages.NewBatch(f, stepper(batch.Batch{}, "new"), view)
	})
}

func newBatchView(form url.Values, wrong map[string]string, brands []merchant.Brand) pages.NewBatchView {
	v := pages.NewBatchView{Key: kit.NewFormKey(),
		File: components.FileInput{Label: "File", Name: "file", Accept: ".csv,.txt,.tsv,.xlsx",
			Hint: "CSV or .xlsx, at most 20 MB and 50 000 rows.", Required: true, Error: wrong["file"]},
		Sheet: components.Field{Label: "Sheet", Name: "sheet", Value: form.Get("sheet"), Error: wrong["sheet"],
			Hint: "For a workbook with several sheets: the name of one. Empty: the first that is not hidden."},
		Paste: components.Textarea{Label: "Cells", Name: "cells", Value: form.Get("cells"), Rows: 6,
			Hint: "Copy them from a spreadsheet, with the heading row.", Required: true, Error: wrong["cells"]},
		Which: components.Field{Label: "Search", Name: "q", Value: form.Get("q"),
			Hint: "Name, e-mail, phone or identity number. Empty: all clients.", Error: wrong["q"]},
		Account: components.Select{Label: "Clients", Name: "account", Quiet: true,
			Options: []components.Option{{Value: "", Text: "All"},
				{Value: "with", Text: "With an account", Selected: form.Get("account") == "with"},
				{Value: "without", Text: "Without an account", Selected: form.Get("account") == "without"}}},
		Amount: components.MoneyField{Label: "Amount for each client", Name: "amount", Value: form.Get("amount"),
			Currency: "R", Required: true, Error: wrong["amount"]},
		Due: components.DateField{Label: "Due", Name: "due", Value: form.Get("due"), Required: true,
			Error: wrong["due"]},
		Description: components.Field{Label: "Description", Name: "description", Value: form.Get("description"),
			Required: true, Error: wrong["description"]},
		Charge: components.Checkbox{Label: "Charge the client’s token on the due date", Name: "charge",
			Checked: form.Get("charge") != ""},
	}
	if len(brands) == 1 {
		v.BrandID = brands[0].ID.String()
		return v
	}
	v.Brand = components.Select{Label: "Brand", Name: "brand_id", Required: true, Error: wrong["brand_id"]}
	for _, b := range brands {
		v.Brand.Options = append(v.Brand.Options, components.Option{Value: b.ID.String(), Text: b.Name,
			Selected: b.ID.String() == form.Get("brand_id")})
	}
	return v
}

// Upload serves POST /batches.
func (h *Batches) Upload(c echo.Context) error {
	kit.Patient(c, kit.UploadPatience)
	if err := c.Request().ParseMultipartForm(kit.UploadMemory); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return h.refused(c, nil, fault.At("file", "file_too_large", kit.TooLargeFile))
		}
		return h.refused(c, nil, fault.At("file", "required", "Choose a file."))
	}
	defer func() { _ = c.Request().MultipartForm.RemoveAll() }()
	form := kit.Written(c.Request().PostForm)
	part, err := c.FormFile("file")
	if err != nil || part.Size == 0 {
		return h.refused(c, form, fault.At("file", "required", "Choose a file that is not empty."))
	}
	if part.Size > kit.MostUpload {
		return h.refused(c, form, fault.At("file", "file_too_large", kit.TooLargeFile))
	}
	content, err := part.Open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	return h.take(c, form, batch.Upload{Name: part.Filename, Source: batch.FromFile, Content: content,
		Told: sheet.Told{Sheet: kit.PlainText(form.Get("sheet"))}})
}

// Paste serves POST /batches/paste.
func (h *Batches) Paste(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if strings.TrimSpace(form.Get("cells")) == "" {
		return h.refused(c, form, fault.At("cells", "required", "Paste the cells, with the heading row."))
	}
	return h.take(c, form, batch.Upload{Name: "Pasted cells", Source: batch.FromPaste,
		Content: strings.NewReader(form.Get("cells")), Told: sheet.Told{Kind: sheet.Paste}})
}

func (h *Batches) take(c echo.Context, form url.Values, in batch.Upload) error {
	in.BrandID, _ = uuid.Parse(form.Get("brand_id")) // one that is none is refused with its words
	return h.refused(c, form, kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (batch.Batch, error) {
			return h.Service.Upload(ctx, access.Actor(c), in)
		}, func(b batch.Batch) string { return words.BatchHref(b.ID, "map") }))
}

// Choose serves POST /batches/clients.
func (h *Batches) Choose(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := batch.Chosen{Amount: form.Get("amount"), Due: form.Get("due"), Description: form.Get("description"),
		Charge: form.Get("charge") != ""}
	in.BrandID, _ = uuid.Parse(form.Get("brand_id"))
	query, err := url.ParseQuery(form.Get(clientsKey))
	if err != nil {
		return h.refused(c, form, fault.At(clientsKey, "invalid_choice", "It is not known which clients are meant."))
	}
	if len(query) == 0 {
		query = kit.Which(url.Values{"q": form["q"], "account": form["account"]})
	}
	in.Clients = func(ctx context.Context, see func(client.Client) error) error {
		return h.Clients().Each(ctx, access.Actor(c), query, see)
	}
	var wrong fault.Problems
	for name, text := range map[string]string{"amount": in.Amount, "due": in.Due, "description": in.Description} {
		if strings.TrimSpace(text) == "" {
			wrong.Add(name, "required", "This field is required.")
		}
	}
	if err := wrong.Err(); err != nil {
		return h.refused(c, form, err)
	}
	return h.refused(c, form, kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (batch.Batch, error) {
			return h.Service.FromClients(ctx, access.Actor(c), in)
		}, func(b batch.Batch) string { return words.BatchHref(b.ID, "map") }))
}

// refused shows the form again when what was sent could not be taken.
func (h *Batches) refused(c echo.Context, form url.Values, err error) error {
	if f, ok := fault.From(err); ok && (f.Kind == fault.Invalid || f.Kind == fault.TooLarge || f.Code == kit.NotTheList) {
		return h.form(c, http.StatusUnprocessableEntity, form, err)
	}
	return err
}

// Template serves GET /batches/template.csv: a heading that is understood, with one row.
func (h *Batches) Template(c echo.Context) error {
	heads := []string{"email", "full name", "id number", "amount", "due date", "description", "reference"}
	t := export.Table{Name: "Template", Made: h.Desk.Now()}
	for _, one := range heads {
		t.Heads = append(t.Heads, export.Head{Text: one})
	}
	to := &kit.Download{C: c, Control: http.NewResponseController(c.Response()), ContentType: export.CSV.ContentType(),
		Name: "batch-template.csv"}
	w, err := export.Open(export.CSV, to, t)
	if err != nil {
		return err
	}
	defer w.Release()
	due := calendar.DateOf(h.Desk.Now()).AddDays(14)
	if err := w.Row([]export.Cell{export.Text("thandi@example.co.za"), export.Text("Thandi Nkosi"), {},
		export.Amount(45000), export.Day(due), export.Text("Membership"), {}}); err != nil {
		return err
	}
	return w.Finish()
}
