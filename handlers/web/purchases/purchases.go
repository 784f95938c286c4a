// Package purchases serves the pages of purchases and their debits.
package purchases

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/invoices"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/facet"
	"debitdesk/models/followup"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/selection"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/views/components"
)

// Purchases serves the pages of purchases.
type Purchases struct {
	Desk    *kit.Desk
	Service *purchase.Service
	Clients *client.Service
	Tokens  *token.Service
	Billing *billing.Service
	Mails   outbox.Store
	Events  trail.Store
	Exports *kit.Exports
	Batch   kit.FindBatch // finds a batch that the list is narrowed to
	// Subscriptions tells which template and subscriber a purchase follows.
	Subscriptions *subscription.Service
	Selections    *selection.Service
	Acts          bulk.Acts // on many purchases
	Followups     *followup.Service
	People        bulk.People // of the team
	Notes         kit.NotesPanel
}

func (p *Purchases) list() *kit.List[purchase.Record, purchase.Filter] {
	return &kit.List[purchase.Record, purchase.Filter]{
		Desk: p.Desk, Exports: p.Exports, Path: "/purchases", Active: words.Purchases, One: "purchase",
		Head: components.PageHead{Title: "Purchases",
			Secondary: []components.Button{{Label: "All debits", Icon: "bank", Href: debitsPath}},
			Primary:   components.Button{Label: "New purchase", Icon: "plus", Href: "/purchases/new", Changes: true}},
		Query: p.Service.List, ID: func(rec purchase.Record) uuid.UUID { return rec.ID },
		Count: p.counts, Found: p.found,
		By: "status", Views: slices.Concat([]kit.View{ // in the order of their use
			kit.ViewOf("Scheduled", "status", purchase.PendingCharge),
			kit.ViewOf("Collecting", "status", purchase.PendingExecute),
			kit.ViewOf("Paid", "status", purchase.Paid),
		}, concernTabs(), []kit.View{
			kit.ViewOf("Disputed", "status", purchase.Chargeback),
			kit.ViewOf("Overdue", "status", purchase.Overdue),
			kit.ViewOf("Open", "status", purchase.Created, purchase.Sent, purchase.Viewed),
			kit.ViewOf("Refunds", "status", purchase.PendingRefund, purchase.Refunded),
			kit.ViewOf("Closed", "status", purchase.Cancelled, purchase.Expired),
			{Label: "Accounts", Key: "kind", Value: kindAccounts, Rare: true},
		}),
		Search: kit.Search[purchase.Filter]{Label: "Search purchases", Holder: "Client, e-mail or reference",
			Set: func(f *purchase.Filter, text string) { f.Search = text }},
		Filters: slices.Concat([]kit.Filter[purchase.Filter]{
			kit.StatesFilter("status", "a status", purchase.Statuses, words.StatusWord,
				func(f *purchase.Filter) *[]purchase.Status { return &f.Statuses }),
			{Key: "attention", View: true, Chip: concernChip,
				Read: kit.ReadOne("attention", "on the attention list", purchase.Concerns,
					func(f *purchase.Filter) *purchase.Concern { return &f.Concern })},
			{Key: "failed_since", WithView: true, Chip: kit.DayChip("Failed since"),
				Read: func(l *kit.Listing, f *purchase.Filter) {
					if day := l.Date("failed_since"); !day.IsZero() && f.Concern == purchase.FailedDebit {
						f.FailedSince = day.At(0, 0)
					} else {
						l.Query.Del("failed_since")
					}
				}},
			kit.PeriodFilter("due", "Due", func(f *purchase.Filter) *time.Time { return &f.DueFrom },
				func(f *purchase.Filter) *time.Time { return &f.DueTo }),
			kit.FromDay("due_from", "Due from", func(f *purchase.Filter) *time.Time { return &f.DueFrom }),
			kit.ToDay("due_to", "Due to", func(f *purchase.Filter) *time.Time { return &f.DueTo }),
			kit.AmountFilter("amount_min", "Amount from", "≥", func(f *purchase.Filter) *int64 { return &f.MinCents }),
			kit.AmountFilter("amount_max", "Amount to", "≤", func(f *purchase.Filter) *int64 { return &f.MaxCents }),
		}, p.besideFilters(), []kit.Filter[purchase.Filter]{
			kit.BatchFilter(p.Batch, p.Desk.Facets, func(f *purchase.Filter) *uuid.UUID { return &f.BatchID }),
			kit.TemplateFilter(p.Desk.Facets, func(f *purchase.Filter) *uuid.UUID { return &f.TemplateID }),
			kit.IdFilter("client", "One client", func(f *purchase.Filter) *uuid.UUID { return &f.ClientID }),
			kit.IdFilter("token", "Charged with one account", func(f *purchase.Filter) *uuid.UUID { return &f.TokenID }),
			kindFilter(),
		}),
		Columns: listColumns(p.Service, p.Desk.Now()), Renamed: map[string]string{"result": "status"}, Sorts: purchase.Sorts,
		Choose: p.choose("purchases"), Peeks: true,
		Empty: components.Empty{Icon: "receipt", Title: "No purchase yet",
			Text: "A purchase is one amount to be collected from one client."},
	}
}

// besideFilters are by the newest debit of a purchase, by the account that is debited, and by who made it.
func (p *Purchases) besideFilters() []kit.Filter[purchase.Filter] {
	facets := func(f *purchase.Filter) *facet.Filter { return &f.Facets }
	return append(kit.DebitDateFilters("Debit date", facets),
		kit.AnswerFilter(p.Desk.Facets, facets),
		kit.MethodFilter(func(f *purchase.Filter) *bank.Method { return &f.Facets.Method }),
		kit.BankFilter(facets), kit.HealthFilter(facets), kit.MakerFilter(p.Desk.Facets, "Made by", facets),
		kit.FailedAgainFilter("Failed more than once", facets))
}

// List serves GET /purchases.
func (p *Purchases) List(c echo.Context) error { return p.list().Show(c) }

// Export serves GET /purchases/export.
func (p *Purchases) Export(c echo.Context) error { return p.list().Export(c) }

// Exported is the list for exports in the background.
func (p *Purchases) Exported() kit.Exportable { return p.list() }

// PurchaseColumns are those of every list of purchases. Beside a client or a token the client and the due date are
// left out.
func PurchaseColumns(s *purchase.Service, now time.Time, withClient bool) []kit.Column[purchase.Record] {
	columns := []kit.Column[purchase.Record]{
		kit.ColumnOf("Reference", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: words.Reference(rec.Purchase), Href: words.PurchasePath(rec.ID),
				Second: lineWords(rec.Details), Small: "clip"}
		}).FileText("Reference", 20, func(rec purchase.Record) string { return words.Reference(rec.Purchase) }).
			FileText("For", 30, func(rec purchase.Record) string { return lineWords(rec.Details) }).SortText("reference"),
		kit.ColumnOf("Client", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: words.PayerName(rec.Purchase), Second: rec.Payer.Email}
		}).FileText("Client", 28, func(rec purchase.Record) string { return words.PayerName(rec.Purchase) }).
			FileText("E-mail", 30, func(rec purchase.Record) string { return rec.Payer.Email }).
			SortText("client").OnCard(kit.Lead),
		kit.ColumnOf("Amount, R", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: words.Minus(words.AmountIn(rec.TotalCents, rec.Currency))}
		}).Number().InFile("Amount", 13, func(rec purchase.Record) export.Cell { return export.Amount(rec.TotalCents) }).
			FileText("Currency", 9, func(rec purchase.Record) string { return rec.Currency }).SortBy("amount").OnCard(kit.Aside),
		kit.PillColumn("Status", 18, func(rec purchase.Record) components.Pill { return statusPill(rec, s, now) }),
		kit.DayColumn("Due", 12, "", func(rec purchase.Record) time.Time {
			return invoices.Given(rec.Due,
				rec.DueGiven)
		}).Zoned().SortBy("due"),
		kit.DateColumn("Debit on", 12, func(rec purchase.Record) (day calendar.Date) {
			if rec.Collection != nil {
				day = rec.Collection.ActionDate
			}
			return day
		}).SortBy("debit"),
		kit.ColumnOf("Result", func(rec purchase.Record) components.Cell {
			text, look := resultWords(rec, now)
			return components.Cell{Text: text, Look: look}
		}).FileText("Result", 32, func(rec purchase.Record) string {
			text, _ := resultWords(rec, now)
			return text
		}),
	}
	if withClient {
		return columns
	}
	return slices.DeleteFunc(columns, func(c kit.Column[purchase.Record]) bool {
		return c.Head.Label == "Client" ||
			c.Head.Label == "Due"
	})
}

// listColumns are those of the list of all purchases: the result of the newest debit stands under the status,
// so that the other columns have room.
func listColumns(s *purchase.Service, now time.Time) []kit.Column[purchase.Record] {
	result := func(rec purchase.Record) string {
		text, _ := resultWords(rec, now)
		return text
	}
	columns := slices.DeleteFunc(PurchaseColumns(s, now, true), func(c kit.Column[purchase.Record]) bool {
		return c.Head.Label == "Result"
	})
	for n, c := range columns {
		if c.Head.Label == "Status" {
			columns[n] = kit.ColumnOf("Status", func(rec purchase.Record) components.Cell {
				text, look := resultWords(rec, now)
				pill := statusPill(rec, s, now)
				if text == pill.Word {
					text = ""
				}
				return components.Cell{Pill: pill, Second: text, Small: strings.TrimSpace("result " + look)}
			}).FileText("Status", 18, func(rec purchase.Record) string { return statusPill(rec, s, now).Word }).
				FileText("Result", 32, result).OnCard(kit.Corner)
		}
		if of := c.Cell; c.Head.Label == "Due" { // a card says it where it is another day than that of the debit
			columns[n].Cell = func(rec purchase.Record) components.Cell {
				cell := of(rec)
				if rec.Collection != nil && rec.Collection.ActionDate == calendar.DateOf(rec.Due) {
					cell.Class = "phone-hide"
				}
				return cell
			}
		}
	}
	return append(columns, kit.MomentColumn("Created", 20,
		func(rec purchase.Record) time.Time { return rec.CreatedAt }).SortBy(paging.Created).OnlyChosen())
}

// The kinds of purchases that an address can ask for. Without one the list leaves out what only stores an account or
// asks for a mandate, unless it shows what needs attention.
const (
	kindAccounts = "accounts"
	kindAll      = "all"
)

// kindFilter stands after the filter of what needs attention, and reads it.
func kindFilter() kit.Filter[purchase.Filter] {
	chosen := components.Select{Label: "Kind", Blank: "With an amount", Quiet: true, Options: []components.Option{
		{Value: kindAccounts, Text: "Accounts and mandates without an amount"}, {Value: kindAll, Text: "All purchases"}}}
	return kit.Filter[purchase.Filter]{Key: "kind", View: true, Input: kit.ChooseFrom("kind", chosen),
		Chip: func(_ *kit.Listing, text string) string {
			if text == kindAccounts {
				return "Accounts and mandates without an amount"
			}
			return "With accounts and mandates without an amount"
		},
		Read: func(l *kit.Listing, f *purchase.Filter) {
			var kind string
			kit.ReadOne("kind", "a kind of purchase", []string{kindAccounts, kindAll},
				func(*purchase.Filter) *string { return &kind })(l, f)
			switch {
			case kind == kindAccounts:
				f.Kind = purchase.OnlyStoring
			case kind == "" && f.Concern == "":
				f.Kind = purchase.WithAmount
			}
		}}
}

// counts counts by status, and what needs attention among what the filter lets through: the concern that is looked
// at, and the others for their tabs. The tabs count purchases with an amount, whatever kind the list shows. What nobody
// counted has no sum either.
func (p *Purchases) counts(ctx context.Context, who actor.Actor, f purchase.Filter) (kit.Tally, error) {
	totals, narrow, err := p.totals(ctx, who, f)
	if err != nil {
		return kit.Tally{}, err
	}
	ofKind := func(kind purchase.Kind) kit.Tally {
		return kit.TallyOf(totals[kind].Counts(), f.Statuses, narrow, purchase.CountLimit)
	}
	t, storing := ofKind(purchase.WithAmount), ofKind(purchase.OnlyStoring)
	if f.Concern == "" {
		t.Found = ofKind(f.Kind).Found
		if f.Kind != purchase.OnlyStoring {
			t.Cents = kit.Rands(totals[f.Kind].Cents(f.Statuses...))
		}
	}
	concerns, byStatus := map[string]kit.RowsFound{}, t.Of
	for _, view := range kit.ConcernViews {
		if view.Label == "" && f.Concern != view.Concern {
			continue
		}
		of := f
		if of.Kind, of.Concern = "", view.Concern; f.Concern != view.Concern {
			of.Statuses, of.FailedSince = nil, time.Time{}
		}
		tally, err := p.Service.Tally(ctx, who, of)
		if err != nil {
			return t, err
		}
		concerns[string(view.Concern)] = kit.FoundAll(tally.N)
		if f.Concern == view.Concern {
			t.Found, t.Sum, t.Cents = kit.FoundAll(tally.N), sumOf(tally.Cents), kit.Rands(tally.Cents)
		}
	}
	t.Of = func(v kit.View) kit.RowsFound {
		switch {
		case v.Key == "attention":
			return concerns[v.Value]
		case v.Key == "kind":
			if storing.Of == nil {
				return storing.Found
			}
			return storing.Of(kit.View{}) // its tab leads to those of all statuses
		case byStatus == nil:
			return kit.RowsFound{}
		}
		return byStatus(v)
	}
	return t, nil
}

// totals are the purchases of each status among those that a list shows, whatever needs attention, and those with an
// amount. Without a narrow filter they are kept, of every kind; under one each kind is asked for.
func (p *Purchases) totals(ctx context.Context, who actor.Actor,
	f purchase.Filter) (out purchase.TotalsByKind, narrow bool, err error) {
	shown := f.Kind
	if f.Concern != "" && shown == "" {
		shown = purchase.WithAmount
	}
	f.Concern, f.FailedSince, f.Kind = "", time.Time{}, purchase.WithAmount
	narrow = f.Narrow()
	if out, err = p.Service.Totals(ctx, who, f); err != nil || !narrow || shown == f.Kind {
		return out, narrow, err
	}
	f.Kind = shown
	others, err := p.Service.Totals(ctx, who, f)
	maps.Copy(out, others)
	return out, narrow, err
}

// sumFound is what all that was found comes to, where everything was counted.
func sumFound(t purchase.Tally) string {
	if t.N > purchase.CountLimit {
		return ""
	}
	return sumOf(t.Cents)
}

func sumOf(cents int64) string {
	if cents == 0 {
		return ""
	}
	return " · " + words.Sum(cents, money.ZAR)
}

// found is how many purchases a filter lets through.
func (p *Purchases) found(ctx context.Context, who actor.Actor, f purchase.Filter) (kit.RowsFound, error) {
	if f.Concern != "" {
		t, err := p.Service.Tally(ctx, who, f)
		return kit.FoundAll(t.N), err
	}
	totals, err := p.Service.Totals(ctx, who, f)
	return kit.TallyOf(totals[f.Kind].Counts(), f.Statuses, f.Narrow(), purchase.CountLimit).Found, err
}

func concernTabs() (views []kit.View) {
	for _, v := range kit.ConcernViews {
		if v.Label != "" {
			views = append(views, kit.View{Label: v.Label, Key: "attention", Value: string(v.Concern),
				Rare: v.Concern != purchase.FailedDebit})
		}
	}
	return views
}

func concernChip(_ *kit.Listing, text string) string {
	for _, v := range kit.ConcernViews {
		if string(v.Concern) == text {
			return v.Chip
		}
	}
	return ""
}

// lineWords is what the purchase is for, in one line.
func lineWords(d purchase.Details) string {
	switch len(d.Products) {
	case 0:
		return ""
	case 1:
		return d.Products[0].Name
	}
	return d.Products[0].Name + " and " + plural.Of(len(d.Products)-1, "more line")
}
