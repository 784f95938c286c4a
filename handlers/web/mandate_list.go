package web

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/models/actor"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
)

// Mandates serves the register of mandates, each with what proves it.
type Mandates struct {
	Desk      *Desk
	Service   *mandate.Service
	Tokens    *token.Service
	Purchases *purchase.Service
	Events    Timeline
	Exports   *Exports
	// LivePanel draws the state of a request that waits for the payer's answer, or
	// got none; nil draws nothing.
	LivePanel func(ctx context.Context, who actor.Actor, s mandate.Sheet) (templ.Component, error)
}

const mandatesRoom = "mandates"

func (h *Mandates) list() *List[mandate.Entry, mandate.Filter] {
	return &List[mandate.Entry, mandate.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: "/mandates", Active: mandatesRoom, One: "mandate",
		Head: components.PageHead{Title: "Mandates", Sub: "Clients’ permissions to debit their accounts.",
			Primary: components.Button{Label: "Set up mandate", Icon: "plus", Href: "/mandates/new", Changes: true}},
		Query: h.Service.List, ID: func(e mandate.Entry) uuid.UUID { return e.ID },
		Count: func(ctx context.Context, who actor.Actor, f mandate.Filter) (Tally, error) {
			counts, err := h.Service.Counts(ctx, who, f)
			return tallyOf(counts, f.States, f.Narrow(), mandate.CountLimit), err
		},
		By: "state", Views: []View{ // in the order of a mandate's life
			viewOf("Waiting for the client", "state", mandate.Submitted, mandate.Pending),
			viewOf("Active", "state", mandate.ActiveState),
			viewOf("Registered", "state", mandate.Registered),
			viewOf("Declined", "state", mandate.Rejected),
			viewOf("No answer", "state", mandate.NoResponse, mandate.FailedAtBank),
			viewOf("Suspended", "state", mandate.Suspended, mandate.BlockedBy),
			viewOf("Ended", "state", mandate.Cancelled, mandate.Superseded),
		},
		Search: Search[mandate.Filter]{Label: "Search mandates", Holder: "Client, e-mail or contract reference",
			Set: func(f *mandate.Filter, text string) { f.Search = text }},
		Filters: []Filter[mandate.Filter]{
			statesFilter("state", "a status", mandate.States, mandate.State.Label,
				func(f *mandate.Filter) *[]mandate.State { return &f.States }),
			onlyFilter("attention", "suspended", "on the attention list", "Suspended, and no newer account",
				func(f *mandate.Filter) *bool { return &f.Waiting }),
			choiceFilter("method", "a method", "Method is ",
				components.Select{Label: "Method", Blank: "Any method", Quiet: true, Options: []components.Option{
					{Value: string(mandate.DebiCheck), Text: "DebiCheck"}, {Value: string(mandate.EFT), Text: "EFT"}}},
				func(f *mandate.Filter) *mandate.Kind { return &f.Kind }),
			idFilter("client", "One client", func(f *mandate.Filter) *uuid.UUID { return &f.ClientID }),
		},
		Columns: mandateColumns(h.Desk.Now()),
		Empty: components.Empty{Icon: "shield", Title: "No mandate yet",
			Text: "A mandate is a client’s permission to debit a bank account. Set one up, and the client confirms it."},
	}
}

// List serves GET /mandates.
func (h *Mandates) List(c echo.Context) error { return h.list().Show(c) }

// Export serves GET /mandates/export.
func (h *Mandates) Export(c echo.Context) error { return h.list().Export(c) }

func mandateColumns(now time.Time) []Column[mandate.Entry] {
	return []Column[mandate.Entry]{
		column("Client", func(e mandate.Entry) components.Cell {
			return components.Cell{Text: holderOf(e), Href: mandatePath(e.ID), Second: e.ClientEmail}
		}).fileText("Client", 28, holderOf).
			fileText("E-mail", 30, func(e mandate.Entry) string { return e.ClientEmail }),
		column("Method", func(e mandate.Entry) components.Cell {
			look := "tag"
			if e.Kind == mandate.DebiCheck {
				look = "tag strong"
			}
			return components.Cell{Text: kindWords[e.Kind], Look: look}
		}).fileText("Method", 11, func(e mandate.Entry) string { return kindWords[e.Kind] }),
		column("Account", func(e mandate.Entry) components.Cell {
			if e.AccountMask == "" {
				return components.Cell{Blank: "not given yet"}
			}
			return components.Cell{Text: bankWords(e.BankCode), Second: e.AccountMask, Small: "nowrap"}
		}).fileText("Bank", 18, func(e mandate.Entry) string { return bankWords(e.BankCode) }).
			fileText("Account", 13, func(e mandate.Entry) string { return e.AccountMask }),
		column("Amount, R", func(e mandate.Entry) components.Cell {
			switch {
			case e.Terms != nil:
				return components.Cell{Text: money.Amount(e.Terms.PriceCents),
					Second: "max " + money.Amount(e.Terms.MaxAmountCents)}
			case e.AmountCents == 0:
				return components.Cell{Blank: "as owed"}
			}
			return components.Cell{Text: money.Amount(e.AmountCents)}
		}).number().file("Amount (R)", 12, func(e mandate.Entry) export.Cell {
			switch {
			case e.Terms != nil:
				return export.Amount(e.Terms.PriceCents)
			case e.AmountCents == 0:
				return export.Cell{} // what is owed under the agreement
			}
			return export.Amount(e.AmountCents)
		}).file("Maximum (R)", 12, func(e mandate.Entry) export.Cell {
			if e.Terms == nil {
				return export.Cell{}
			}
			return export.Amount(e.Terms.MaxAmountCents)
		}),
		textColumn("Day", 12, func(e mandate.Entry) string { return dayShort(e.Mandate) }).inOneLine(),
		pillColumn("State", 20, func(e mandate.Entry) components.Pill { return mandatePill(e.Mandate, nil, now) }),
		column("Contract, created", func(e mandate.Entry) components.Cell {
			return components.Cell{Text: e.ContractReference, Look: "mono small", Under: components.When(dayOf(e.CreatedAt))}
		}).inOneLine().fileText("Contract", 20, func(e mandate.Entry) string { return e.ContractReference }).
			file("Created (SAST)", 14, func(e mandate.Entry) export.Cell { return export.DayOf(e.CreatedAt) }),
	}
}

func holderOf(e mandate.Entry) string {
	return cmp.Or(e.ClientName, e.HolderName, "Client not named yet")
}

func mandatePath(id uuid.UUID, more ...string) string {
	return strings.Join(append([]string{"/mandates/" + id.String()}, more...), "/")
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
	return "day " + grouped(int64(m.DeductionDay))
}
