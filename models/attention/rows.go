package attention

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/purchase"
)

// Store finds what needs attention. Everything is bounded by the merchant.
type Store struct{ *database.DB }

// Summary sums up a part of the queue.
func (s Store) Summary(ctx context.Context, merchantID uuid.UUID, q Query) (Summary, error) {
	yesterday, month := calendar.DateOf(q.Yesterday).String(), calendar.DateOf(q.Month).String()
	query := fmt.Sprintf(`SELECT CASE WHEN kind = 'failed' AND day <> '-infinity' THEN 'failed_day' ELSE kind END AS kind,
			%s FROM %s WHERE (day = '-infinity' OR day >= CASE kind WHEN 'mail' THEN ? ELSE ? END::date)%s
		GROUP BY 1`, listing.Tallied, listing.Counted, whose(q))
	args := []any{merchantID, min(yesterday, month), month, yesterday}
	if q.Whose == Later {
		failed := listing.WaitingRows("failed", later+" AND plan_at_work_until(object_id) > (SELECT product_today())", "",
			math.MaxInt64)
		query = listing.WaitingParts + query + " UNION ALL SELECT 'at_work', " + listing.Tallied + " FROM (SELECT 1 AS n, " +
			"CASE WHEN currency = 'ZAR' THEN cents ELSE 0 END AS cents FROM " + failed + " AS w) AS w"
		args = append(append([]any{merchantID, merchantID}, args...), merchantID)
	}
	if q.Whose == Everyones {
		query, args = query+" UNION ALL SELECT 'approval', count(*), 0 FROM ("+openApprovals+") AS open", append(args,
			merchantID)
	}
	var rows []tally
	err := s.Gorm(ctx).Raw(query, args...).Find(&rows).Error
	if err != nil {
		return Summary{}, fmt.Errorf("attention: %w", err)
	}
	var a Summary
	tallies := map[string]*purchase.Tally{"failed": &a.Failed, "at_work": &a.AtWork,
		"failed_day": &a.FailedDay, "account_gone": &a.AccountGone,
		"unconfirmed": &a.NotConfirmed,
		"disputed":    &a.Disputed, "silent": &a.Silent, "refund": &a.Refunds, "twice": &a.PaidTwice,
		"promise": &a.Promised, "overdue": &a.NeverDebited, "closed_day": &a.ClosedDay}
	counts := map[string]*int64{"blocked": &a.Blocked, "suspended": &a.Suspended, "stranded": &a.Stranded,
		"mail": &a.Mails, "approval": &a.Approvals, "terms": &a.Unfit, "replaced": &a.Replaced, "idle": &a.Idle,
		"request": &a.Requests}
	for _, r := range rows {
		if t, known := tallies[r.Kind]; known {
			*t = purchase.Tally{N: r.N, Cents: r.Cents}
		} else if n, known := counts[r.Kind]; known { // a later release may know more kinds
			*n = r.N
		}
	}
	return a, nil
}

// Count counts everything that waits, and mails since a month ago.
func (s Store) Count(ctx context.Context, merchantID uuid.UUID, month time.Time) (int, error) {
	counts, err := s.Counts(ctx, merchantID, Query{Month: month})
	if err != nil {
		return 0, err
	}
	return counts[0], nil
}

// Counts counts what each part of the queue shows.
func (s Store) Counts(ctx context.Context, merchantID uuid.UUID, of ...Query) ([]int, error) {
	from := "infinity"
	var sums []string
	var args []any
	for _, q := range of {
		month := calendar.DateOf(q.Month).String()
		sum := fmt.Sprintf(
			"coalesce(sum(n) FILTER (WHERE (day = '-infinity' OR kind = 'mail' AND day >= '%s')%s), 0)",
			month,
			whose(q),
		)
		if q.Whose == Everyones {
			sum, args = sum+" + (SELECT count(*) FROM ("+openApprovals+") AS open)", append(args, merchantID)
		}
		sums, from = append(sums, "("+sum+")::int"), min(from, month)
	}
	query := "SELECT n FROM (SELECT ARRAY[" + strings.Join(sums, ", ") + "] AS all_n FROM " + listing.Counted +
		") AS parts, unnest(all_n) WITH ORDINALITY AS c (n, i) ORDER BY i"
	var rows []tally
	err := s.Gorm(ctx).Raw(query, append(args, merchantID, from)...).Find(&rows).Error
	counted := make([]int, len(rows))
	for i, r := range rows {
		counted[i] = int(r.N)
	}
	if err != nil {
		return nil, fmt.Errorf("count what needs attention: %w", err)
	}
	return counted, nil
}

// tally is how many things of a kind wait, and what they come to.
type tally struct {
	Kind     string
	N, Cents int64
}

// later is the condition that something is to be shown another day.
const later = " AND hidden_until > (SELECT product_today()) AND hidden_until < 'infinity'"

// whose narrows to what a part of the queue shows.
func whose(q Query) string {
	switch q.Whose {
	case Mine:
		return listing.Shown + " AND owner_id = '" + q.OwnerID.String() + "'"
	case Nobodys:
		return listing.Shown + " AND owner_id IS NULL"
	case Later:
		return later
	case Everyones:
	}
	return listing.Shown
}

// openApprovals wait for a second approver. Its place is the merchant.
const openApprovals = "SELECT 0 AS cents FROM approvals WHERE merchant_id = ? AND state = 'open'"
