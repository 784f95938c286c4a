package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/report"
)

// OFFSET 0 keeps the order of the joins below: first the few rows that an index
// finds, then what belongs to each. A plan made for any value would read it all.

// failedDebits are the newest debits of purchases that failed and stand so still.
const failedDebits = ` FROM collections c CROSS JOIN LATERAL (SELECT * FROM purchases
		WHERE id = c.purchase_id AND status = 'error' AND collection_count = c.attempt OFFSET 0) AS p
	WHERE c.merchant_id = @m AND c.state = 'unpaid' AND c.result_at >= @week`

// unconfirmed are mandates that payers did not confirm and nobody has asked for again.
const unconfirmed = ` FROM mandates m JOIN purchases p ON p.id = m.id AND p.status IN ('error', 'overdue')
	WHERE m.merchant_id = @m AND m.state IN ('rejected', 'no_response', 'failed') AND m.updated_at >= @week`

// blockedWaiting are scheduled purchases that would be debited from a blocked account.
const blockedWaiting = ` FROM tokens t CROSS JOIN LATERAL (SELECT * FROM purchases WHERE token_id = t.id AND status = 'pending_charge' OFFSET 0) AS p
	WHERE t.merchant_id = @m AND t.state = 'blocked'`

const silentDebits = ` FROM collections c WHERE c.merchant_id = @m AND c.state = 'submitted' AND c.alerted_at IS NOT NULL`

// failedMails are those that nobody has sent again since.
const failedMails = ` FROM mails f WHERE merchant_id = @m AND state = 'failed' AND created_at >= @month
	AND NOT EXISTS (SELECT 1 FROM mails later WHERE later.object_id = f.object_id AND later.kind = f.kind AND later.attempt > f.attempt)`

// Attention implements report.Reader.
func (s *Store) Attention(ctx context.Context, merchantID uuid.UUID, yesterday, week, month time.Time) (report.Attention, error) {
	const query = `SELECT
		count(*) FILTER (WHERE kind = 'failed' AND at >= @yesterday) AS day_n, coalesce(sum(cents) FILTER (WHERE kind = 'failed' AND at >= @yesterday), 0) AS day_cents,
		count(*) FILTER (WHERE kind = 'failed') AS week_n, coalesce(sum(cents) FILTER (WHERE kind = 'failed'), 0) AS week_cents,
		count(*) FILTER (WHERE kind = 'disputed') AS disputed_n, coalesce(sum(cents) FILTER (WHERE kind = 'disputed'), 0) AS disputed_cents,
		count(*) FILTER (WHERE kind = 'silent') AS silent_n, coalesce(sum(cents) FILTER (WHERE kind = 'silent'), 0) AS silent_cents,
		count(*) FILTER (WHERE kind = 'blocked') AS blocked_n, coalesce(sum(cents) FILTER (WHERE kind = 'blocked'), 0) AS blocked_cents,
		count(*) FILTER (WHERE kind = 'refund') AS refunds_n, coalesce(sum(cents) FILTER (WHERE kind = 'refund'), 0) AS refunds_cents,
		count(*) FILTER (WHERE kind = 'mail') AS mails, count(*) FILTER (WHERE kind = 'approval') AS approvals
	FROM (
		SELECT 'failed' AS kind, c.amount_cents AS cents, c.result_at AS at` + failedDebits + `
		UNION ALL SELECT 'disputed', total_cents, NULL FROM purchases WHERE merchant_id = @m AND status = 'chargeback'
		UNION ALL SELECT 'silent', c.amount_cents, NULL` + silentDebits + `
		UNION ALL SELECT 'blocked', p.total_cents, NULL` + blockedWaiting + `
		UNION ALL SELECT 'refund', r.amount_cents, NULL FROM purchases p JOIN refunds r ON r.purchase_id = p.id AND r.state = 'pending'
			WHERE p.merchant_id = @m AND p.status = 'pending_refund'
		UNION ALL SELECT 'mail', 0, NULL` + failedMails + `
		UNION ALL SELECT 'approval', 0, NULL FROM approvals WHERE merchant_id = @m AND state = 'open'
	) AS waiting`
	var r struct {
		DayN, DayCents, WeekN, WeekCents, DisputedN, DisputedCents, SilentN, SilentCents, BlockedN, BlockedCents, RefundsN, RefundsCents, Mails, Approvals int64
	}
	args := map[string]any{"m": merchantID, "yesterday": yesterday, "week": week, "month": month}
	if err := s.read(ctx).Raw(query, args).Scan(&r).Error; err != nil {
		return report.Attention{}, fmt.Errorf("attention: %w", err)
	}
	return report.Attention{
		FailedDay: report.Tally{N: r.DayN, Cents: r.DayCents}, FailedWeek: report.Tally{N: r.WeekN, Cents: r.WeekCents},
		Disputed: report.Tally{N: r.DisputedN, Cents: r.DisputedCents}, Silent: report.Tally{N: r.SilentN, Cents: r.SilentCents},
		Blocked: report.Tally{N: r.BlockedN, Cents: r.BlockedCents}, Refunds: report.Tally{N: r.RefundsN, Cents: r.RefundsCents}, Mails: r.Mails, Approvals: r.Approvals,
	}, nil
}

// AttentionCount implements report.Reader. It stands on every page, so each kind
// stops counting at the limit.
func (s *Store) AttentionCount(ctx context.Context, merchantID uuid.UUID, week, month time.Time, limit int) (int, error) {
	parts := []string{
		"SELECT 1" + failedDebits, "SELECT 1" + unconfirmed, "SELECT 1 FROM purchases WHERE merchant_id = @m AND status = 'chargeback'", "SELECT 1" + silentDebits,
		"SELECT 1" + blockedWaiting, "SELECT 1 FROM purchases WHERE merchant_id = @m AND status = 'pending_refund'", "SELECT 1" + failedMails,
		"SELECT 1 FROM approvals WHERE merchant_id = @m AND state = 'open'",
	}
	query := ""
	for i, part := range parts {
		if i > 0 {
			query += " + "
		}
		query += fmt.Sprintf("(SELECT count(*) FROM (%s LIMIT %d) AS part)", part, limit)
	}
	var n int
	err := s.read(ctx).Raw("SELECT "+query, map[string]any{"m": merchantID, "week": week, "month": month}).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count what needs attention: %w", err)
	}
	return n, nil
}

type itemRow struct {
	PurchaseID, TokenID, ClientID *uuid.UUID
	Name, Reference, Currency     string
	Code, Text                    string
	Cents                         int64
	At                            *time.Time
}

func (r itemRow) domain() report.Item {
	return report.Item{PurchaseID: orZero(r.PurchaseID), TokenID: orZero(r.TokenID), ClientID: orZero(r.ClientID), Name: r.Name, Reference: r.Reference,
		Cents: r.Cents, Currency: r.Currency, Code: r.Code, Text: r.Text, At: utc(r.At)}
}

// purchaseItem is what every item about a purchase shows.
const purchaseItem = `SELECT p.id AS purchase_id, p.client_id, coalesce(nullif(p.payer_name, ''), p.payer_email) AS name,
	coalesce(nullif(p.reference, ''), p.reference_generated) AS reference, p.currency, p.total_cents AS cents`

// AttentionItems implements report.Reader.
func (s *Store) AttentionItems(ctx context.Context, merchantID uuid.UUID, week, month time.Time, limit int) (report.Items, error) {
	var out report.Items
	args := map[string]any{"m": merchantID, "week": week, "month": month, "limit": limit}
	for _, part := range []struct {
		into  *[]report.Item
		query string
	}{
		{&out.Failed, purchaseItem + ", c.result_code AS code, c.result_at AS at" + failedDebits + " ORDER BY c.result_at DESC"},
		{&out.Unconfirmed, purchaseItem + ", m.reason_code AS code, m.updated_at AS at" + unconfirmed + " ORDER BY m.updated_at DESC"},
		{&out.Disputed, purchaseItem + `, coalesce(c.result_code, '') AS code, p.updated_at AS at FROM purchases p
			LEFT JOIN collections c ON c.purchase_id = p.id AND c.attempt = p.collection_count
			WHERE p.merchant_id = @m AND p.status = 'chargeback' ORDER BY p.id DESC`},
		{&out.Silent, purchaseItem + `, c.alerted_at AS at FROM collections c JOIN purchases p ON p.id = c.purchase_id
			WHERE c.merchant_id = @m AND c.state = 'submitted' AND c.alerted_at IS NOT NULL ORDER BY c.alerted_at DESC`},
		{&out.Blocked, purchaseItem + ", t.id AS token_id, t.blocked_code AS code, p.due AS at" + blockedWaiting + " ORDER BY p.due"},
		{&out.Refunds, `SELECT p.id AS purchase_id, p.client_id, coalesce(nullif(p.payer_name, ''), p.payer_email) AS name,
			coalesce(nullif(p.reference, ''), p.reference_generated) AS reference, p.currency, r.amount_cents AS cents, r.created_at AS at
			FROM purchases p JOIN refunds r ON r.purchase_id = p.id AND r.state = 'pending'
			WHERE p.merchant_id = @m AND p.status = 'pending_refund' ORDER BY r.created_at`},
		{&out.Mails, "SELECT purchase_id, client_id, recipient AS name, subject || ': ' || error AS text, created_at AS at" + failedMails + " ORDER BY id DESC"},
	} {
		var rows []itemRow
		if err := s.read(ctx).Raw(part.query+" LIMIT @limit", args).Scan(&rows).Error; err != nil {
			return out, fmt.Errorf("list what needs attention: %w", err)
		}
		for _, r := range rows {
			*part.into = append(*part.into, r.domain())
		}
	}
	return out, nil
}

// Movements implements report.Reader.
func (s *Store) Movements(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) ([]report.Day, error) {
	var rows []struct {
		Day                   calendar.Date
		Up, Down, Debits, Bad int64
	}
	err := s.read(ctx).Raw(`SELECT day,
			coalesce(sum(amount_cents) FILTER (WHERE amount_cents > 0), 0) AS up, coalesce(-sum(amount_cents) FILTER (WHERE amount_cents < 0), 0) AS down,
			count(*) FILTER (WHERE kind = 'collected') AS debits, count(*) FILTER (WHERE kind IN ('returned', 'disputed')) AS bad
		FROM ledger_entries WHERE merchant_id = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day`, merchantID, from, to).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("movements of money: %w", err)
	}
	out := make([]report.Day, len(rows))
	for i, r := range rows {
		out[i] = report.Day{Date: r.Day, InCents: r.Up, BackCents: r.Down, Debits: r.Debits, ReturnedLater: r.Bad}
	}
	return out, nil
}

// Outcomes implements report.Reader; the index alone answers it.
func (s *Store) Outcomes(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) (map[calendar.Date]report.Outcome, error) {
	var rows []struct {
		ActionDate calendar.Date
		State      string
		N          int64
	}
	err := s.read(ctx).Raw(`SELECT action_date, state, count(*) AS n FROM collections WHERE merchant_id = ? AND action_date BETWEEN ? AND ? GROUP BY 1, 2`,
		merchantID, from, to).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("outcomes of debits: %w", err)
	}
	out := map[calendar.Date]report.Outcome{}
	for _, r := range rows {
		o := out[r.ActionDate]
		switch state := collection.State(r.State); {
		case state == collection.Unpaid:
			o.Unpaid += r.N
		case state == collection.Disputed || state == collection.DisputeLost || state == collection.DisputeWon:
			o.Disputed += r.N
		case state.Collected():
			o.Collected += r.N
		}
		out[r.ActionDate] = o
	}
	return out, nil
}

// Debits implements report.Reader.
func (s *Store) Debits(ctx context.Context, merchantID uuid.UUID, on calendar.Date) (report.Tally, error) {
	return s.tally(ctx, "merchant_id = ? AND action_date = ? AND state IN ('scheduled', 'submitted', 'in_tracking')", merchantID, on)
}

// ToSubmit implements report.Reader.
func (s *Store) ToSubmit(ctx context.Context, merchantID uuid.UUID, until time.Time) (report.Tally, error) {
	return s.tally(ctx, "merchant_id = ? AND state = 'scheduled' AND submit_at <= ?", merchantID, until)
}

func (s *Store) tally(ctx context.Context, where string, args ...any) (report.Tally, error) {
	var t report.Tally
	err := s.read(ctx).Raw("SELECT count(*) AS n, coalesce(sum(amount_cents), 0) AS cents FROM collections WHERE "+where, args...).Scan(&t).Error
	if err != nil {
		return t, fmt.Errorf("sum up debits: %w", err)
	}
	return t, nil
}

// Start implements report.Reader.
func (s *Store) Start(ctx context.Context, merchantID uuid.UUID) (report.Start, error) {
	var out report.Start
	err := s.read(ctx).Raw(`SELECT
		EXISTS (SELECT FROM clients WHERE merchant_id = @m AND deleted_at IS NULL) AS client,
		EXISTS (SELECT FROM tokens WHERE merchant_id = @m AND state <> 'pending') AS token,
		EXISTS (SELECT FROM collections WHERE merchant_id = @m) AS charge,
		EXISTS (SELECT FROM ledger_entries WHERE merchant_id = @m AND kind = 'collected') AS collected,
		EXISTS (SELECT FROM credentials WHERE merchant_id = @m) AS credential`, map[string]any{"m": merchantID}).Scan(&out).Error
	if err != nil {
		return out, fmt.Errorf("first steps: %w", err)
	}
	return out, nil
}
