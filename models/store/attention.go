package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/facet"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

// What waits for somebody is defined once, in the view attention_facts, and kept up to date in the table attention;
// figures, lists, counts and exports all ask attention_now, or the same by attentionParts. What is snoozed or closed
// does not wait.

// waiting is one kind of thing that waits for somebody, and what is shown of each. The rows of its table are called by
// its alias; a holds the id, at and cents of each.
type waiting struct {
	kind  string
	since time.Time // only those at or after it; zero: all

	item        string // columns and joins around the rows
	table       string
	oldestFirst bool
	into        func(*report.Items) *[]report.Item
}

// purchaseItem is what every item about a purchase shows.
const purchaseItem = `purchases.id AS purchase_id, purchases.client_id,
	coalesce(nullif(purchases.payer_name, ''), purchases.payer_email) AS name,
	coalesce(nullif(purchases.reference, ''), purchases.reference_generated) AS reference,
	purchases.currency, a.cents, a.at`

// clientName names the client k of a row.
func clientName(row, otherwise string) string {
	return "coalesce((SELECT coalesce(" + client.NameIn("k.") + ", '') FROM clients k WHERE k.id = " + row +
		".client_id), " + otherwise + ") AS name"
}

// payerOf names the client of the purchase of a row.
func payerOf(row string) string {
	return `(SELECT coalesce(nullif(w.payer_name, ''), w.payer_email) FROM purchases w
		WHERE w.id = ` + row + `.purchase_id)`
}

// lastDebit is a column of the newest debit of a purchase.
func lastDebit(column string) string {
	return "(SELECT c." + column +
		" FROM collections c WHERE c.purchase_id = purchases.id AND c.attempt = purchases.collection_count)"
}

// concernKinds names the concerns of purchases as attention has them.
var concernKinds = map[purchase.Concern]string{purchase.FailedDebit: "failed", purchase.AccountGone: "account_gone",
	purchase.NotConfirmed: "unconfirmed", purchase.OpenDispute: "disputed", purchase.NoAnswer: "silent",
	purchase.PaidTwice: "twice", purchase.RefundWaits: "refund",
	purchase.NeverDebited: "overdue", purchase.ClosedDay: "closed_day"}

// waitings lists all kinds but the approvals, which are shown elsewhere. The failures of a day are a part of all
// failures, and no kind of their own.
func waitings(month time.Time) []waiting {
	answer := ", coalesce(" + lastDebit("result_code") + ", '') AS code"
	reason := ", (SELECT m.reason_code FROM mandates m WHERE m.id = purchases.id) AS code"
	blocked := ", coalesce((SELECT t.blocked_code FROM tokens t WHERE t.id = " + lastDebit("token_id") +
		" AND t.state = 'blocked'), '') AS text"
	purchases := func(c purchase.Concern, more string, into func(*report.Items) *[]report.Item) waiting {
		return waiting{kind: concernKinds[c], item: purchaseItem + more, table: "purchases", into: into,
			oldestFirst: c == purchase.RefundWaits}
	}
	return []waiting{
		purchases(purchase.FailedDebit, answer+blocked, func(i *report.Items) *[]report.Item { return &i.Failed }),
		purchases(purchase.AccountGone, "", func(i *report.Items) *[]report.Item { return &i.AccountGone }),
		purchases(purchase.NotConfirmed, reason, func(i *report.Items) *[]report.Item { return &i.NotConfirmed }),
		purchases(purchase.OpenDispute, answer, func(i *report.Items) *[]report.Item { return &i.Disputed }),
		purchases(purchase.NoAnswer, "", func(i *report.Items) *[]report.Item { return &i.Silent }),
		purchases(purchase.PaidTwice, "", func(i *report.Items) *[]report.Item { return &i.PaidTwice }),
		purchases(purchase.RefundWaits, "", func(i *report.Items) *[]report.Item { return &i.Refunds }),
		purchases(purchase.NeverDebited, "", func(i *report.Items) *[]report.Item { return &i.NeverDebited }),
		purchases(purchase.ClosedDay, "", func(i *report.Items) *[]report.Item { return &i.ClosedDay }),
		{kind: "terms", table: "template_clients s", oldestFirst: true,
			item: "s.id AS subscriber_id, s.template_id, s.client_id, s.next_at AS at, " + clientName("s", "''") +
				`, coalesce((SELECT b.title FROM billing_templates b WHERE b.id = s.template_id), '') AS reference,
				s.unfit AS text`,
			into: func(i *report.Items) *[]report.Item { return &i.Unfit }},
		{kind: "replaced", table: "tokens t",
			item: "t.id AS token_id, t.client_id, t.account_mask AS reference, a.at, " + clientName("t", "t.holder_name") +
				", coalesce((SELECT x.id::text FROM amendments x WHERE x.purchase_id = t.id AND x.state = 'open'), '') AS text",
			into: func(i *report.Items) *[]report.Item { return &i.Replaced }},
		{kind: "idle", table: "mandates m", oldestFirst: true,
			item: "m.id AS mandate_id, m.client_id, m.contract_reference AS reference, a.at, " +
				clientName("m", "m.holder_name"),
			into: func(i *report.Items) *[]report.Item { return &i.Idle }},
		{kind: "blocked", table: "tokens t",
			item: "t.id AS token_id, t.client_id, t.account_mask AS reference, t.blocked_code AS code, a.at, " +
				clientName("t", "t.holder_name"),
			into: func(i *report.Items) *[]report.Item { return &i.Blocked }},
		{kind: "suspended", table: "mandates m",
			item: "m.id AS mandate_id, m.client_id, m.contract_reference AS reference, m.reason_code AS code, a.at, " +
				clientName("m", "m.holder_name"),
			into: func(i *report.Items) *[]report.Item { return &i.Suspended }},
		{kind: "stranded", table: "template_clients s", oldestFirst: true,
			item: "s.id AS subscriber_id, s.template_id, s.client_id, s.next_at AS at, " + clientName("s", "''") +
				`, coalesce((SELECT b.title FROM billing_templates b WHERE b.id = s.template_id), '') AS reference,
				coalesce((SELECT t.state FROM tokens t WHERE t.id = s.token_id), '') AS text,
				coalesce((SELECT t.blocked_code FROM tokens t WHERE t.id = s.token_id), '') AS code`,
			into: func(i *report.Items) *[]report.Item { return &i.Stranded }},
		{kind: "promise", table: "promises pr", oldestFirst: true,
			item: "pr.id AS promise_id, pr.purchase_id, pr.client_id, pr.currency, a.cents, a.at, pr.text, " +
				clientName("pr", "coalesce("+payerOf("pr")+", '')") + `,
				coalesce((SELECT coalesce(nullif(w.reference, ''), w.reference_generated) FROM purchases w
				WHERE w.id = pr.purchase_id), '')
					AS reference`,
			into: func(i *report.Items) *[]report.Item { return &i.Promised }},
		{kind: "request", table: "client_requests r", oldestFirst: true,
			item: "r.id AS request_id, r.client_id, r.about AS reference, r.kind AS text, a.at, " + clientName("r", "''"),
			into: func(i *report.Items) *[]report.Item { return &i.Requests }},
		{kind: "mail", since: month, table: "mails f",
			item: "f.purchase_id, f.client_id, f.recipient AS name, f.subject || ': ' || f.error AS text, a.at",
			into: func(i *report.Items) *[]report.Item { return &i.Mails }},
	}
}

// attentionParts begins a statement about several kinds. The merchant is its first place.
const attentionParts = `WITH noted AS MATERIALIZED (SELECT DISTINCT object_id
	FROM attention_changes WHERE merchant_id = ?),
	changed AS MATERIALIZED (SELECT * FROM attention_changed(?)) `

// attentionOf are the rows of a kind, up to limit of those that have not changed; the order is a whole clause or empty.
// Its place is the merchant.
func attentionOf(kind, and, order string, limit int64) string {
	if order == "" { // that of an index, so that it is read whatever is in the table
		order = " ORDER BY hidden_until, at"
		if strings.Contains(and, " at ") {
			order = " ORDER BY at"
		}
	}
	where := " WHERE kind = '" + kind + "'" + and
	return fmt.Sprintf(
		`((SELECT object_id, at, cents, currency, hidden_until, owner_id FROM attention%[1]s AND merchant_id = ?
			AND object_id NOT IN (SELECT object_id FROM noted)%[2]s LIMIT %[3]d)
		UNION ALL SELECT object_id, at, cents, currency, hidden_until, owner_id FROM changed%[1]s)`,
		where,
		order,
		limit,
	)
}

// shown is the condition that something is neither snoozed nor closed today; later, that it is to be shown another day.
const (
	shown = listing.Shown
	later = " AND hidden_until > (SELECT product_today()) AND hidden_until < 'infinity'"
)

// whose narrows to what a part of the queue shows.
func whose(q report.QueueQuery) string {
	switch q.Whose {
	case report.Mine:
		return shown + " AND owner_id = '" + q.OwnerID.String() + "'"
	case report.Nobodys:
		return shown + " AND owner_id IS NULL"
	case report.Later:
		return later
	case report.Everyones:
	}
	return shown
}

// from narrows to what waits since a moment of ours.
func (w waiting) from() string {
	if w.since.IsZero() {
		return ""
	}
	return " AND at >= '" + database.Instant(w.since).Format(time.RFC3339Nano) + "'"
}

// openApprovals wait for a second approver. Its place is the merchant.
const openApprovals = "SELECT 0 AS cents FROM approvals WHERE merchant_id = ? AND state = 'open'"

// failedSince narrows to the debits of a filter that failed since a moment.
func failedSince(f purchase.Filter) string {
	if f.Concern != purchase.FailedDebit || f.FailedSince.IsZero() {
		return ""
	}
	return waiting{since: f.FailedSince}.from() + " AND answered"
}

// waitingPurchases goes through the purchases with the concern of a filter.
func waitingPurchases(merchantID uuid.UUID, f purchase.Filter) *listing.Search {
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
func concernWhere(merchantID uuid.UUID, f purchase.Filter) (string, []any) {
	kind, known := concernKinds[f.Concern]
	switch {
	case !known:
		return "false", nil
	case f.Concern == purchase.FailedDebit && !f.FailedSince.IsZero():
		return listing.Waits("purchases.id", kind, " AND w.answered AND w.at >= ?"), []any{merchantID, f.FailedSince}
	}
	return listing.Waits("purchases.id", kind, ""), []any{merchantID}
}

// mostJudged is how many things that wait are looked at, to count those among them that a filter lets through.
const mostJudged = 1_000

// TallyPurchases implements purchase.Lister. What waits is counted as it is kept; what a filter lets through of it is
// looked at in each, and not counted where that is too much.
func (s *Store) TallyPurchases(ctx context.Context, merchantID uuid.UUID,
	f purchase.Filter) (t purchase.Tally, err error) {
	kind, known := concernKinds[f.Concern]
	if !known { // nobody counts them here
		return purchase.Tally{N: -1}, nil
	}
	and, from, days := shown+failedSince(f), "infinity", "day = '-infinity'"
	if and != shown {
		from, days = calendar.DateOf(f.FailedSince).String(), "day <> '-infinity'"
	}
	f.Concern, f.FailedSince = "", time.Time{}
	query := "SELECT " + tallied + " FROM " + listing.Counted + " WHERE kind = ? AND " + days + shown
	args := []any{merchantID, from, kind}
	if f.Narrow() || f.Kind != "" || len(f.Statuses) > 0 {
		where, more := purchaseWhere(merchantID, f)
		where, more = withStatuses(f, where, more)
		args = slices.Concat([]any{merchantID, merchantID}, args, []any{merchantID}, more)
		query = fmt.Sprintf(attentionParts+`, there AS MATERIALIZED (%s), near AS MATERIALIZED (SELECT * FROM %s AS r
				WHERE (SELECT n FROM there) <= %[3]d)
			SELECT CASE WHEN (SELECT n FROM there) > %[3]d THEN -1 ELSE count(*) END AS n,
				least(coalesce(sum(part.cents), 0), 9223372036854775807)::bigint AS cents
			FROM (SELECT %[4]s FROM near AS r
				WHERE EXISTS (SELECT FROM purchases WHERE purchases.id = r.object_id AND %[5]s)) AS part`,
			query, attentionOf(kind, and, "", mostJudged), mostJudged, waitingCents, where)
	}
	if err := s.Row(ctx, query, args...).Scan(&t.N, &t.Cents); err != nil {
		return t, fmt.Errorf("sum up purchases: %w", err)
	}
	return t, nil
}

// waitingCents is what something that waits counts for in a sum of rands.
const waitingCents = "CASE WHEN r.currency IN ('ZAR', '') THEN r.cents ELSE 0 END AS cents"

// tallied adds up what is counted; sums of many are computed exactly, and what no integer holds is shown as the
// largest.
const tallied = `coalesce(sum(n), 0)::bigint AS n, least(coalesce(sum(cents), 0), 9223372036854775807)::bigint AS cents`
