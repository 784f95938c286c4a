package planner

import (
	"context"
	"net/url"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
)

const turnsPath = path + "/subscriptions"

// turnsHref is the list of the subscriptions that bill on a day.
func turnsHref(day calendar.Date) string {
	return kit.Address(turnsPath, url.Values{"day": {day.String()}})
}

// turnFilter is the days that a list is about.
type turnFilter struct{ From, To calendar.Date }

// turns are the subscriptions that will bill on a day.
func (h *Planner) turns() kit.Shown {
	return &kit.List[subscription.Turn, turnFilter]{
		Desk:    h.Desk,
		Exports: h.Exports,
		Path:    turnsPath,
		Active:  section,
		One:     "subscription",
		Source:  "subscriptions that will bill",
		Head: components.PageHead{Title: "Subscriptions that will bill", Back: components.Link{Text: "Calendar", Href: path},
			Sub: "Subscriptions that are paused, have ended or come to zero are left out. Where the number says “more " +
				"than”, so many plans and prices meet that not all were counted."},
		Query: func(ctx context.Context, who actor.Actor, f turnFilter,
			ask paging.Ask) (paging.Page[subscription.Turn], error) {
			return h.Subscriptions.PlannedOn(ctx, who, f.From, ask)
		},
		ID: func(t subscription.Turn) uuid.UUID { return t.Subscriber.ID },
		Count: func(ctx context.Context, who actor.Actor, f turnFilter) (t kit.Tally, err error) {
			p, err := h.Subscriptions.Planned(ctx, who, f.From, f.To)
			if err != nil {
				return t, err
			}
			n, sum := p.Sum()
			if !p.MoreFrom.IsZero() && !f.To.Before(p.MoreFrom) {
				return kit.Tally{Found: kit.FoundUpTo(n+1, n)}, nil
			}
			return kit.Tally{Found: kit.FoundUpTo(n, n), Cents: kit.Rands(sum)}, nil
		},
		Filters: h.dayFilters("Bills on"),
		Columns: []kit.Column[subscription.Turn]{
			kit.ColumnOf("Client", func(t subscription.Turn) components.Cell {
				return components.Cell{Text: t.Subscriber.ClientName, Second: t.Subscriber.ClientEmail,
					Href: words.TemplateHref(t.Template.ID, "/subscribers/"+t.Subscriber.ID.String())}
			}).FileText("Client", 28, func(t subscription.Turn) string { return t.Subscriber.ClientName }).
				FileText("E-mail", 30, func(t subscription.Turn) string { return t.Subscriber.ClientEmail }),
			kit.ColumnOf("Subscription", func(t subscription.Turn) components.Cell {
				return components.Cell{Text: t.Template.Name()}
			}).FileText("Subscription", 28, func(t subscription.Turn) string { return t.Template.Name() }),
			kit.DateColumn("Bills on", 12, func(t subscription.Turn) calendar.Date { return t.BilledOn }),
			kit.DateColumn("Due", 12, func(t subscription.Turn) calendar.Date { return t.DueOn }),
			kit.ColumnOf("Amount, R", func(t subscription.Turn) components.Cell {
				return components.Cell{Text: words.Minus(words.AmountIn(t.Cents, t.Template.Currency))}
			}).Number().InFile("Amount", 13, func(t subscription.Turn) export.Cell { return export.Amount(t.Cents) }).
				FileText("Currency", 9, func(t subscription.Turn) string { return t.Template.Currency }),
		},
		Empty:   components.Empty{Icon: "repeat", Title: "No subscription bills on this day"},
		NoMatch: components.Empty{Title: "No subscription bills on this day"},
	}
}

// dayFilters take one day: today unless the address names another.
func (h *Planner) dayFilters(label string) []kit.Filter[turnFilter] {
	return []kit.Filter[turnFilter]{
		kit.DayFilter("day", label, func(f *turnFilter, day calendar.Date) { f.From, f.To = day, day }),
		{Key: "", Read: func(l *kit.Listing, f *turnFilter) {
			if f.From.IsZero() || f.From.Year < firstYear || f.From.Year > lastYear {
				f.From = calendar.DateOf(h.Desk.Now())
				f.To = f.From
				l.Query.Set("day", f.From.String())
			}
		}},
	}
}

// Turns serves GET /calendar/subscriptions.
func (h *Planner) Turns(c echo.Context) error { return h.turns().Show(c) }

// ExportTurns serves GET /calendar/subscriptions/export.
func (h *Planner) ExportTurns(c echo.Context) error { return h.turns().Export(c) }

// ExportedTurns is the list for exports in the background.
func (h *Planner) ExportedTurns() kit.Exportable { return h.turns() }
