package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/database/table"
	"debitdesk/models/report"
)

// Attention implements report.Reader.
func (s *Store) Attention(ctx context.Context, merchantID uuid.UUID, q report.QueueQuery) (report.Attention, error) {
	yesterday, month := calendar.DateOf(q.Yesterday).String(), calendar.DateOf(q.Month).String()
	query := fmt.Sprintf(`SELECT CASE WHEN kind = 'failed' AND day <> '-infinity' THEN 'failed_day' ELSE kind END AS kind,
			%s FROM %s WHERE (day = '-infinity' OR day >= CASE kind WHEN 'mail' THEN ? ELSE ? END::date)%s
		GROUP BY 1`, tallied, listing.Counted, whose(q))
	args := []any{merchantID, min(yesterday, month), month, yesterday}
	if q.Whose == report.Everyones {
		query, args = query+" UNION ALL SELECT 'approval', count(*), 0 FROM ("+openApprovals+") AS open", append(args,
			merchantID)
	}
	rows, err := database.Seek(ctx, s.DB, tallyView, query, args...)
	if err != nil {
		return report.Attention{}, fmt.Errorf("attention: %w", err)
	}
	var a report.Attention
	tallies := map[string]*report.Tally{"failed": &a.Failed, "failed_day": &a.FailedDay, "account_gone": &a.AccountGone,
		"unconfirmed": &a.NotConfirmed,
		"disputed":    &a.Disputed, "silent": &a.Silent, "refund": &a.Refunds, "twice": &a.PaidTwice,
		"promise": &a.Promised, "overdue": &a.NeverDebited, "closed_day": &a.ClosedDay}
	counts := map[string]*int64{"blocked": &a.Blocked, "suspended": &a.Suspended, "stranded": &a.Stranded,
		"mail": &a.Mails, "approval": &a.Approvals, "terms": &a.Unfit, "replaced": &a.Replaced, "idle": &a.Idle,
		"request": &a.Requests}
	for _, r := range rows {
		if t, known := tallies[r.Kind]; known {
			*t = report.Tally{N: r.N, Cents: r.Cents}
		} else if n, known := counts[r.Kind]; known { // a later release may know more kinds
			*n = r.N
		}
	}
	return a, nil
}

// AttentionCount implements report.Reader.
func (s *Store) AttentionCount(ctx context.Context, merchantID uuid.UUID, month time.Time) (int, error) {
	counts, err := s.AttentionCounts(ctx, merchantID, report.QueueQuery{Month: month})
	if err != nil {
		return 0, err
	}
	return counts[0], nil
}

// AttentionCounts implements report.Reader.
func (s *Store) AttentionCounts(ctx context.Context, merchantID uuid.UUID, of ...report.QueueQuery) ([]int, error) {
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
		if q.Whose == report.Everyones {
			sum, args = sum+" + (SELECT count(*) FROM ("+openApprovals+") AS open)", append(args, merchantID)
		}
		sums, from = append(sums, "("+sum+")::int"), min(from, month)
	}
	query := "SELECT n FROM (SELECT ARRAY[" + strings.Join(sums, ", ") + "] AS all_n FROM " + listing.Counted +
		") AS parts, unnest(all_n) WITH ORDINALITY AS c (n, i) ORDER BY i"
	rows, err := database.Seek(ctx, s.DB, tallyView, query, append(args, merchantID, from)...)
	counted := make([]int, len(rows))
	for i, r := range rows {
		counted[i] = int(r.N)
	}
	if err != nil {
		return nil, fmt.Errorf("count what needs attention: %w", err)
	}
	return counted, nil
}

// attentionTally is how many things of a kind wait, and what they come to.
type attentionTally struct {
	Kind     string
	N, Cents int64
}

var (
	tallyView   = table.View[attentionTally]()
	itemView    = table.View[report.Item]()
	waitingView = table.View[waitingRow]()
)

// waitingRow is a row of attention as a statement hands it to the next.
type waitingRow struct {
	Kind, ObjectID, At, Hidden, Owner string
	Cents                             int64
}

// AttentionItems implements report.Reader.
func (s *Store) AttentionItems(ctx context.Context, merchantID uuid.UUID, q report.QueueQuery,
	limit int) (report.Items, error) {
	var out report.Items
	var parts []string
	args := []any{merchantID, merchantID}
	kinds := waitings(q.Month)
	for _, w := range kinds {
		order := " ORDER BY hidden_until DESC, at DESC, object_id DESC"
		if w.oldestFirst || q.Whose == report.Later {
			order = " ORDER BY hidden_until, at, object_id"
		}
		and := whose(q) + w.from()
		if q.ObjectID != uuid.Nil {
			and = " AND object_id = '" + q.ObjectID.String() + "'"
		}
		parts = append(
			parts,
			fmt.Sprintf(`(SELECT '%s' AS kind, object_id::text, at::text, cents, hidden_until::text AS hidden,
			coalesce(owner_id::text, '') AS owner FROM %s AS r%s LIMIT %d)`, w.kind,
				attentionOf(w.kind, and, order, int64(limit)),
				strings.ReplaceAll(order, " at", " r.at"), limit),
		)
		args = append(args, merchantID)
	}
	rows, err := database.Seek(ctx, s.DB, waitingView, attentionParts+strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return out, fmt.Errorf("list what needs attention: %w", err)
	}
	var asked []database.Question
	var into []*[]report.Item
	for _, w := range kinds {
		var of []waitingRow
		for _, r := range rows {
			if r.Kind == w.kind {
				of = append(of, r)
			}
		}
		if len(of) > 0 {
			asked, into = append(asked, itemsOf(merchantID, w, of)), append(into, w.into(&out))
		}
	}
	if len(asked) == 0 {
		return out, nil
	}
	found, err := database.SeekEach(ctx, s.DB, itemView, asked)
	if err != nil {
		return out, fmt.Errorf("list what needs attention: %w", err)
	}
	for n := range found {
		*into[n] = found[n]
	}
	return out, nil
}

// itemsOf asks what is shown of the things of one kind.
func itemsOf(merchantID uuid.UUID, w waiting, of []waitingRow) database.Question {
	var ids, ats, cents, hidden, owners database.TextArray
	for _, r := range of {
		ids, ats, cents = append(ids, r.ObjectID), append(ats, r.At), append(cents, fmt.Sprint(r.Cents))
		hidden, owners = append(hidden, r.Hidden), append(owners, r.Owner)
	}
	_, alias, aliased := strings.Cut(w.table, " ")
	if !aliased {
		alias = w.table
	}
	return database.Question{Query: "SELECT '" + w.kind + "' AS kind, a.id AS object_id, " +
		"nullif(a.owner, '')::uuid AS owner_id, a.hidden AS hidden_until, " + phoneOf(alias) + ", " + w.item +
		` FROM unnest(?::text[]::uuid[], ?::text[]::timestamptz[], ?::text[]::bigint[], ?::text[], ?::text[])
			WITH ORDINALITY AS a (id, at, cents, hidden, owner, place)
		JOIN ` + w.table + " ON " + alias + ".id = a.id AND " + alias + ".merchant_id = ? ORDER BY a.place",
		Args: []any{ids, ats, cents, hidden, owners, merchantID}}
}

// phoneOf is the phone of the client of a row.
func phoneOf(row string) string {
	return "coalesce((SELECT k.phone FROM clients k WHERE k.id = " + row + ".client_id), '') AS phone"
}
