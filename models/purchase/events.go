package purchase

import (
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/webhook"
)

// Seen is what was known of a purchase when it was read: what it has beyond that
// is news. The store fills it in.
type Seen struct {
	Entries int  // of the status history
	Stored  bool // it was a recurring token
}

// AsSeen is what a purchase that is read now is remembered by.
func (p Purchase) AsSeen() Seen { return Seen{Entries: len(p.History), Stored: p.IsRecurringToken} }

// Events names what happened to the purchase since it was read, in order (API
// contract 3.5 and 6). A settled refund is an event of its payment and not here.
func (p Purchase) Events() []string {
	var out []string
	for i := min(p.Seen.Entries, len(p.History)); i < len(p.History); i++ {
		var before Status
		if i > 0 {
			before = p.History[i-1].Status
		}
		out = append(out, p.eventsOf(before, p.History[i].Status)...)
	}
	if p.Seen.Stored && !p.IsRecurringToken {
		out = append(out, webhook.PurchaseTokenDeleted)
	}
	return out
}

// saidBy is the event of each status that has one whatever came before it.
var saidBy = map[Status]string{
	Created: webhook.PurchaseCreated, Viewed: webhook.PurchaseViewed, Cancelled: webhook.PurchaseCancelled,
	PendingExecute: webhook.PurchasePendingExecute,
	PendingCharge:  webhook.PurchasePendingCharge, Hold: webhook.PurchaseHold,
	PendingCapture: webhook.PurchasePendingCapture,
	Released:       webhook.PurchaseReleased, PendingRelease: webhook.PurchasePendingRelease,
	Preauthorized: webhook.PurchasePreauthorized,
}

func (p Purchase) eventsOf(before, now Status) []string {
	switch now {
	case Paid:
		switch before {
		case Hold, PendingCapture:
			return []string{webhook.PurchaseCaptured, webhook.PurchasePaid}
		case Chargeback: // a dispute that was won
			return []string{webhook.PaymentChargebackReversed}
		case PendingRefund: // a refund that did not go out
			return nil
		default:
			return p.paidEvents()
		}
	case Refunded, PendingRefund:
		if before == Chargeback { // a dispute of money that was given back, or is on its way, was won
			return []string{webhook.PaymentChargebackReversed}
		}
		if now == PendingRefund {
			return []string{webhook.PurchasePendingRefund}
		}
		return nil
	case Chargeback:
		return []string{webhook.PurchaseChargeback, webhook.PaymentChargedBack}
	case Failed:
		if p.chargedByToken() {
			return []string{webhook.PurchaseSubscriptionFailure}
		}
		return []string{webhook.PurchasePaymentFailure}
	case Sent: // the invoice of a subscription goes out when the stored account failed
		if slices.Contains([]Status{PendingExecute, PendingCharge}, before) {
			return []string{webhook.PurchaseSubscriptionFailure}
		}
		return nil
	default:
		if event, ok := saidBy[now]; ok {
			return []string{event}
		}
		return nil
	}
}

// paidEvents: no return can follow a DebiCheck debit, so it is final as soon as it is
// paid. An EFT debit is final when its return window closes.
func (p Purchase) paidEvents() []string {
	if !p.MarkedAsPaid && p.PaidBy() == DebiCheck {
		return []string{webhook.PurchasePaid, webhook.PurchaseSettled}
	}
	return []string{webhook.PurchasePaid}
}

// PaidByDebit is the id of the debit that last brought the money; the nil UUID when
// none did.
func (p Purchase) PaidByDebit() uuid.UUID {
	for _, a := range p.Attempts {
		if a.collected() {
			id, err := uuid.Parse(a.TxID)
			if err == nil {
				return id
			}
		}
	}
	return uuid.Nil
}

// chargedByToken tells whether the newest attempt took a period of a subscription
// from the stored account.
func (p Purchase) chargedByToken() bool {
	return p.Product == BySubscription && len(p.Attempts) > 0 && p.Attempts[0].Type == "recurring_execute"
}
