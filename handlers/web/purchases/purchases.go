// Package purchases serves the pages of purchases and their debits.
package purchases

import (
	"context"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/analysis"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/facet"
	"debitdesk/models/followup"
	"debitdesk/models/journal"
	"debitdesk/models/mail/outbox"
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
	// Plan shows what a plan does about a purchase, nil without one, and names the plan that goes on by itself.
	Plan func(ctx context.Context, who actor.Actor, purchaseID uuid.UUID) (box templ.Component, atWork string, err error)
	// Risk tells whether a planned debit is likely to fail, and why; nil: nobody knows.
	Risk func(ctx context.Context, who actor.Actor, c collection.Collection) (analysis.AtRisk, bool, error)
	// Standing is what the books have of a purchase.
	Standing func(ctx context.Context, who actor.Actor, purchaseID uuid.UUID) (journal.Standing, error)
}

func (p *Purchases) list() kit.Shown {
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
			kit.ViewOf("Failed or overdue", "status", purchase.Late...),
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
