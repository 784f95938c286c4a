package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Resend delivers the event of a delivery once more, marked as such, to where the
// webhook listens now. Resent events keep an order of their own: what happens
// meanwhile does not wait for them.
func (s *Service) Resend(ctx context.Context, who actor.Actor, deliveryID uuid.UUID) (Delivery, error) {
	if err := mayChange(who); err != nil {
		return Delivery{}, err
	}
	old, err := s.Store.Delivery(ctx, who.MerchantID, deliveryID)
	if err != nil {
		return Delivery{}, err
	}
	if old.WebhookID != uuid.Nil {
		w, err := s.Store.Webhook(ctx, who.MerchantID, old.WebhookID)
		if fault.Is(err, fault.NotFound) {
			return Delivery{}, fault.New(fault.Conflict, "webhook_deleted", "The webhook of this delivery was deleted.")
		}
		if err != nil {
			return Delivery{}, err
		}
		old.Address = w.Callback
	}
	full := []Delivery{old}
	if err := s.fill(ctx, who.MerchantID, full); err != nil {
		return Delivery{}, err
	}
	var d Delivery
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		d = old
		d.Body = full[0].Body
		d.ID, d.State, d.Resend = tx.NewID(), Pending, true
		d.Attempts, d.LastStatus, d.LastError = 0, 0, ""
		d.CreatedAt, d.NextAt, d.FirstAt, d.DoneAt = tx.Now(), tx.Now(), time.Time{}, time.Time{}
		if err := insertDelivery(tx, d); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "webhook.resent", ObjectType: "delivery", ObjectID: d.ID,
			Text: fmt.Sprintf("Sent %s to %s again.", d.EventType, d.ShownAddress())})
		return tx.Answered(d)
	})
	return d, err
}

// SendNow tries a delivery that waits for its next attempt at once. The attempts that are left stay as many.
func (s *Service) SendNow(ctx context.Context, who actor.Actor, deliveryID uuid.UUID) (Delivery, error) {
	if err := mayChange(who); err != nil {
		return Delivery{}, err
	}
	d, err := s.Store.Delivery(ctx, who.MerchantID, deliveryID)
	if err != nil {
		return d, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		won, err := hurry(tx, d)
		if err != nil {
			return err
		}
		if !won {
			return fault.New(fault.Conflict, "nothing_waits", "This delivery is being sent, or is over already.")
		}
		tx.Audit(who, audit.Entry{Action: "webhook.hurried", ObjectType: "delivery", ObjectID: d.ID,
			Text: fmt.Sprintf("Sent %s to %s at once, before its next attempt was due.", d.EventType, d.ShownAddress())})
		return tx.Answered(d)
	})
	return d, err
}

// ErrResending refuses a second resend of a history while one is being prepared.
var ErrResending = fault.New(fault.Conflict, "resend_running",
	"Events of your business are being prepared to be sent again. Wait a minute, then try again.")

// ResendSince delivers once more, in order, all events since then that the webhook
// wants and that were kept for somebody.
func (s *Service) ResendSince(ctx context.Context, who actor.Actor, webhookID uuid.UUID,
	since time.Time) (n int, err error) {
	if err := mayChange(who); err != nil {
		return 0, err
	}
	w, err := s.Store.Webhook(ctx, who.MerchantID, webhookID)
	if err != nil {
		return 0, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if n, err = RepeatSince(tx, w, since); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "webhook.resent", ObjectType: "webhook", ObjectID: w.ID,
			Text: fmt.Sprintf("Sent %s since %s to %s again.", plural.Of(n, "event"),
				since.In(calendar.SAST).Format("2 Jan 2006, 15:04")+" SAST", w.Title)})
		return tx.Answered(n)
	})
	return n, err
}

// Test sends an event of type webhook.test to a webhook. It stands outside of every
// order and waits for nothing.
func (s *Service) Test(ctx context.Context, who actor.Actor, webhookID uuid.UUID) (Delivery, error) {
	if err := mayChange(who); err != nil {
		return Delivery{}, err
	}
	w, err := s.Store.Webhook(ctx, who.MerchantID, webhookID)
	if err != nil {
		return Delivery{}, err
	}
	var d Delivery
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		e := Event{ID: tx.NewID(), MerchantID: w.MerchantID, Type: WebhookTest, ObjectType: ObjectWebhook, ObjectID: w.ID,
			CreatedAt: tx.Now()}
		e.SourceID = e.ID
		e.Snapshot, _ = json.Marshal(map[string]any{"type": ObjectWebhook, "id": w.ID, "title": w.Title,
			"created_on": tx.Now().Unix(),
			"message":    "This is a test. Nothing happened."}) // texts and a number
		d = Delivery{ID: tx.NewID(), MerchantID: w.MerchantID, EventID: e.ID, SourceID: e.SourceID, WebhookID: w.ID,
			EventType: e.Type, ObjectType: e.ObjectType,
			ObjectID: e.ObjectID, Address: w.Callback, State: Pending, CreatedAt: tx.Now(), NextAt: tx.Now()}
		if err := insertTestEvent(tx, e, d); err != nil {
			return err
		}
		var err error
		if d.Body, err = s.body(e); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "webhook.tested", ObjectType: "webhook", ObjectID: w.ID,
			Text: "Sent a test to the webhook " + w.Title + "."})
		return tx.Answered(d)
	})
	return d, err
}
