package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/facet"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// mostBeside is how many records one page looks at, where each is read with others.
const mostBeside = 2 * listing.MostJoined

// indexed takes what no index answers away from a filter.
func indexed(f purchase.Filter) purchase.Filter {
	f.Facets = facet.Filter{}
	return f
}

// purchasesBeside finds purchases by what stands in other records: by an index of what else is asked for, where that is
// little, and from the newest on where it is much.
func (s *Store) purchasesBeside(ctx context.Context, merchantID uuid.UUID, f purchase.Filter,
	ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
	find := &listing.Search{Walk: purchaseWalk(merchantID, f), Words: func(string) (string, []any) { return "true", nil }}
	if owned(f) { // an index of what it names leads there
		find.Walk = ownedWalk(merchantID, indexed(f))
		find.Walk.Most = mostBeside
		beside := f.Facets.Purchase("purchases")
		find.Walk.Fitting(beside.SQL, beside.Args...)
		return listing.ByWalk(s.DB, find)(ctx, listing.Near{}, ask)
	}
	where, args := purchaseWhere(merchantID, f)
	find.Walk.Fitting(where, args...)
	near, nearArgs := nearPurchases(merchantID, f)
	if near == "" {
		return listing.ByWalk(s.DB, find)(ctx, listing.Near{}, ask)
	}
	direction, beside, from := database.BesideID("id", ask)
	where, args = withStatuses(f, where, args)
	return listing.Few(ctx, s.DB, find, ask, mostBeside, fmt.Sprintf(nearby+`
		SELECT (SELECT count(*) FROM near), ARRAY(SELECT id FROM hit ORDER BY id %s LIMIT %d)`, near, mostBeside,
		"id", where+beside, direction, ask.Fetch()), slices.Concat(nearArgs, args, from)...)
}

// nearby begins a statement with what an index finds, and with those purchases among it that fit: one after the other,
// and never all purchases first. Where the index finds as many as are looked at, nothing more is read.
const nearby = `WITH near AS MATERIALIZED (%s LIMIT %[2]d), hit AS MATERIALIZED (SELECT of.*
	FROM (SELECT DISTINCT id FROM near WHERE (SELECT count(*) FROM near) < %[2]d) AS near
	CROSS JOIN LATERAL (SELECT %s FROM purchases WHERE purchases.id = near.id AND %s OFFSET 0) AS of)`

// nearPurchases reads those that an index finds by a part of a filter; empty where none leads there.
func nearPurchases(merchantID uuid.UUID, f purchase.Filter) (query string, args []any) {
	if order := inOrder(indexed(f)); order != "" {
		where, args := purchaseWhere(merchantID, indexed(f))
		where, args = withStatuses(f, where, args)
		return "SELECT id FROM purchases WHERE " + where + order, args
	}
	if f.Facets.ByDebitDate() {
		days := f.Facets.Debits()
		return "SELECT c.purchase_id AS id FROM collections c WHERE c.merchant_id = ? AND " +
				days.SQL + " ORDER BY c.action_date",
			append([]any{merchantID}, days.Args...)
	}
	return "", nil
}

// totalsBeside counts and sums by status what such a filter lets through; nil where more is to be looked at than a page
// looks at.
func (s *Store) totalsBeside(ctx context.Context, merchantID uuid.UUID, f purchase.Filter) (purchase.Totals, error) {
	f.Statuses = nil
	near, nearArgs := nearPurchases(merchantID, f)
	if near == "" || owned(f) {
		w := purchaseWalk(merchantID, f)
		if owned(f) {
			w = ownedWalk(merchantID, indexed(f))
			w.Most = mostBeside
		} else {
			where, args := purchaseWhere(merchantID, indexed(f))
			w.Fitting(where, args...)
		}
		w.Columns = "status AS state, purchases.*"
		beside := f.Facets.Purchase("purchases")
		w.Fitting(beside.SQL, beside.Args...)
		walked, err := listing.Sums[string](ctx, s.DB, &w, "total_cents")
		if walked == nil {
			return nil, err
		}
		totals := make(purchase.Totals, len(walked))
		for state, sum := range walked {
			totals[state] = purchase.Tally{N: sum.N, Cents: sum.Cents}
		}
		return totals, err
	}
	where, args := purchaseWhere(merchantID, f)
	totals, err := s.totals(ctx, fmt.Sprintf(nearby+`
		SELECT '' AS state, count(*) AS n, 0 AS cents FROM near
		UNION ALL (SELECT state, %s FROM hit AS part GROUP BY state)`, near,
		mostBeside, "id, status AS state, "+randCents, where, summed), slices.Concat(nearArgs, args)...)
	if err != nil || totals[""].N >= mostBeside {
		return nil, err
	}
	delete(totals, "")
	return totals, nil
}
