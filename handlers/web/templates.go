package web

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/batch"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Templates serves the pages of billing templates and of those who subscribe to them.
type Templates struct {
	Desk      *Desk
	Service   *subscription.Service
	Purchases *Purchases // brands, clients and the rules of days
	Exports   *Exports
	// Match finds clients by their ids and e-mail addresses, all in one question.
	Match func(ctx context.Context, merchantID uuid.UUID, by batch.Keys) ([]client.Client, error)
}

const templatesRoom = "templates"

func templateHref(id uuid.UUID, more string) string { return "/templates/" + id.String() + more }

// The views of the list.
const (
	kindSubscription = "subscription"
	kindInvoice      = "invoice"
)

// List serves GET /templates.
func (h *Templates) List(c echo.Context) error {
	l := listingOf(c, "/templates")
	f := subscription.Filter{Search: l.query.Get("q")}
	kind := l.query.Get("kind")
	switch is := kind == kindSubscription; {
	case is, kind == kindInvoice:
		f.IsSubscription = &is
	case kind != "":
		l.refuse("‘" + kind + "’ is not a kind of template. The filter was ignored.")
		l.query.Del("kind")
		kind = ""
	}
	who := access.Actor(c)
	page, err := h.Service.List(c.Request().Context(), who, f, l.ask)
	if err != nil {
		return err
	}
	view := templatesView(l, f, kind, page)
	view.MayWrite = who.Can(templateAct)
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.TemplateResults(view))
	}
	return h.Desk.show(c, http.StatusOK, "Templates", templatesRoom, func(fr layout.Frame) templ.Component { return pages.Templates(fr, view) })
}

func templatesView(l *listing, f subscription.Filter, kind string, page paging.Page[subscription.Template]) pages.TemplatesView {
	v := pages.TemplatesView{Notices: l.notices, Tabs: components.Tabs{Label: "Templates by kind", Target: "#results", Items: []components.Tab{
		{Label: "All", Href: l.with("kind", ""), Active: kind == ""},
		{Label: "Subscriptions", Href: l.with("kind", kindSubscription), Active: kind == kindSubscription},
		{Label: "Invoice templates", Href: l.with("kind", kindInvoice), Active: kind == kindInvoice}}}}
	v.Filters = components.FilterBar{Action: "/templates", Target: "#results", Search: f.Search, SearchLabel: "Search templates", Holder: "Title", Plain: true}
	if kind != "" {
		v.Filters.Keep = []components.Pair{{Name: "kind", Value: kind}}
	}
	for _, t := range page.Items {
		v.Rows = append(v.Rows, templateRow(t))
	}
	v.Pager = pager(l, page, "#results", "more", func(t subscription.Template) uuid.UUID { return t.ID })
	if f.Search != "" || l.ask.From != uuid.Nil {
		v.Empty = components.Empty{Kind: components.NothingMatches, ClearHref: l.with("q", "")}
		return v
	}
	v.Empty = components.Empty{Icon: "repeat", Title: "No template yet", Text: "A subscription template bills its subscribers regularly, each on their own days. An invoice template sends the same invoice whenever you need it.",
		Action: components.Button{Label: "New template", Href: "/templates/new", Kind: "plain", Changes: true}}
	return v
}

func templateRow(t subscription.Template) pages.TemplateRow {
	row := pages.TemplateRow{Href: templateHref(t.ID, ""), Title: t.Name(), Kind: "Invoice template", Amount: minus(amountIn(t.TotalCents, t.Currency)), For: lineWords(t.Details), Pill: templatePill(t)}
	if t.IsSubscription {
		row.Kind = "Billed " + everyWords(t.Plan, calendar.Date{})
		row.Active, row.Pending, row.Paused = grouped(t.Counts[subscription.Active]), grouped(t.Counts[subscription.Pending]), grouped(t.Counts[subscription.Paused])
		if !t.Paused {
			row.Next = dayTime(t.NextOn)
		}
	}
	return row
}

func templatePill(t subscription.Template) components.Pill {
	switch {
	case !t.IsSubscription:
		return components.Pill{Kind: "done", Word: "Ready", Title: "Send it to a client whenever you need it."}
	case t.Paused:
		return components.Pill{Kind: "wait", Word: "Paused for all subscribers", Title: "No subscriber is billed until you resume the template."}
	case t.HasActive:
		return components.Pill{Kind: "done", Word: "Running", Title: "Subscribers are billed on their own days."}
	}
	return components.Pill{Kind: "draft", Word: "No active subscriber", Title: "Billing begins when a subscriber has stored an account or paid."}
}

func (h *Templates) find(c echo.Context) (subscription.Template, error) {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil || len(c.Param("id")) != 36 {
		return subscription.Template{}, fault.Missing()
	}
	return h.Service.Get(c.Request().Context(), access.Actor(c), id)
}

// findSubscription is find for what only subscriptions have.
func (h *Templates) findSubscription(c echo.Context) (subscription.Template, error) {
	t, err := h.find(c)
	if err == nil && !t.IsSubscription {
		err = fault.New(fault.Conflict, "not_a_subscription", "“%s” is an invoice template; it has no subscribers.", t.Name())
	}
	return t, err
}

// templateAct is what a person must be allowed to do in order to change templates
// and subscribers.
const templateAct = actor.Bill
