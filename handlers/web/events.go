package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
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

func (h *Events) list() *List[webhook.Event, webhook.EventFilter] {
	types := statesFilter("type", "an event", slices.Concat(webhook.Names, []string{webhook.WebhookTest}), nil,
		func(f *webhook.EventFilter) *[]string { return &f.Types })
	types.View, types.Chip, types.Input = false, func(_ *listing, text string) string { return strings.Join(split[string](text), ", ") },
		func(text string) templ.Component { return components.Choose(typeFilter(split[string](text))) }
	object := idFilter("object_id", "", func(f *webhook.EventFilter) *uuid.UUID { return &f.ObjectID })
	object.Chip = idChip("Object ")
	event := idFilter("event_id", "", func(f *webhook.EventFilter) *uuid.UUID { return &f.EventID })
	event.Chip, event.Input = idChip("Event "), func(text string) templ.Component {
		return components.Input(components.Field{Label: "Event id", Name: "event_id", Value: text, Quiet: true})
	}
	now := h.Desk.Now()
	return &List[webhook.Event, webhook.EventFilter]{
		Desk: h.Desk, Exports: h.Exports, Path: eventsPath, Active: developers, One: "event",
		Head:  components.PageHead{Title: "Events", Sub: "What happened to purchases, payments and subscribers, whether or not a webhook was told."},
		Nav:   components.DeveloperNav(components.DevEvents, h.Desk.Sandbox),
		Query: h.Service.Events, ID: func(e webhook.Event) uuid.UUID { return e.ID },
		Search: Search[webhook.EventFilter]{Label: "Find by object id", Holder: "Id of a purchase or payment", Key: "object_id"},
		Filters: []Filter[webhook.EventFilter]{types, object, event,
			fromDay("from", "From", func(f *webhook.EventFilter) *time.Time { return &f.From }),
			toDay("to", "To", func(f *webhook.EventFilter) *time.Time { return &f.To }),
		},
		Columns: []Column[webhook.Event]{
			fileColumns[webhook.Event]().file("Happened (SAST)", 20, func(e webhook.Event) export.Cell { return export.Moment(e.CreatedAt) }),
			column("Event", func(e webhook.Event) components.Cell {
				return components.Cell{Text: e.Type, Href: eventPath(e.ID), Look: "wrap-anywhere", Second: eventWords[e.Type]}
			}).fileText("Event", 36, func(e webhook.Event) string { return e.Type }),
			column("Object", func(e webhook.Event) components.Cell {
				chip := objectChip(e.ObjectType, e.ObjectID, e.SourceID)
				return components.Cell{Text: capital(chip.What), Under: components.ID(chip)}
			}).fileText("Object", 14, func(e webhook.Event) string { return cmp.Or(objectWords[e.ObjectType], e.ObjectType) }).
				fileText("Object id", 38, func(e webhook.Event) string { return e.ObjectID.String() }),
			column("Event id", func(e webhook.Event) components.Cell {
				return components.Cell{Part: components.ID(components.IDChip{ID: e.ID.String(), What: "event"})}
			}).fileText("Event id", 38, func(e webhook.Event) string { return e.ID.String() }),
			column("Happened", func(e webhook.Event) components.Cell { return components.Cell{Time: ago(e.CreatedAt, now)} }).zoned(),
			fileColumns[webhook.Event]().fileText("Order", 10, func(e webhook.Event) string { return strconv.FormatInt(e.Seq, 10) }),
		},
		Empty: components.Empty{Icon: "bell", Title: "No event yet", Text: "Everything that happens to a purchase, a payment or a subscriber appears here."},
	}
}

// List serves GET /developers/events.
func (h *Events) List(c echo.Context) error {
	if _, err := manager(c); err != nil {
		return err
	}
	return h.list().Show(c)
}

// Export serves GET /developers/events/export.
func (h *Events) Export(c echo.Context) error {
	if _, err := manager(c); err != nil {
		return err
	}
	return h.list().Export(c)
}

// idChip names a record by its id.
func idChip(what string) func(*listing, string) string {
	return func(_ *listing, text string) string {
		id, _ := uuid.Parse(text) // it was read before
		return what + shortID(id)
	}
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
	chip := objectChip(e.ObjectType, e.ObjectID, e.SourceID)
	view := pages.EventView{Type: e.Type, Says: eventWords[e.Type], HasBody: len(body) > 0, Body: components.Code{Label: "Body, made readable", Text: prettyBody(body)},
		Facts: components.Facts{Items: []components.Fact{
			{Label: "Happened", Part: pages.MomentOr(moment(e.CreatedAt), "")},
			{Label: "Object", Part: pages.ObjectOf(capital(chip.What), chip)},
			{Label: "Event id", Value: e.ID.String(), Mono: true, Copy: e.ID.String()},
			{Label: "Its other events", Value: "Show them", Href: eventsPath + "?object_id=" + e.ObjectID.String()},
		}}}
	view.Deliveries = tableOf("Deliveries", deliveryColumns(h.Desk.Now(), column("To", func(d webhook.Delivery) components.Cell {
		cell := components.Cell{Text: d.Address, Look: "wrap-anywhere", Href: deliveryPath(d.ID)}
		if d.Resend {
			cell.Second, cell.Small = "resent", "tag"
		}
		return cell
	})), deliveries)
	return h.Desk.show(c, http.StatusOK, e.Type, developers, func(f layout.Frame) templ.Component { return pages.Event(f, view) })
}
