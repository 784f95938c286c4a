package database

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/internal/wire"
)

// news is an event that a transaction has to tell when it ends.
type news struct {
	merchantID         uuid.UUID
	event, objectType  string
	objectID, sourceID uuid.UUID
	called             bool // its source may have an address of its own that wants to hear of it
}

// Hush has programs told of nothing that this transaction does: what is moved here from elsewhere has happened before.
func (t *Tx) Hush() { t.hushed = true }

// Tell notes an event. It is written at the very end of the transaction, when the
// object stands as it will and its row is locked: so the order of events of one
// source is the order of commits.
func (t *Tx) Tell(merchantID uuid.UUID, event, objectType string, objectID, sourceID uuid.UUID) {
	if t.hushed {
		return
	}
	t.news = append(t.news, news{merchantID, event, objectType, objectID, sourceID, false})
}

// TellCalled is Tell for an event that the callback of its source wants to hear of.
func (t *Tx) TellCalled(merchantID uuid.UUID, event, objectType string, objectID, sourceID uuid.UUID) {
	if t.hushed {
		return
	}
	t.news = append(t.news, news{merchantID, event, objectType, objectID, sourceID, true})
}

// tellNews writes events, and a delivery for each that wants to hear of them. The
// object is copied only when somebody does: POST /purchases/ without a webhook
// costs one row more. Events that nobody wants to hear of are written at once; where there
// is a webhook or a callback, a function of the database knows, which plans its statements
// once a connection and not for each event.
const tellNews = `WITH unheard AS (
		INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, created_at)
		SELECT u.id, u.merchant_id, u.type, u.object_type, u.object_id, u.source_id, $7::timestamptz
		FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[])
			WITH ORDINALITY AS u (id, merchant_id, type, object_type, object_id, source_id, n)
		WHERE NOT $8::boolean
			AND NOT EXISTS (SELECT FROM webhooks w WHERE w.merchant_id = ANY ($2) AND w.deleted_at IS NULL)
		ORDER BY u.n
		RETURNING 1)
	SELECT tell_events($1, $2, $3, $4, $5, $6, $7) WHERE NOT EXISTS (SELECT FROM unheard)`

// tellOne does the same for one event, which is what most transactions have to tell.
const tellOne = `WITH unheard AS (
		INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, created_at)
		SELECT $1::uuid, $2::uuid, $3::text, $4::text, $5::uuid, $6::uuid, $7::timestamptz
		WHERE NOT $8::boolean
			AND NOT EXISTS (SELECT FROM webhooks w WHERE w.merchant_id = $2 AND w.deleted_at IS NULL)
		RETURNING 1)
	SELECT tell_events(ARRAY[$1], ARRAY[$2], ARRAY[$3], ARRAY[$4], ARRAY[$5], ARRAY[$6], $7)
	WHERE NOT EXISTS (SELECT FROM unheard)`

// tellEach does the same for several units of work that have one event each.
const tellEach = `WITH told AS (
		SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::timestamptz[])
			WITH ORDINALITY AS u (id, merchant_id, type, object_type, object_id, source_id, at, n)),
	unheard AS (
		INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, created_at)
		SELECT id, merchant_id, type, object_type, object_id, source_id, at FROM told
		WHERE NOT $8::boolean
			AND NOT EXISTS (SELECT FROM webhooks w WHERE w.merchant_id = ANY ($2) AND w.deleted_at IS NULL)
		ORDER BY n
		RETURNING 1)
	SELECT tell_events(ARRAY[id], ARRAY[merchant_id], ARRAY[type], ARRAY[object_type], ARRAY[object_id], ARRAY[source_id],
		at) FROM (SELECT * FROM told ORDER BY n) AS told WHERE NOT EXISTS (SELECT FROM unheard)`

// oneEach are the events of units of work that have one each.
type oneEach struct{}

// Queue implements wire.Merger.
func (oneEach) Queue(_ context.Context, _ *pgx.Conn, batch *pgx.Batch, rows [][]any) error {
	const called = 7 // the last value, and the one that is no list
	lists, heard := make([]any, called+1), false
	for place := range called {
		list := make([]any, len(rows))
		for n, row := range rows {
			list[n] = row[place]
		}
		lists[place] = list
	}
	for _, row := range rows {
		heard = heard || row[called].(bool)
	}
	lists[called] = heard
	batch.Queue(tellEach, lists...)
	return nil
}

// tellAll queues the events of the transaction as its last statement.
func (t *Tx) tellAll() {
	n := len(t.news)
	switch n {
	case 0:
		return
	case 1:
		e := t.news[0]
		t.add(wire.Statement{SQL: tellOne, Merger: oneEach{}, Args: []any{NewID(t.now), e.merchantID, e.event, e.objectType,
			e.objectID, e.sourceID, t.now, e.called}})
		t.news = nil
		return
	}
	ids, merchants, objects, sources := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n),
		make([]uuid.UUID, n)
	events, types, called := make([]string, n), make([]string, n), false
	for i, e := range t.news {
		// The moments stand apart by more than the ids resolve, so that ids follow the order of events.
		ids[i] = NewID(t.now.Add(time.Duration(i) * time.Microsecond))
		merchants[i], events[i], types[i], objects[i], sources[i] = e.merchantID, e.event, e.objectType, e.objectID,
			e.sourceID
		called = called || e.called
	}
	t.Later(tellNews, ids, merchants, events, types, objects, sources, t.now, called)
	t.news = nil
}
