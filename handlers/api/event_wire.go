package api

import (
	"bytes"
	"encoding/json"
	"fmt"

	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/webhook"
)

// Events writes the bodies of events: the object itself, as the API shows it, with
// the key event_type (API contract 6).
type Events struct {
	Base Base
	// Purchase reads what an event kept of a purchase, and the refund when it is about one.
	Purchase func(snapshot []byte) (purchase.Record, *purchase.Refund, error)
	// Subscriber reads what an event kept of a subscriber.
	Subscriber func(snapshot []byte) (subscription.Subscriber, error)
}

// Body implements webhook.Service.Body.
func (b Events) Body(e webhook.Event) ([]byte, error) {
	object, err := b.object(e)
	if err != nil {
		return nil, fmt.Errorf("body of %s %s: %w", e.Type, e.ID, err)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return nil, fmt.Errorf("body of %s %s: %w", e.Type, e.ID, err)
	}
	body := bytes.TrimRight(text.Bytes(), "\n")
	if len(body) < 2 || body[0] != '{' {
		return nil, fmt.Errorf("body of %s %s: not an object", e.Type, e.ID)
	}
	name, _ := json.Marshal(e.Type) // a text
	out := append([]byte(`{"event_type":`), name...)
	if body[1] != '}' {
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}

func (b Events) object(e webhook.Event) (any, error) {
	switch e.ObjectType {
	case webhook.ObjectPurchase:
		rec, _, err := b.Purchase(e.Snapshot)
		return b.Base.PurchaseBody(rec), err
	case webhook.ObjectPayment:
		rec, refund, err := b.Purchase(e.Snapshot)
		if err != nil {
			return nil, err
		}
		switch {
		case refund != nil:
			return b.Base.refundAnswer(purchase.RefundResult{Record: rec, Refund: *refund}), nil
		case rec.Collection != nil:
			return b.Base.chargebackBody(rec, e.Type == webhook.PaymentChargedBack, e.CreatedAt), nil
		}
		return nil, fmt.Errorf("neither a refund nor a debit was kept")
	case webhook.ObjectSubscriber:
		x, err := b.Subscriber(e.Snapshot)
		return SubscriberBody(x), err
	case webhook.ObjectWebhook:
		return json.RawMessage(e.Snapshot), nil
	}
	return nil, fmt.Errorf("there is no writer for a %s", e.ObjectType)
}
