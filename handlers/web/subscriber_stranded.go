package web

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const strandedPath = templatesPath + "/without-account"

const templatesPath = "/templates"

func strandedFilter(l *listing) subscription.SubscriberFilter {
	return subscription.SubscriberFilter{Search: l.query.Get("q"), NoAccount: true}
}

// WithoutAccount serves GET /templates/without-account: the active subscribers of
// all templates whose account cannot be charged.
func (h *Templates) WithoutAccount(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l := listingOf(c, strandedPath)
	f := strandedFilter(l)
	page, err := h.Service.Subscribers(ctx, who, uuid.Nil, f, l.ask)
	if err != nil {
		return err
	}
	n, err := h.Service.CountSubscribers(ctx, who, f)
	if err != nil {
		return err
	}
	v := pages.SubscribersView{Href: l.path, Notices: l.notices, Filters: components.FilterBar{Action: l.path, Target: "#results", Search: f.Search, SearchLabel: "Search subscribers",
		Holder: "Name or e-mail", Plain: true, Found: countWords(n, true) + " " + plural(n, "subscriber"), Export: exportMenu(foundUpTo(n), len(subscriberHeads), l.exportHref)}}
	for _, s := range page.Items {
		v.Rows = append(v.Rows, h.subscriberRow(subscription.Template{}, s))
	}
	v.Pager = pager(l, page, "#results", countWords(n, true), func(s subscription.Subscriber) uuid.UUID { return s.ID })
	v.Empty = components.Empty{Icon: "done", Title: "Every active subscriber has an account", Text: "Subscribers whose token was deleted, replaced or blocked show here until they have an account again, or are paused or removed."}
	if f.Search != "" {
		v.Empty = components.Empty{Kind: components.NothingMatches, ClearHref: l.path, Filters: []string{"“" + f.Search + "”"}}
	}
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.SubscriberResults(v))
	}
	return h.Desk.show(c, http.StatusOK, "Subscribers without an account", templatesRoom, func(fr layout.Frame) templ.Component { return pages.Stranded(fr, v) })
}

// ExportWithoutAccount serves GET /templates/without-account/export.
func (h *Templates) ExportWithoutAccount(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l := exportOf(c, strandedPath)
	f := strandedFilter(l)
	n, err := h.Service.CountSubscribers(ctx, who, f)
	if err != nil {
		return err
	}
	return send(c, h.Exports, outgoing[subscription.Subscriber]{list: "subscribers", filters: l.query, refused: l.notices, found: foundUpTo(n), heads: subscriberHeads, cells: subscriberCells,
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[subscription.Subscriber], error) {
			return h.Service.Subscribers(ctx, who, uuid.Nil, f, ask)
		},
		id: func(s subscription.Subscriber) uuid.UUID { return s.ID }})
}
