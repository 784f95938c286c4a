package developers

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/plural"
	"debitdesk/models/webhook"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

func deliveryPath(id uuid.UUID) string { return words.WebhooksPath + "/deliveries/" + id.String() }

func eventPath(id uuid.UUID) string { return "/developers/events/" + id.String() }

// eventWords says of every event when it happens.
var eventWords = map[string]string{
	webhook.PurchaseCreated:             "A purchase was created by your program, on the dashboard or by a subscription.",
	webhook.PurchasePendingCharge:       "The purchase has an account and waits for its debit day.",
	webhook.PurchasePendingExecute:      "The debit is on its way to the bank, or the mandate waits for its answer.",
	webhook.PurchasePaid:                "The money was collected, or the purchase was marked as paid.",
	webhook.PurchaseViewed:              "The client opened the payment page or the invoice.",
	webhook.PurchaseSettled:             "The money can no longer be returned unpaid.",
	webhook.PurchasePaymentFailure:      "The debit failed, or the mandate was not confirmed.",
	webhook.PurchaseChargeback:          "The client disputed the debit and the money went back.",
	webhook.PurchaseCancelled:           "The purchase was cancelled before it was paid.",
	webhook.PurchasePreauthorized:       "The client’s account is stored; nothing was taken.",
	webhook.PurchaseHold:                "An amount is held and can be captured or released.",
	webhook.PurchasePendingCapture:      "The held amount is being captured.",
	webhook.PurchaseCaptured:            "The held amount was captured.",
	webhook.PurchaseCaptureFailure:      "The held amount could not be captured. Debit orders hold nothing, so this is never sent.",
	webhook.PurchaseReleaseFailure:      "The held amount could not be released. Debit orders hold nothing, so this is never sent.",
	webhook.PurchasePendingRelease:      "The held amount is being released.",
	webhook.PurchaseReleased:            "The held amount was released.",
	webhook.PurchasePendingRefund:       "A refund was asked for and is not paid back yet.",
	webhook.PurchaseRefundFailure:       "A refund was not paid out: the debit was returned, or the bank did not accept the refund.",
	webhook.PaymentRefunded:             "Money went back to the client; the body is the payment.",
	webhook.PaymentChargedBack:          "The client disputed a debit; the body is the payment.",
	webhook.PaymentChargebackReversed:   "A dispute was decided for you; the body is the payment.",
	webhook.PurchasePendingTokenDelete:  "The token is being deleted.",
	webhook.PurchaseTokenDeleted:        "The token was deleted and can no longer be charged.",
	webhook.PurchaseSubscriptionFailure: "A subscription could not charge the token.",
	webhook.SubscriberCancelled:         "The client ended a subscription; the body is the subscriber.",
	webhook.PayoutCreated:               "A payout to your account was created.",
	webhook.PayoutPending:               "A payout to your account was prepared.",
	webhook.PayoutSuccess:               "A payout to your account was made.",
	webhook.PayoutFailed:                "A payout to your account did not go through.",
	webhook.WebhookTest:                 "A test delivery.",
}

// eventGroups are the events as a person looks for them.
var eventGroups = []struct {
	title string
	names []string
}{
	{"Collecting", []string{webhook.PurchaseCreated, webhook.PurchasePendingCharge, webhook.PurchaseViewed,
		webhook.PurchasePendingExecute, webhook.PurchasePaid, webhook.PurchaseSettled, webhook.PurchasePaymentFailure,
		webhook.PurchaseCancelled}},
	{"Disputes", []string{webhook.PurchaseChargeback, webhook.PaymentChargedBack, webhook.PaymentChargebackReversed}},
	{"Tokens", []string{webhook.PurchasePreauthorized, webhook.PurchasePendingTokenDelete, webhook.PurchaseTokenDeleted}},
	{"Refunds", []string{webhook.PurchasePendingRefund, webhook.PaymentRefunded, webhook.PurchaseRefundFailure}},
	{"Subscriptions", []string{webhook.PurchaseSubscriptionFailure, webhook.SubscriberCancelled}},
	{"Held amounts", []string{webhook.PurchaseHold, webhook.PurchasePendingCapture, webhook.PurchaseCaptured,
		webhook.PurchaseCaptureFailure,
		webhook.PurchasePendingRelease, webhook.PurchaseReleased, webhook.PurchaseReleaseFailure}},
	{"Payouts", []string{webhook.PayoutCreated, webhook.PayoutPending, webhook.PayoutSuccess, webhook.PayoutFailed}},
}

// healthPill says how an endpoint does.
func healthPill(w webhook.Webhook, now time.Time) components.Pill {
	switch {
	case !w.FailingSince.IsZero():
		return components.Pill{Kind: "bad", Word: "Failing", Title: words.FailingWords(w, now)}
	case w.LastOKAt.IsZero():
		return components.Pill{Kind: "draft", Word: "Never called", Title: "Nothing was delivered to it yet."}
	}
	return components.Pill{Kind: "done", Word: "Fine", Title: "The last delivery was accepted " +
		words.SayMinute(w.LastOKAt, now) + "."}
}

func chosenWords(w webhook.Webhook) string {
	if w.AllEvents {
		return "All events"
	}
	return plural.Of(len(w.Events), "event")
}

var deliveryWords = map[webhook.State]components.Pill{
	webhook.Pending:   {Kind: "progress", Word: "Waiting"},
	webhook.Delivered: {Kind: "done", Word: "Delivered"},
	webhook.Failed: {Kind: "bad", Word: "Failed",
		Title: "All attempts are used up. Resend it when the endpoint is fixed."},
	webhook.Dropped: {Kind: "draft", Word: "Dropped", Title: "Its webhook was deleted."},
}

func deliveryPill(d webhook.Delivery) components.Pill {
	p := deliveryWords[d.State]
	if d.State == webhook.Pending && d.Attempts > 0 {
		p.Kind, p.Word = "wait", "Retrying"
	}
	return p
}

// nextWords says when the next attempt is made, on the product's clock.
func nextWords(d webhook.Delivery, now time.Time) string {
	switch {
	case d.State != webhook.Pending:
		return ""
	case !d.NextAt.After(now):
		return "at once, after the earlier events of the same object"
	}
	return words.SayMinute(d.NextAt, now) + ", in " + words.SayLeft(d.NextAt.Sub(now))
}

func answerOf(d webhook.Delivery) string {
	switch {
	case d.Attempts == 0:
		return ""
	case d.LastStatus != 0:
		return "HTTP " + strconv.Itoa(d.LastStatus)
	}
	return d.LastError
}

var objectWords = map[string]string{webhook.ObjectPurchase: "purchase", webhook.ObjectPayment: "payment",
	webhook.ObjectSubscriber: "subscriber", webhook.ObjectWebhook: "webhook"}

// objectChip leads to the object; a payment is shown with the purchase it belongs to.
func objectChip(kind string, id, source uuid.UUID) components.IDChip {
	chip := components.IDChip{ID: id.String(), What: cmp.Or(objectWords[kind], kind)}
	switch kind {
	case webhook.ObjectPurchase:
		chip.Href = words.PurchasePath(id)
	case webhook.ObjectPayment:
		chip.Href = words.PurchasePath(source)
	case webhook.ObjectWebhook:
		chip.Href = words.WebhookPath(id)
	}
	return chip
}

// groupsOf are the events to choose from; what no group names stands at the end.
func groupsOf(chosen []string) []pages.EventGroup {
	var out []pages.EventGroup
	known := []string{}
	for _, g := range eventGroups {
		known = append(known, g.names...)
		out = append(out, eventGroup(g.title, g.names, chosen))
	}
	var rest []string
	for _, name := range webhook.Names {
		if !slices.Contains(known, name) {
			rest = append(rest, name)
		}
	}
	if len(rest) > 0 {
		out = append(out, eventGroup("Others", rest, chosen))
	}
	return out
}

func eventGroup(title string, names, chosen []string) pages.EventGroup {
	g := pages.EventGroup{Title: title}
	for _, name := range names {
		g.Boxes = append(g.Boxes, components.Checkbox{Name: "events", ID: "event-" + strings.ReplaceAll(name, ".", "-"),
			Value: name, Label: name,
			Hint: eventWords[name], Checked: slices.Contains(chosen, name)})
	}
	return g
}
