package store

import (
	"encoding/json"
	"fmt"

	"debitdesk/models/bank"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

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
