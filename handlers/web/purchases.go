package web

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/views/components"
)

// Purchases serves the pages of purchases.
type Purchases struct {
	Desk    *Desk
	Service *purchase.Service
	Clients *client.Service
	Tokens  *token.Service
	Billing *billing.Service
	Mails   Mails
	Events  Timeline
	Replays Replays
	Exports *Exports
	Batch   FindBatch // finds a batch that the list is narrowed to
	// Subscriptions tells which template and subscriber a purchase follows.
	Subscriptions *subscription.Service
}

const purchases = "purchases"

// concernViews are the views of what waits for somebody. Those with a label are tabs
// while there is any, the first always; the others are reached from home.
var concernViews = []struct {
	label, chip string
	concern     purchase.Concern
}{
	{"Failed", "The last debit failed, and it is not paid", purchase.FailedDebit},
	{"Account gone", "The account was deleted or cannot be charged", purchase.AccountGone},
	{"Not confirmed", "The client did not confirm the mandate", purchase.NotConfirmed},
	{"", "The dispute is not decided", purchase.OpenDispute},
	{"", "The bank has not answered in time", purchase.NoAnswer},
	{"Refunded and returned", "The client has the money twice", purchase.PaidTwice},
	{"", "A refund waits to be paid back", purchase.RefundWaits},
}

func (p *Purchases) list() *List[purchase.Record, purchase.Filter] {
	return &List[purchase.Record, purchase.Filter]{
		Desk: p.Desk, Exports: p.Exports, Path: "/purchases", Active: purchases, One: "purchase",
		Head: components.PageHead{Title: "Purchases",
			Secondary: []components.Button{{Label: "All debits", Icon: "bank", Href: debitsPath}},
			Primary:   components.Button{Label: "New purchase", Icon: "plus", Href: "/purchases/new", Changes: true}},
		Query: p.Service.List, ID: func(rec purchase.Record) uuid.UUID { return rec.ID },
		Count: p.counts, Found: p.found,
		By: "status", Views: slices.Concat([]View{ // in the order of their use
			viewOf("Scheduled", "status", purchase.PendingCharge),
			viewOf("Collecting", "status", purchase.PendingExecute),
			viewOf("Paid", "status", purchase.Paid),
		}, concernTabs(), []View{
			viewOf("Disputed", "status", purchase.Chargeback),
			viewOf("Overdue", "status", purchase.Overdue),
			viewOf("Open", "status", purchase.Created, purchase.Sent, purchase.Viewed),
			viewOf("Accounts", "status", purchase.Preauthorized),
			viewOf("Refunds", "status", purchase.PendingRefund, purchase.Refunded),
			viewOf("Closed", "status", purchase.Cancelled, purchase.Expired),
		}),
		Search: Search[purchase.Filter]{Label: "Search purchases", Holder: "Client, e-mail or reference",
			Set: func(f *purchase.Filter, text string) { f.Search = text }},
		Filters: []Filter[purchase.Filter]{
			statesFilter("status", "a status", purchase.Statuses, statusWord, func(f *purchase.Filter) *[]purchase.Status { return &f.Statuses }),
			{Key: "attention", View: true, Chip: concernChip,
				Read: readOne("attention", "on the attention list", purchase.Concerns, func(f *purchase.Filter) *purchase.Concern { return &f.Concern })},
			{Key: "failed_since", WithView: true, Chip: dayChip("Failed since"), Read: func(l *listing, f *purchase.Filter) {
				if day := l.date("failed_since"); !day.IsZero() && f.Concern == purchase.FailedDebit {
					f.FailedSince = day.At(0, 0)
				} else {
					l.query.Del("failed_since")
				}
			}},
			fromDay("due_from", "Due from", func(f *purchase.Filter) *time.Time { return &f.DueFrom }),
			toDay("due_to", "Due to", func(f *purchase.Filter) *time.Time { return &f.DueTo }),
			amountFilter("amount_min", "Amount from", "≥", func(f *purchase.Filter) *int64 { return &f.MinCents }),
			amountFilter("amount_max", "Amount to", "≤", func(f *purchase.Filter) *int64 { return &f.MaxCents }),
			batchFilter(p.Batch, func(f *purchase.Filter) *uuid.UUID { return &f.BatchID }),
			idFilter("client", "One client", func(f *purchase.Filter) *uuid.UUID { return &f.ClientID }),
			idFilter("token", "Charged with one account", func(f *purchase.Filter) *uuid.UUID { return &f.TokenID }),
		},
		Columns: purchaseColumns(p.Service.Timetable, p.Desk.Now(), true),
		Empty: components.Empty{Icon: "receipt", Title: "No purchase yet",
			Text: "A purchase is one amount to be collected from one client."},
	}
}

// List serves GET /purchases.
func (p *Purchases) List(c echo.Context) error { return p.list().Show(c) }

// Export serves GET /purchases/export.
func (p *Purchases) Export(c echo.Context) error { return p.list().Export(c) }

// purchaseColumns are those of every list of purchases. Beside a client or a token the client and the due date are
// left out.
func purchaseColumns(rules collection.Timetable, now time.Time, withClient bool) []Column[purchase.Record] {
	columns := []Column[purchase.Record]{
		column("Reference", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: reference(rec.Purchase), Href: purchasePath(rec.ID), Second: lineWords(rec.Details), Small: "clip"}
		}).fileText("Reference", 20, func(rec purchase.Record) string { return reference(rec.Purchase) }).
			fileText("For", 30, func(rec purchase.Record) string { return lineWords(rec.Details) }),
		column("Client", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: payerName(rec.Purchase), Second: rec.Payer.Email}
		}).fileText("Client", 28, func(rec purchase.Record) string { return payerName(rec.Purchase) }).
			fileText("E-mail", 30, func(rec purchase.Record) string { return rec.Payer.Email }),
		column("Amount, R", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: minus(amountIn(rec.TotalCents, rec.Currency))}
		}).number().file("Amount", 13, func(rec purchase.Record) export.Cell { return export.Amount(rec.TotalCents) }).
			fileText("Currency", 9, func(rec purchase.Record) string { return rec.Currency }),
		pillColumn("Status", 18, func(rec purchase.Record) components.Pill { return statusPill(rec, rules, now) }),
		dayColumn("Due", 12, "", func(rec purchase.Record) time.Time { return given(rec.Due, rec.DueGiven) }).zoned(),
		dateColumn("Debit on", 12, func(rec purchase.Record) (day calendar.Date) {
			if rec.Collection != nil {
				day = rec.Collection.ActionDate
			}
			return day
		}),
		column("Result", func(rec purchase.Record) components.Cell {
			text, look := resultWords(rec, now)
			return components.Cell{Text: text, Look: look}
		}).fileText("Result", 32, func(rec purchase.Record) string {
			text, _ := resultWords(rec, now)
			return text
		}),
	}
	if withClient {
		return columns
	}
	return slices.DeleteFunc(columns, func(c Column[purchase.Record]) bool { return c.Head.Label == "Client" || c.Head.Label == "Due" })
}

// tabLimit is where the count of a concern stops while another view is looked at.
const tabLimit = 1000

// counts counts by status, and what needs attention among what the filter lets through: the concern that is looked
// at, and the others for their tabs.
func (p *Purchases) counts(ctx context.Context, who actor.Actor, f purchase.Filter) (Tally, error) {
	all := f
	all.Concern, all.FailedSince = "", time.Time{}
	counts, err := p.Service.Counts(ctx, who, all)
	if err != nil {
		return Tally{}, err
	}
	t := tallyOf(counts, f.Statuses, all.Narrow(), purchase.CountLimit)
	concerns, byStatus := map[string]rowsFound{}, t.Of
	for _, view := range concernViews {
		if view.label == "" && f.Concern != view.concern {
			continue
		}
		of, limit := f, int64(purchase.CountLimit)
		if of.Concern = view.concern; f.Concern != view.concern {
			of.Statuses, of.FailedSince, limit = nil, time.Time{}, tabLimit
		}
		tally, err := p.Service.Tally(ctx, who, of, limit)
		if err != nil {
			return t, err
		}
		concerns[string(view.concern)] = foundUpTo(tally.N, limit)
		if f.Concern == view.concern {
			t.Found, t.Sum = foundUpTo(tally.N, limit), sumFound(tally)
		}
	}
	t.Of = func(v View) rowsFound {
		if v.Key == "attention" {
			return concerns[v.Value]
		}
		return byStatus(v)
	}
	return t, nil
}

// sumFound is what all that was found comes to, where everything was counted.
func sumFound(t purchase.Tally) string {
	if t.Cents == 0 || t.N > purchase.CountLimit {
		return ""
	}
	return " · " + sum(t.Cents, money.ZAR)
}

// found is how many purchases a filter lets through.
func (p *Purchases) found(ctx context.Context, who actor.Actor, f purchase.Filter) (rowsFound, error) {
	if f.Concern != "" {
		t, err := p.Service.Tally(ctx, who, f, purchase.CountLimit)
		return foundUpTo(t.N, purchase.CountLimit), err
	}
	counts, err := p.Service.Counts(ctx, who, f)
	return tallyOf(counts, f.Statuses, f.Narrow(), purchase.CountLimit).Found, err
}

func concernTabs() (views []View) {
	for _, v := range concernViews {
		if v.label != "" {
			views = append(views, View{v.label, "attention", string(v.concern), v.concern != purchase.FailedDebit})
		}
	}
	return views
}

func concernChip(_ *listing, text string) string {
	for _, v := range concernViews {
		if string(v.concern) == text {
			return v.chip
		}
	}
	return ""
}

// countWords writes a count, or "more than" where counting stopped.
func countWords(n int64, limited bool) string {
	if limited && n > purchase.CountLimit {
		return "more than " + grouped(purchase.CountLimit)
	}
	return grouped(n)
}

// reference is what the merchant calls the purchase: its own reference, else ours.
func reference(p purchase.Purchase) string {
	if p.Reference != "" {
		return p.Reference
	}
	return p.ReferenceGenerated
}

// payerName is who pays, as well as it is known.
func payerName(p purchase.Purchase) string {
	for _, name := range []string{p.Payer.FullName, p.Payer.LegalName, p.Payer.BrandName, p.Payer.Email} {
		if name != "" {
			return name
		}
	}
	return "Client not named yet"
}

// lineWords is what the purchase is for, in one line.
func lineWords(d purchase.Details) string {
	switch len(d.Products) {
	case 0:
		return ""
	case 1:
		return d.Products[0].Name
	}
	return d.Products[0].Name + " and " + counted(int64(len(d.Products)-1), "more line")
}

// amountIn leaves the currency out when it is the rand, which table heads name.
func amountIn(cents int64, currency string) string {
	if currency == money.ZAR {
		return money.Amount(cents)
	}
	return money.Format(cents, currency)
}
