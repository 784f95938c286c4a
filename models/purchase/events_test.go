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
		{"viewed", Purchase{Seen: Seen{Entries: 1}, History: history(Created, Viewed)}, []string{webhook.PurchaseViewed}},
		{"charged", Purchase{Seen: Seen{Entries: 1}, History: history(Created, PendingCharge)},
			[]string{webhook.PurchasePendingCharge}},
		{"due and paid in one step", Purchase{Seen: Seen{Entries: 2}, History: history(Created, PendingCharge, PendingExecute,
			Paid)}, []string{webhook.PurchasePendingExecute, webhook.PurchasePaid}},
		{"captured", Purchase{Seen: Seen{Entries: 2}, History: history(Created, Hold, Paid)},
			[]string{webhook.PurchaseCaptured, webhook.PurchasePaid}},
		{"failed", Purchase{Seen: Seen{Entries: 2}, History: history(Created, PendingExecute, Failed), Attempts: token},
			[]string{webhook.PurchasePaymentFailure}},
		{"period failed", Purchase{Product: BySubscription, Seen: Seen{Entries: 2},
			History: history(Created, PendingExecute, Failed), Attempts: token}, []string{webhook.PurchaseSubscriptionFailure}},
		{"period failed and mailed", Purchase{Product: BySubscription, Seen: Seen{Entries: 2},
			History: history(Created, PendingExecute, Failed, Sent), Attempts: token},
			[]string{webhook.PurchaseSubscriptionFailure}},
		{"period failed at the client's page", Purchase{Product: BySubscription, Seen: Seen{Entries: 2},
			History: history(Created, Sent, Failed), Attempts: []Attempt{{Type: "execute"}}},
			[]string{webhook.PurchasePaymentFailure}},
		{"period mailed at once", Purchase{Product: BySubscription, Seen: Seen{Entries: 2},
			History: history(Created, PendingExecute, Sent)}, []string{webhook.PurchaseSubscriptionFailure}},
		{"disputed", Purchase{Seen: Seen{Entries: 2}, History: history(Created, Paid, Chargeback)},
			[]string{webhook.PurchaseChargeback, webhook.PaymentChargedBack}},
		{"dispute won", Purchase{Seen: Seen{Entries: 3}, History: history(Created, Paid, Chargeback, Paid)},
			[]string{webhook.PaymentChargebackReversed}},
		{"dispute of a refunded purchase won", Purchase{Seen: Seen{Entries: 3},
			History: history(Created, Refunded, Chargeback, Refunded)}, []string{webhook.PaymentChargebackReversed}},
		{"paid by DebiCheck is final at once", Purchase{Seen: Seen{Entries: 2},
			History:  history(Created, PendingExecute, Paid),
			Attempts: []Attempt{{Type: "recurring_execute", Successful: true, Method: DebiCheck}}},
			[]string{webhook.PurchasePaid, webhook.PurchaseSettled}},
		{"paid by EFT is not", Purchase{Seen: Seen{Entries: 2}, History: history(Created, PendingExecute, Paid),
			Attempts: []Attempt{{Type: "recurring_execute", Successful: true, Method: EFT}}}, []string{webhook.PurchasePaid}},
		{"marked as paid after a DebiCheck debit", Purchase{MarkedAsPaid: true, Seen: Seen{Entries: 2},
			History: history(Created, Failed, Paid), Attempts: []Attempt{{Type: "execute", Successful: true,
				Method: DebiCheck}}}, []string{webhook.PurchasePaid}},
		{"refund owed", Purchase{Seen: Seen{Entries: 2}, History: history(Created, Paid, PendingRefund)},
			[]string{webhook.PurchasePendingRefund}},
		{"refunded", Purchase{Seen: Seen{Entries: 3}, History: history(Created, Paid, PendingRefund, Refunded)}, nil},
		{"cancelled", Purchase{Seen: Seen{Entries: 1}, History: history(Created, Cancelled)},
			[]string{webhook.PurchaseCancelled}},
		{"overdue", Purchase{Seen: Seen{Entries: 1}, History: history(Created, Overdue)}, nil},
		{"account stored", Purchase{Seen: Seen{Entries: 1}, IsRecurringToken: true, History: history(Created, Preauthorized)},
			[]string{webhook.PurchasePreauthorized}},
		{"account deleted", Purchase{Seen: Seen{Entries: 2, Stored: true}, History: history(Created, Preauthorized)},
			[]string{webhook.PurchaseTokenDeleted}},
		{"account kept", Purchase{Seen: Seen{Entries: 2, Stored: true}, IsRecurringToken: true,
			History: history(Created, Preauthorized)}, nil},
	} {
		if got := row.p.Events(); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
