// Package templates serves the pages of templates and their subscribers.
package templates

import (
	"context"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/selection"
	"debitdesk/models/subscription"
	"debitdesk/models/task"
	"debitdesk/views/components"
)

// Templates serves the pages of billing templates and of those who subscribe to them.
type Templates struct {
	Desk      *kit.Desk
	Service   *subscription.Service
	Purchases *purchases.Purchases // brands, clients and the rules of days
	Exports   *kit.Exports
	// Match finds clients by their ids and e-mail addresses, all in one question.
	Match func(ctx context.Context, merchantID uuid.UUID, by client.Keys) ([]client.Client, error)

	Selections *selection.Service
	Acts       bulk.Acts // on many templates and subscribers
	Followups  *followup.Service
	People     bulk.People // of the team
	Tasks      *task.Service
	Approvals  *approval.Service
}

const templatesSection = "templates"

// The kinds of a template.
const (
	kindSubscription = "subscription"
	kindInvoice      = "invoice"
)

func (h *Templates) list() kit.Shown {
	return &kit.List[subscription.Template, subscription.Filter]{
		Desk: h.Desk, Path: words.TemplatesPath, Active: templatesSection, One: "template",
		Head: components.PageHead{Title: "Templates", Primary: components.Button{Label: "New template", Icon: "plus",
			Href: "/templates/new", Changes: true}},
		Query: h.Service.List, ID: func(t subscription.Template) uuid.UUID { return t.ID },
		By: "kind", Views: []kit.View{{Label: "Subscriptions", Key: "kind", Value: kindSubscription},
			{Label: "Invoice templates", Key: "kind", Value: kindInvoice}},
		Search: kit.Search[subscription.Filter]{Label: "Search templates", Holder: "Title",
			Set: func(f *subscription.Filter, text string) { f.Search = text }},
		Filters: []kit.Filter[subscription.Filter]{{Key: "kind", View: true, Chip: kit.SameChip(""),
			Read: func(l *kit.Listing, f *subscription.Filter) {
				switch is := l.Query.Get("kind") == kindSubscription; l.Query.Get("kind") {
				case "":
				case kindSubscription, kindInvoice:
					f.IsSubscription = &is
				default:
					l.Unknown("kind", "a kind of template")
				}
			}}},
		Columns: []kit.Column[subscription.Template]{
			kit.ColumnOf("Template", func(t subscription.Template) components.Cell {
				cell := components.Cell{Text: t.Name(), Href: words.TemplateHref(t.ID, ""), Second: "Invoice template"}
				if t.IsSubscription {
					cell.Second = "Billed " + words.EveryWords(t.Plan, calendar.Date{})
				}
				return cell
			}),
			kit.TextColumn("Amount, R", 0, func(t subscription.Template) string {
				return words.Minus(words.AmountIn(t.TotalCents, t.Currency))
			}).Number(),
			kit.PillColumn("State", 0, templatePill),
			subscribersIn("Active", subscription.Active),
			subscribersIn("Pending", subscription.Pending),
			subscribersIn("Paused", subscription.Paused),
			kit.DateColumn("Next billing", 0, func(t subscription.Template) (day calendar.Date) {
				if t.IsSubscription && !t.Paused {
					day = t.NextOn
				}
				return day
			}),
		},
		Choose: h.chooseTemplates(),
		Empty: components.Empty{
			Icon:  "repeat",
			Title: "No template yet",
			Text: "A subscription template bills its subscribers regularly, each on their own days. " +
				"An invoice template sends the same invoice whenever you need it.",
		},
	}
}

// subscribersIn counts the subscribers of a template who are in a state.
func subscribersIn(label string, status subscription.Status) kit.Column[subscription.Template] {
	return kit.TextColumn(label, 0, func(t subscription.Template) string {
		if !t.IsSubscription {
			return ""
		}
		return words.Grouped(t.Counts[status])
	}).Number()
}

// Chosen is the list for what is chosen in it.
func (h *Templates) Chosen() kit.Exportable { return h.list() }

// List serves GET /templates.
func (h *Templates) List(c echo.Context) error { return h.list().Show(c) }

func templatePill(t subscription.Template) components.Pill {
	switch {
	case !t.IsSubscription:
		return components.Pill{Kind: "done", Word: "Ready", Title: "Send it to a client whenever you need it."}
	case t.Paused:
		return components.Pill{Kind: "wait", Word: "Paused for all subscribers",
			Title: "No subscriber is billed until you resume the template."}
	case t.HasActive:
		return components.Pill{Kind: "done", Word: "Running", Title: "Subscribers are billed on their own days."}
	}
	return components.Pill{Kind: "draft", Word: "No active subscriber",
		Title: "Billing begins when a subscriber has stored an account or paid."}
}

func (h *Templates) find(c echo.Context) (subscription.Template, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return subscription.Template{}, err
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
