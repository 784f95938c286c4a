package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database/listing"
	"debitdesk/models/facet"
	"debitdesk/models/paging"
)

// purchaseOrders are the values by which purchases are sorted. A debit date is looked up for each purchase; those
// without a debit come before all others.
var purchaseOrders = map[string]listing.Order{
	"due":    {Value: "due", Type: "timestamptz", Index: true},
	"amount": {Value: "total_cents", Type: "bigint", Index: true},
	"client": {Type: "text", Value: `lower(coalesce(nullif(payer_name, ''), nullif(payer ->> 'legal_name', ''),
		nullif(payer ->> 'brand_name', ''), payer_email))`},
	"reference": {Value: "coalesce(nullif(reference, ''), reference_generated)", Type: "text"},
	"debit": {Type: "date", Value: `coalesce((SELECT c.action_date FROM collections c WHERE c.purchase_id = purchases.id
		ORDER BY c.attempt DESC LIMIT 1), '-infinity')`},
}

// purchasesSorted is Purchases in another order than that of their making.
func (s Store) purchasesSorted(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (none paging.Page[Purchase], err error) {
	by := listing.Sorted{DB: s.DB, Order: purchaseOrders[ask.Sort.By], From: "purchases", ID: "id"}
	by.Order.Most = Sorts[ask.Sort.By]
	by.Of.And("merchant_id = ?", merchantID)
	if f.Kind == WithAmount { // most purchases are: no index leads to them but that of their due dates
		if ask.Sort.By == "due" && !f.Narrow() && len(f.Statuses) == 0 {
			by.Of.And(ofKind[f.Kind])
		} else {
			by.Fits.And(ofKind[f.Kind])
		}
		f.Kind = ""
	}
	beside := f.Facets.Purchase("purchases")
	if beside.SQL != "" {
		by.Order.Most, by.Look = mostBeside, mostBeside
	}
	if searched(f) {
		if err := by.Search(ctx, s.finder(merchantID, f)); err != nil {
			return none, err
		}
	}
	if !searched(f) && beside.SQL != "" {
		by.Fits.And(beside.SQL, beside.Args...)
		f.Facets = facet.Filter{}
	}
	// What a search finds one by one it has narrowed itself.
	if !searched(f) && (f.Narrow() || len(f.Statuses) > 0 || f.Kind != "") || by.Many {
		where, args := purchaseWhere(merchantID, f)
		where, args = withStatuses(f, where, args)
		by.Narrow.And(where, args...)
		if others := f; len(f.Statuses) > 0 && !searched(f) {
			if others.Statuses = nil; !others.Narrow() && f.Kind == "" {
				w := purchaseWalk(merchantID, f)
				by.Few = &w
			}
		}
	}
	page, err := by.Page(ctx, ask)
	if err != nil {
		return none, err
	}
	found, err := s.several(ctx, merchantID, page.Items, "id")
	return listing.Arranged(page, found, func(p Purchase) uuid.UUID { return p.ID }), err
}
