package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const debitsPath = "/purchases/debits"

// debitTab is a view of the list of debits.
type debitTab struct {
	label    string
	name     string // in the address
	outcomes []collection.Outcome
}

var debitTabs = []debitTab{
	{"All", "", nil},
	{"Not answered", "open", []collection.Outcome{collection.OutcomeOpen}},
	{"Answered", "answered", collection.Answered},
	{"Collected", "collected", []collection.Outcome{collection.OutcomeCollected}},
	{"Failed", "failed", []collection.Outcome{collection.OutcomeFailed}},
	{"Disputed", "disputed", []collection.Outcome{collection.OutcomeDisputed}},
}

// submitForm is how an address names the moment of a cut-off.
const submitForm = "2006-01-02T15:04"

// debitsHref is the list of the debits of some days that went so.
func debitsHref(outcome string, from, to calendar.Date) string {
	q := url.Values{"debit_from": {from.String()}, "debit_to": {to.String()}}
	if outcome != "" {
		q.Set("outcome", outcome)
	}
	return address(debitsPath, q)
}

// debitsUntilHref is the list of the debits that go to the bank by a cut-off.
func debitsUntilHref(cutOff time.Time) string {
	return address(debitsPath, url.Values{"submit_by": {cutOff.In(calendar.SAST).Format(submitForm)}})
}

// debitFilter reads the filter of the list. Without any it shows this month.
func (p *Purchases) debitFilter(l *listing) purchase.DebitFilter {
	f := purchase.DebitFilter{From: l.date("debit_from"), To: l.date("debit_to")}
	i := slices.IndexFunc(debitTabs, func(t debitTab) bool { return t.name == l.query.Get("outcome") })
	if i < 0 {
		l.refuse("‘" + l.query.Get("outcome") + "’ is not an outcome of a debit. The filter was ignored.")
		l.query.Del("outcome")
		i = 0
	}
	f.Outcomes = debitTabs[i].outcomes
	if text := l.query.Get("submit_by"); text != "" {
		at, err := time.ParseInLocation(submitForm, text, calendar.SAST)
		if err != nil {
			l.refuse("‘" + text + "’ is not the time of a cut-off. The filter was ignored.")
			l.query.Del("submit_by")
		}
		f.SubmitBy = at
	}
	if f.From.IsZero() && f.To.IsZero() && f.SubmitBy.IsZero() {
		today := dateOf(p.Desk.Now())
		f.From = calendar.On(today.Year, today.Month, 1)
		f.To = today.LastDayOfMonth()
		l.query.Set("debit_from", f.From.String())
		l.query.Set("debit_to", f.To.String())
	}
	return f
}

// Debits serves GET /purchases/debits: every attempt to collect is a row.
func (p *Purchases) Debits(c echo.Context) error {
	ctx, who, now := c.Request().Context(), access.Actor(c), p.Desk.Now()
	l := listingOf(c, debitsPath)
	f := p.debitFilter(l)
	page, err := p.Service.Debits(ctx, who, f, l.ask)
	if err != nil {
		return err
	}
	view := pages.PurchasesView{Notices: l.notices, Tabs: components.Tabs{Label: "Debits by outcome", Target: "#results"},
		DueFrom: components.DateField{Label: "Debit date from", Name: "debit_from", Value: l.query.Get("debit_from")},
		DueTo:   components.DateField{Label: "Debit date to", Name: "debit_to", Value: l.query.Get("debit_to")}}
	var shown purchase.Tally
	for _, t := range debitTabs {
		of := f
		of.Outcomes = t.outcomes
		tally, err := p.Service.TallyDebits(ctx, who, of)
		if err != nil {
			return err
		}
		active := t.name == l.query.Get("outcome")
		if active {
			shown = tally
		}
		view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: t.label, Count: countWords(tally.N, true), Href: l.with("outcome", t.name), Active: active})
	}
	view.Filters = debitFilterBar(l, f, shown)
	view.Filters.Export = exportMenu(foundUpTo(shown.N), len(debitHeads), l.exportHref)
	for _, rec := range page.Items {
		view.Rows = append(view.Rows, purchaseRow(rec, p.Service.Timetable, now))
	}
	view.Pager = pager(l, page, "#results", countWords(shown.N, true), func(r purchase.Record) uuid.UUID { return r.Collection.ID })
	view.Empty = components.Empty{Icon: "bank", Title: "No debit here", Text: "No debit has such an outcome on these days."}
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.DebitResults(view))
	}
	return p.Desk.show(c, http.StatusOK, "Debits", purchases, func(fr layout.Frame) templ.Component { return pages.Debits(fr, view) })
}

func debitFilterBar(l *listing, f purchase.DebitFilter, shown purchase.Tally) components.FilterBar {
	bar := components.FilterBar{Action: debitsPath, Target: "#results", Found: countWords(shown.N, true) + " " + plural(shown.N, "debit")}
	if shown.Cents > 0 && shown.N <= purchase.CountLimit {
		bar.Found += " · " + sum(shown.Cents, money.ZAR)
	}
	for _, name := range []string{"outcome", "submit_by"} {
		if value := l.query.Get(name); value != "" {
			bar.Keep = append(bar.Keep, components.Pair{Name: name, Value: value})
		}
	}
	chip := func(name, label string) {
		bar.Chips = append(bar.Chips, components.Chip{Label: label, RemoveHref: l.with(name, "")})
	}
	if !f.From.IsZero() {
		chip("debit_from", "Debit date from "+glue(f.From.Format(dayForm)))
	}
	if !f.To.IsZero() {
		chip("debit_to", "Debit date to "+glue(f.To.Format(dayForm)))
	}
	if !f.SubmitBy.IsZero() {
		chip("submit_by", "To the bank by "+moment(f.SubmitBy).Text)
	}
	return bar
}

var debitHeads = purchaseHeads

// ExportDebits serves GET /purchases/debits/export.
func (p *Purchases) ExportDebits(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l, now := exportOf(c, debitsPath), p.Desk.Now()
	f := p.debitFilter(l)
	shown, err := p.Service.TallyDebits(ctx, who, f)
	if err != nil {
		return err
	}
	return send(c, p.Exports, outgoing[purchase.Record]{list: "debits", filters: l.query, refused: l.notices, found: foundUpTo(shown.N), heads: debitHeads,
		cells: func(rec purchase.Record) []export.Cell { return purchaseCells(rec, p.Service.Timetable, now) },
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[purchase.Record], error) {
			return p.Service.Debits(ctx, who, f, ask)
		},
		id: func(rec purchase.Record) uuid.UUID { return rec.Collection.ID }})
}
