package purchase

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/merchant"
	"debitdesk/models/webhook"
)

// TellMade tells of a purchase that this transaction makes: all of it is news, even when it was copied from one that
// was read.
func TellMade(tx *database.Tx, p Purchase) {
	p.Seen = Seen{}
	TellMoved(tx, p)
}

func TellMoved(tx *database.Tx, p Purchase) {
	for _, event := range p.Events() {
		if event == webhook.PaymentChargedBack || event == webhook.PaymentChargebackReversed {
			tx.Tell(p.MerchantID, event, webhook.ObjectPayment, p.PaidByDebit(), p.ID)
			continue
		}
		tell := tx.Tell
		if p.Options.SuccessCallback != "" {
			tell = tx.TellCalled
		}
		tell(p.MerchantID, event, webhook.ObjectPurchase, p.ID, p.ID)
	}
}

// tellPurchase tells of a fact about a purchase that does not stand in its history.
func tellPurchase(tx *database.Tx, event string, merchantID, purchaseID uuid.UUID) {
	tx.Tell(merchantID, event, webhook.ObjectPurchase, purchaseID, purchaseID)
}

// tellRefunded tells of a payment that went back; its order is the purchase's.
func tellRefunded(tx *database.Tx, r Refund) {
	tx.Tell(r.MerchantID, webhook.PaymentRefunded, webhook.ObjectPayment, r.ID, r.PurchaseID)
}

// TellRefundFailed tells that a refund does not go out as it was promised: it fell away, or a person has to pay it.
func TellRefundFailed(tx *database.Tx, r Refund) {
	tellPurchase(tx, webhook.PurchaseRefundFailure, r.MerchantID, r.PurchaseID)
}

// Snapshot reads what an event kept of a purchase, and the refund when the event is about one. The numbers of the
// client are their masks.
func (s Store) Snapshot(kept []byte) (rec Record, refund *Refund, err error) {
	var parts struct {
		Purchase, Brand, Collection, Refund json.RawMessage
		Profiles                            []json.RawMessage
	}
	if err := json.Unmarshal(kept, &parts); err != nil {
		return rec, nil, fmt.Errorf("read snapshot: %w", err)
	}
	if rec.Purchase, err = Table.FromJSON(s.Seal, parts.Purchase); err != nil {
		return rec, nil, err
	}
	if rec.Brand, err = merchant.FromSnapshot(s.Seal, parts.Brand, parts.Profiles); err != nil {
		return rec, nil, err
	}
	rec.Brand.IsTest = rec.Purchase.IsTest
	if given(parts.Collection) {
		collected, err := collection.Table.FromJSON(s.Seal, parts.Collection)
		if err != nil {
			return rec, nil, err
		}
		rec.Collection = &collected
	}
	if given(parts.Refund) {
		back, err := refundsTold.FromJSON(s.Seal, parts.Refund)
		if err != nil {
			return rec, nil, err
		}
		refund = &back
	}
	return rec, refund, nil
}

// refundsTold reads the refunds of events.
var refundsTold = table.View[Refund]()

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
