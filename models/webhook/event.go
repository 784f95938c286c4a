// Package webhook knows what happened to objects, who wants to hear of it, and
// how it is told: signed, in order, until it is taken. It must not know how bodies
// are written or rows are kept.
package webhook

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Event is one thing that happened to an object. Seq is the order of commits.
type Event struct {
	Seq        int64 `gorm:"primaryKey;->"`
	ID         uuid.UUID
	MerchantID uuid.UUID
	Type       string // purchase.paid and its like
	ObjectType string // purchase, payment, billing_template_client, webhook
	ObjectID   uuid.UUID
	SourceID   uuid.UUID // the object whose events keep their order
	Snapshot   []byte    // the object as it stood, numbers masked; nil: nobody was to get it
	CreatedAt  time.Time
}

// The events (API contract 6 and 12.13). Purchases of debit orders hold nothing at a
// bank and are not paid out by us, so capture_failure, release_failure and the
// payouts can be chosen and are never sent.
const (
	PurchaseCreated             = "purchase.created"
	PurchaseViewed              = "purchase.viewed"
	PurchasePaid                = "purchase.paid"
	PurchaseSettled             = "purchase.settled" // no return can come any more
	PurchasePaymentFailure      = "purchase.payment_failure"
	PurchasePendingExecute      = "purchase.pending_execute"
	PurchasePendingCharge       = "purchase.pending_charge"
	PurchaseCancelled           = "purchase.cancelled"
	PurchaseHold                = "purchase.hold"
	PurchaseCaptured            = "purchase.captured"
	PurchasePendingCapture      = "purchase.pending_capture"
	PurchaseCaptureFailure      = "purchase.capture_failure"
	PurchaseReleased            = "purchase.released"
	PurchasePendingRelease      = "purchase.pending_release"
	PurchaseReleaseFailure      = "purchase.release_failure"
	PurchasePreauthorized       = "purchase.preauthorized"
	PurchasePendingTokenDelete  = "purchase.pending_recurring_token_delete"
	PurchaseTokenDeleted        = "purchase.recurring_token_deleted" //nolint:gosec // the name of an event
	PurchaseSubscriptionFailure = "purchase.subscription_charge_failure"
	PurchasePendingRefund       = "purchase.pending_refund"
	PurchaseRefundFailure       = "purchase.refund_failure"
	PurchaseChargeback          = "purchase.chargeback"
	PaymentRefunded             = "payment.refunded"
	PaymentChargedBack          = "payment.charged_back"
	PaymentChargebackReversed   = "payment.chargeback_reversed"
	SubscriberCancelled         = "billing_template_client.subscription_billing_cancelled"
	PayoutCreated               = "payout.created"
	PayoutFailed                = "payout.failed"
	PayoutSuccess               = "payout.success"
	PayoutPending               = "payout.pending"
)

// Kind is an event that a webhook can choose: its group, and when it happens.
type Kind struct{ Name, Group, Says string }

// Kinds lists every event in the order in which a person looks for it, group by group.
var Kinds = []Kind{
	{PurchaseCreated, "Collecting", "A purchase was created by your program, on the dashboard or by a subscription."},
	{PurchasePendingCharge, "Collecting", "The purchase has an account and is waiting for its debit date."},
	{PurchaseViewed, "Collecting", "The client opened the payment page or the invoice."},
	{PurchasePendingExecute, "Collecting", "The debit is on its way to the bank, or the mandate is awaiting an answer."},
	{PurchasePaid, "Collecting", "The money was collected, or the purchase was marked as paid."},
	{PurchaseSettled, "Collecting", "The money can no longer be returned unpaid."},
	{PurchasePaymentFailure, "Collecting", "The debit failed, or the mandate was not confirmed."},
	{PurchaseCancelled, "Collecting", "The purchase was cancelled before it was paid."},
	{PurchaseChargeback, "Disputes", "The client disputed the debit and the money went back."},
	{PaymentChargedBack, "Disputes", "The client disputed a debit; the body is the payment."},
	{PaymentChargebackReversed, "Disputes", "A dispute was decided for you; the body is the payment."},
	{PurchasePreauthorized, "Tokens", "The client’s account is stored; nothing was taken."},
	{PurchasePendingTokenDelete, "Tokens", "The token is being deleted."},
	{PurchaseTokenDeleted, "Tokens", "The token was deleted and can no longer be charged."},
	{PurchasePendingRefund, "Refunds", "A refund was asked for and is not paid back yet."},
	{PaymentRefunded, "Refunds", "Money went back to the client; the body is the payment."},
	{PurchaseRefundFailure, "Refunds",
		"A refund was not paid out: the debit was returned, or the bank did not accept the refund."},
	{PurchaseSubscriptionFailure, "Subscriptions", "A subscription could not charge the token."},
	{SubscriberCancelled, "Subscriptions", "The client ended a subscription; the body is the subscriber."},
	{PurchaseHold, "Held amounts", "An amount is held and can be captured or released."},
	{PurchasePendingCapture, "Held amounts", "The held amount is being captured."},
	{PurchaseCaptured, "Held amounts", "The held amount was captured."},
	{PurchaseCaptureFailure, "Held amounts",
		"The held amount could not be captured. Debit orders hold nothing, so this is never sent."},
	{PurchasePendingRelease, "Held amounts", "The held amount is being released."},
	{PurchaseReleased, "Held amounts", "The held amount was released."},
	{PurchaseReleaseFailure, "Held amounts",
		"The held amount could not be released. Debit orders hold nothing, so this is never sent."},
	{PayoutCreated, "Payouts", "A payout to your account was created."},
	{PayoutPending, "Payouts", "A payout to your account was prepared."},
	{PayoutSuccess, "Payouts", "A payout to your account was made."},
	{PayoutFailed, "Payouts", "A payout to your account did not go through."},
}

// Names are those of Kinds.
var Names = names()

func names() (out []string) {
	for _, k := range Kinds {
		out = append(out, k.Name)
	}
	return out
}

// KindOf finds an event by its name.
func KindOf(name string) Kind {
	i := slices.Index(Names, name)
	if i < 0 {
		return Kind{Name: name}
	}
	return Kinds[i]
}
