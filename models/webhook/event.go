// Package webhook knows what happened to objects, who wants to hear of it, and
// how it is told: signed, in order, until it is taken. It must not know how bodies
// are written or rows are kept.
package webhook

import (
	"time"

	"github.com/google/uuid"
)

// Event is one thing that happened to an object. Seq is the order of commits.
type Event struct {
	Seq        int64
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
