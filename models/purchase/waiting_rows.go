package purchase

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database/listing"
	"debitdesk/models/facet"
)

// concernKinds names the concerns of purchases as attention has them.
var concernKinds = map[Concern]string{FailedDebit: "failed", AccountGone: "account_gone",
	NotConfirmed: "unconfirmed", OpenDispute: "disputed", NoAnswer: "silent",
	PaidTwice: "twice", RefundWaits: "refund",
	NeverDebited: "overdue", ClosedDay: "closed_day"}

// failedSince narrows to the debits of a filter that failed since a moment.
func failedSince(f Filter) string {
	if f.Concern != FailedDebit || f.FailedSince.IsZero() {
		return ""
	}
	return listing.WaitingSince(f.FailedSince) + " AND answered"
}

// waitingPurchases goes through the purchases with the concern of a filter.
func waitingPurchases(merchantID uuid.UUID, f Filter) *listing.Search {
	find := &listing.Search{Walk: listing.Walk{Columns: "*", Key: "object_id", Where: "true", Ordered: true,
		Unsorted: true},
		Words: func(string) (string, []any) { return "true", nil }}
	find.Walk.From, find.Walk.Args = listing.Waiting("purchases", concernKinds[f.Concern], failedSince(f), merchantID)
	find.Walk.From, find.Walk.Alias = find.Walk.From+" AS purchases", "purchases"
	if f.Facets != (facet.Filter{}) {
		find.Walk.Most = mostBeside
	}
	f.Concern = ""
	where, args := purchaseWhere(merchantID, f)
	where, args = withStatuses(f, where, args)
	find.Walk.Fitting(where, args...)
	return find
}

// concernWhere is the condition that a purchase has the concern of a filter.
func concernWhere(merchantID uuid.UUID, f Filter) (string, []any) {
	kind, known := concernKinds[f.Concern]
	switch {
	case !known:
		return "false", nil
	case f.Concern == FailedDebit && !f.FailedSince.IsZero():
		return listing.Waits("purchases.id", kind, " AND w.answered AND w.at >= ?"), []any{merchantID, f.FailedSince}
	}
	return listing.Waits("purchases.id", kind, ""), []any{merchantID}
}

// mostJudged is how many things that wait are looked at, to count those among them that a filter lets through.
const mostJudged = 1_000

// TallyPurchases counts and sums the purchases with the concern of a filter; less than none says that they are too
// many to be looked at. Of a refund that waits it is the refund that is summed. What waits is counted as it is kept;
// what a filter lets through of it is looked at in each, and not counted where that is too much.
func (s Store) TallyPurchases(ctx context.Context, merchantID uuid.UUID,
	f Filter) (t Tally, err error) {
	kind, known := concernKinds[f.Concern]
	if !known { // nobody counts them here
		return Tally{N: -1}, nil
	}
	and, from, days := listing.Shown+failedSince(f), "infinity", "day = '-infinity'"
	if and != listing.Shown {
		from, days = calendar.DateOf(f.FailedSince).String(), "day <> '-infinity'"
	}
	f.Concern, f.FailedSince = "", time.Time{}
	query := "SELECT " + listing.Tallied + " FROM " + listing.Counted + " WHERE kind = ? AND " + days + listing.Shown
	args := []any{merchantID, from, kind}
	if f.Narrow() || f.Kind != "" || len(f.Statuses) > 0 {
		where, more := purchaseWhere(merchantID, f)
		where, more = withStatuses(f, where, more)
		args = slices.Concat([]any{merchantID, merchantID}, args, []any{merchantID}, more)
		query = fmt.Sprintf(listing.WaitingParts+`, there AS MATERIALIZED (%s), near AS MATERIALIZED (SELECT * FROM %s AS r
				WHERE (SELECT n FROM there) <= %[3]d)
			SELECT CASE WHEN (SELECT n FROM there) > %[3]d THEN -1 ELSE count(*) END AS n,
				least(coalesce(sum(part.cents), 0), 9223372036854775807)::bigint AS cents
			FROM (SELECT %[4]s FROM near AS r
				WHERE EXISTS (SELECT FROM purchases WHERE purchases.id = r.object_id AND %[5]s)) AS part`,
			query, listing.WaitingRows(kind, and, "", mostJudged), mostJudged, waitingCents, where)
	}
	if err := s.Gorm(ctx).Raw(query, args...).Take(&t).Error; err != nil {
		return t, fmt.Errorf("sum up purchases: %w", err)
	}
	return t, nil
}

// waitingCents is what something that waits counts for in a sum of rands.
const waitingCents = "CASE WHEN r.currency IN ('ZAR', '') THEN r.cents ELSE 0 END AS cents"
