package web

import (
	"context"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Home serves the first page, and the page of what needs attention.
type Home struct {
	Desk    *Desk
	Reports *report.Service
	// Approvals are the requests for a second person; nil: there are none.
	Approvals *approval.Service
	// Latest gives the newest batches of invoices; nil shows none.
	Latest func(context.Context, actor.Actor) ([]pages.BatchLine, error)
}

// Show serves GET /. Its blocks can be asked for one by one (?block=…), so that
// they follow the clock while the page stays open.
func (h *Home) Show(c echo.Context) error {
	who := access.Actor(c)
	var view pages.HomeView
	block := c.QueryParam("block")
	if block == "" || block == "attention" {
		a, err := h.Reports.Attention(c.Request().Context(), who)
		if err != nil {
			return err
		}
		view.Attention = attentionLines(a)
		failing, err := h.Desk.failing(c.Request().Context(), who)
		if err != nil {
			return err
		}
		if len(failing) > 0 {
			view.Attention = append(view.Attention, pages.AttentionLine{Kind: "bad", Icon: "code", Text: tallyWords(report.Tally{N: int64(len(failing))}, "webhook is failing", "webhooks are failing"), Href: webhooksPath})
		}
	}
	if block == "attention" {
		return render(c, http.StatusOK, pages.HomeAttention(view))
	}
	f, err := h.Reports.Figures(c.Request().Context(), who)
	if err != nil {
		return err
	}
	h.figures(&view, f)
	if h.Latest != nil {
		if view.Batches, err = h.Latest(c.Request().Context(), who); err != nil {
			return err
		}
	}
	switch block {
	case "batches":
		return render(c, http.StatusOK, pages.HomeBatches(view))
	case "today":
		return render(c, http.StatusOK, pages.HomeToday(view))
	case "figures":
		return render(c, http.StatusOK, pages.HomeFigures(view))
	}
	if err := h.start(c, who, &view); err != nil {
		return err
	}
	return h.Desk.show(c, http.StatusOK, "Home", "home", func(fr layout.Frame) templ.Component { return pages.Home(fr, view) })
}

func tallyWords(t report.Tally, one, many string) string {
	if t.N == 1 {
		return "1 " + one
	}
	return grouped(t.N) + " " + many
}

func attentionLines(a report.Attention) []pages.AttentionLine {
	var out []pages.AttentionLine
	add := func(t report.Tally, kind, icon, one, many, href string) {
		if t.N > 0 {
			line := pages.AttentionLine{Kind: kind, Icon: icon, Text: tallyWords(t, one, many), Href: href}
			if t.Cents > 0 {
				line.Sum = sum(t.Cents, money.ZAR)
			}
			out = append(out, line)
		}
	}
	add(report.Tally{N: a.Approvals}, "wait", "users", "request waits for a second person", "requests wait for a second person", "/approvals")
	add(a.FailedDay, "bad", "alert", "debit failed since yesterday", "debits failed since yesterday", "/attention#failed")
	if a.FailedWeek != a.FailedDay {
		add(a.FailedWeek, "bad", "alert", "debit failed in the last 7 days", "debits failed in the last 7 days", "/purchases?status=error")
	}
	add(a.Disputed, "bad", "undo", "debit is disputed", "debits are disputed", "/purchases?status=chargeback")
	add(a.Silent, "wait", "clock", "debit has no answer from the bank", "debits have no answer from the bank", "/attention#silent")
	add(a.Blocked, "bad", "lock", "scheduled purchase uses a blocked account", "scheduled purchases use blocked accounts", "/attention#blocked")
	add(a.Refunds, "wait", "out", "refund waits to be paid back", "refunds wait to be paid back", "/purchases?status=pending_refund")
	add(report.Tally{N: a.Mails}, "wait", "mail", "mail could not be delivered", "mails could not be delivered", "/attention#mails")
	return out
}

func (h *Home) figures(v *pages.HomeView, f report.Figures) {
	now := h.Desk.Now()
	v.Today = []components.Stat{
		{Label: "To be collected today", Value: sum(f.Today.Cents, money.ZAR), Note: tallyWords(f.Today, "debit", "debits"), Href: "/purchases?status=pending_execute"},
		{Label: "Tomorrow", Value: sum(f.Tomorrow.Cents, money.ZAR), Note: tallyWords(f.Tomorrow, "debit", "debits"), Href: "/purchases?status=pending_charge"},
		{Label: "Next cut-off", Value: "in " + sayLeft(f.NextCutOff.Sub(now)), Note: sayMinute(f.NextCutOff, now) + ": " + tallyWords(f.ToSubmit, "debit goes", "debits go") + " to the bank"},
	}
	was := "by " + glue(f.WasTo.Format("2 Jan")) + " last month"
	collected := components.Stat{Label: "Collected this month", Value: sum(f.NetCents, money.ZAR), Note: sum(f.WasCents, money.ZAR) + " " + was}
	if f.WasCents > 0 && f.NetCents >= 0 {
		collected.Trend, collected.TrendText = trend(f.NetCents, f.WasCents)
	}
	v.Figures = []components.Stat{
		collected,
		ratio("Success rate", f, func(o report.Outcome) int64 { return o.Collected }, "", 0, true),
		ratio("Unpaid", f, func(o report.Outcome) int64 { return o.Unpaid }, "limit 10"+money.NBSP+"%", report.UnpaidLimit, false),
		ratio("Disputed", f, func(o report.Outcome) int64 { return o.Disputed }, "limit 0,5"+money.NBSP+"%", report.DisputeLimit, false),
	}
	v.Chart = chart(f.Days)
}

// trend compares an amount with an earlier one, in whole percents.
func trend(now, was int64) (kind, text string) {
	change := (now - was) * 100 / was
	switch {
	case change > 0:
		return "up", grouped(change) + money.NBSP + "% more,"
	case change < 0:
		return "down", grouped(-change) + money.NBSP + "% less,"
	}
	return "", "as much,"
}

// ratio shows a part of the answered debits, this month and last. A limit marks
// what is beyond it; 0 is no limit.
func ratio(label string, f report.Figures, part func(report.Outcome) int64, note string, limit int64, good bool) components.Stat {
	s := components.Stat{Label: label, Value: "–", Note: "no debit answered this month"}
	now, ok := f.Outcome.PerTenThousand(part(f.Outcome))
	if !ok {
		return s
	}
	s.Value, s.Note = percent(now), note
	if limit == 0 {
		s.Note = "of " + counted(f.Outcome.Answered(), "answered debit")
	}
	was, known := f.WasOutcome.PerTenThousand(part(f.WasOutcome))
	if known {
		s.Note = percent(was) + " last month"
		if limit > 0 {
			s.Note += ", " + note
		}
	}
	switch {
	case limit > 0 && now > limit:
		s.Trend, s.TrendText = "down", "over the limit,"
	case limit > 0 && now*10 > limit*8:
		s.TrendText = "near the limit,"
	case good && known && now > was:
		s.Trend, s.TrendText = "up", "better,"
	case good && known && now < was:
		s.Trend, s.TrendText = "down", "worse,"
	}
	return s
}

// percent writes hundredths of a percent: "96,4 %".
func percent(hundredths int64) string {
	tenths := (hundredths + 5) / 10
	if hundredths < 100 && hundredths%10 != 0 { // small ratios keep both decimals
		return money.Amount(hundredths) + money.NBSP + "%"
	}
	return grouped(tenths/10) + "," + string(rune('0'+tenths%10)) + money.NBSP + "%"
}

func chart(days []report.Day) *components.BarChart {
	c := &components.BarChart{Title: "Collected and returned in the last 30 days", ID: "days", Head: "Day", Series: []string{"Collected", "Returned"}}
	largest := int64(0)
	for _, d := range days {
		largest = max(largest, d.InCents+d.BackCents)
		c.Bars = append(c.Bars, components.ChartBar{Label: glue(d.Date.Format("Mon 2 Jan")), Values: []int64{d.InCents, d.BackCents},
			Texts: []string{sum(d.InCents, money.ZAR), sum(d.BackCents, money.ZAR)}})
	}
	if largest == 0 {
		return nil
	}
	for _, tick := range components.NiceTicks((largest + 99) / 100) {
		c.Ticks = append(c.Ticks, components.Mark{Value: tick * 100, Text: "R" + money.NBSP + grouped(tick)})
	}
	for _, i := range []int{0, len(days) / 2, len(days) - 1} {
		c.XLabels = append(c.XLabels, glue(days[i].Date.Format("2 Jan")))
	}
	return c
}

// start lists the first steps of a new merchant until they are done.
func (h *Home) start(c echo.Context, who actor.Actor, v *pages.HomeView) error {
	if !who.Can(actor.Write) {
		return nil
	}
	s, err := h.Reports.Start(c.Request().Context(), who)
	if err != nil || s.Done() {
		return err
	}
	see := "Wait for the debit day, and see the money collected"
	href := "/purchases"
	if h.Desk.Sandbox {
		see, href = "Move the sandbox clock to the debit day, and see the money collected", "/sandbox/clock"
	}
	v.Start = []pages.StartLine{
		{Text: "Add a client", Href: "/clients/new", Done: s.Client},
		{Text: "Store the client’s bank account", Href: "/tokens/new", Done: s.Token},
		{Text: "Charge it for a day next week", Href: "/purchases/new", Done: s.Charge},
		{Text: see, Href: href, Done: s.Collected},
	}
	if who.Can(actor.Manage) {
		v.Start = append(v.Start, pages.StartLine{Text: "Create a credential for your own programs", Href: "/developers", Done: s.Credential})
	}
	return nil
}

// Attention serves GET /attention.
func (h *Home) Attention(c echo.Context) error {
	items, err := h.Reports.AttentionItems(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	now := h.Desk.Now()
	var view pages.AttentionView
	add := func(id, title, sub, more string, list []report.Item, line func(report.Item) (note, at string)) {
		if len(list) == 0 {
			return
		}
		g := pages.AttentionGroup{ID: id, Title: title, Sub: sub, MoreHref: more}
		for _, i := range list {
			row := pages.AttentionRow{Name: i.Name, Reference: i.Reference}
			row.Note, row.When = line(i)
			if i.PurchaseID != uuid.Nil {
				row.Href = purchasePath(i.PurchaseID)
			}
			if i.Cents > 0 {
				row.Sum = sum(i.Cents, i.Currency)
			}
			g.Rows = append(g.Rows, row)
		}
		view.Groups = append(view.Groups, g)
	}
	coded := func(word string) func(report.Item) (string, string) {
		return func(i report.Item) (string, string) {
			return bank.Label(i.Code) + ". " + bank.Remedy(i.Code), word + dayOrNothing(i.At, now)
		}
	}
	if err := h.requests(c, &view); err != nil {
		return err
	}
	add("failed", "Failed in the last 7 days", "nobody has acted on these yet", "/purchases?status=error", items.Failed, coded(""))
	add("declined", "Mandates that were not confirmed", "in the last 7 days; ask the payer again from the mandate", "/mandates", items.Unconfirmed, coded(""))
	add("disputed", "Disputed", "the payer took the money back or denies the mandate", "/purchases?status=chargeback", items.Disputed, coded(""))
	add("silent", "No answer from the bank", "ask the bank", "/purchases?status=pending_execute", items.Silent, func(i report.Item) (string, string) {
		return "The bank should have answered by now.", "alert since " + dayOrNothing(i.At, now)
	})
	add("blocked", "Scheduled on a blocked account", "store the account again, or cancel", "/tokens?state=blocked", items.Blocked, coded("due "))
	add("refunds", "Refunds to be paid back", "", "/purchases?status=pending_refund", items.Refunds, func(i report.Item) (string, string) {
		return "", "asked for on " + dayOrNothing(i.At, now)
	})
	add("mails", "Mails that were not delivered", "in the last 30 days", "/invoices?state=mail_failed", items.Mails, func(i report.Item) (string, string) {
		return i.Text, dayOrNothing(i.At, now)
	})
	failing, err := h.Desk.failing(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	if len(failing) > 0 {
		g := pages.AttentionGroup{ID: "webhooks", Title: "Webhooks that fail", Sub: "your programs do not hear of what happens", MoreHref: webhooksPath}
		for _, w := range failing {
			g.Rows = append(g.Rows, pages.AttentionRow{Href: webhookPath(w.ID), Name: w.Title, Reference: w.Callback, Note: capital(failingWords(w, now)) + " in a row."})
		}
		view.Groups = append(view.Groups, g)
	}
	return h.Desk.show(c, http.StatusOK, "Needs attention", "attention", func(f layout.Frame) templ.Component { return pages.Attention(f, view) })
}

// requests shows what waits for a second person.
func (h *Home) requests(c echo.Context, view *pages.AttentionView) error {
	if h.Approvals == nil {
		return nil
	}
	open, err := h.Approvals.List(c.Request().Context(), access.Actor(c), true, paging.Ask{Limit: besideRows})
	if err != nil || len(open.Items) == 0 {
		return err
	}
	g := pages.AttentionGroup{ID: "approvals", Title: "Waiting for a second person", MoreHref: "/approvals"}
	for _, a := range open.Items {
		row := pages.AttentionRow{Name: capital(a.Subject.Name), Reference: "asked by " + a.AskedName, Href: approvalPath(a.ID), Note: a.Reason,
			When: "expires " + dayOrNothing(a.ExpiresAt, h.Desk.Now())}
		if a.Subject.Stakes.Cents > 0 {
			row.Sum = sum(a.Subject.Stakes.Cents, money.ZAR)
		}
		g.Rows = append(g.Rows, row)
	}
	view.Groups = append(view.Groups, g)
	return nil
}

func dayOrNothing(at, now time.Time) string { return sayDay(calendar.DateOf(at), now) }
