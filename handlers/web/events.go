package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/models/webhook"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Events serves the pages about what happened.
type Events struct {
	Desk    *Desk
	Service *webhook.Service
	Exports *Exports
}

const eventsPath = "/developers/events"

// List serves GET /developers/events.
func (h *Events) List(c echo.Context) error {
	who, err := manager(c)
	if err != nil {
		return err
	}
	l := listingOf(c, eventsPath)
	f := eventFilter(l)
	page, err := h.Service.Events(c.Request().Context(), who, f, l.ask)
	if err != nil {
		return err
	}
	view := h.listView(l, f, page)
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.EventResults(view))
	}
	return h.Desk.show(c, http.StatusOK, "Events", developers, func(fr layout.Frame) templ.Component { return pages.Events(fr, view) })
}

// eventFilter reads the address; what cannot be read is left out with a notice.
func eventFilter(l *listing) webhook.EventFilter {
	var f webhook.EventFilter
	for _, name := range strings.Split(l.query.Get("type"), ",") {
		switch {
		case name == "":
		case name == webhook.WebhookTest || slices.Contains(webhook.Names, name):
			f.Types = append(f.Types, name)
		default:
			l.refuse("‘" + name + "’ is not an event. The filter was ignored.")
		}
	}
	if len(f.Types) == 0 {
		l.query.Del("type")
	}
	f.ObjectID, f.EventID = l.id("object_id"), l.id("event_id")
	if day := l.date("from"); !day.IsZero() {
		f.From = day.At(0, 0)
	}
	if day := l.date("to"); !day.IsZero() {
		f.To = day.AddDays(1).At(0, 0).Add(-time.Microsecond)
	}
	return f
}

// id reads an id, or ignores it with a notice.
func (l *listing) id(name string) uuid.UUID {
	text := l.query.Get(name)
	if text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		l.refuse("‘" + text + "’ is not an id. The filter was ignored.")
		l.query.Del(name)
	}
	return id
}

func (h *Events) listView(l *listing, f webhook.EventFilter, page paging.Page[webhook.Event]) pages.EventsView {
	now := h.Desk.Now()
	view := pages.EventsView{Notices: l.notices, Filters: eventFilters(l, f), Types: typeFilter(f.Types),
		EventID: components.Field{Label: "Event id", Name: "event_id", Value: l.query.Get("event_id"), Quiet: true},
		From:    components.DateField{Label: "From", Name: "from", Value: l.query.Get("from")},
		To:      components.DateField{Label: "To", Name: "to", Value: l.query.Get("to")}}
	view.Filters.Export = exportMenu(eventsFound(l, page), len(eventHeads), l.exportHref)
	for _, e := range page.Items {
		view.Rows = append(view.Rows, eventRow(e, now))
	}
	view.Pager = pager(l, page, "#results", "the events", func(e webhook.Event) uuid.UUID { return e.ID })
	view.Empty = components.Empty{Icon: "bell", Title: "No event yet", Text: "Everything that happens to a purchase, a payment or a subscriber appears here."}
	if len(view.Filters.Chips) > 0 || l.ask.From != uuid.Nil {
		view.Empty = components.Empty{Kind: components.NothingMatches, ClearHref: eventsPath}
		for _, chip := range view.Filters.Chips {
			view.Empty.Filters = append(view.Empty.Filters, chip.Label)
		}
	}
	return view
}

// eventsFound counts only what one page shows; a longer list is not counted.
func eventsFound(l *listing, page paging.Page[webhook.Event]) rowsFound {
	if page.Older || page.Newer || l.ask.From != uuid.Nil {
		return rowsFound{}
	}
	return rowsFound{n: int64(len(page.Items)), exact: true}
}

func eventFilters(l *listing, f webhook.EventFilter) components.FilterBar {
	bar := components.FilterBar{Action: eventsPath, Target: "#results", Search: l.query.Get("object_id"), SearchName: "object_id", SearchLabel: "Find by object id", Holder: "Id of a purchase or payment"}
	chip := func(name, label string) {
		bar.Chips = append(bar.Chips, components.Chip{Label: label, RemoveHref: l.with(name, "")})
		bar.ClearHref = eventsPath
	}
	if len(f.Types) > 0 {
		chip("type", strings.Join(f.Types, ", "))
	}
	if f.ObjectID != uuid.Nil {
		chip("object_id", "Object "+shortID(f.ObjectID))
	}
	if f.EventID != uuid.Nil {
		chip("event_id", "Event "+shortID(f.EventID))
	}
	if !f.From.IsZero() {
		chip("from", "From "+glue(calendar.DateOf(f.From).Format(dayForm)))
	}
	if !f.To.IsZero() {
		chip("to", "To "+glue(calendar.DateOf(f.To).Format(dayForm)))
	}
	return bar
}

// shortID is an id as a chip shows it.
func shortID(id uuid.UUID) string {
	text := id.String()
	return text[:4] + "…" + text[len(text)-6:]
}

func typeFilter(chosen []string) components.Select {
	s := components.Select{Label: "Event", Name: "type", Blank: "All events", Quiet: true}
	if len(chosen) > 1 {
		many := strings.Join(chosen, ",")
		s.Options = append(s.Options, components.Option{Value: many, Text: strings.Join(chosen, ", "), Selected: true})
	}
	for _, name := range slices.Concat(webhook.Names, []string{webhook.WebhookTest}) {
		s.Options = append(s.Options, components.Option{Value: name, Text: name, Selected: len(chosen) == 1 && chosen[0] == name})
	}
	return s
}

func eventRow(e webhook.Event, now time.Time) pages.EventRow {
	chip := objectChip(e.ObjectType, e.ObjectID, e.SourceID)
	return pages.EventRow{Href: eventPath(e.ID), Type: e.Type, Says: eventWords[e.Type], Kind: capital(chip.What), Object: chip, At: ago(e.CreatedAt, now),
		ID: components.IDChip{ID: e.ID.String(), What: "event"}}
}

// Show serves GET /developers/events/{id}.
func (h *Events) Show(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	e, deliveries, body, err := h.Service.Event(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	now := h.Desk.Now()
	chip := objectChip(e.ObjectType, e.ObjectID, e.SourceID)
	view := pages.EventView{Type: e.Type, Says: eventWords[e.Type], HasBody: len(body) > 0, Body: components.Code{Label: "Body, made readable", Text: prettyBody(body)},
		Facts: components.Facts{Items: []components.Fact{
			{Label: "Happened", Part: pages.MomentOr(moment(e.CreatedAt), "")},
			{Label: "Object", Part: pages.ObjectOf(capital(chip.What), chip)},
			{Label: "Event id", Value: e.ID.String(), Mono: true, Copy: e.ID.String()},
			{Label: "Its other events", Value: "Show them", Href: eventsPath + "?object_id=" + e.ObjectID.String()},
		}}}
	for _, d := range deliveries {
		view.Deliveries = append(view.Deliveries, deliveryRow(d, now))
	}
	return h.Desk.show(c, http.StatusOK, e.Type, developers, func(f layout.Frame) templ.Component { return pages.Event(f, view) })
}

var eventHeads = []export.Head{{Text: "Happened (SAST)", Width: 20}, {Text: "Event", Width: 36}, {Text: "Object", Width: 14}, {Text: "Object id", Width: 38}, {Text: "Event id", Width: 38}, {Text: "Order", Width: 10}}

func eventCells(e webhook.Event) []export.Cell {
	return []export.Cell{export.Moment(e.CreatedAt), words(e.Type), words(orWords(objectWords[e.ObjectType], e.ObjectType)), words(e.ObjectID.String()), words(e.ID.String()),
		words(strconv.FormatInt(e.Seq, 10))}
}

// Export serves GET /developers/events/export.
func (h *Events) Export(c echo.Context) error {
	who, err := manager(c)
	if err != nil {
		return err
	}
	l := exportOf(c, eventsPath)
	f := eventFilter(l)
	return send(c, h.Exports, outgoing[webhook.Event]{
		list: "events", filters: l.query, refused: l.notices, heads: eventHeads, cells: eventCells,
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[webhook.Event], error) {
			return h.Service.Events(ctx, who, f, ask)
		},
		id: func(e webhook.Event) uuid.UUID { return e.ID },
	})
}
