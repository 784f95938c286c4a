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

// eventSays tells when an event happens.
func eventSays(name string) string {
	if name == webhook.WebhookTest {
		return "A test delivery."
	}
	return webhook.KindOf(name).Says
}

// healthPill says how an endpoint does.
func healthPill(w webhook.Webhook, now time.Time, live bool) components.Pill {
	switch {
	case live && webhook.Open(w.Callback):
		return components.Pill{Kind: "bad", Word: "Not encrypted", Title: "Events of real payments are sent to an address " +
			"that begins with http://. Change it to https://."}
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
	case !d.BehindAt.IsZero():
		return "after an earlier event of the same object, which is tried " + attemptAt(d.BehindAt, now)
	}
	return attemptAt(d.NextAt, now)
}

func attemptAt(at, now time.Time) string {
	if !at.After(now) {
		return "at once"
	}
	return words.SayMinute(at, now) + ", in " + words.SayLeft(at.Sub(now))
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

// groupsOf are the events to choose from.
func groupsOf(chosen []string) []pages.EventGroup {
	var out []pages.EventGroup
	for _, k := range webhook.Kinds {
		if len(out) == 0 || out[len(out)-1].Title != k.Group {
			out = append(out, pages.EventGroup{Title: k.Group})
		}
		g := &out[len(out)-1]
		g.Boxes = append(g.Boxes, components.Checkbox{Name: "events", ID: "event-" + strings.ReplaceAll(k.Name, ".", "-"),
			Value: k.Name, Label: k.Name, Hint: k.Says, Checked: slices.Contains(chosen, k.Name)})
	}
	return out
}
