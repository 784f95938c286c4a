package imports

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// New serves GET /imports/new.
func (h *Imports) New(c echo.Context) error { return h.form(c, http.StatusOK, url.Values{}, nil) }

func (h *Imports) form(c echo.Context, status int, form url.Values, refused error) error {
	brands, err := h.Brands(c.Request().Context(), access.Actor(c).MerchantID)
	if err != nil {
		return err
	}
	wrong, summary, _ := kit.Problems(refused)
	if f, ok := fault.From(refused); ok && len(summary) == 0 {
		summary = []components.ErrorItem{{Field: "file", Text: f.Message}}
	}
	if form.Get("cut_over") == "" {
		form = url.Values{"cut_over": {calendar.DateOf(h.Desk.Now()).String()}, "brand_id": form["brand_id"],
			"sheet": form["sheet"]}
	}
	view := pages.NewImportView{Key: kit.NewFormKey(), Problems: components.ErrorSummary{Items: summary},
		File: components.FileInput{Label: "File", Name: "file", Accept: accepted, Required: true, Error: wrong["file"],
			Hint: "A spreadsheet (.xlsx), CSV, or a file of Netcash, Stitch, a bank or your accounting software; at most " +
				"64 MB and 250 000 rows."},
		With: components.FileInput{Label: "Other files of the same clients", Name: "with", Accept: accepted, Multiple: true,
			Error: wrong["with"], Hint: "Their columns are joined to the rows by our client id, your reference, the " +
				"ID number or the e-mail address: accounts, amounts, or what is owed. You can choose several files."},
		Planned: components.FileInput{Label: "Debits that the old system still plans", Name: "planned", Accept: accepted,
			Multiple: true, Error: wrong["planned"], Hint: "A client whose account is in a list for a month is not debited " +
				"here in that month. You can choose several lists."},
		Sheet: components.Field{Label: "Sheet", Name: "sheet", Value: form.Get("sheet"), Error: wrong["sheet"],
			Hint: "For a workbook with several sheets: the name of one. Empty: the first that is not hidden."},
		CutOver: components.DateField{Label: "Cut-over day", Name: "cut_over", Value: form.Get("cut_over"), Required: true,
			Error: wrong["cut_over"], Hint: "The old system debits until the day before. Nothing is debited here earlier."}}
	if len(brands) == 1 {
		view.BrandID = brands[0].ID.String()
	} else {
		view.Brand = brandSelect(brands, form.Get("brand_id"), wrong["brand_id"])
	}
	return h.Desk.ShowIn(c, status, "New import", section, func(f layout.Frame) templ.Component {
		return pages.NewImport(f, stepper(book.Import{}, "new"), view)
	})
}

// accepted are the endings of files that a browser offers.
const accepted = ".csv,.txt,.tsv,.xlsx,.acb,.dat,.zip"

func brandSelect(brands []merchant.Brand, chosen, wrong string) components.Select {
	s := components.Select{Label: "Brand", Name: "brand_id", Required: true, Error: wrong}
	for _, b := range brands {
		s.Options = append(s.Options, components.Option{Value: b.ID.String(), Text: b.Name,
			Selected: b.ID.String() == chosen})
	}
	return s
}

// Upload serves POST /imports.
func (h *Imports) Upload(c echo.Context) error {
	kit.Patient(c, kit.UploadPatience)
	if err := c.Request().ParseMultipartForm(kit.UploadMemory); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return h.refused(c, url.Values{}, fault.At("file", "file_too_large", "%s", sheet.Large.TooLarge()))
		}
		return h.refused(c, url.Values{}, fault.At("file", "required", "Choose a file."))
	}
	defer func() { _ = c.Request().MultipartForm.RemoveAll() }()
	form := kit.Written(c.Request().PostForm)
	part, err := c.FormFile("file")
	if err != nil || part.Size == 0 {
		return h.refused(c, form, fault.At("file", "required", "Choose a file that is not empty."))
	}
	if part.Size > sheet.Large.Bytes {
		return h.refused(c, form, fault.At("file", "file_too_large", "%s", sheet.Large.TooLarge()))
	}
	in := book.Upload{Name: part.Filename, Told: sheet.Told{Sheet: kit.PlainText(form.Get("sheet"))}}
	if in.CutOver, err = dayIn(form); err != nil {
		return h.refused(c, form, err)
	}
	in.BrandID, _ = uuid.Parse(form.Get("brand_id")) // one that is none is refused with its words
	content, err := part.Open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	in.Content = content
	for _, one := range []struct {
		name string
		to   *[]book.Extra
	}{{"with", &in.With}, {"planned", &in.Planned}} {
		for _, part := range c.Request().MultipartForm.File[one.name] {
			switch {
			case part.Size == 0: // a browser sends an empty one where none was chosen
				continue
			case part.Size > kit.MostUpload:
				return h.refused(c, form, fault.At(one.name, "file_too_large", kit.TooLargeFile))
			case len(*one.to) == mostExtra:
				return h.refused(c, form, fault.At(one.name, "too_many", "Choose at most %d files.", mostExtra))
			}
			content, err := part.Open()
			if err != nil {
				return err
			}
			defer func() { _ = content.Close() }()
			*one.to = append(*one.to, book.Extra{Name: part.Filename, Content: content})
		}
	}
	return h.refused(c, form, kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (book.Import, error) { return h.Service.Upload(ctx, access.Actor(c), in) },
		func(i book.Import) string { return href(i.ID, "map") }))
}

// mostExtra is how many other files of one kind an import takes from the page.
const mostExtra = 10

func dayIn(form url.Values) (book.Day, error) {
	text := strings.TrimSpace(form.Get("cut_over"))
	if text == "" {
		return book.Day{}, nil
	}
	day, err := calendar.ParseDate(text)
	if err != nil {
		return day, fault.At("cut_over", "invalid", "Write the date as 2026-12-01.")
	}
	return day, nil
}

// refused shows the form again when what was sent could not be taken.
func (h *Imports) refused(c echo.Context, form url.Values, err error) error {
	if f, ok := fault.From(err); ok && (f.Kind == fault.Invalid || f.Kind == fault.TooLarge) {
		return h.form(c, http.StatusUnprocessableEntity, form, err)
	}
	return err
}

// Map serves GET /imports/:id/map.
func (h *Imports) Map(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	return h.mapPage(c, i, i.Mapping, i.CutOver.String(), nil)
}

func (h *Imports) mapPage(c echo.Context, i book.Import, m book.Mapping, cutOver string, refused error) error {
	survey, err := h.Service.Glimpse(c.Request().Context(), access.Actor(c), i)
	if err != nil {
		return err
	}
	wrong, _, _ := kit.Problems(refused)
	digits, err := h.Service.TypeExamples(c.Request().Context(), access.Actor(c), i)
	if err != nil {
		return err
	}
	view := pages.ImportMapView{Head: h.head(c, i, "map", refused), Digits: digitsOf(digits), Action: href(i.ID, "map"),
		ReadOnly: !i.Draft() || !access.Actor(c).Can(act),
		CutOver: components.DateField{Label: "Cut-over day", Name: "cut_over", Value: cutOver, Error: wrong["cut_over"],
			Hint: "The old system debits until the day before. Nothing is debited here earlier."}}
	var ignored []string
	for at := range i.Format.Header {
		var t book.Target
		if at < len(m.Columns) {
			t = m.Columns[at]
		}
		name := i.ColumnName(at)
		if t.Field == "" {
			ignored = append(ignored, name)
		}
		column := pages.MapColumn{Heading: name, Guessed: t.Guessed, Samples: survey.Samples(at, t.Field),
			Field: components.Select{Disabled: view.ReadOnly, Label: "Meaning of " + name, Name: "column_" + strconv.Itoa(at),
				Blank: "Leave out", Quiet: true}}
		for _, f := range book.Fields() {
			column.Field.Options = append(column.Field.Options,
				components.Option{Value: string(f), Text: f.Label(), Selected: f == t.Field})
		}
		view.Columns = append(view.Columns, column)
	}
	view.Ignored = strings.Join(ignored, ", ")
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Columns of "+i.Name, section,
		func(f layout.Frame) templ.Component { return pages.ImportMap(f, view) })
}

// PutMap serves POST /imports/:id/map.
func (h *Imports) PutMap(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	m := book.Mapping{Choices: i.Mapping.Choices}
	for at := range i.Format.Header {
		m.Columns = append(m.Columns, book.Target{Field: book.Field(form.Get("column_" + strconv.Itoa(at)))})
	}
	day, err := dayIn(form)
	if err != nil {
		return h.mapPage(c, i, m, form.Get("cut_over"), err)
	}
	if day.IsZero() {
		day = i.CutOver
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	survey, err := h.Service.Survey(ctx, who, i)
	if err != nil {
		return err
	}
	next, err := h.Service.Map(ctx, who, i.ID, survey.Written(i.Format, m), day)
	if err == nil {
		err = h.goOn(c, next)
	}
	switch {
	case kit.MayShow(err):
		return h.mapPage(c, i, m, form.Get("cut_over"), err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/imports/"+i.ID.String())
}
