package followups

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/followup"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

const promisesPath = "/promises"

// promises are all that clients promised to pay, and what became of it.
func (h *Followups) promises() kit.Shown {
	return &kit.List[followup.PromiseLine, followup.PromiseFilter]{
		Desk: h.Desk, Exports: h.Exports, Path: promisesPath, Active: "attention", One: "promise",
		Source: "all promises to pay", Title: "All promises to pay",
		Head: components.PageHead{Title: "Promises to pay",
			Sub: "What clients said they would pay, and what became of it. A promise is kept when its purchase is paid."},
		Query: h.Service.Promises, ID: func(p followup.PromiseLine) uuid.UUID { return p.ID },
		Count: h.countPromises,
		By:    "state", Views: []kit.View{
			kit.ViewOf("Open", "state", followup.Open),
			kit.ViewOf("Kept", "state", followup.Kept),
			kit.ViewOf("Broken", "state", followup.Broken),
			kit.ViewOf("Withdrawn", "state", followup.Withdrawn),
		},
		Search: kit.Search[followup.PromiseFilter]{Label: "Search promises", Holder: "Client or words of the note",
			Set: func(f *followup.PromiseFilter, text string) { f.Search = text }},
		Filters: []kit.Filter[followup.PromiseFilter]{
			kit.StateFilter("state", "a state of promises", followup.PromiseStates,
				func(f *followup.PromiseFilter) *followup.PromiseState { return &f.Standing }),
			kit.IdFilter("client", "One client", func(f *followup.PromiseFilter) *uuid.UUID { return &f.ClientID }),
			kit.DatePeriodFilter("due", "Promised for", dueFrom, dueTo),
			kit.FromDate("due_from", "Promised for, from", dueFrom), kit.ToDate("due_to", "Promised for, to", dueTo),
		},
		Columns: h.promiseColumns(), Sorts: kit.ByAge,
		Empty: components.Empty{Icon: "phone", Title: "No promise yet",
			Text: "Log a call that ends in a promise, or note one on the page of a client or purchase, and it is listed here."},
	}
}

func dueFrom(f *followup.PromiseFilter) *calendar.Date { return &f.Due }
func dueTo(f *followup.PromiseFilter) *calendar.Date   { return &f.DueTo }

// countPromises counts those of each tab and adds up those that are shown.
func (h *Followups) countPromises(ctx context.Context, who actor.Actor,
	f followup.PromiseFilter) (t kit.Tally, err error) {
	sums, err := h.Service.PromiseSums(ctx, who, f)
	if sums == nil {
		return t, err
	}
	of := func(state followup.PromiseState) (all followup.PromiseSum) {
		for one, sum := range sums {
			if state == "" || state == one {
				all.N, all.Cents = all.N+sum.N, all.Cents+sum.Cents
			}
		}
		return all
	}
	shown := of(f.Standing)
	t = kit.Tally{Found: kit.FoundAll(shown.N), Cents: kit.Rands(shown.Cents),
		Of: func(v kit.View) kit.RowsFound { return kit.FoundAll(of(followup.PromiseState(v.Value)).N) }}
	if shown.N > 0 {
		t.Sum = " · " + words.Sum(shown.Cents, money.ZAR)
	}
	return t, err
}

func (h *Followups) promiseColumns() []kit.Column[followup.PromiseLine] {
	return []kit.Column[followup.PromiseLine]{
		kit.ColumnOf("Client", func(p followup.PromiseLine) components.Cell {
			return components.Cell{Text: cmp.Or(p.Client, "Erased client"), Href: words.ClientHref(p.ClientID), Second: p.Text}
		}).FileText("Client", 28, func(p followup.PromiseLine) string { return p.Client }).OnCard(kit.Lead),
		kit.DateColumn("Promised for", 13, func(p followup.PromiseLine) calendar.Date { return p.DueOn }),
		kit.PillColumn("State", 11, func(p followup.PromiseLine) components.Pill { return h.promisePill(p.Promise) }),
		kit.ColumnOf("About", func(p followup.PromiseLine) components.Cell {
			if p.PurchaseID == uuid.Nil {
				return components.Cell{Text: "All that is owed"}
			}
			return components.Cell{Text: cmp.Or(p.Reference, "Purchase"), Href: words.PurchasePath(p.PurchaseID)}
		}).FileText("Reference", 20, func(p followup.PromiseLine) string { return p.Reference }),
		kit.TextColumn("Written down by", 24, func(p followup.PromiseLine) string { return p.Author }),
		kit.DayColumn("On", 12, "", func(p followup.PromiseLine) time.Time { return p.CreatedAt }).SortBy("created"),
		kit.ColumnOf("Amount, R", func(p followup.PromiseLine) components.Cell {
			return components.Cell{Text: words.Minus(words.AmountIn(p.AmountCents, p.Currency))}
		}).Number().OnCard(kit.Aside).
			InFile("Amount", 13, func(p followup.PromiseLine) export.Cell { return export.Amount(p.AmountCents) }).
			FileText("Note", 30, func(p followup.PromiseLine) string { return p.Text }),
	}
}

// promisePill is where a promise stands today.
func (h *Followups) promisePill(p followup.Promise) components.Pill {
	standing := p.Standing(calendar.DateOf(h.Desk.Now()))
	kind := map[followup.PromiseState]string{followup.Open: "wait", followup.Kept: "done", followup.Broken: "bad",
		followup.Withdrawn: "draft"}[standing]
	return components.Pill{Kind: kind, Word: words.Capital(kit.PromiseWord(standing))}
}

// Promises serves GET /promises.
func (h *Followups) Promises(c echo.Context) error { return h.promises().Show(c) }

// ExportPromises serves GET /promises/export.
func (h *Followups) ExportPromises(c echo.Context) error { return h.promises().Export(c) }

// ExportedPromises is the list for exports in the background.
func (h *Followups) ExportedPromises() kit.Exportable { return h.promises() }
