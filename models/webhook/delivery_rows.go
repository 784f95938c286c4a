package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

var (
	eventTable    = table.New[Event]("events")
	deliveryTable = table.New[Delivery]("deliveries")
)

func (s Store) Event(ctx context.Context, merchantID, id uuid.UUID) (Event, error) {
	return database.One(ctx, s.DB, eventTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// EventsInFull are events by id, with their snapshots.
func (s Store) EventsInFull(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]Event, error) {
	out := make(map[uuid.UUID]Event, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	found, err := database.All(ctx, s.DB, eventTable, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
	for _, e := range found {
		out[e.ID] = e
	}
	return out, err
}

// mostWalked is how many events one page looks at under a filter by time; the next page goes on from there.
const mostWalked = 5_000

// eachType asks for each type on its own, which stands in an index in order, and merges: a rare type would else be
// looked for among all events.
func eachType(page, order string, types []string, args []any) (string, []any) {
	if len(types) == 0 {
		return page + order, args
	}
	var parts []string
	var all []any
	for _, one := range types {
		parts = append(parts, fmt.Sprintf("(%s AND type = ?%s LIMIT %d)", page, order, mostWalked))
		all = append(slices.Concat(all, args), one)
	}
	return "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") AS typed" + order, all
}

// Events gives a page in the order of commits, without the snapshots. Days are found by the ids of all events, and then
// looked at in each. How many events lie between two of them is not known when the plan is made: PostgreSQL would
// expect few, and sort all events of the days to show the newest.
func (s Store) Events(ctx context.Context, merchantID uuid.UUID, f EventFilter,
	ask paging.Ask) (paging.Page[Event], error) {
	where, args := database.Bound("merchant_id"), []any{merchantID}
	and := func(condition string, more ...any) { where, args = where+" AND "+condition, append(args, more...) }
	if f.ObjectID != uuid.Nil {
		and("object_id = ?", f.ObjectID)
	}
	if f.EventID != uuid.Nil {
		and("id = ?", f.EventID)
	}
	if !f.From.IsZero() {
		and("seq >= (SELECT e.seq FROM events e WHERE e.id >= ? ORDER BY e.id LIMIT 1)", paging.FromID(f.From))
	}
	if !f.To.IsZero() {
		and("seq <= (SELECT e.seq FROM events e WHERE e.id < ? ORDER BY e.id DESC LIMIT 1)", paging.ToID(f.To))
	}
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	if ask.From != uuid.Nil {
		and("seq "+compare+" (SELECT seq FROM events WHERE merchant_id = ? AND id = ?)", merchantID, ask.From)
	}
	order := fmt.Sprintf(" ORDER BY merchant_id %[1]s, seq %[1]s", direction)
	page := "SELECT " + eventTable.Columns("", "snapshot") + " FROM events WHERE " + where
	page, args = eachType(page, order, f.Types, args)
	if f.From.IsZero() && f.To.IsZero() {
		found, err := database.Seek(ctx, s.DB, eventTable, fmt.Sprintf("%s LIMIT %d", page, ask.Fetch()), args...)
		return paging.Cut(ask, found), err
	}
	var days listing.Condition
	if !f.From.IsZero() {
		days.And("created_at >= ?", f.From)
	}
	if !f.To.IsZero() {
		days.And("created_at <= ?", f.To)
	}
	found, err := database.SeekUnsorted(
		ctx,
		s.DB,
		eventTable,
		fmt.Sprintf("SELECT * FROM (%s LIMIT %d) AS walked WHERE %s%s LIMIT %d",
			page, mostWalked, days.SQL, order, ask.Fetch()),
		slices.Concat(args, days.Args)...)
	if err != nil || len(found) >= ask.Fetch() {
		return paging.Cut(ask, found), err
	}
	last, err := database.SeekUnsorted(ctx, s.DB, eventTable,
		fmt.Sprintf("%s OFFSET %d LIMIT 1", page, mostWalked-1), args...)
	if err != nil || len(last) == 0 {
		return paging.Cut(ask, found), err
	}
	return paging.CutAt(ask, found, last[0].ID), nil
}

func (s Store) deliveries(ctx context.Context, merchantID uuid.UUID) *gorm.DB {
	return s.Gorm(ctx).Table(
		"(SELECT d.*, e.type, e.object_type, e.object_id, CASE WHEN d.state = 'pending' THEN ("+firstBefore+
			") END AS behind_at FROM deliveries d JOIN events e ON e.seq = d.seq) AS deliveries").
		Where("merchant_id = ?", merchantID)
}

func (s Store) Delivery(ctx context.Context, merchantID, id uuid.UUID) (Delivery, error) {
	return database.First(database.Find(ctx, s.DB, deliveryTable, s.deliveries(ctx, merchantID).Where("id = ?", id)))
}

func (s Store) Deliveries(ctx context.Context, merchantID uuid.UUID, f DeliveryFilter,
	ask paging.Ask) ([]Delivery, error) {
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
	switch f.State {
	case "":
	case Failed: // they stand in an index of their own
		q = q.Where("state = 'failed'")
	default:
		q = q.Where("state = ?", string(f.State))
	}
	return database.Find(ctx, s.DB, deliveryTable, database.Page(q, ask))
}

// DeliveryAttempts are by delivery, oldest first.
func (s Store) DeliveryAttempts(ctx context.Context,
	deliveryIDs []uuid.UUID) (map[uuid.UUID][]Attempt, error) {
	rows, err := s.Pool.Query(ctx,
		`SELECT delivery_id, number, at, took_ms, coalesce(status, 0), error, answer FROM delivery_attempts
		WHERE delivery_id = ANY ($1) ORDER BY delivery_id, number`, deliveryIDs)
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	out := map[uuid.UUID][]Attempt{}
	var of uuid.UUID
	var a Attempt
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

func insertDelivery(tx *database.Tx, d Delivery) {
	endpoint := d.WebhookID
	if endpoint == uuid.Nil {
		endpoint = d.SourceID
	}
	tx.Later(
		`INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint, address,
			state, resend, next_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9, $10, $11)`,
		d.ID,
		d.MerchantID,
		d.Seq,
		d.EventID,
		d.SourceID,
		database.OrNull(d.WebhookID),
		endpoint,
		d.Address,
		d.Resend,
		d.NextAt,
		d.CreatedAt,
	)
}

// hurry makes a delivery due that waits for its next attempt; false when it does not wait any more, or is being sent.
func hurry(tx *database.Tx, d Delivery) (bool, error) {
	return tx.ExecOne("hurry a delivery", `UPDATE deliveries SET next_at = $3
		WHERE merchant_id = $1 AND id = $2 AND state = 'pending' AND next_at > $3 AND claimed_until IS NULL`,
		d.MerchantID, d.ID, tx.Now())
}

// insertTestEvent writes an event with its one delivery; nothing else waits for it.
func insertTestEvent(tx *database.Tx, e Event, d Delivery) {
	tx.Later(
		`WITH told AS (INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, snapshot, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8) RETURNING seq)
		INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint,
		address, state, next_at, created_at)
		SELECT $9, $2, seq, $1, $6, $10, $10, $11, 'pending', $8, $8 FROM told`,
		e.ID, e.MerchantID, e.Type, e.ObjectType, e.ObjectID, e.SourceID, string(e.Snapshot), e.CreatedAt, d.ID, d.WebhookID,
		d.Address)
}

// repeated is a UUIDv7 of the moment $7, the n-th of its statement: a millisecond has room for 4096.
const repeated = `(lpad(to_hex((extract(epoch FROM $7::timestamptz) * 1000)::bigint + n / 4096), 12,
	'0') || '7' || lpad(to_hex(n % 4096), 3, '0')
	|| substr(replace(gen_random_uuid()::text, '-', ''), 17))::uuid`

// repeatable are the events since a moment that a webhook wants once more. An event
// that waits to be sent once more already is not sent a third time.
const repeatable = `FROM events e WHERE merchant_id = $1 AND created_at >= $2 AND snapshot IS NOT NULL
	AND object_type <> 'webhook' AND ($3 OR type = ANY($4::text[])) AND NOT EXISTS (SELECT FROM deliveries d
		WHERE d.state = 'pending' AND d.endpoint = $5 AND d.source_id = e.source_id AND d.seq = e.seq AND d.resend)`

func repeatableArgs(w Webhook, since time.Time) []any {
	return []any{w.MerchantID, database.Instant(since), w.AllEvents, database.TextArray(w.Events), w.ID}
}

// repeatLock is the advisory lock of a merchant whose history is being sent once more.
const repeatLock = 731621

// RepeatSince delivers once more what the webhook wants of the events since then. The
// ids of the deliveries follow the order of the events. A long history takes seconds,
// so one caller of a merchant at a time is at it and the others are told at once:
// callers that waited would take all connections of the pool.
func RepeatSince(tx *database.Tx, w Webhook, since time.Time) (int, error) {
	var mine bool
	err := tx.Gorm().Raw(`SELECT pg_try_advisory_xact_lock(?, hashtext(?))`, repeatLock, w.MerchantID.String()).
		Scan(&mine).Error
	if err != nil {
		return 0, fmt.Errorf("repeat events: %w", err)
	}
	if !mine {
		return 0, ErrResending
	}
	n, err := tx.Exec(`INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint, address,
			state, resend, next_at, created_at)
		SELECT `+repeated+`, e.merchant_id, e.seq, e.id, e.source_id, $5, $5, $6, 'pending', true, $7, $7
		FROM (SELECT *, row_number() OVER (ORDER BY seq) AS n `+repeatable+`) e ORDER BY e.seq`,
		append(repeatableArgs(w, since), w.Callback, tx.Now())...)
	if err != nil {
		return 0, fmt.Errorf("repeat events: %w", err)
	}
	return int(n), nil
}

// eventsKept is how long an event can be looked at and sent once more (ours).
const eventsKept = 30 * 24 * time.Hour

// Tidy removes old events with their deliveries, unless one is still on its way.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	err := s.InChunks(ctx, `WITH old AS (SELECT seq, id FROM events e WHERE created_at < $1
			AND NOT EXISTS (SELECT FROM deliveries d WHERE d.event_id = e.id AND (d.state = 'pending' OR d.done_at >= $1))
			ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED),
		sent AS (DELETE FROM deliveries WHERE event_id IN (SELECT id FROM old))
		DELETE FROM events WHERE seq IN (SELECT seq FROM old)`, now.Add(-eventsKept))
	if err != nil {
		return fmt.Errorf("tidy events: %w", err)
	}
	return nil
}
