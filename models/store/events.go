package store

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
	"debitdesk/models/webhook"
)

// news is an event that a transaction has to tell when it ends.
type news struct {
	merchantID         uuid.UUID
	event, objectType  string
	objectID, sourceID uuid.UUID
}

// tell notes an event. It is written at the very end of the transaction, when the
// object stands as it will and its row is locked: so the order of events of one
// source is the order of commits.
func (t *Tx) tell(merchantID uuid.UUID, event, objectType string, objectID, sourceID uuid.UUID) {
	t.news = append(t.news, news{merchantID, event, objectType, objectID, sourceID})
}

// tellMade tells of a purchase that this transaction makes: all of it is news,
// even when it was copied from one that was read.
func (t *Tx) tellMade(p purchase.Purchase) {
	p.Seen = purchase.Seen{}
	t.tellMoved(p)
}

func (t *Tx) tellMoved(p purchase.Purchase) {
	for _, event := range p.Events() {
		t.tell(p.MerchantID, event, webhook.ObjectPurchase, p.ID, p.ID)
	}
}

// tellRefunded tells of a payment that went back; its order is the purchase's.
func (t *Tx) tellRefunded(r purchase.Refund) {
	t.tell(r.MerchantID, webhook.PaymentRefunded, webhook.ObjectPayment, r.ID, r.PurchaseID)
}

// snapshotOfPurchase is what the body of an event is written from: the purchase p
// with its brand, its newest collection and, for a payment, the refund.
const snapshotOfPurchase = `jsonb_build_object(
	'purchase', to_jsonb(p) - 'payer_sealed' - 'search',
	'brand', (SELECT to_jsonb(b) FROM brands b WHERE b.id = p.brand_id),
	'profiles', (SELECT coalesce(jsonb_agg(to_jsonb(d) ORDER BY d.is_default DESC, d.id), '[]') FROM debit_profiles d WHERE d.merchant_id = p.merchant_id AND d.brand_id = p.brand_id),
	'collection', (SELECT to_jsonb(c) FROM collections c WHERE c.merchant_id = p.merchant_id AND c.purchase_id = p.id ORDER BY c.attempt DESC LIMIT 1),
	'refund', CASE WHEN u.object_type = 'payment' THEN (SELECT to_jsonb(r) FROM refunds r WHERE r.id = u.object_id) END)`

const snapshotOfSubscriber = `jsonb_build_object('subscriber', to_jsonb(s) - 'debit_sealed',
	'client', (SELECT jsonb_build_object('full_name', c.full_name, 'email', c.email) FROM clients c WHERE c.id = s.client_id))`

// tellNews writes events, and a delivery for each that wants to hear of them. The
// object is copied only when somebody does: POST /purchases/ without a webhook
// costs one row more. An id of a delivery is that of its event with a chance of its own.
const tellNews = `WITH heard AS MATERIALIZED (
		SELECT u.*, ARRAY(SELECT w.id FROM webhooks w WHERE w.merchant_id = u.merchant_id AND w.deleted_at IS NULL
				AND (w.all_events OR u.type = ANY (w.events)) ORDER BY w.id) AS hooks,
			CASE WHEN u.type IN ('purchase.paid', 'purchase.captured')
				THEN (SELECT nullif(p.options ->> 'success_callback', '') FROM purchases p WHERE p.id = u.source_id) END AS callback
		FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[])
			WITH ORDINALITY AS u (id, merchant_id, type, object_type, object_id, source_id, n)),
	told AS (
		INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, snapshot, created_at)
		SELECT u.id, u.merchant_id, u.type, u.object_type, u.object_id, u.source_id,
			CASE WHEN u.hooks = '{}' AND u.callback IS NULL THEN NULL
				WHEN u.object_type = 'billing_template_client' THEN (SELECT ` + snapshotOfSubscriber + ` FROM template_clients s WHERE s.id = u.object_id)
				ELSE (SELECT ` + snapshotOfPurchase + ` FROM purchases p WHERE p.id = u.source_id) END, $7
		FROM heard u ORDER BY u.n RETURNING seq, id)
	INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint, address, state, next_at, created_at)
	SELECT (left(u.id::text, 18) || substr(gen_random_uuid()::text, 19))::uuid, u.merchant_id, told.seq, u.id, u.source_id, a.webhook_id, a.endpoint, a.address, 'pending', $7, $7
	FROM heard u JOIN told ON told.id = u.id CROSS JOIN LATERAL (
		SELECT w.id AS webhook_id, w.id AS endpoint, w.callback AS address FROM webhooks w WHERE w.id = ANY (u.hooks)
		UNION ALL SELECT NULL, u.source_id, u.callback WHERE u.callback IS NOT NULL) a`

// tellAll queues the events of the transaction as its last statement.
func (t *Tx) tellAll() {
	n := len(t.news)
	if n == 0 {
		return
	}
	ids, merchants, objects, sources := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n)
	events, types := make([]string, n), make([]string, n)
	for i, e := range t.news {
		// The moments stand apart by more than the ids resolve, so that ids follow the order of events.
		ids[i] = newID(t.now.Add(time.Duration(i) * time.Microsecond))
		merchants[i], events[i], types[i], objects[i], sources[i] = e.merchantID, e.event, e.objectType, e.objectID, e.sourceID
	}
	t.later(tellNews, ids, merchants, events, types, objects, sources, t.now)
	t.news = nil
}
