package api

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/webhook"
)

type webhookBody struct {
	ID        uuid.UUID `json:"id"`
	Type      string    `json:"type"`
	CreatedOn int64     `json:"created_on"`
	UpdatedOn int64     `json:"updated_on"`
	Title     string    `json:"title"`
	Callback  string    `json:"callback"`
	AllEvents bool      `json:"all_events"`
	Events    []string  `json:"events"`
	PublicKey string    `json:"public_key"`
}

func webhookAnswer(w webhook.Webhook) any {
	events := w.Events
	if w.AllEvents || events == nil {
		events = []string{}
	}
	return webhookBody{w.ID, "webhook", w.CreatedAt.Unix(), w.UpdatedAt.Unix(), w.Title, w.ShownCallback(),
		w.AllEvents, events,
		w.PublicKey}
}

// deliveryBody is one delivery of the log (API contract 12.14; the names after
// payload are ours). webhook_id is null for the success_callback of a purchase.
type deliveryBody struct {
	ID          uuid.UUID       `json:"id"`
	Event       string          `json:"event"`
	URL         string          `json:"url"`
	CreatedOn   string          `json:"created_on"`   // ISO 8601
	DeliveredOn *string         `json:"delivered_on"` // ISO 8601; null while undelivered
	Attempts    int             `json:"attempts"`
	Tries       []tryBody       `json:"delivery_attempts"`
	Payload     json.RawMessage `json:"payload"` // null when it was dropped with its webhook

	Type           string     `json:"type"`
	UpdatedOn      int64      `json:"updated_on"`
	WebhookID      *uuid.UUID `json:"webhook_id"`
	EventID        uuid.UUID  `json:"event_id"`
	EventType      string     `json:"event_type"`
	ObjectType     string     `json:"object_type"`
	ObjectID       uuid.UUID  `json:"object_id"`
	Callback       string     `json:"callback"`
	State          string     `json:"state"`
	Resend         bool       `json:"resend"`
	FirstAttemptOn *int64     `json:"first_attempt_on"`
	NextAttemptOn  *int64     `json:"next_attempt_on"`
	DoneOn         *int64     `json:"done_on"`
	LastStatus     *int       `json:"last_status"`
	LastError      string     `json:"last_error"`
}

func deliveryOf(d webhook.Delivery) deliveryBody {
	out := deliveryBody{ID: d.ID, Event: d.EventType, URL: d.ShownAddress(), CreatedOn: isoText(d.CreatedAt),
		Tries: make([]tryBody, len(d.Tries)),
		Type:  "webhook_delivery", UpdatedOn: lastOf(d).Unix(), EventID: d.EventID, EventType: d.EventType,
		ObjectType: d.ObjectType, ObjectID: d.ObjectID, Callback: d.ShownAddress(), State: string(d.State), Resend: d.Resend,
		Attempts:       d.Attempts,
		FirstAttemptOn: unixOrNull(d.FirstAt), NextAttemptOn: unixOrNull(d.NextAt), DoneOn: unixOrNull(d.DoneAt),
		LastError: d.LastError}
	if d.WebhookID != uuid.Nil {
		out.WebhookID = &d.WebhookID
	}
	if d.State == webhook.Delivered {
		out.DeliveredOn = ref(isoText(d.DoneAt))
	}
	for i, t := range d.Tries {
		out.Tries[i] = tryBody{isoText(t.At), t.Error}
	}
	if json.Valid(d.Body) {
		out.Payload = d.Body
	}
	if d.LastStatus != 0 {
		out.LastStatus = &d.LastStatus
	}
	return out
}

type tryBody struct {
	AttemptedOn  string `json:"attempted_on"`
	ErrorMessage string `json:"error_message"` // empty when it was taken
}

// isoText is a moment as the log of deliveries writes it, in UTC.
func isoText(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }

func deliveryAnswer(d webhook.Delivery) any { return deliveryOf(d) }

// lastOf is when something last happened to a delivery, as far as it is known.
func lastOf(d webhook.Delivery) time.Time {
	for _, at := range []time.Time{d.DoneAt, d.FirstAt} {
		if !at.IsZero() {
			return at
		}
	}
	return d.CreatedAt
}

type postedBody struct {
	Number int    `json:"number"`
	On     int64  `json:"on"`
	TookMS int    `json:"took_ms"`
	Status *int   `json:"status"`
	Error  string `json:"error"`
	Answer string `json:"answer"`
}

// deliveryInFull is one delivery with what was sent and what came back.
type deliveryInFull struct {
	deliveryBody
	Signature string          `json:"signature"`
	Body      json.RawMessage `json:"body"`
	Log       []postedBody    `json:"attempt_log"`
}

func inFull(d webhook.Delivery, signature string) any {
	out := deliveryInFull{deliveryBody: deliveryOf(d), Signature: signature, Log: make([]postedBody, len(d.Tries))}
	out.Body = out.Payload
	for i, a := range d.Tries {
		out.Log[i] = postedBody{Number: a.Number, On: a.At.Unix(), TookMS: a.TookMS, Error: a.Error, Answer: a.Answer}
		if a.Status != 0 {
			out.Log[i].Status = &a.Status
		}
	}
	return out
}
