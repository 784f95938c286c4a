package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
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
		if event == webhook.PaymentChargedBack || event == webhook.PaymentChargebackReversed {
			t.tell(p.MerchantID, event, webhook.ObjectPayment, p.PaidByDebit(), p.ID)
			continue
		}
		t.tell(p.MerchantID, event, webhook.ObjectPurchase, p.ID, p.ID)
	}
}

// tellPurchase tells of a fact about a purchase that does not stand in its history.
func (t *Tx) tellPurchase(event string, merchantID, purchaseID uuid.UUID) {
	t.tell(merchantID, event, webhook.ObjectPurchase, purchaseID, purchaseID)
}

// tellRefunded tells of a payment that went back; its order is the purchase's.
func (t *Tx) tellRefunded(r purchase.Refund) {
	t.tell(r.MerchantID, webhook.PaymentRefunded, webhook.ObjectPayment, r.ID, r.PurchaseID)
}

// tellRefundFailed tells that a refund does not go out as it was promised: it fell
// away, or a person has to pay it.
func (t *Tx) tellRefundFailed(r purchase.Refund) {
	t.tellPurchase(webhook.PurchaseRefundFailure, r.MerchantID, r.PurchaseID)
}

// tellNews writes events, and a delivery for each that wants to hear of them. The
// object is copied only when somebody does: POST /purchases/ without a webhook
// costs one row more. The statements stand in a function of the database, which
// plans them once a connection and not for each event.
const tellNews = `SELECT tell_events($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7)`

// tellAll queues the events of the transaction as its last statement.
func (t *Tx) tellAll() {
	n := len(t.news)
	if n == 0 {
		return
	}
	ids, merchants, objects, sources := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n),
		make([]uuid.UUID, n)
	events, types := make([]string, n), make([]string, n)
	for i, e := range t.news {
		// The moments stand apart by more than the ids resolve, so that ids follow the order of events.
		ids[i] = newID(t.now.Add(time.Duration(i) * time.Microsecond))
		merchants[i], events[i], types[i], objects[i], sources[i] = e.merchantID, e.event, e.objectType, e.objectID,
			e.sourceID
	}
	t.later(tellNews, ids, merchants, events, types, objects, sources, t.now)
	t.news = nil
}

// Snapshot reads what an event kept of a purchase, and the refund when the event is
// about one. The numbers of the payer are their masks.
func (s *Store) Snapshot(kept []byte) (rec purchase.Record, refund *purchase.Refund, err error) {
	var parts struct {
		Purchase, Brand, Collection, Refund json.RawMessage
		Profiles                            []json.RawMessage
	}
	if err := json.Unmarshal(kept, &parts); err != nil {
		return rec, nil, fmt.Errorf("read snapshot: %w", err)
	}
	if rec.Purchase, err = purchaseTable.FromJSON(s.seal, parts.Purchase); err != nil {
		return rec, nil, err
	}
	if rec.Brand, err = brandTable.FromJSON(s.seal, parts.Brand); err != nil {
		return rec, nil, err
	}
	rec.Brand.IsTest = rec.Purchase.IsTest
	for _, raw := range parts.Profiles {
		profile, err := profileTable.FromJSON(s.seal, raw)
		if err != nil {
			return rec, nil, err
		}
		rec.Brand.Profiles = append(rec.Brand.Profiles, profile.Profile)
	}
	if given(parts.Collection) {
		collected, err := collectionTable.FromJSON(s.seal, parts.Collection)
		if err != nil {
			return rec, nil, err
		}
		rec.Collection = &collected
	}
	if given(parts.Refund) {
		back, err := refundTable.FromJSON(s.seal, parts.Refund)
		if err != nil {
			return rec, nil, err
		}
		refund = &back
	}
	return rec, refund, nil
}

// SubscriberSnapshot reads what an event kept of a subscriber, with the masks of its numbers.
func (s *Store) SubscriberSnapshot(kept []byte) (subscription.Subscriber, error) {
	var parts struct {
		Subscriber json.RawMessage
		Client     struct {
			Name  string `json:"full_name"`
			Email string
		}
	}
	if err := json.Unmarshal(kept, &parts); err != nil {
		return subscription.Subscriber{}, fmt.Errorf("read snapshot: %w", err)
	}
	x, err := subscriberTable.FromJSON(s.seal, parts.Subscriber)
	if err != nil {
		return x, err
	}
	var masks struct{ Debit map[string]any }
	if err := json.Unmarshal(parts.Subscriber, &masks); err != nil {
		return x, fmt.Errorf("read snapshot: %w", err)
	}
	account, _ := masks.Debit[debtorAccount].(string)
	identity, _ := masks.Debit[debtorID].(string)
	x.Debit.DebtorAccount, x.Debit.DebtorID = bank.AccountNumber(account), bank.IDNumber(identity)
	x.ClientName, x.ClientEmail = parts.Client.Name, parts.Client.Email
	return x, nil
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
