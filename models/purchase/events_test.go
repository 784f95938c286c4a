package purchase

import (
	"slices"
	"testing"

	"debitdesk/models/webhook"
)

func TestEventsFollowFromTheHistory(t *testing.T) {
	history := func(statuses ...Status) (out []Change) {
		for _, s := range statuses {
			out = append(out, Change{Status: s})
		}
		return out
	}
	token := []Attempt{{Type: "recurring_execute"}}
	for _, row := range []struct {
		name string
		p    Purchase
		want []string
	}{
		{"made", Purchase{History: history(Created)}, []string{webhook.PurchaseCreated}},
		{"read and not changed", Purchase{Seen: Seen{Entries: 1}, History: history(Created)}, nil},
		{"made and mailed", Purchase{History: history(Created, Sent)}, []string{webhook.PurchaseCreated}},
		{"viewed", Purchase{Seen: Seen{Entries: 1}, History: history(Created, Viewed)}, nil},
		{"charged", Purchase{Seen: Seen{Entries: 1}, History: history(Created, PendingCharge)}, []string{webhook.PurchasePendingCharge}},
		{"due and paid in one step", Purchase{Seen: Seen{Entries: 2}, History: history(Created, PendingCharge, PendingExecute, Paid)}, []string{webhook.PurchasePendingExecute, webhook.PurchasePaid}},
		{"captured", Purchase{Seen: Seen{Entries: 2}, History: history(Created, Hold, Paid)}, []string{webhook.PurchaseCaptured, webhook.PurchasePaid}},
		{"failed", Purchase{Seen: Seen{Entries: 2}, History: history(Created, PendingExecute, Failed), Attempts: token}, []string{webhook.PurchasePaymentFailure}},
		{"period failed", Purchase{Product: BySubscription, Seen: Seen{Entries: 2}, History: history(Created, PendingExecute, Failed), Attempts: token}, []string{webhook.PurchaseSubscriptionFailure}},
		{"period failed and mailed", Purchase{Product: BySubscription, Seen: Seen{Entries: 2}, History: history(Created, PendingExecute, Failed, Sent), Attempts: token}, []string{webhook.PurchaseSubscriptionFailure}},
		{"period failed at the payer's page", Purchase{Product: BySubscription, Seen: Seen{Entries: 2}, History: history(Created, Sent, Failed), Attempts: []Attempt{{Type: "execute"}}}, []string{webhook.PurchasePaymentFailure}},
		{"period mailed at once", Purchase{Product: BySubscription, Seen: Seen{Entries: 2}, History: history(Created, PendingExecute, Sent)}, []string{webhook.PurchaseSubscriptionFailure}},
		{"disputed", Purchase{Seen: Seen{Entries: 2}, History: history(Created, Paid, Chargeback)}, []string{webhook.PurchaseChargeback}},
		{"dispute won", Purchase{Seen: Seen{Entries: 3}, History: history(Created, Paid, Chargeback, Paid)}, nil},
		{"refund owed", Purchase{Seen: Seen{Entries: 2}, History: history(Created, Paid, PendingRefund)}, []string{webhook.PurchasePendingRefund}},
		{"refunded", Purchase{Seen: Seen{Entries: 3}, History: history(Created, Paid, PendingRefund, Refunded)}, nil},
		{"cancelled", Purchase{Seen: Seen{Entries: 1}, History: history(Created, Cancelled)}, []string{webhook.PurchaseCancelled}},
		{"overdue", Purchase{Seen: Seen{Entries: 1}, History: history(Created, Overdue)}, nil},
		{"account stored", Purchase{Seen: Seen{Entries: 1}, IsRecurringToken: true, History: history(Created, Preauthorized)}, []string{webhook.PurchasePreauthorized}},
		{"account deleted", Purchase{Seen: Seen{Entries: 2, Stored: true}, History: history(Created, Preauthorized)}, []string{webhook.PurchaseTokenDeleted}},
		{"account kept", Purchase{Seen: Seen{Entries: 2, Stored: true}, IsRecurringToken: true, History: history(Created, Preauthorized)}, nil},
	} {
		if got := row.p.Events(); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
