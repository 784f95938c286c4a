package attention

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
)

// What waits for somebody is defined once, in the view attention_facts, and kept up to date in the table attention;
// figures, lists, counts and exports all ask attention_now, or the same by listing.WaitingParts. What is snoozed or
// closed
// does not wait.

// waiting is one kind of thing that waits for somebody, and what is shown of each. The rows of its table are called by
// its alias; a holds the id, at and cents of each.
type waiting struct {
	kind  string
	since time.Time // only those at or after it; zero: all

	item        string // columns and joins around the rows
	table       string
	oldestFirst bool
	into        func(*Items) *[]Item
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

// atWork names the plan that is at work on a purchase, and when it takes its next step.
const atWork = `, coalesce((SELECT w.plan FROM plans_at_work w WHERE w.purchase_id = purchases.id), '') AS plan,
	(SELECT w.step FROM plans_at_work w WHERE w.purchase_id = purchases.id) AS step`

// waitings lists all kinds but the approvals, which are shown elsewhere. The failures of a day are a part of all
// failures, and no kind of their own.
func waitings(month time.Time) []waiting {
	answer := ", coalesce(" + lastDebit("result_code") + ", '') AS code"
	reason := ", (SELECT m.reason_code FROM mandates m WHERE m.id = purchases.id) AS code"
	blocked := ", coalesce((SELECT t.blocked_code FROM tokens t WHERE t.id = " + lastDebit("token_id") +
		" AND t.state = 'blocked'), '') AS text"
	purchases := func(kind, more string, into func(*Items) *[]Item) waiting {
		return waiting{kind: kind, item: purchaseItem + more, table: "purchases", into: into,
			oldestFirst: kind == "refund"}
	}
	return []waiting{
		purchases("failed", answer+blocked+atWork, func(i *Items) *[]Item { return &i.Failed }),
		purchases("account_gone", "", func(i *Items) *[]Item { return &i.AccountGone }),
		purchases("unconfirmed", reason, func(i *Items) *[]Item { return &i.NotConfirmed }),
		purchases("disputed", answer, func(i *Items) *[]Item { return &i.Disputed }),
		purchases("silent", "", func(i *Items) *[]Item { return &i.Silent }),
		purchases("twice", "", func(i *Items) *[]Item { return &i.PaidTwice }),
		purchases("refund", "", func(i *Items) *[]Item { return &i.Refunds }),
		purchases("overdue", "", func(i *Items) *[]Item { return &i.NeverDebited }),
		purchases("closed_day", "", func(i *Items) *[]Item { return &i.ClosedDay }),
		{kind: "terms", table: "template_clients s", oldestFirst: true,
			item: "s.id AS subscriber_id, s.template_id, s.client_id, s.next_at AS at, " + clientName("s", "''") +
				`, coalesce((SELECT b.title FROM billing_templates b WHERE b.id = s.template_id), '') AS reference,
				s.unfit AS text`,
			into: func(i *Items) *[]Item { return &i.Unfit }},
		{kind: "replaced", table: "tokens t",
			item: "t.id AS token_id, t.client_id, t.account_mask AS reference, a.at, " + clientName("t", "t.holder_name") +
				", coalesce((SELECT x.id::text FROM amendments x WHERE x.purchase_id = t.id AND x.state = 'open'), '') AS text",
			into: func(i *Items) *[]Item { return &i.Replaced }},
		{kind: "idle", table: "mandates m", oldestFirst: true,
			item: "m.id AS mandate_id, m.client_id, m.contract_reference AS reference, a.at, " +
				clientName("m", "m.holder_name"),
			into: func(i *Items) *[]Item { return &i.Idle }},
		{kind: "blocked", table: "tokens t",
			item: "t.id AS token_id, t.client_id, t.account_mask AS reference, t.blocked_code AS code, a.at, " +
				clientName("t", "t.holder_name"),
			into: func(i *Items) *[]Item { return &i.Blocked }},
		{kind: "suspended", table: "mandates m",
			item: "m.id AS mandate_id, m.client_id, m.contract_reference AS reference, m.reason_code AS code, a.at, " +
				clientName("m", "m.holder_name"),
			into: func(i *Items) *[]Item { return &i.Suspended }},
		{kind: "stranded", table: "template_clients s", oldestFirst: true,
			item: "s.id AS subscriber_id, s.template_id, s.client_id, s.next_at AS at, " + clientName("s", "''") +
				`, coalesce((SELECT b.title FROM billing_templates b WHERE b.id = s.template_id), '') AS reference,
				coalesce((SELECT t.state FROM tokens t WHERE t.id = s.token_id), '') AS text,
				coalesce((SELECT t.blocked_code FROM tokens t WHERE t.id = s.token_id), '') AS code`,
			into: func(i *Items) *[]Item { return &i.Stranded }},
		{kind: "promise", table: "promises pr", oldestFirst: true,
			item: "pr.id AS promise_id, pr.purchase_id, pr.client_id, pr.currency, a.cents, a.at, pr.text, " +
				clientName("pr", "coalesce("+payerOf("pr")+", '')") + `,
				coalesce((SELECT coalesce(nullif(w.reference, ''), w.reference_generated) FROM purchases w
				WHERE w.id = pr.purchase_id), '')
					AS reference`,
			into: func(i *Items) *[]Item { return &i.Promised }},
		{kind: "request", table: "client_requests r", oldestFirst: true,
			item: "r.id AS request_id, r.client_id, r.about AS reference, r.kind AS text, a.at, " + clientName("r", "''"),
			into: func(i *Items) *[]Item { return &i.Requests }},
		{kind: "mail", since: month, table: "mails f",
			item: "f.purchase_id, f.client_id, f.recipient AS name, f.subject || ': ' || f.error AS text, a.at",
			into: func(i *Items) *[]Item { return &i.Mails }},
	}
}

// waitingRow is a row of attention as a statement hands it to the next.
type waitingRow struct {
	Kind, ObjectID, At, Hidden, Owner string
	Cents                             int64
}

// Items lists up to limit of each kind: what was snoozed until today first, then the newest.
func (s Store) Items(ctx context.Context, merchantID uuid.UUID, q Query,
	limit int) (Items, error) {
	var out Items
	var parts []string
	args := []any{merchantID, merchantID}
	kinds := waitings(q.Month)
	for _, w := range kinds {
		order := " ORDER BY hidden_until DESC, at DESC, object_id DESC"
		if w.oldestFirst || q.Whose == Later {
			order = " ORDER BY hidden_until, at, object_id"
		}
		and := whose(q) + listing.WaitingSince(w.since)
		if q.ObjectID != uuid.Nil {
			and = " AND object_id = '" + q.ObjectID.String() + "'"
		}
		parts = append(
			parts,
			fmt.Sprintf(`(SELECT '%s' AS kind, object_id::text, at::text, cents, hidden_until::text AS hidden,
			coalesce(owner_id::text, '') AS owner FROM %s AS r%s LIMIT %d)`, w.kind,
				listing.WaitingRows(w.kind, and, order, int64(limit)),
				strings.ReplaceAll(order, " at", " r.at"), limit),
		)
		args = append(args, merchantID)
	}
	var rows []waitingRow
	err := s.Gorm(ctx).Raw(listing.WaitingParts+strings.Join(parts, " UNION ALL "), args...).Find(&rows).Error
	if err != nil {
		return out, fmt.Errorf("list what needs attention: %w", err)
	}
	var reads []func(context.Context) error
	for _, w := range kinds {
		var of []waitingRow
		for _, r := range rows {
			if r.Kind == w.kind {
				of = append(of, r)
			}
		}
		if len(of) > 0 {
			reads = append(reads, func(ctx context.Context) error {
				query, args := itemsOf(merchantID, w, of)
				return s.Gorm(ctx).Raw(query, args...).Find(w.into(&out)).Error
			})
		}
	}
	if err := database.AtOnce(ctx, reads...); err != nil {
		return out, fmt.Errorf("list what needs attention: %w", err)
	}
	return out, nil
}

// itemsOf asks what is shown of the things of one kind.
func itemsOf(merchantID uuid.UUID, w waiting, of []waitingRow) (query string, args []any) {
	var ids, ats, cents, hidden, owners database.TextArray
	for _, r := range of {
		ids, ats, cents = append(ids, r.ObjectID), append(ats, r.At), append(cents, fmt.Sprint(r.Cents))
		hidden, owners = append(hidden, r.Hidden), append(owners, r.Owner)
	}
	_, alias, aliased := strings.Cut(w.table, " ")
	if !aliased {
		alias = w.table
	}
	return "SELECT '" + w.kind + "' AS kind, a.id AS object_id, " +
			"nullif(a.owner, '')::uuid AS owner_id, a.hidden AS hidden_until, " + phoneOf(alias) + ", " + w.item +
			` FROM unnest(?::text[]::uuid[], ?::text[]::timestamptz[], ?::text[]::bigint[], ?::text[], ?::text[])
			WITH ORDINALITY AS a (id, at, cents, hidden, owner, place)
		JOIN ` + w.table + " ON " + alias + ".id = a.id AND " + alias + ".merchant_id = ? ORDER BY a.place",
		[]any{ids, ats, cents, hidden, owners, merchantID}
}

// phoneOf is the phone of the client of a row.
func phoneOf(row string) string {
	return "coalesce((SELECT k.phone FROM clients k WHERE k.id = " + row + ".client_id), '') AS phone"
}
