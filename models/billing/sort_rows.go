package billing

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// invoiceOrders are the values by which invoices are sorted; their ids are those of their purchases.
var invoiceOrders = map[string]listing.Order{
	"number": {Value: `i.number COLLATE "C"`, Type: "text", Index: true},
	"amount": {Value: "i.total_cents", Type: "bigint", Index: true},
	"due":    {Value: "p.due", Type: "timestamptz"},
	"client": {Value: "lower(coalesce(nullif(p.payer_name, ''), p.payer_email))", Type: "text"},
}

// sorted is page in another order than that of their purchases.
func (s Store) sorted(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (none paging.Page[Entry], err error) {
	by := listing.Sorted{DB: s.DB, Order: invoiceOrders[ask.Sort.By], From: invoicesSorting, Alone: invoicesAlone,
		ID: "i.purchase_id"}
	by.Order.Most = Sorts[ask.Sort.By]
	by.Of.And("i.merchant_id = ? AND i.kind = 'invoice'", merchantID)
	find := s.finder(merchantID, f)
	switch {
	case find.Typed():
		if err := by.Search(ctx, find); err != nil {
			return none, err
		}
	case f != Filter{}:
		w := find.Walk
		by.Narrow.And(w.Where, w.Args...)
		if w.Fits != "" {
			by.Fits.And(w.Fits, w.FitArgs...)
		}
		if err := s.fewOfState(ctx, merchantID, f.State, &by); err != nil {
			return none, err
		}
	case by.Order.Index: // the purchases say nothing
		by.From = by.Alone
	}
	page, err := by.Page(ctx, ask)
	if err != nil {
		return none, err
	}
	found, err := s.entries(ctx, merchantID, page.Items)
	return listing.Arranged(page, found, func(e Entry) uuid.UUID { return e.PurchaseID }), err
}

// fewOfState names the purchases that are in the statuses of a state, where they are few: most invoices are not
// met then.
func (s Store) fewOfState(ctx context.Context, merchantID uuid.UUID, state State, by *listing.Sorted) error {
	statuses := state.Statuses()
	if statuses == nil {
		return nil
	}
	w := listing.Walk{Where: "true"}
	w.From, w.Args = listing.InStates("purchases", "status", merchantID, statuses)
	w.From += " AS p"
	ids, err := w.IDs(ctx, s.DB, listing.MostJoined+1)
	if err == nil && len(ids) <= listing.MostJoined {
		by.Narrow.And("i.purchase_id = ANY(?::uuid[])", database.IDs(ids))
	}
	return err
}
