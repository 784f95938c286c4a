package purchase

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/facet"
	"debitdesk/models/paging"
)

// mostBeside is how many records one page looks at, where each is read with others.
const mostBeside = 2 * listing.MostJoined

// indexed takes what no index answers away from a filter.
func indexed(f Filter) Filter {
	f.Facets = facet.Filter{}
	return f
}

// purchasesBeside finds purchases by what stands in other records: by an index of what else is asked for, where that
// is little, and from the newest on where it is much.
func (s Store) purchasesBeside(ctx context.Context, merchantID uuid.UUID, f Filter,
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
	near, nearArgs := nearby(merchantID, f)
	if near == "" {
		return listing.ByWalk(s.DB, find)(ctx, listing.Near{}, ask)
	}
	direction, beside, from := database.BesideID("id", ask)
	where, args = withStatuses(f, where, args)
	return listing.Few(ctx, s.DB, find, ask, mostBeside, fmt.Sprintf(near+`
		SELECT (SELECT n FROM there), ARRAY(SELECT id FROM hit ORDER BY id %s LIMIT %d)`,
		"id", where+beside, direction, ask.Fetch()), slices.Concat(nearArgs, args, from)...)
}

// nearby begins a statement with what an index finds by a part of a filter, and with those purchases among it that
// fit: one after the other, and never all purchases first. Where the index finds as many as are looked at, they are
// only counted. It has places for the columns and the conditions of the purchases; empty where no index leads there.
func nearby(merchantID uuid.UUID, f Filter) (begin string, args []any) {
	id, from := "", ""
	if order := indexOrder(indexed(f)); order != "" {
		where, more := purchaseWhere(merchantID, indexed(f))
		where, args = withStatuses(f, where, more)
		id, from = "id", "FROM purchases WHERE "+where+order
	} else if f.Facets.ByDebitDate() {
		days := f.Facets.Debits()
		id, from = "c.purchase_id", "FROM collections c WHERE "+database.Bound("c.merchant_id")+" AND "+days.SQL+
			" ORDER BY c.merchant_id, c.action_date"
		args = append([]any{merchantID}, days.Args...)
	}
	if from == "" {
		return "", nil
	}
	return fmt.Sprintf(`WITH there AS MATERIALIZED (SELECT count(*) AS n FROM (SELECT 1 %[2]s LIMIT %[3]d) AS few),
		near AS MATERIALIZED (SELECT DISTINCT id FROM (SELECT %[1]s AS id %[2]s LIMIT %[3]d) AS few
			WHERE (SELECT n FROM there) < %[3]d),
		hit AS MATERIALIZED (SELECT of.* FROM near
			CROSS JOIN LATERAL (SELECT %%s FROM purchases WHERE purchases.id = near.id AND %%s OFFSET 0) AS of)`,
		id, from, mostBeside), slices.Concat(args, args)
}

// totalsBeside counts and sums by status what such a filter lets through; nil where more is to be looked at than a
// page looks at.
func (s Store) totalsBeside(ctx context.Context, merchantID uuid.UUID, f Filter) (Totals, error) {
	f.Statuses = nil
	near, nearArgs := nearby(merchantID, f)
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
		totals := make(Totals, len(walked))
		for state, sum := range walked {
			totals[state] = Tally{N: sum.N, Cents: sum.Cents}
		}
		return totals, err
	}
	where, args := purchaseWhere(merchantID, f)
	totals, err := s.totals(ctx, fmt.Sprintf(near+`
		SELECT '' AS state, n, 0 AS cents FROM there
		UNION ALL (SELECT state, %s FROM hit AS part GROUP BY state)`, "id, status AS state, "+randCents, where, summed),
		slices.Concat(nearArgs, args)...)
	if err != nil || totals[""].N >= mostBeside {
		return nil, err
	}
	delete(totals, "")
	return totals, nil
}
