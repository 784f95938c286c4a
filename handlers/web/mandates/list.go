package mandates

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/client"
	"debitdesk/models/facet"
	"debitdesk/models/followup"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/selection"
	"debitdesk/models/token"
	"debitdesk/views/components"
)

// Mandates serves the register of mandates, each with what proves it.
type Mandates struct {
	Desk      *kit.Desk
	Service   *mandate.Service
	Tokens    *token.Service
	Purchases *purchase.Service
	Events    trail.Store
	Audit     *trail.Service
	Mails     outbox.Store
	Exports   *kit.Exports
	// LivePanel draws the state of a request that waits for the client's answer, or
	// got none; nil draws nothing.
	LivePanel func(ctx context.Context, who actor.Actor, s mandate.Sheet) (templ.Component, error)
	Notes     kit.NotesPanel

	Selections *selection.Service
	Acts       bulk.Acts // on many mandates
	Clients    *client.Service
	Followups  *followup.Service
	People     bulk.People // of the team
}

const mandatesSection = "mandates"

// ListName is the name of the register among the lists.
const ListName = "mandates"

func (h *Mandates) list() *kit.List[mandate.Entry, mandate.Filter] {
	return &kit.List[mandate.Entry, mandate.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: "/mandates", Active: mandatesSection, One: "mandate",
		Head: components.PageHead{Title: "Mandates", Sub: "Clients’ permissions to debit their accounts.",
			Primary: components.Button{Label: "Set up mandate", Icon: "plus", Href: "/mandates/new", Changes: true}},
		Query: h.Service.List, ID: func(e mandate.Entry) uuid.UUID { return e.ID },
		Count: func(ctx context.Context, who actor.Actor, f mandate.Filter) (kit.Tally, error) {
			counts, err := h.Service.Counts(ctx, who, f)
			return kit.TallyOf(counts, f.States, f.Narrow(), mandate.CountLimit), err
		},
		By: "state", Views: []kit.View{ // in the order of a mandate's life
			kit.ViewOf("Waiting for the client", "state", mandate.Submitted, mandate.Pending),
			kit.ViewOf("Active", "state", mandate.ActiveState),
			kit.ViewOf("Registered", "state", mandate.Registered),
			kit.ViewOf("Declined", "state", mandate.Rejected),
			kit.ViewOf("No answer", "state", mandate.NoResponse, mandate.FailedAtBank),
			kit.ViewOf("Suspended", "state", mandate.Suspended, mandate.BlockedBy),
			kit.ViewOf("Ended", "state", mandate.Cancelled, mandate.Superseded),
		},
		Search: kit.Search[mandate.Filter]{Label: "Search mandates", Holder: "Client, e-mail or contract reference",
			Set: func(f *mandate.Filter, text string) { f.Search = text }},
		Filters: slices.Concat([]kit.Filter[mandate.Filter]{
			kit.StatesFilter("state", "a status", mandate.States, mandate.State.Label,
				func(f *mandate.Filter) *[]mandate.State { return &f.States }),
			kit.AttentionFilter(map[mandate.Concern]string{mandate.Stopped: "Suspended, and no newer account",
				mandate.Idle: "Recurring, with nothing planned"},
				func(f *mandate.Filter) *mandate.Concern { return &f.Concern }),
			kit.ChoiceFilter("method", "a method", "Method is ",
				components.Select{Label: "Method", Blank: "Any method", Quiet: true, Options: []components.Option{
					{Value: string(mandate.DebiCheck), Text: "DebiCheck"}, {Value: string(mandate.EFT), Text: "EFT"}}},
				func(f *mandate.Filter) *mandate.Kind { return &f.Kind }),
			kit.BankFilter(mandateFacets),
			kit.HealthFilter(mandateFacets),
			kit.AnswerFilter(h.Desk.Facets, mandateFacets),
			kit.FailedAgainFilter("Failed more than once in a row", mandateFacets),
			kit.MakerFilter(h.Desk.Facets, "Asked for by", mandateFacets),
		}, kit.DebitDateFilters("Next debit", mandateFacets), []kit.Filter[mandate.Filter]{
			kit.PastFilter("created", "Created", func(f *mandate.Filter) *time.Time { return &f.CreatedFrom },
				func(f *mandate.Filter) *time.Time { return &f.CreatedTo }),
			kit.IdFilter("client", "One client", func(f *mandate.Filter) *uuid.UUID { return &f.ClientID }),
		}),
		Columns: mandateColumns(h.Desk.Now()), Sorts: kit.ByAge, Peeks: true,
		Choose: kit.Choosing[mandate.Entry]{Selections: h.Selections, Several: h.Service.Several,
			Changed: func(e mandate.Entry) time.Time { return e.UpdatedAt },
			Acts: func(who actor.Actor) []components.Button {
				return append(h.Acts.Buttons(ListName, who), kit.DeleteTokens("Delete tokens…", who))
			}},
		Empty: components.Empty{Icon: "shield", Title: "No mandate yet",
			Text: "A mandate is a client’s permission to debit a bank account. Set one up, and the client confirms it."},
	}
}

func mandateFacets(f *mandate.Filter) *facet.Filter { return &f.Facets }

// List serves GET /mandates.
func (h *Mandates) List(c echo.Context) error {
	list := h.list()
	if c.QueryParam("attention") == string(mandate.Idle) {
		list.Columns = append(list.Columns, kit.ActColumn(words.PlanDebit, holderOf, func(e mandate.Entry) string {
			return words.TokenPath(e.ID) // it shares its id with the token that is debited
		}))
	}
	return list.Show(c)
}

// Export serves GET /mandates/export.
func (h *Mandates) Export(c echo.Context) error { return h.list().Export(c) }

// Exported is the list for exports in the background.
func (h *Mandates) Exported() kit.Exportable { return h.list() }

func mandateColumns(now time.Time) []kit.Column[mandate.Entry] {
	return []kit.Column[mandate.Entry]{
		kit.ColumnOf("Client", func(e mandate.Entry) components.Cell {
			return components.Cell{Text: holderOf(e), Href: words.MandatePath(e.ID), Second: e.ClientEmail}
		}).FileText("Client", 28, holderOf).
			FileText("E-mail", 30, func(e mandate.Entry) string { return e.ClientEmail }),
		kit.ColumnOf("Method", func(e mandate.Entry) components.Cell {
			look := "tag"
			if e.Kind == mandate.DebiCheck {
				look = "tag strong"
			}
			return components.Cell{Text: words.KindWords[e.Kind], Look: look}
		}).FileText("Method", 11, func(e mandate.Entry) string { return words.KindWords[e.Kind] }),
		kit.ColumnOf("Account", func(e mandate.Entry) components.Cell {
			if e.AccountMask == "" {
				return components.Cell{Blank: "not given yet"}
			}
			return components.Cell{Text: words.BankWords(e.BankCode), Second: e.AccountMask, Small: "nowrap"}
		}).FileText("Bank", 18, func(e mandate.Entry) string { return words.BankWords(e.BankCode) }).
			FileText("Account", 13, func(e mandate.Entry) string { return e.AccountMask }).OnCard(kit.Lead),
		kit.ColumnOf("Amount, R", func(e mandate.Entry) components.Cell {
			switch {
			case e.Terms != nil:
				return components.Cell{Text: money.Amount(e.Terms.PriceCents),
					Second: "max " + money.Amount(e.Terms.MaxAmountCents)}
			case e.AmountCents == 0:
				return components.Cell{Blank: "as owed"}
			}
			return components.Cell{Text: money.Amount(e.AmountCents)}
		}).Number().InFile("Amount (R)", 12, func(e mandate.Entry) export.Cell {
			switch {
			case e.Terms != nil:
				return export.Amount(e.Terms.PriceCents)
			case e.AmountCents == 0:
				return export.Cell{} // what is owed under the agreement
			}
			return export.Amount(e.AmountCents)
		}).InFile("Maximum (R)", 12, func(e mandate.Entry) export.Cell {
			if e.Terms == nil {
				return export.Cell{}
			}
			return export.Amount(e.Terms.MaxAmountCents)
		}).OnCard(kit.Aside),
		kit.TextColumn("Day", 12, func(e mandate.Entry) string { return dayShort(e.Mandate) }).InOneLine(),
		kit.PillColumn("State", 20, func(e mandate.Entry) components.Pill { return mandatePill(e.Mandate, nil, now) }),
		kit.ColumnOf("Contract, created", func(e mandate.Entry) components.Cell {
			return components.Cell{Text: e.ContractReference, Look: "mono small",
				Under: components.When(words.DayOf(e.CreatedAt))}
		}).InOneLine().FileText("Contract", 20, func(e mandate.Entry) string { return e.ContractReference }).
			InFile("Created (SAST)", 14, func(e mandate.Entry) export.Cell { return export.DayOf(e.CreatedAt) }).
			SortBy(paging.Created),
	}
}

func holderOf(e mandate.Entry) string {
	return cmp.Or(e.ClientName, e.HolderName, "Client not named yet")
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
	return "day " + words.Grouped(int64(m.DeductionDay))
}
