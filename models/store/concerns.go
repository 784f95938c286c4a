package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
)

// Why something waits for somebody is said here once, for figures, lists, counts
// and exports alike.

// owed are the statuses in which a purchase is still to be paid. The indexes
// purchases_debited_owed and purchases_account_gone hold just these.
const owed = `purchases.status IN ('created', 'sent', 'viewed', 'error', 'overdue')`

// lastDebit is a column of the newest debit of a purchase. As a subquery of one
// row it is looked up for each purchase, and never joined to all debits.
func lastDebit(column string) string {
	return "(SELECT c." + column + " FROM collections c WHERE c.purchase_id = purchases.id AND c.attempt = purchases.collection_count)"
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
		where, args := owed+" AND purchases.collection_count > 0 AND EXISTS (SELECT FROM collections c WHERE "+failedLast, []any{merchantID}
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
func (s *Store) TallyPurchases(ctx context.Context, merchantID uuid.UUID, f purchase.Filter, limit int64) (t purchase.Tally, err error) {
	where, args := purchaseWhere(merchantID, f)
	if len(f.Statuses) > 0 {
		names := make(textArray, len(f.Statuses))
		for i, status := range f.Statuses {
			names[i] = string(status)
		}
		where, args = where+" AND status = ANY(?::text[])", append(args, names)
	}
	query := "SELECT " + tallied + " FROM (" + tallyPart("purchases", concernCents(f.Concern), where, limit) + ") AS part"
	if err := s.read(ctx).Raw(query, args...).Scan(&t).Error; err != nil {
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
