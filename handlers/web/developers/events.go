package developers

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
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/paging"
	"debitdesk/models/webhook"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Events serves the pages about what happened.
type Events struct {
	Desk    *kit.Desk
	Service *webhook.Service
	Exports *kit.Exports
}

const eventsPath = "/developers/events"

func (h *Events) list() kit.Shown {
	types := kit.StatesFilter("type", "an event", slices.Concat(webhook.Names, []string{webhook.WebhookTest}), nil,
		func(f *webhook.EventFilter) *[]string { return &f.Types })
	types.View, types.Chip, types.Input = false,
		func(_ *kit.Listing, text string) string { return strings.Join(kit.Split[string](text), ", ") },
		func(text string) templ.Component { return components.Choose(typeFilter(kit.Split[string](text))) }
	object := kit.IdFilter("object_id", "", func(f *webhook.EventFilter) *uuid.UUID { return &f.ObjectID })
	object.Chip = IdChip("Object ")
	event := kit.IdFilter("event_id", "", func(f *webhook.EventFilter) *uuid.UUID { return &f.EventID })
	event.Chip, event.Input = IdChip("Event "), func(text string) templ.Component {
		return components.Input(components.Field{Label: "Event id", Name: "event_id", Value: text, Quiet: true})
	}
	now := h.Desk.Now()
	return &kit.List[webhook.Event, webhook.EventFilter]{
		Desk: h.Desk, Exports: h.Exports, Path: eventsPath, Active: words.Developers, One: "event",
		Head: components.PageHead{Title: "Events",
			Sub: "What happened to purchases, payments and subscribers, whether or not a webhook was told."},
		Nav:   components.DeveloperNav(components.DevEvents, h.Desk.Sandbox),
		Query: h.Service.Events, ID: func(e webhook.Event) uuid.UUID { return e.ID },
		Search: kit.Search[webhook.EventFilter]{Label: "Find by object id", Holder: "Id of a purchase or payment",
			Key: "object_id"},
		Filters: []kit.Filter[webhook.EventFilter]{types, object, event,
			kit.PastFilter("when", "Happened", func(f *webhook.EventFilter) *time.Time { return &f.From },
				func(f *webhook.EventFilter) *time.Time { return &f.To }),
			kit.FromDay("from", "From", func(f *webhook.EventFilter) *time.Time { return &f.From }),
			kit.ToDay("to", "To", func(f *webhook.EventFilter) *time.Time { return &f.To }),
		},
		Columns: []kit.Column[webhook.Event]{
			kit.FileColumns[webhook.Event]().InFile("Happened (SAST)", 20,
				func(e webhook.Event) export.Cell { return export.Moment(e.CreatedAt) }),
			kit.ColumnOf("Event", func(e webhook.Event) components.Cell {
				return components.Cell{Text: e.Type, Href: eventPath(e.ID), Look: "wrap-anywhere",
					Second: eventSays(e.Type)}
			}).FileText("Event", 36, func(e webhook.Event) string { return e.Type }),
			kit.ColumnOf("Object", func(e webhook.Event) components.Cell {
				chip := objectChip(e.ObjectType, e.ObjectID, e.SourceID)
				return components.Cell{Text: words.Capital(chip.What), Under: components.ID(chip)}
			}).FileText("Object", 14, func(e webhook.Event) string { return cmp.Or(objectWords[e.ObjectType], e.ObjectType) }).
				FileText("Object id", 38, func(e webhook.Event) string { return e.ObjectID.String() }),
			kit.ColumnOf("Event id", func(e webhook.Event) components.Cell {
				return components.Cell{Part: components.ID(components.IDChip{ID: e.ID.String(), What: "event"})}
			}).FileText("Event id", 38, func(e webhook.Event) string { return e.ID.String() }),
			kit.ColumnOf("Happened", func(e webhook.Event) components.Cell {
				return components.Cell{Time: words.Ago(e.CreatedAt, now)}
			}).Zoned().SortBy(paging.Created),
			kit.FileColumns[webhook.Event]().FileText("Order", 10,
				func(e webhook.Event) string { return strconv.FormatInt(e.Seq, 10) }),
		}, Sorts: kit.ByAge,
		Empty: components.Empty{Icon: "bell", Title: "No event yet",
			Text: "Everything that happens to a purchase, a payment or a subscriber appears here."},
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

// Exported is the list for exports in the background.
func (h *Events) Exported() kit.Exportable { return h.list() }

// IdChip names a record by its id.
func IdChip(what string) func(*kit.Listing, string) string {
	return func(_ *kit.Listing, text string) string {
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
		s.Options = append(s.Options, components.Option{Value: name, Text: name, Selected: len(chosen) == 1 &&
			chosen[0] == name})
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
	view := pages.EventView{Type: e.Type, Says: eventSays(e.Type), HasBody: len(body) > 0,
		Body: components.Code{Label: "Body, made readable", Text: prettyBody(body)},
		Facts: components.Facts{Items: []components.Fact{
			{Label: "Happened", Part: pages.MomentOr(words.Moment(e.CreatedAt), "")},
			{Label: "Object", Part: pages.ObjectOf(words.Capital(chip.What), chip)},
			{Label: "Event id", Value: e.ID.String(), Mono: true, Copy: e.ID.String()},
			{Label: "Its other events", Value: "Show them", Href: eventsPath + "?object_id=" + e.ObjectID.String()},
		}}}
	view.Deliveries = kit.TableOf("Deliveries", deliveryColumns(h.Desk.Now(),
		kit.ColumnOf("To", func(d webhook.Delivery) components.Cell {
			cell := components.Cell{Text: d.ShownAddress(), Look: "wrap-anywhere", Href: deliveryPath(d.ID)}
			if d.Resend {
				cell.Second, cell.Small = "resent", "tag"
			}
			return cell
		})), deliveries)
	return h.Desk.ShowIn(c, http.StatusOK, e.Type, words.Developers,
		func(f layout.Frame) templ.Component { return pages.Event(f, view) })
}
