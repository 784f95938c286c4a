package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// TableName implements GORM's Tabler.
func (Event) TableName() string { return "events" }

// TableName implements GORM's Tabler.
func (Delivery) TableName() string { return "deliveries" }

func (s Store) Event(ctx context.Context, merchantID, id uuid.UUID) (e Event, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&e, "id = ?", id).Error
	return e, err
}

// EventsInFull are events by id, with their snapshots.
func (s Store) EventsInFull(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]Event, error) {
	out := make(map[uuid.UUID]Event, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	var found []Event
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("id IN ?", ids).Find(&found).Error
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

var withoutSnapshot = database.Columns[Event]("", "snapshot")

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
	page := "SELECT " + withoutSnapshot + " FROM events WHERE " + where
	page, args = eachType(page, order, f.Types, args)
	if f.From.IsZero() && f.To.IsZero() {
		var found []Event
		err := s.Gorm(ctx).Raw(fmt.Sprintf("%s LIMIT %d", page, ask.Fetch()), args...).Find(&found).Error
		return paging.Cut(ask, found), err
	}
	var days listing.Condition
	if !f.From.IsZero() {
		days.And("created_at >= ?", f.From)
	}
	if !f.To.IsZero() {
		days.And("created_at <= ?", f.To)
	}
	var found, last []Event
	inOrder := s.Gorm(ctx).Scopes(database.Unsorted).Session(&gorm.Session{})
	err := inOrder.Raw(fmt.Sprintf("SELECT * FROM (%s LIMIT %d) AS walked WHERE %s%s LIMIT %d", page, mostWalked,
		days.SQL, order, ask.Fetch()), slices.Concat(args, days.Args)...).Find(&found).Error
	if err != nil || len(found) >= ask.Fetch() {
		return paging.Cut(ask, found), err
	}
	err = inOrder.Raw(fmt.Sprintf("%s OFFSET %d LIMIT 1", page, mostWalked-1), args...).Find(&last).Error
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

func (s Store) Delivery(ctx context.Context, merchantID, id uuid.UUID) (d Delivery, err error) {
	err = s.deliveries(ctx, merchantID).Take(&d, "id = ?", id).Error
	return d, err
}

func (s Store) Deliveries(ctx context.Context, merchantID uuid.UUID, f DeliveryFilter,
	ask paging.Ask) (found []Delivery, err error) {
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
	err = database.Page(q, ask).Find(&found).Error
	return found, err
}

// DeliveryAttempts are by delivery, oldest first.
func (s Store) DeliveryAttempts(ctx context.Context,
	deliveryIDs []uuid.UUID) (map[uuid.UUID][]Attempt, error) {
	var found []attempt
	err := s.Gorm(ctx).Where("delivery_id IN ?", deliveryIDs).Order("delivery_id, number").Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	out := map[uuid.UUID][]Attempt{}
	for _, a := range found {
		out[a.DeliveryID] = append(out[a.DeliveryID], a.Attempt)
	}
	return out, nil
}

// attempt is an attempt with the delivery that it belongs to.
type attempt struct {
	DeliveryID uuid.UUID
	Attempt
}

// TableName implements GORM's Tabler.
func (attempt) TableName() string { return "delivery_attempts" }

// waiting is a delivery with whose order it keeps: its webhook's, or that of the purchase of a callback.
type waiting struct {
	Delivery
	Endpoint uuid.UUID
}

func insertDelivery(tx *database.Tx, d Delivery) error {
	w := waiting{d, d.WebhookID}
	if w.Endpoint == uuid.Nil {
		w.Endpoint = d.SourceID
	}
	return tx.Gorm().Create(&w).Error
}

// hurry makes a delivery due that waits for its next attempt; false when it does not wait any more, or is being sent.
func hurry(tx *database.Tx, d Delivery) (bool, error) {
	return database.Found(tx.Gorm().Model(&Delivery{}).Scopes(database.OfMerchant(d.MerchantID)).
		Where("id = ? AND state = ? AND next_at > ? AND claimed_until IS NULL", d.ID, Pending, tx.Now()).
		UpdateColumn("next_at", tx.Now()))
}

// insertTestEvent writes an event with its one delivery; nothing else waits for it.
func insertTestEvent(tx *database.Tx, e Event, d Delivery) error {
	if err := tx.Gorm().Create(&e).Error; err != nil {
		return err
	}
	d.Seq = e.Seq
	return insertDelivery(tx, d)
}

// repeated is a UUIDv7 of a moment, the n-th of its statement: a millisecond has room for 4096.
const repeated = `(lpad(to_hex((extract(epoch FROM ?::timestamptz) * 1000)::bigint + n / 4096), 12,
	'0') || '7' || lpad(to_hex(n % 4096), 3, '0')
	|| substr(replace(gen_random_uuid()::text, '-', ''), 17))::uuid`

// repeatable are the events since a moment that a webhook wants once more. An event
// that waits to be sent once more already is not sent a third time.
const repeatable = `FROM events e WHERE merchant_id = ? AND created_at >= ? AND snapshot IS NOT NULL
	AND object_type <> 'webhook' AND (? OR type = ANY(?::text[])) AND NOT EXISTS (SELECT FROM deliveries d
		WHERE d.state = 'pending' AND d.endpoint = ? AND d.source_id = e.source_id AND d.seq = e.seq AND d.resend)`

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
	sent := tx.Gorm().Exec(`INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint,
			address, state, resend, next_at, created_at)
		SELECT `+repeated+`, e.merchant_id, e.seq, e.id, e.source_id, w.id, w.id, ?, 'pending', true, w.at, w.at
		FROM (SELECT *, row_number() OVER (ORDER BY seq) AS n `+repeatable+`) e,
			(SELECT ?::uuid AS id, ?::timestamptz AS at) w ORDER BY e.seq`,
		slices.Concat([]any{tx.Now(), w.Callback}, repeatableArgs(w, since), []any{w.ID, tx.Now()})...)
	if sent.Error != nil {
		return 0, fmt.Errorf("repeat events: %w", sent.Error)
	}
	return int(sent.RowsAffected), nil
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
