package database

import (
	"time"

	"github.com/google/uuid"
)

// news is an event that a transaction has to tell when it ends.
type news struct {
	merchantID         uuid.UUID
	event, objectType  string
	objectID, sourceID uuid.UUID
}

// Tell notes an event. It is written at the very end of the transaction, when the
// object stands as it will and its row is locked: so the order of events of one
// source is the order of commits.
func (t *Tx) Tell(merchantID uuid.UUID, event, objectType string, objectID, sourceID uuid.UUID) {
	t.news = append(t.news, news{merchantID, event, objectType, objectID, sourceID})
}

// tellNews writes events, and a delivery for each that wants to hear of them. The
// object is copied only when somebody does: POST /purchases/ without a webhook
// costs one row more. The statements stand in a function of the database, which
// plans them once a connection and not for each event.
const tellNews = `SELECT tell_events($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7)`

// tellOne does the same for one event, which is what most transactions have to tell: an
// event that nobody wants to hear of is one row, written without the function. Of those
// that a purchase's own callback wants, and where there is a webhook, the function knows.
const tellOne = `WITH unheard AS (
		INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, created_at)
		SELECT $1::uuid, $2::uuid, $3::text, $4::text, $5::uuid, $6::uuid, $7::timestamptz
		WHERE $3 NOT IN ('purchase.paid', 'purchase.captured')
			AND NOT EXISTS (SELECT FROM webhooks w WHERE w.merchant_id = $2 AND w.deleted_at IS NULL)
		RETURNING 1)
	SELECT tell_events(ARRAY[$1], ARRAY[$2], ARRAY[$3], ARRAY[$4], ARRAY[$5], ARRAY[$6], $7)
	WHERE NOT EXISTS (SELECT FROM unheard)`

// tellAll queues the events of the transaction as its last statement.
func (t *Tx) tellAll() {
	n := len(t.news)
	switch n {
	case 0:
		return
	case 1:
		e := t.news[0]
		t.Later(tellOne, NewID(t.now), e.merchantID, e.event, e.objectType, e.objectID, e.sourceID, t.now)
		t.news = nil
		return
	}
	ids, merchants, objects, sources := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n),
		make([]uuid.UUID, n)
	events, types := make([]string, n), make([]string, n)
	for i, e := range t.news {
		// The moments stand apart by more than the ids resolve, so that ids follow the order of events.
		ids[i] = NewID(t.now.Add(time.Duration(i) * time.Microsecond))
		merchants[i], events[i], types[i], objects[i], sources[i] = e.merchantID, e.event, e.objectType, e.objectID,
			e.sourceID
	}
	t.Later(tellNews, ids, merchants, events, types, objects, sources, t.now)
	t.news = nil
}
