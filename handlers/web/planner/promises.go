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
	"debitdesk/models/followup"
	"debitdesk/models/paging"
	"debitdesk/views/components"
)

const promisesPath = path + "/promises"

// promisesHref is the list of what clients promised to pay on a day.
func promisesHref(day calendar.Date) string {
	return kit.Address(promisesPath, url.Values{"day": {day.String()}})
}

// promises are what clients promised to pay on a day and have not paid.
func (h *Planner) promises() kit.Shown {
	return &kit.List[followup.Promise, turnFilter]{
		Desk:    h.Desk,
		Exports: h.Exports,
		Path:    promisesPath,
		Active:  section,
		One:     "promise",
		Source:  "promises to pay",
		Head: components.PageHead{Title: "Promises to pay", Back: components.Link{Text: "Calendar", Href: path},
			Sub: "Promises that were kept or withdrawn are left out."},
		Query: func(ctx context.Context, who actor.Actor, f turnFilter,
			ask paging.Ask) (paging.Page[followup.Promise], error) {
			all, err := h.Service.Promises(ctx, who, f.From, f.To)
			return kit.PageOf(all, promiseID, ask), err
		},
		ID: promiseID,
		Count: func(ctx context.Context, who actor.Actor, f turnFilter) (kit.Tally, error) {
			all, err := h.Service.Promises(ctx, who, f.From, f.To)
			sum := int64(0)
			for _, p := range all {
				sum += p.AmountCents
			}
			return kit.Tally{Found: kit.FoundUpTo(int64(len(all)), int64(len(all))), Cents: kit.Rands(sum)}, err
		},
		Filters: h.dayFilters("Promised for"),
		Columns: []kit.Column[followup.Promise]{
			kit.ColumnOf("Promise", func(p followup.Promise) components.Cell {
				cell := components.Cell{Text: "Purchase", Href: words.PurchasePath(p.PurchaseID), Second: p.Text}
				if p.PurchaseID == uuid.Nil {
					cell.Text, cell.Href = "Client", words.ClientHref(p.ClientID)
				}
				return cell
			}).FileText("Note", 30, func(p followup.Promise) string { return p.Text }),
			kit.DateColumn("Day", 12, func(p followup.Promise) calendar.Date { return p.DueOn }),
			kit.TextColumn("Written down by", 24, func(p followup.Promise) string { return p.Author }),
			kit.ColumnOf("Amount, R", func(p followup.Promise) components.Cell {
				return components.Cell{Text: words.Minus(words.AmountIn(p.AmountCents, p.Currency))}
			}).Number().InFile("Amount", 13, func(p followup.Promise) export.Cell { return export.Amount(p.AmountCents) }),
		},
		Empty:   components.Empty{Icon: "phone", Title: "Nothing was promised for this day"},
		NoMatch: components.Empty{Title: "Nothing was promised for this day"},
	}
}

func promiseID(p followup.Promise) uuid.UUID { return p.ID }

// Promises serves GET /calendar/promises.
func (h *Planner) Promises(c echo.Context) error { return h.promises().Show(c) }

// ExportPromises serves GET /calendar/promises/export.
func (h *Planner) ExportPromises(c echo.Context) error { return h.promises().Export(c) }

// ExportedPromises is the list for exports in the background.
func (h *Planner) ExportedPromises() kit.Exportable { return h.promises() }
