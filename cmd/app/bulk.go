package app

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"debitdesk/handlers"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/clients"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/mandates"
	"debitdesk/handlers/web/reports"
	"debitdesk/handlers/web/templates"
	"debitdesk/handlers/web/tokens"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/selection"
	"debitdesk/views/components"
)

// bulk adds what is done with many rows that were chosen in a list.
func (s Services) bulk(d *handlers.Deps, desk *kit.Desk, o HTTP) {
	d.Purchases.Followups, d.Purchases.People = s.Followups, s.team
	d.Clients.Followups, d.Clients.People = s.Followups, s.team
	d.Tokens.Followups, d.Tokens.People = s.Followups, s.team
	d.Mandates.Followups, d.Mandates.People = s.Followups, s.team
	d.Templates.Followups, d.Templates.People = s.Followups, s.team
	d.Purchases.Acts, d.Clients.Acts = d.Purchases.BulkActs(), d.Clients.BulkActs()
	d.Tokens.Acts, d.Mandates.Acts, d.Templates.Acts = d.Tokens.BulkActs(), d.Mandates.BulkActs(), d.Templates.BulkActs()
	d.Invoices.Choose = kit.Choosing[billing.Entry]{
		Selections: s.Selections,
		Rows:       d.Purchases.ChoiceRows,
		Several:    s.Billing.Several,
		Cents:      func(e billing.Entry) int64 { return e.TotalCents },
		Acts:       func(who actor.Actor) []components.Button { return d.Purchases.Acts.Buttons("invoices", who) },
	}
	lists := maps.Clone(d.Clients.Exports.Lists)
	lists[templates.TemplateList] = kit.Listed(actor.Read, d.Templates.Chosen) // it has no file
	d.Selections = &kit.Selections{Service: s.Selections, Lists: lists,
		ActHref: func(sel selection.Selection, act string) string {
			switch {
			case act == kit.ActMove && sel.List == "debits":
				return reports.MoveHref(sel)
			case act == kit.ActDelete:
				return tokens.DeletionHref(sel)
			case act == clients.ActBill && sel.List == clients.ListName:
				return clients.BillHref(url.Values{kit.SelectionKey: {sel.ID.String()}})
			}
			return bulk.Href(sel, act)
		}}
	d.Bulk = &bulk.Bulk{Desk: desk, Selections: s.Selections, Tasks: s.Tasks, Demands: s.Merchants.Store.Demands,
		Approvals: s.Approvals,
		Acts:      slices.Concat(d.Purchases.Acts, d.Clients.Acts, d.Tokens.Acts, d.Mandates.Acts, d.Templates.Acts),
		Lists: map[string]bulk.Place{
			"purchases":              {Path: "/purchases", Active: "purchases"},
			"clients":                {Path: "/clients", Active: "clients"},
			"debits":                 {Path: "/purchases/debits", Active: "purchases", About: d.Purchases.OfDebits},
			"invoices":               {Path: "/invoices", Active: "invoices"},
			tokens.ListName:          {Path: "/tokens", Active: "tokens"},
			mandates.ListName:        {Path: "/mandates", Active: "mandates"},
			templates.TemplateList:   {Path: "/templates", Active: "templates"},
			templates.SubscriberList: {Path: "/templates/:of", Active: "templates"},
			templates.StrandedList:   {Path: words.StrandedPath, Active: "templates"},
			templates.UnfitList:      {Path: words.UnfitPath, Active: "templates"}},
		Failed: func(ctx context.Context, row uuid.UUID, err error) {
			o.Log.ErrorContext(ctx, "row of a bulk act failed", "row", row, "error", err)
		}}
}

// team are the people to whom something can be given, by name.
func (s Services) team(ctx context.Context, who actor.Actor) (out []components.Option, err error) {
	people, err := s.Users.Store.Colleagues(ctx, who.MerchantID)
	for _, p := range people {
		out = append(out, components.Option{Value: p.ID.String(), Text: p.Called()})
	}
	return out, err
}
