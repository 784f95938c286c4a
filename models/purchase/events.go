package purchase

import (
	"slices"

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
	Created: webhook.PurchaseCreated, Cancelled: webhook.PurchaseCancelled, PendingExecute: webhook.PurchasePendingExecute,
	PendingCharge: webhook.PurchasePendingCharge, Hold: webhook.PurchaseHold, PendingCapture: webhook.PurchasePendingCapture,
	Released: webhook.PurchaseReleased, PendingRelease: webhook.PurchasePendingRelease, Preauthorized: webhook.PurchasePreauthorized,
	PendingRefund: webhook.PurchasePendingRefund, Chargeback: webhook.PurchaseChargeback,
}

func (p Purchase) eventsOf(before, now Status) []string {
	switch now {
	case Paid:
		switch before {
		case Hold, PendingCapture:
			return []string{webhook.PurchaseCaptured, webhook.PurchasePaid}
		case Chargeback, PendingRefund: // paid again: a dispute that was won, a refund that did not go out
			return nil
		default:
			return []string{webhook.PurchasePaid}
		}
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

// chargedByToken tells whether the newest attempt took a period of a subscription
// from the stored account.
func (p Purchase) chargedByToken() bool {
	return p.Product == BySubscription && len(p.Attempts) > 0 && p.Attempts[0].Type == "recurring_execute"
}
