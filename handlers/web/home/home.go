// Package home serves the first page and the list of what needs attention.
package home

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/bankfiles"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/attention"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/deletion"
	"debitdesk/models/followup"
	"debitdesk/models/member"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Home serves the first page, and the page of what needs attention.
type Home struct {
	Desk    *kit.Desk
	Reports *report.Service
	Queue   *attention.Service
	// Approvals are the requests for a second approver.
	Approvals *approval.Service
	Followups *followup.Service
	Purchases *purchases.Purchases
	// Deletions are those of stored accounts that can still be undone.
	Deletions func(context.Context, actor.Actor) ([]deletion.Deletion, error)
	// Members are the people of the business.
	Members func(ctx context.Context, merchantID uuid.UUID) ([]member.Member, error)
	// Latest gives the newest batches of invoices.
	Latest func(context.Context, actor.Actor) ([]pages.BatchLine, error)
	// Bank tells what to look at about the bank's files; nil without a bank that takes files.
	Bank func(context.Context, actor.Actor) (exchange.Concerns, error)
	// Probable tells which movements without a match probably pay a purchase: how many, and what the first pays.
	Probable func(context.Context, actor.Actor) (n int, first string, err error)
}

// Show serves GET /. Its blocks can be asked for one by one (?block=…), so that
// they follow the clock while the page stays open.
func (h *Home) Show(c echo.Context) error {
	who := access.Actor(c)
	var view pages.HomeView
	block := c.QueryParam("block")
	if block == "" || block == "attention" {
		a, err := h.Queue.Summary(c.Request().Context(), who, attention.Everyones)
		if err != nil {
			return err
		}
		view.Attention = attentionLines(a, h.Queue.Since())
		failing, err := h.Desk.FailingWebhooks(c.Request().Context(), who)
		if err != nil {
			return err
		}
		alarms, err := h.Desk.OpenAlarms(c.Request().Context(), who)
		if err != nil {
			return err
		}
		if len(alarms) > 0 {
			view.Attention = append([]pages.AttentionLine{{Kind: "bad", Icon: "alert", Text: auditAlarm,
				Href: "/attention#audit"}}, view.Attention...)
		}
		if len(failing) > 0 {
			view.Attention = append(view.Attention, pages.AttentionLine{Kind: "bad", Icon: "code",
				Text: tallyWords(purchase.Tally{N: int64(len(failing))}, "webhook is failing", "webhooks are failing"),
				Href: words.WebhooksPath})
		}
		bank, err := h.bankLines(c.Request().Context(), who)
		if err != nil {
			return err
		}
		view.Attention = append(view.Attention, bank...)
	}
	if block == "attention" {
		return html.Send(c, http.StatusOK, pages.HomeAttention(view))
	}
	f, err := h.Reports.Figures(c.Request().Context(), who)
	if err != nil {
		return err
	}
	h.figures(&view, f)
	if view.Batches, err = h.Latest(c.Request().Context(), who); err != nil {
		return err
	}
	switch block {
	case "batches":
		return html.Send(c, http.StatusOK, pages.HomeBatches(view))
	case "today":
		return html.Send(c, http.StatusOK, pages.HomeToday(view))
	case "figures":
		return html.Send(c, http.StatusOK, pages.HomeFigures(view))
	}
	if err := h.start(c, who, &view); err != nil {
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Home", "home",
		func(fr layout.Frame) templ.Component { return pages.Home(fr, view) })
}

// bankLines tell of the bank's files what is not dealt with.
func (h *Home) bankLines(ctx context.Context, who actor.Actor) (out []pages.AttentionLine, err error) {
	if h.Bank == nil {
		return nil, nil
	}
	c, err := h.Bank(ctx, who)
	if c.Findings > 0 {
		out = append(out, pages.AttentionLine{Kind: "bad", Icon: "bank", Href: bankfiles.OpenFindingsHref,
			Text: tallyWords(purchase.Tally{N: c.Findings}, "finding about the bank’s files is open",
				"findings about the bank’s files are open")})
	}
	if c.Findings > 0 && err == nil {
		n, first, wrong := h.Probable(ctx, who)
		err = wrong
		switch {
		case n == 1:
			out = append(out, pages.AttentionLine{Kind: "wait", Icon: "money", Href: bankfiles.UnmatchedHref,
				Text: "A bank movement of " + first})
		case n > 1:
			out = append(out, pages.AttentionLine{Kind: "wait", Icon: "money", Href: bankfiles.UnmatchedHref,
				Text: tallyWords(purchase.Tally{N: int64(n)}, "", "bank movements probably pay an open purchase")})
		}
	}
	if n := len(c.Days); n > 0 {
		out = append(out, pages.AttentionLine{Kind: "bad", Icon: "calendar", Href: bankfiles.DiffersHref,
			Text: tallyWords(purchase.Tally{N: int64(n)}, "bank day does not add up", "bank days do not add up")})
	}
	return out, err
}

// start lists the first steps of a new merchant that a person may take, until they are done or hidden.
func (h *Home) start(c echo.Context, who actor.Actor, v *pages.HomeView) error {
	if !who.Can(actor.Write) {
		return nil
	}
	s, err := h.Reports.Start(c.Request().Context(), who)
	bills, manages := who.Can(actor.Bill), who.Can(actor.Manage)
	if err != nil || s.Hidden || s.Done(bills, manages) {
		return err
	}
	test := "first"
	if h.Desk.Sandbox {
		test = "test"
	}
	v.Start = []pages.StartLine{
		{Text: "Add a client", Href: "/clients/new", Done: s.Client},
		{Text: "Send a " + test + " mandate", Href: "/mandates/new", Done: s.Mandate},
	}
	if bills {
		v.Start = append(v.Start, pages.StartLine{Text: "Send a " + test + " batch of invoices", Href: "/batches/new",
			Done: s.Batch})
	}
	if manages {
		v.Start = append(v.Start, pages.StartLine{Text: "Add a second admin", Href: "/settings/people/invite",
			Done: s.SecondAdmin})
	}
	v.Start = append(v.Start, pages.StartLine{Text: "Turn on two-step sign-in", Href: "/account/security",
		Done: s.TwoStep})
	return nil
}
