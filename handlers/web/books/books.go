// Package books serves the journal: what the accounts come to, closing months, files and the accounts of the package.
package books

import (
	"bytes"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/task"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Books serves the pages of the journal.
type Books struct {
	Desk      *kit.Desk
	Journal   *journal.Service
	Purchases *purchase.Service
	Brands    merchant.Store
	Tasks     *task.Service
	Exports   *kit.Exports
}

const (
	section      = "books"
	accountsPath = "/books/accounts"
	closingPath  = "/books/closing"
)

// Show serves GET /books, of the month that the address names.
func (h *Books) Show(c echo.Context) error { return h.page(c, nil, nil) }

func (h *Books) page(c echo.Context, form url.Values, refused error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	today := calendar.DateOf(h.Desk.Now())
	m, wrong := kit.MonthAsked(c, journal.MonthOf(today), "These are the accounts of ")
	v := pages.BooksView{May: who.Can(actor.Books), MonthWords: m.Words(), State: "No month is closed.",
		Month: components.Field{Label: "Month", Name: "month", Type: "month", Value: m.String(), Error: wrong,
			Required: true},
		Accounts: components.Link{Text: "Accounts of the books", Href: accountsPath},
		Secondary: []components.Button{{Label: "Entries", Icon: "layers", Href: entriesPath},
			{Label: "Fees and payouts", Icon: "money", Href: feesPath}, {Label: "VAT", Icon: "receipt", Href: vatPath}}}
	sums, err := h.Journal.Sums(ctx, who, m)
	if err != nil {
		return err
	}
	mapped, err := h.Journal.Map(ctx, who)
	if err != nil {
		return err
	}
	for _, s := range sums {
		v.Tables = append(v.Tables, table(s, mapped.Accounts, m))
	}
	if err := h.closings(c, who, &v); err != nil {
		return err
	}
	h.form(&v, sums, form, refused)
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Books", section,
		func(f layout.Frame) templ.Component { return pages.Books(f, v) })
}

func table(s journal.Sums, accounts journal.Accounts, m journal.Month) pages.BookTable {
	t := pages.BookTable{Currency: s.Currency}
	for _, r := range journal.Used {
		a := accounts.Of(r, journal.EveryBrand)
		rows := url.Values{"role": {string(r)}, "to": {m.Last().String()}}
		if s.Currency != money.ZAR {
			rows.Set("currency", s.Currency)
		}
		all := entriesPath + "?" + rows.Encode()
		rows.Set("from", m.First().String())
		t.Lines = append(t.Lines, pages.BookLine{Role: r.Word(), What: r.What(), Account: a.Code + " " + a.Name,
			PostedHref: entriesPath + "?" + rows.Encode(), BalanceHref: all,
			Posted: words.Sum(s.Posted.Of(r), s.Currency), Balance: words.Sum(s.Balance.Of(r), s.Currency)})
	}
	return t
}

// closings are the months that were closed, and the one to close next.
func (h *Books) closings(c echo.Context, who actor.Actor, v *pages.BooksView) error {
	ctx := c.Request().Context()
	all, err := h.Journal.Closings(ctx, who)
	if err != nil {
		return err
	}
	newest := true
	for _, one := range all {
		line := pages.BookClosing{Month: one.Of().Words(), Entries: plural.Number(one.Entries), By: one.ClosedBy,
			At: words.Moment(one.ClosedAt)}
		switch {
		case !one.ReopenedAt.IsZero():
			line.Reopened = "Reopened by " + one.ReopenedBy + ": " + one.ReopenReason
		case newest:
			newest = false
			v.State = "Closed until the end of " + one.Of().Words() + "."
			if who.Can(actor.Manage) {
				line.ReopenHref = "/books/closings/" + one.ID.String() + "/reopening"
			}
		}
		v.Closings = append(v.Closings, line)
	}
	next, over, err := h.Journal.NextMonth(ctx, who)
	if err == nil && over && v.May {
		v.Close = components.Button{Label: "Close " + next.Words(), Href: closingPath + "?month=" + next.String()}
	}
	return err
}

func (h *Books) form(v *pages.BooksView, sums []journal.Sums, form url.Values, refused error) {
	wrong, summary, ok := kit.Problems(refused)
	if f, known := fault.From(refused); known && !ok {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	v.Problems.Items = summary
	value := func(name, otherwise string) string {
		if form != nil {
			return form.Get(name)
		}
		return otherwise
	}
	today := calendar.DateOf(h.Desk.Now())
	first := calendar.On(today.Year, today.Month-1, 1)
	v.From = components.DateField{Label: "First day", Name: "from", Value: value("from", first.String()),
		Error: wrong["from"], Required: true}
	v.To = components.DateField{Label: "Last day", Name: "to", Value: value("to", first.LastDayOfMonth().String()),
		Error: wrong["to"], Required: true}
	v.Format = components.Select{Label: "File", Name: "format", Error: wrong["format"], Required: true}
	for _, f := range files.Formats {
		v.Format.Options = append(v.Format.Options, components.Option{Value: f.Name, Text: f.Label,
			Selected: f.Name == value("format", "")})
		v.Formats = append(v.Formats, components.Fact{Label: f.Label, Value: f.For})
	}
	v.By = components.Select{Label: "Entries", Name: "by", Error: wrong["by"], Required: true,
		Options: []components.Option{{Value: "entry", Text: "One for each document and movement"},
			{Value: "day", Text: "One for each day, kind and brand", Selected: value("by", "") == "day"}}}
	v.Currency = components.Select{Label: "Currency", Name: "currency", Error: wrong["currency"], Required: true,
		Width: "m"}
	for _, s := range sums {
		v.Currency.Options = append(v.Currency.Options, components.Option{Value: s.Currency, Text: s.Currency,
			Selected: s.Currency == value("currency", "ZAR")})
	}
}

// Export serves POST /books/export: a file of the journal.
func (h *Books) Export(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ask := journal.Ask{Currency: form.Get("currency"), ByDay: form.Get("by") == "day", Format: form.Get("format")}
	var wrong fault.Problems
	for name, day := range map[string]*calendar.Date{"from": &ask.From, "to": &ask.To} {
		if *day, err = calendar.ParseDate(form.Get(name)); err != nil {
			wrong.Add(name, "invalid", "Enter a day such as 2026-10-31.")
		}
	}
	format, err := files.Of(ask.Format)
	if f, known := fault.From(err); known {
		wrong = append(wrong, f.Fields...)
	}
	if by := form.Get("by"); by != "" && by != "entry" && by != "day" {
		wrong.Add("by", "invalid_choice", "Choose one entry for each movement, or for each day.")
	}
	if err = wrong.Err(); err == nil && format.Documents() {
		err = h.documents(c, form.Get(kit.FormKeyName), ask, format)
	} else if err == nil {
		err = h.entriesOf(c, form.Get(kit.FormKeyName), ask, format)
	}
	if kit.MayShow(err) {
		return h.page(c, form, err)
	}
	return err
}

// entriesOf answers with the entries of some days as a file, or in the background where one does not hold them.
func (h *Books) entriesOf(c echo.Context, formKey string, ask journal.Ask, format files.Format) error {
	b, err := h.Journal.Export(c.Request().Context(), access.Actor(c), ask, format.Check)
	if tooMany(err) {
		return h.inBackground(c, formKey, ask, format)
	}
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := format.Write(&file, &b); err != nil {
		return err
	}
	return download.Send(c, format.FileName(ask), format.Type, file.Bytes())
}

// monthNames are the choices of the first month of a financial year.
func monthNames(chosen int) (out []components.Option) {
	for m := time.January; m <= time.December; m++ {
		out = append(out, components.Option{Value: strconv.Itoa(int(m)), Text: m.String(), Selected: int(m) == chosen})
	}
	return out
}

// brandsOf gives the brands where there are several; one alone has the accounts of all.
func (h *Books) brandsOf(c echo.Context, merchantID uuid.UUID) ([]merchant.Brand, error) {
	brands, err := h.Brands.Brands(c.Request().Context(), merchantID)
	if len(brands) < 2 {
		return nil, err
	}
	return brands, err
}
