package books

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const vatPath = "/books/vat"

// VAT serves GET /books/vat?month=2026-11&months=2.
func (h *Books) VAT(c echo.Context) error { return h.vat(c, nil, nil) }

func (h *Books) vat(c echo.Context, form url.Values, refused error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	today := calendar.DateOf(h.Desk.Now())
	m, wrong := kit.MonthAsked(c, journal.MonthOf(today), "These are the figures of ")
	months := 1
	if n, err := strconv.Atoi(c.QueryParam("months")); err == nil && n >= 1 && n <= 12 {
		months = n
	}
	sheet, err := h.Journal.VAT(ctx, who, m, months)
	if err != nil {
		return err
	}
	bases, err := h.Journal.Bases(ctx, who)
	if err != nil {
		return err
	}
	byInput, summary, _ := kit.Problems(refused)
	v := pages.BookVATView{Problems: components.ErrorSummary{Items: summary}, May: who.Can(actor.Books),
		Words: words.Capital(sheet.Basis.Word()) + ", " + sheet.From.Format("2 Jan 2006") + " to " +
			sheet.To.Format("2 Jan 2006") + ".",
		Month: components.Field{Label: "Last month", Name: "month", Type: "month", Value: m.String(), Error: wrong,
			Required: true},
		Months: components.Select{Label: "Period", Name: "months", Required: true, Width: "m"}, Fields: boxesOf(sheet)}
	if sheet.Mixed {
		v.Mixed = "Some of these entries are of invoices that were issued on the other basis, and stay on it."
	}
	for _, n := range []int{1, 2, 4, 6, 12} {
		v.Months.Options = append(v.Months.Options, components.Option{Value: strconv.Itoa(n), Text: plural.Of(n, "month"),
			Selected: n == months})
	}
	for _, b := range bases {
		v.Bases = append(v.Bases, words.Capital(b.Word())+" from "+b.From.String())
	}
	from, basis := "", ""
	if form != nil {
		from, basis = form.Get("from"), form.Get("basis")
	}
	v.From = components.DateField{Label: "For invoices from", Name: "from", Value: from, Error: byInput["from"],
		Required: true}
	v.Basis = components.Select{Label: "Basis", Name: "basis", Error: byInput["basis"], Required: true, Width: "m",
		Options: []components.Option{{Value: "invoice", Text: "Invoice basis", Selected: basis == "invoice"},
			{Value: "payments", Text: "Payments basis", Selected: basis == "payments"}}}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "VAT", section,
		func(f layout.Frame) templ.Component { return pages.BookVAT(f, v) })
}

func boxesOf(s journal.Sheet) []pages.BookBox {
	rows := func(b journal.Box) string {
		return entriesPath + "?" + url.Values{"box": {string(b)}, "from": {s.From.String()}, "to": {s.To.String()}}.Encode()
	}
	box := func(n, what string, cents int64, href string) pages.BookBox {
		return pages.BookBox{Number: n, What: what, Amount: words.Sum(cents, money.ZAR), Href: href}
	}
	whole, output := "Standard-rated supplies, with VAT", "Output tax on them, as the documents have it"
	if s.Basis.Payments {
		whole = "Money received for standard-rated supplies, less what went back, with VAT"
		output = "Output tax on it"
	}
	out := []pages.BookBox{
		box("1", whole, s.Cents[journal.BoxStandard], rows(journal.BoxStandard)),
		box("2, 3", "Supplies without VAT: zero-rated or exempt, which you decide", s.Cents[journal.BoxUntaxed],
			rows(journal.BoxUntaxed)),
		box("4", output, s.Cents[journal.BoxOutput], rows(journal.BoxOutput)),
		box("12", "Output tax on bad debts recovered", s.Cents[journal.BoxRecovered], rows(journal.BoxRecovered)),
		box("13", "Total output tax", s.TotalOutput(), ""),
		box("15", "Input tax on fees that were recorded", s.Cents[journal.BoxInput], rows(journal.BoxInput)),
		box("17", "Input tax on bad debts that were written off", s.Cents[journal.BoxBad], rows(journal.BoxBad)),
		box("19", "Total input tax, without your other suppliers’ invoices", s.TotalInput(), ""),
	}
	payable := "Payable, before your other suppliers’ invoices"
	if s.Payable() < 0 {
		payable = "Refundable, before your other suppliers’ invoices"
	}
	return append(out, box("20", payable, s.Payable(), ""))
}

// ChooseBasis serves POST /books/vat/basis.
func (h *Books) ChooseBasis(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	from, _ := calendar.ParseDate(form.Get("from")) // the service says what is wrong with no day
	b := journal.Basis{From: from, Payments: form.Get("basis") == "payments"}
	err = h.Journal.ChooseBasis(c.Request().Context(), access.Actor(c), b)
	if kit.MayShow(err) {
		return h.vat(c, form, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "Invoices from "+b.From.String()+" are on "+b.Word()+".", vatPath)
}
