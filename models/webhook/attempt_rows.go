package webhook

import (
	"context"
	"fmt"
	"time"

	"debitdesk/models/database"
)

// deliveryClaim is how long a process has for one attempt, in real time: the limits
// of a call and some more.
const deliveryClaim = 45 * time.Second

// nothingBefore is the rule of order: one endpoint hears of one source in the order
// of events. Those that were asked for again keep an order of their own.
const nothingBefore = `NOT EXISTS (SELECT ` + before + `)`

const before = `FROM deliveries b WHERE b.state = 'pending' AND b.endpoint = d.endpoint
	AND b.source_id = d.source_id
	AND b.resend = d.resend AND (b.seq, b.id) < (d.seq, d.id)`

// firstBefore is when the first delivery is tried for which another one waits.
const firstBefore = `SELECT b.next_at ` + before + ` ORDER BY b.seq, b.id LIMIT 1`

const unclaimed = `d.state = 'pending' AND (d.claimed_until IS NULL OR d.claimed_until < now())`

// claimDeliveries looks at no more than some hundred that wait longest, and shares
// the places among addresses: the first of each, then the second of each.
const claimDeliveries = `WITH ready AS (
		SELECT d.id, d.address, d.seq FROM deliveries d WHERE ` + unclaimed +
	` AND d.next_at <= ? AND d.address <> ALL (?::text[]) AND ` + nothingBefore + `
		ORDER BY d.next_at, d.seq LIMIT 512),
	placed AS (SELECT id, seq, row_number() OVER (PARTITION BY address ORDER BY seq) AS place FROM ready),
	claimed AS (
		UPDATE deliveries SET claimed_until = now() + make_interval(secs => ?) WHERE id IN (
			SELECT d.id FROM deliveries d WHERE d.id IN (SELECT id FROM placed WHERE place <= ? ORDER BY place, seq LIMIT ?)
			AND ` + unclaimed + ` FOR UPDATE SKIP LOCKED)
		RETURNING *)
	SELECT c.id, c.merchant_id, c.seq, c.event_id, c.source_id, c.webhook_id, c.address, c.state, c.resend,
	c.attempts, c.first_at, c.created_at,
		e.type, e.object_type, e.object_id, e.seq AS e_seq, e.id AS e_id, e.merchant_id AS e_merchant_id, e.type AS e_type,
		e.object_type AS e_object_type,
		e.object_id AS e_object_id, e.source_id AS e_source_id, e.snapshot AS e_snapshot, e.created_at AS e_created_at,
		c.webhook_id IS NOT NULL AND (w.id IS NULL OR w.deleted_at IS NOT NULL) AS gone, w.failing_since,
		w.noticed_at IS NOT NULL AS noticed, coalesce(w.title, '') AS title
	FROM claimed c JOIN events e ON e.seq = c.seq LEFT JOIN webhooks w ON w.id = c.webhook_id ORDER BY c.seq`

// ClaimDeliveries takes up to limit deliveries that are due and have nothing before
// them, at most each for one address and none for those that are busy.
func (s Store) ClaimDeliveries(ctx context.Context, limit, each int, busy []string) (tasks []Task, err error) {
	err = s.Gorm(ctx).Raw(claimDeliveries, s.Now(), database.TextArray(busy), deliveryClaim.Seconds(), each, limit).
		Find(&tasks).Error
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return tasks, nil
}

// noteAttempt is a compare-and-set on the number of attempts. Those that wait behind
// wait until the same moment, or begin now: so what is due can be found without
// looking at all that waits. One attempt is one statement on pgx: there are many of them.
const noteAttempt = `WITH moved AS (
		UPDATE deliveries SET state = $3, attempts = $4, first_at = coalesce(first_at, $5), next_at = $6,
		claimed_until = NULL, last_status = nullif($7::integer, 0),
			last_error = $8, done_at = CASE WHEN $6::timestamptz IS NULL THEN $5::timestamptz END
		WHERE merchant_id = $1 AND id = $2 AND state = 'pending' AND attempts = $4 - 1
		RETURNING id, endpoint, source_id, seq, resend),
	tried AS (
		INSERT INTO delivery_attempts (delivery_id, number, at, took_ms, status, error, answer)
		SELECT id, $4, $5, $9, nullif($7::integer, 0), $8, $10 FROM moved),
	behind AS (
		UPDATE deliveries d SET next_at = coalesce($6, $5) FROM moved m WHERE d.state = 'pending'
		AND d.endpoint = m.endpoint AND d.source_id = m.source_id
			AND d.resend = m.resend AND (d.seq, d.id) > (m.seq, m.id) AND CASE WHEN $6::timestamptz IS NULL
			THEN d.next_at > $5 ELSE d.next_at < $6 END),
	health AS (UPDATE webhooks w SET `

const (
	healthy = `failures = 0, failing_since = NULL, noticed_at = NULL, last_ok_at = $5 WHERE w.id = $11
		AND EXISTS (SELECT FROM moved)
		AND (w.failures > 0 OR w.last_ok_at IS NULL OR w.last_ok_at < $5 - interval '1 second'))`
	ailing = `failures = failures + 1, failing_since = coalesce(failing_since, $5)
		WHERE w.id = $11 AND EXISTS (SELECT FROM moved))`
)

// NoteAttempt writes the outcome, unless another process has written one since the
// claim, and what it says of the webhook's health.
func (s Store) NoteAttempt(ctx context.Context, t Task, o Outcome) error {
	health := ailing
	if o.State == Delivered {
		health = healthy
	}
	_, err := s.Pool.Exec(ctx, noteAttempt+health+` SELECT count(*) FROM moved`, t.MerchantID, t.ID, string(o.State),
		o.Number, database.Instant(o.At), database.InstantOrNull(o.Next),
		o.Status, o.Error, o.TookMS, o.Answer, database.OrNull(t.WebhookID))
	if err != nil {
		return fmt.Errorf("note an attempt: %w", err)
	}
	return nil
}

// DropDelivery ends a delivery whose webhook is gone.
func (s Store) DropDelivery(ctx context.Context, t Task) error {
	err := s.Gorm(ctx).Model(&Delivery{}).Scopes(database.OfMerchant(t.MerchantID)).
		Where("id = ? AND state = ?", t.ID, Pending).UpdateColumns(map[string]any{"state": Dropped, "next_at": nil,
		"claimed_until": nil, "done_at": s.Now()}).Error
	if err != nil {
		return fmt.Errorf("drop a delivery: %w", err)
	}
	return nil
}

// ReleaseDelivery gives a claim back unused.
func (s Store) ReleaseDelivery(ctx context.Context, t Task) error {
	err := s.Gorm(ctx).Model(&Delivery{}).Scopes(database.OfMerchant(t.MerchantID)).
		Where("id = ? AND state = ? AND attempts = ?", t.ID, Pending, t.Attempts).UpdateColumn("claimed_until", nil).Error
	if err != nil {
		return fmt.Errorf("give a delivery back: %w", err)
	}
	return nil
}

// DeliveriesDue tells whether a delivery is due that has nothing before it.
func (s Store) DeliveriesDue(ctx context.Context) (due bool, err error) {
	err = s.Gorm(ctx).Raw(`SELECT EXISTS (SELECT FROM deliveries d WHERE d.state = 'pending' AND d.next_at <= ?
		AND `+nothingBefore+`)`, s.Now()).Scan(&due).Error
	if err != nil {
		return false, fmt.Errorf("look for deliveries: %w", err)
	}
	return due, nil
}

// NextDelivery is the earliest moment after now at which a delivery becomes due.
func (s Store) NextDelivery(ctx context.Context) (at time.Time, found bool, err error) {
	waiting := s.Gorm(ctx).Table("deliveries").Where("state = 'pending' AND next_at > ?", s.Now())
	if at, found, err = database.Earliest(waiting, "next_at"); err != nil {
		return at, false, fmt.Errorf("look for deliveries: %w", err)
	}
	return at, found, nil
}
