package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"debitdesk/models/paging"
	"debitdesk/models/store/table"
	"debitdesk/models/webhook"
)

var (
	eventTable    = table.New[webhook.Event]("events")
	deliveryTable = table.New[webhook.Delivery]("deliveries")
)

// Event implements webhook.Reader.
func (s *Store) Event(ctx context.Context, merchantID, id uuid.UUID) (webhook.Event, error) {
	return one(ctx, s, eventTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// EventsInFull implements webhook.Reader.
func (s *Store) EventsInFull(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]webhook.Event, error) {
	out := make(map[uuid.UUID]webhook.Event, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	found, err := all(ctx, s, eventTable, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
	for _, e := range found {
		out[e.ID] = e
	}
	return out, err
}

// Events implements webhook.Reader, in the order of commits. The snapshots stay where they are.
func (s *Store) Events(ctx context.Context, merchantID uuid.UUID, f webhook.EventFilter, ask paging.Ask) ([]webhook.Event, error) {
	q := list(ctx, s, eventTable, "snapshot").Where("merchant_id = ?", merchantID)
	if len(f.Types) > 0 {
		q = q.Where("type = ANY(?::text[])", textArray(f.Types))
	}
	if f.ObjectID != uuid.Nil {
		q = q.Where("object_id = ?", f.ObjectID)
	}
	if f.EventID != uuid.Nil {
		q = q.Where("id = ?", f.EventID)
	}
	if !f.From.IsZero() {
		q = q.Where("created_at >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("created_at <= ?", f.To)
	}
	const from = "seq %s (SELECT seq FROM events WHERE merchant_id = ? AND id = ?)"
	switch {
	case ask.From == uuid.Nil:
		q = q.Order("seq DESC")
	case ask.Newer:
		q = q.Where(fmt.Sprintf(from, ">"), merchantID, ask.From).Order("seq ASC")
	default:
		q = q.Where(fmt.Sprintf(from, "<"), merchantID, ask.From).Order("seq DESC")
	}
	return find(ctx, s, eventTable, q.Limit(ask.Fetch()))
}

func (s *Store) deliveries(ctx context.Context, merchantID uuid.UUID) *gorm.DB {
	return s.read(ctx).Table("(SELECT d.*, e.type, e.object_type, e.object_id FROM deliveries d JOIN events e ON e.seq = d.seq) AS deliveries").Where("merchant_id = ?", merchantID)
}

// Delivery implements webhook.Reader.
func (s *Store) Delivery(ctx context.Context, merchantID, id uuid.UUID) (webhook.Delivery, error) {
	return first(find(ctx, s, deliveryTable, s.deliveries(ctx, merchantID).Where("id = ?", id)))
}

// Deliveries implements webhook.Reader.
func (s *Store) Deliveries(ctx context.Context, merchantID uuid.UUID, f webhook.DeliveryFilter, ask paging.Ask) ([]webhook.Delivery, error) {
	q := s.deliveries(ctx, merchantID)
	if f.WebhookID != uuid.Nil {
		q = q.Where("webhook_id = ?", f.WebhookID)
	}
	if f.EventID != uuid.Nil {
		q = q.Where("event_id = ?", f.EventID)
	}
	if f.ObjectID != uuid.Nil {
		q = q.Where("object_id = ?", f.ObjectID)
	}
	if f.ObjectType != "" {
		q = q.Where("object_type = ?", f.ObjectType)
	}
	if f.State != "" {
		q = q.Where("state = ?", string(f.State))
	}
	return find(ctx, s, deliveryTable, beside(q, ask))
}

// DeliveryAttempts implements webhook.Reader.
func (s *Store) DeliveryAttempts(ctx context.Context, deliveryIDs []uuid.UUID) (map[uuid.UUID][]webhook.Attempt, error) {
	rows, err := s.Pool.Query(ctx, `SELECT delivery_id, number, at, took_ms, coalesce(status, 0), error, answer FROM delivery_attempts
		WHERE delivery_id = ANY ($1) ORDER BY delivery_id, number`, deliveryIDs)
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	out := map[uuid.UUID][]webhook.Attempt{}
	var of uuid.UUID
	var a webhook.Attempt
	_, err = pgx.ForEachRow(rows, []any{&of, &a.Number, &a.At, &a.TookMS, &a.Status, &a.Error, &a.Answer}, func() error {
		a.At = a.At.UTC()
		out[of] = append(out[of], a)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	return out, nil
}

// InsertDelivery implements webhook.Tx.
func (t *Tx) InsertDelivery(d webhook.Delivery) {
	endpoint := d.WebhookID
	if endpoint == uuid.Nil {
		endpoint = d.SourceID
	}
	t.later(`INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint, address, state, resend, next_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9, $10, $11)`,
		d.ID, d.MerchantID, d.Seq, d.EventID, d.SourceID, orNull(d.WebhookID), endpoint, d.Address, d.Resend, d.NextAt, d.CreatedAt)
}

// InsertTestEvent implements webhook.Tx.
func (t *Tx) InsertTestEvent(e webhook.Event, d webhook.Delivery) {
	t.later(`WITH told AS (INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, snapshot, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8) RETURNING seq)
		INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint, address, state, next_at, created_at)
		SELECT $9, $2, seq, $1, $6, $10, $10, $11, 'pending', $8, $8 FROM told`,
		e.ID, e.MerchantID, e.Type, e.ObjectType, e.ObjectID, e.SourceID, string(e.Snapshot), e.CreatedAt, d.ID, d.WebhookID, d.Address)
}

// repeated is a UUIDv7 of the moment $7, the n-th of its statement: a millisecond has room for 4096.
const repeated = `(lpad(to_hex((extract(epoch FROM $7::timestamptz) * 1000)::bigint + n / 4096), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0')
	|| substr(replace(gen_random_uuid()::text, '-', ''), 17))::uuid`

// repeatable are the events since a moment that a webhook wants once more. An event
// that waits to be sent once more already is not sent a third time.
const repeatable = `FROM events e WHERE merchant_id = $1 AND created_at >= $2 AND snapshot IS NOT NULL
	AND object_type <> 'webhook' AND ($3 OR type = ANY($4::text[])) AND NOT EXISTS (SELECT FROM deliveries d
		WHERE d.state = 'pending' AND d.endpoint = $5 AND d.source_id = e.source_id AND d.seq = e.seq AND d.resend)`

func repeatableArgs(w webhook.Webhook, since time.Time) []any {
	return []any{w.MerchantID, Instant(since), w.AllEvents, textArray(w.Events), w.ID}
}

// repeatLock is the advisory lock of a merchant whose history is being sent once more.
const repeatLock = 731621

// RepeatSince implements webhook.Tx. The ids of the deliveries follow the order of the events.
// A long history takes seconds, so one caller of a merchant at a time is at it and the others are told
// at once: callers that waited would take all connections of the pool.
func (t *Tx) RepeatSince(w webhook.Webhook, since time.Time) (int, error) {
	db, err := t.read()
	if err != nil {
		return 0, fmt.Errorf("repeat events: %w", err)
	}
	var mine bool
	err = db.Raw(`SELECT pg_try_advisory_xact_lock(?, hashtext(?))`, repeatLock, w.MerchantID.String()).Scan(&mine).Error
	if err != nil {
		return 0, fmt.Errorf("repeat events: %w", err)
	}
	if !mine {
		return 0, webhook.ErrResending
	}
	n, err := t.exec(`INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint, address,
			state, resend, next_at, created_at)
		SELECT `+repeated+`, e.merchant_id, e.seq, e.id, e.source_id, $5, $5, $6, 'pending', true, $7, $7
		FROM (SELECT *, row_number() OVER (ORDER BY seq) AS n `+repeatable+`) e ORDER BY e.seq`,
		append(repeatableArgs(w, since), w.Callback, t.now)...)
	if err != nil {
		return 0, fmt.Errorf("repeat events: %w", err)
	}
	return int(n), nil
}
