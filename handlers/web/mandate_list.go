package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Mandates serves the register of mandates, each with what proves it.
type Mandates struct {
	Desk      *Desk
	Service   *mandate.Service
	Tokens    *token.Service
	Purchases *purchase.Service
	Events    Timeline
	Exports   *Exports
	// LivePanel draws the state of a request that waits for the payer's answer, or
	// got none; nil draws nothing.
	LivePanel func(ctx context.Context, who actor.Actor, s mandate.Sheet) (templ.Component, error)
}

const mandatesRoom = "mandates"

// mandateTabs are the views of the register, in the order of a mandate's life.
var mandateTabs = []struct {
	label  string
	states []mandate.State
}{
	{"Waiting for the client", []mandate.State{mandate.Submitted, mandate.Pending}},
	{"Active", []mandate.State{mandate.ActiveState}},
	{"Registered", []mandate.State{mandate.Registered}},
	{"Declined", []mandate.State{mandate.Rejected}},
	{"No answer", []mandate.State{mandate.NoResponse, mandate.FailedAtBank}},
	{"Suspended", []mandate.State{mandate.Suspended, mandate.BlockedBy}},
	{"Ended", []mandate.State{mandate.Cancelled, mandate.Superseded}},
}

// List serves GET /mandates.
func (h *Mandates) List(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l := listingOf(c, "/mandates")
	f := mandateFilter(l)
	page, err := h.Service.List(ctx, who, f, l.ask)
	if err != nil {
		return err
	}
	counts, err := h.Service.Counts(ctx, who, f)
	if err != nil {
		return err
	}
	view := h.listView(l, f, page, counts)
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.MandateResults(view))
	}
	return h.Desk.show(c, http.StatusOK, "Mandates", mandatesRoom, func(fr layout.Frame) templ.Component { return pages.Mandates(fr, view) })
}

func mandateFilter(l *listing) mandate.Filter {
	f := mandate.Filter{Search: l.query.Get("q"), Kind: mandate.Kind(l.query.Get("method"))}
	if f.Kind != "" && kindWords[f.Kind] == "" {
		l.refuse("‘" + string(f.Kind) + "’ is not a method. The filter was ignored.")
		l.query.Del("method")
		f.Kind = ""
	}
	for _, word := range strings.FieldsFunc(l.query.Get("state"), func(r rune) bool { return r == ',' }) {
		switch s := mandate.State(word); {
		case !slices.Contains(mandate.States, s):
			l.refuse("‘" + word + "’ is not a status. The filter was ignored.")
		case !slices.Contains(f.States, s):
			f.States = append(f.States, s)
		}
	}
	l.query.Set("state", joinedStates(f.States))
	if len(f.States) == 0 {
		l.query.Del("state")
	}
	switch l.query.Get("attention") {
	case "":
	case "suspended":
		f.Waiting = true
	default:
		l.refuse("‘" + l.query.Get("attention") + "’ is not on the attention list. The filter was ignored.")
		l.query.Del("attention")
	}
	if id, err := uuid.Parse(l.query.Get("client")); err == nil {
		f.ClientID = id
	} else {
		l.query.Del("client")
	}
	return f
}

func joinedStates(states []mandate.State) string {
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = string(s)
	}
	return strings.Join(words, ",")
}

func countOf(counts map[mandate.State]int64, states []mandate.State) (n int64) {
	for state, count := range counts {
		if len(states) == 0 || slices.Contains(states, state) {
			n += count
		}
	}
	return n
}

func (h *Mandates) listView(l *listing, f mandate.Filter, page paging.Page[mandate.Entry], counts map[mandate.State]int64) pages.MandatesView {
	now, all := h.Desk.Now(), countOf(counts, nil)
	cut := f.Narrow() && all > mandate.CountLimit // the parts of an unfinished count say nothing
	allWord, found := grouped(all), grouped(countOf(counts, f.States))
	if cut {
		allWord, found = grouped(mandate.CountLimit)+"+", "more than "+grouped(mandate.CountLimit)
		if len(f.States) > 0 {
			found = "many"
		}
	}
	view := pages.MandatesView{Notices: l.notices, Tabs: components.Tabs{Label: "Mandates by state", Target: "#results", Items: []components.Tab{
		{Label: "All", Count: allWord, Href: l.with("state", ""), Active: len(f.States) == 0}}}}
	known := len(f.States) == 0
	for _, t := range mandateTabs {
		tab := components.Tab{Label: t.label, Count: grouped(countOf(counts, t.states)), Href: l.with("state", joinedStates(t.states)), Active: slices.Equal(t.states, f.States)}
		if cut {
			tab.Count = ""
		}
		known = known || tab.Active
		view.Tabs.Items = append(view.Tabs.Items, tab)
	}
	view.Filters = mandateFilters(l, f, known)
	view.Filters.Export = exportMenu(mandatesFound(f, counts), len(mandateHeads), l.exportHref)
	view.Filters.Found = found + " " + plural(countOf(counts, f.States), "mandate")
	view.Method = components.Select{Label: "Method", Name: "method", Blank: "Any method", Quiet: true, Options: []components.Option{
		{Value: string(mandate.DebiCheck), Text: "DebiCheck", Selected: f.Kind == mandate.DebiCheck}, {Value: string(mandate.EFT), Text: "EFT", Selected: f.Kind == mandate.EFT}}}
	for _, e := range page.Items {
		view.Rows = append(view.Rows, mandateRow(e, now))
	}
	view.Pager = pager(l, page, "#results", found, func(e mandate.Entry) uuid.UUID { return e.ID })
	view.Empty = noMandates(l, f, view.Filters.Chips)
	return view
}

func mandateFilters(l *listing, f mandate.Filter, tabKnown bool) components.FilterBar {
	bar := components.FilterBar{Action: "/mandates", Target: "#results", Search: f.Search, SearchLabel: "Search mandates", Holder: "Client, e-mail or contract reference"}
	for _, name := range []string{"state", "client", "attention"} {
		if value := l.query.Get(name); value != "" {
			bar.Keep = append(bar.Keep, components.Pair{Name: name, Value: value})
		}
	}
	chip := func(name, label string) {
		bar.Chips = append(bar.Chips, components.Chip{Label: label, RemoveHref: l.with(name, "")})
	}
	if !tabKnown {
		words := make([]string, len(f.States))
		for i, s := range f.States {
			words[i] = strings.ToLower(s.Label())
		}
		chip("state", "State is "+strings.Join(words, ", "))
	}
	if f.Waiting {
		chip("attention", "Suspended, and no newer account")
	}
	if f.Kind != "" {
		chip("method", "Method is "+kindWords[f.Kind])
	}
	if f.ClientID != uuid.Nil {
		chip("client", "One client")
	}
	if len(bar.Chips) > 0 {
		bar.ClearHref = "/mandates"
	}
	return bar
}

func noMandates(l *listing, f mandate.Filter, chips []components.Chip) components.Empty {
	if !f.Narrow() && f.Kind == "" && len(f.States) == 0 && l.ask.From == uuid.Nil {
		return components.Empty{Icon: "shield", Title: "No mandate yet", Text: "A mandate is a client’s permission to debit a bank account. Set one up, and the client confirms it.",
			Action: components.Button{Label: "Set up mandate", Href: "/mandates/new", Kind: "plain", Changes: true}}
	}
	e := components.Empty{Kind: components.NothingMatches, ClearHref: "/mandates"}
	if f.Search != "" {
		e.Filters = append(e.Filters, "“"+f.Search+"”")
	}
	for _, t := range mandateTabs {
		if len(f.States) > 0 && slices.Equal(t.states, f.States) {
			e.Filters = append(e.Filters, t.label)
		}
	}
	for _, c := range chips {
		e.Filters = append(e.Filters, c.Label)
	}
	return e
}

func mandatePath(id uuid.UUID, more ...string) string {
	return strings.Join(append([]string{"/mandates/" + id.String()}, more...), "/")
}

func mandateRow(e mandate.Entry, now time.Time) pages.MandateRow {
	row := pages.MandateRow{
		Href: mandatePath(e.ID), Client: e.ClientName, Email: e.ClientEmail, Reference: e.ContractReference, Method: components.Pill{Kind: "draft", Word: kindWords[e.Kind]},
		Bank: bankWords(e.BankCode), Account: e.AccountMask, Amount: money.Amount(e.AmountCents), Day: dayShort(e.Mandate), Pill: mandatePill(e.Mandate, nil, now), Created: dayOf(e.CreatedAt),
	}
	if row.Client == "" {
		row.Client = e.HolderName
	}
	if row.Client == "" {
		row.Client = "Client not named yet"
	}
	if e.Kind == mandate.DebiCheck {
		row.Method.Kind = "progress"
	}
	if e.AmountCents == 0 {
		row.Amount = "" // what is owed under the agreement
	}
	if t := e.Terms; t != nil {
		row.Amount, row.Max = money.Amount(t.PriceCents), money.Amount(t.MaxAmountCents)
	}
	return row
}

// dayShort is the deduction day in a cell: "25th", "last day", "Mondays".
func dayShort(m mandate.Mandate) string {
	switch {
	case m.PeriodUnits == "weeks" && m.DeductionDay >= 1 && m.DeductionDay <= 7:
		return weekdayWords[m.DeductionDay]
	case m.PeriodUnits == "days":
		return "agreed days"
	case m.DeductionDay == purchase.LastDay:
		return "last day"
	case m.DeductionDay == 0:
		return ""
	}
	return "day " + grouped(int64(m.DeductionDay))
}
