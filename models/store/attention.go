package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

// waiting is one kind of thing that waits for somebody: which rows, what they come
// to, and what is shown of each.
type waiting struct {
	kind  string
	table string
	where string
	args  []any
	cents string // of a row; 0: no sum

	item  string // columns and joins around the rows, which are called by their table
	order string
	into  func(*report.Items) *[]report.Item // nil: shown elsewhere
}

// purchaseItem is what every item about a purchase shows.
const purchaseItem = `purchases.id AS purchase_id, purchases.client_id, coalesce(nullif(purchases.payer_name, ''), purchases.payer_email) AS name,
	coalesce(nullif(purchases.reference, ''), purchases.reference_generated) AS reference, purchases.currency`

// clientName is what every item about a client shows.
const clientName = `coalesce(nullif(k.full_name, ''), nullif(k.legal_name, ''), nullif(k.brand_name, ''), nullif(k.email, ''), '') AS name`

func concerned(merchantID uuid.UUID, f purchase.Filter, kind, item, order string,
	into func(*report.Items) *[]report.Item) waiting {
	where, args := purchaseWhere(merchantID, f)
	cents := concernCents(f.Concern)
	return waiting{kind, "purchases", where, args, cents, purchaseItem + ", " + cents + " AS cents, " + item, order, into}
}

// waitings lists all kinds. The failures of a day are a part of all failures, and
// no kind of their own.
func waitings(merchantID uuid.UUID, month time.Time) []waiting {
	of := func(c purchase.Concern) purchase.Filter { return purchase.Filter{Concern: c} }
	answer := "coalesce(" + lastDebit("result_code") + ", '') AS code, coalesce(" + lastDebit("result_at") +
		", purchases.updated_at) AS at"
	reason := "(SELECT m.reason_code FROM mandates m WHERE m.id = purchases.id) AS code, (SELECT m.updated_at FROM mandates m WHERE m.id = purchases.id) AS at"
	refunded := "(SELECT min(r.created_at) FROM refunds r WHERE r.purchase_id = purchases.id AND r.state = 'pending') AS at"
	blocked := "coalesce((SELECT t.blocked_code FROM tokens t WHERE t.id = " + lastDebit("token_id") +
		" AND t.state = 'blocked'), '') AS text"
	return []waiting{
		concerned(merchantID, of(purchase.FailedDebit), "failed", answer+", "+blocked, "at DESC",
			func(i *report.Items) *[]report.Item { return &i.Failed }),
		concerned(merchantID, of(purchase.AccountGone), "account_gone", "purchases.updated_at AS at", "at DESC",
			func(i *report.Items) *[]report.Item { return &i.AccountGone }),
		concerned(merchantID, of(purchase.NotConfirmed), "unconfirmed", reason, "at DESC",
			func(i *report.Items) *[]report.Item { return &i.NotConfirmed }),
		concerned(merchantID, of(purchase.OpenDispute), "disputed", answer, "at DESC",
			func(i *report.Items) *[]report.Item { return &i.Disputed }),
		concerned(merchantID, of(purchase.NoAnswer), "silent", lastDebit("alerted_at")+" AS at", "at DESC",
			func(i *report.Items) *[]report.Item { return &i.Silent }),
		concerned(merchantID, of(purchase.PaidTwice), "twice", "purchases.updated_at AS at", "at DESC",
			func(i *report.Items) *[]report.Item { return &i.PaidTwice }),
		concerned(merchantID, of(purchase.RefundWaits), "refund", refunded, "at",
			func(i *report.Items) *[]report.Item { return &i.Refunds }),
		{"blocked", "tokens t", "t.merchant_id = ? AND " + blockedNeeded, []any{merchantID}, "0",
			"t.id AS token_id, t.client_id, t.account_mask AS reference, t.blocked_code AS code, t.updated_at AS at, coalesce((SELECT " + inner(clientName) + " FROM clients k WHERE k.id = t.client_id), t.holder_name) AS name",
			"at DESC", func(i *report.Items) *[]report.Item { return &i.Blocked }},
		{"suspended", "mandates m", "m.merchant_id = ? AND " + suspendedWaiting, []any{merchantID}, "0",
			"m.id AS mandate_id, m.client_id, m.contract_reference AS reference, m.reason_code AS code, m.updated_at AS at, coalesce((SELECT " + inner(clientName) + " FROM clients k WHERE k.id = m.client_id), m.holder_name) AS name",
			"at DESC", func(i *report.Items) *[]report.Item { return &i.Suspended }},
		{"stranded", "template_clients s", "s.merchant_id = ? AND " + stranded, []any{merchantID, merchantID, merchantID},
			"0",
			`s.id AS subscriber_id, s.template_id, s.client_id, s.next_at AS at, coalesce((SELECT ` + inner(clientName) +
				` FROM clients k WHERE k.id = s.client_id), '') AS name,
			coalesce((SELECT b.title FROM billing_templates b WHERE b.id = s.template_id), '') AS reference,
			coalesce((SELECT t.state FROM tokens t WHERE t.id = s.token_id), '') AS text, coalesce((SELECT t.blocked_code FROM tokens t WHERE t.id = s.token_id), '') AS code`,
			"at", func(i *report.Items) *[]report.Item { return &i.Stranded }},
		{"mail", "mails f", "f.merchant_id = ? AND " + failedMails, []any{merchantID, month}, "0",
			"f.purchase_id, f.client_id, f.recipient AS name, f.subject || ': ' || f.error AS text, f.created_at AS at",
			"at DESC", func(i *report.Items) *[]report.Item { return &i.Mails }},
		{"approval", "approvals", "merchant_id = ? AND state = 'open'", []any{merchantID}, "0", "", "", nil},
	}
}

// inner is a column without its name, for use inside an expression.
func inner(column string) string { return strings.TrimSuffix(column, " AS name") }

// Attention implements report.Reader.
func (s *Store) Attention(ctx context.Context, merchantID uuid.UUID, yesterday,
	month time.Time) (report.Attention, error) {
	all := waitings(merchantID, month)
	all = append(all, concerned(merchantID, purchase.Filter{Concern: purchase.FailedDebit, FailedSince: yesterday},
		"failed_day", "", "", nil))
	var parts []string
	var args []any
	for _, w := range all {
		parts = append(parts, "(SELECT '"+w.kind+"' AS kind, "+tallied+" FROM ("+tallyPart(w.table, w.cents, w.where,
			purchase.CountLimit+1)+") AS part)")
		args = append(args, w.args...)
	}
	var rows []struct {
		Kind     string
		N, Cents int64
	}
	if err := s.Gorm(ctx).Raw(strings.Join(parts, " UNION ALL "), args...).Scan(&rows).Error; err != nil {
		return report.Attention{}, fmt.Errorf("attention: %w", err)
	}
	var a report.Attention
	tallies := map[string]*report.Tally{"failed": &a.Failed, "failed_day": &a.FailedDay, "account_gone": &a.AccountGone,
		"unconfirmed": &a.NotConfirmed,
		"disputed":    &a.Disputed, "silent": &a.Silent, "refund": &a.Refunds, "twice": &a.PaidTwice}
	counts := map[string]*int64{"blocked": &a.Blocked, "suspended": &a.Suspended, "stranded": &a.Stranded,
		"mail": &a.Mails, "approval": &a.Approvals}
	for _, r := range rows {
		if t, known := tallies[r.Kind]; known {
			*t = report.Tally{N: r.N, Cents: r.Cents}
		} else {
			*counts[r.Kind] = r.N
		}
	}
	return a, nil
}

// AttentionCount implements report.Reader. It stands on every page, so each kind
// stops counting at the limit.
func (s *Store) AttentionCount(ctx context.Context, merchantID uuid.UUID, month time.Time, limit int) (int, error) {
	var parts []string
	var args []any
	for _, w := range waitings(merchantID, month) {
		parts = append(parts, "(SELECT count(*) FROM ("+tallyPart(w.table, "0", w.where, int64(limit))+") AS part)")
		args = append(args, w.args...)
	}
	var n int
	if err := s.Gorm(ctx).Raw("SELECT "+strings.Join(parts, " + "), args...).Scan(&n).Error; err != nil {
		return 0, fmt.Errorf("count what needs attention: %w", err)
	}
	return n, nil
}

var itemView = table.View[report.Item]()

// AttentionItems implements report.Reader. What is more than a list counts is not
// sorted either.
func (s *Store) AttentionItems(ctx context.Context, merchantID uuid.UUID, month time.Time,
	limit int) (report.Items, error) {
	var out report.Items
	for _, w := range waitings(merchantID, month) {
		if w.into == nil {
			continue
		}
		name, alias, aliased := strings.Cut(w.table, " ")
		if !aliased {
			alias = name
		}
		query := fmt.Sprintf(
			"SELECT %s FROM (SELECT * FROM %s WHERE %s ORDER BY id DESC LIMIT %d) AS %s ORDER BY %s LIMIT %d", w.item, w.table,
			w.where, purchase.CountLimit, alias, w.order, limit)
		found, err := database.Seek(ctx, s.DB, itemView, query, w.args...)
		if err != nil {
			return out, fmt.Errorf("list what needs attention: %w", err)
		}
		*w.into(&out) = found
	}
	return out, nil
}

// Why something waits for somebody is said here once, for figures, lists, counts
// and exports alike.

// owed are the statuses in which a purchase is still to be paid. The indexes
// purchases_debited_owed and purchases_account_gone hold just these.
const owed = `purchases.status IN ('created', 'sent', 'viewed', 'error', 'overdue')`

// lastDebit is a column of the newest debit of a purchase. As a subquery of one
// row it is looked up for each purchase, and never joined to all debits.
func lastDebit(column string) string {
	return "(SELECT c." + column +
		" FROM collections c WHERE c.purchase_id = purchases.id AND c.attempt = purchases.collection_count)"
}

// failedLast: the newest debit of a purchase failed. It names the merchant, so that the
// search can begin at whichever is fewer: the failed debits in the index
// collections_failed_last, or the owed purchases in purchases_debited_owed.
const failedLast = `c.merchant_id = ? AND c.purchase_id = purchases.id AND c.attempt = purchases.collection_count
	AND c.state IN ('unpaid', 'recalled')`

// concernWhere is the condition that a purchase has the concern of a filter.
func concernWhere(merchantID uuid.UUID, f purchase.Filter) (string, []any) {
	switch f.Concern {
	case purchase.FailedDebit:
		where, args := owed+" AND purchases.collection_count > 0 AND EXISTS (SELECT FROM collections c WHERE "+failedLast,
			[]any{merchantID}
		if !f.FailedSince.IsZero() {
			where, args = where+" AND c.result_at >= ?", append(args, f.FailedSince)
		}
		return where + ")", args
	case purchase.AccountGone:
		return owed + " AND purchases.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'", nil
	case purchase.NotConfirmed:
		return owed + ` AND purchases.id IN (SELECT m.id FROM mandates m WHERE m.merchant_id = ? AND m.kind = 'debicheck'
			AND m.state IN ('rejected', 'no_response', 'failed'))`, []any{merchantID}
	case purchase.OpenDispute:
		return "purchases.status = 'chargeback' AND " + lastDebit("state") + " IS DISTINCT FROM 'dispute_lost'", nil
	case purchase.NoAnswer:
		return `purchases.id IN (SELECT c.purchase_id FROM collections c WHERE c.merchant_id = ? AND c.state = 'submitted' AND c.alerted_at IS NOT NULL)`, []any{merchantID}
	case purchase.RefundWaits:
		return "purchases.status = 'pending_refund'", nil
	case purchase.PaidTwice:
		return "purchases.net_cents < 0", nil
	}
	return "false", nil
}

// concernCents is what a purchase with a concern counts for in a sum.
func concernCents(c purchase.Concern) string {
	switch c {
	case purchase.PaidTwice:
		return "-purchases.net_cents"
	case purchase.RefundWaits:
		return "coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.purchase_id = purchases.id AND r.state = 'pending'), 0)"
	default:
		return "purchases.total_cents"
	}
}

// blockedNeeded: a blocked account t that scheduled purchases or subscribers still
// need. It ends when they are moved, cancelled, paused or ended, or the token is
// replaced or deleted.
const blockedNeeded = `t.state = 'blocked' AND (EXISTS (SELECT FROM purchases w WHERE w.token_id = t.id AND w.status = 'pending_charge')
	OR EXISTS (SELECT FROM template_clients w WHERE w.token_id = t.id AND w.status = 'active'))`

// suspendedWaiting: a mandate m that the client's bank suspended, though it was to
// go on. It ends when its token is replaced or deleted, or the client has a newer
// account that can be charged.
const suspendedWaiting = `m.state = 'suspended' AND m.reason_code NOT IN ('MCOC', 'MCFC')
	AND EXISTS (SELECT FROM tokens old WHERE old.id = m.id AND old.state = 'blocked')
	AND NOT EXISTS (SELECT FROM tokens later WHERE later.client_id = m.client_id AND later.id > m.id AND later.state = 'active')`

// stranded: an active subscriber s whose account cannot be charged. It ends when
// the account is stored again, or the subscriber is moved, paused or ended. The
// accounts that ended lead to it: most subscribers have a good one.
const stranded = `s.status = 'active' AND s.id IN (SELECT w.id FROM template_clients w WHERE w.merchant_id = ? AND w.status = 'active' AND w.token_id IS NULL
	UNION ALL SELECT w.id FROM tokens t JOIN template_clients w ON w.token_id = t.id WHERE t.merchant_id = ? AND t.state IN ('pending', 'blocked', 'deleting', 'deleted', 'superseded') AND w.status = 'active')`

// failedMails are those that nobody has sent again since.
const failedMails = `f.state = 'failed' AND f.created_at >= ?
	AND NOT EXISTS (SELECT 1 FROM mails later WHERE later.object_id = f.object_id AND later.kind = f.kind AND later.attempt > f.attempt)`

// TallyPurchases implements purchase.Lister.
func (s *Store) TallyPurchases(ctx context.Context, merchantID uuid.UUID, f purchase.Filter,
	limit int64) (t purchase.Tally, err error) {
	where, args := purchaseWhere(merchantID, f)
	if len(f.Statuses) > 0 {
		names := make(database.TextArray, len(f.Statuses))
		for i, status := range f.Statuses {
			names[i] = string(status)
		}
		where, args = where+" AND status = ANY(?::text[])", append(args, names)
	}
	query := "SELECT " + tallied + " FROM (" + tallyPart("purchases", concernCents(f.Concern), where, limit) + ") AS part"
	if err := s.Gorm(ctx).Raw(query, args...).Scan(&t).Error; err != nil {
		return t, fmt.Errorf("sum up purchases: %w", err)
	}
	return t, nil
}

// tallied counts and sums a part; sums of many are computed exactly, and what no
// integer holds is shown as the largest.
const tallied = `count(*) AS n, least(coalesce(sum(part.cents), 0), 9223372036854775807)::bigint AS cents`

// tallyPart is what is to be counted, up to a limit.
func tallyPart(table, cents, where string, limit int64) string {
	if table == "purchases" {
		cents = "CASE WHEN purchases.currency = 'ZAR' THEN " + cents + " ELSE 0 END"
	}
	return fmt.Sprintf("SELECT %s AS cents FROM %s WHERE %s LIMIT %d", cents, table, where, limit)
}
