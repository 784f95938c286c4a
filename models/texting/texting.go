// Package texting knows how a short message reaches a client: it is queued in the transaction of its cause, sent
// once, and followed by what the provider reports; what clients answer is kept, and a STOP ends messages to their
// number at once. It must not know how a provider is spoken to.
package texting

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/queue"
	"debitdesk/models/sms"
)

// Service holds the use cases of short messages, and sends what waits.
type Service struct {
	Store   Store
	Clients client.Store
	// Gateway takes the messages; nil in live mode: SMS are not set up.
	Gateway  sms.Gateway
	Calendar *calendar.Calendar
	Log      *slog.Logger
	Letters  Letters
	// Raise has a purchase need attention with a note, after nothing else reached the client; nil: nothing does.
	Raise func(tx *database.Tx, m sms.Message, why string) error
}

// Letters words what clients are told who answer.
type Letters interface {
	// Noted confirms a STOP or a START, by the kind of the message, in the name of a business.
	Noted(kind, business string, reads locale.Language) string
}

// Ready tells that SMS can be sent.
func (s *Service) Ready() bool { return s != nil && s.Gateway != nil }

// ErrNotReady tells that SMS are not set up.
var ErrNotReady = fault.New(fault.Conflict, "sms_not_set_up",
	"SMS are not set up here. Ask the person who runs this system to connect a provider.")

// May is nil when a message can be queued to a number now, but for hours and limits. The number may be written in
// any way.
func (s *Service) May(ctx context.Context, merchantID uuid.UUID, phone string) error {
	if !s.Ready() {
		return ErrNotReady
	}
	number, err := number(phone)
	if err != nil {
		return err
	}
	blocked, err := s.Store.Blocked(ctx, merchantID, number)
	if err == nil && !blocked.IsZero() {
		err = errBlocked
	}
	return err
}

var errBlocked = fault.New(fault.Conflict, "sms_blocked",
	"This number answered STOP, so it gets no SMS. Only the client can change that, by answering START.")

func number(phone string) (string, error) {
	if phone == "" {
		return "", fault.New(fault.Conflict, "no_phone", "This client has no phone number. Add one first.")
	}
	number, ok := sms.Mobile(phone)
	if !ok {
		return "", fault.New(fault.Conflict, "no_mobile",
			"SMS go to South African mobile numbers only, and “%s” is none. They begin with 06, 07 or 08.", phone)
	}
	return number, nil
}

// lasts is how long a message stays worth sending, from when its turn comes.
const lasts = 24 * time.Hour

// When is the moment at which a message that is queued now goes out.
func (s *Service) When(ctx context.Context, merchantID uuid.UUID, now time.Time) (time.Time, error) {
	set, err := s.Store.Settings(ctx, merchantID)
	if err != nil {
		return now, err
	}
	return sms.Hours{Wide: set.WideHours}.NextAllowed(now, s.Calendar), nil
}

// Queue puts a message into the outbox, in the transaction of its cause. When the same object, kind and attempt has
// one, nothing happens. It sets the number, the count, and when its turn comes; Conflict where the number gets no
// SMS.
func (s *Service) Queue(tx *database.Tx, m sms.Message) (sms.Message, error) {
	if !s.Ready() {
		return m, ErrNotReady
	}
	to, err := number(m.To)
	if err != nil {
		return m, err
	}
	m.To, m.Text = to, sms.Plain(m.Text)
	if !m.Answers() {
		blocked, err := s.Store.Blocked(tx.Context(), m.MerchantID, to)
		if err != nil {
			return m, err
		}
		if !blocked.IsZero() {
			return m, errBlocked
		}
	}
	if m.NotBefore = tx.Now(); !m.AtAnyHour() {
		if m.NotBefore, err = s.When(tx.Context(), m.MerchantID, tx.Now()); err != nil {
			return m, err
		}
	}
	if m.ID == uuid.Nil {
		m.ID = tx.NewID()
	}
	m.State, m.CreatedAt = sms.Queued, tx.Now()
	if m.ExpiresAt.IsZero() {
		m.ExpiresAt = m.NotBefore.Add(lasts)
	}
	count := sms.CountOf(m.Text)
	m.Encoding, m.Parts = count.Encoding, count.Parts
	if err := insert(tx, m); err != nil {
		return m, err
	}
	if m.NotBefore.Equal(tx.Now()) {
		tx.Enqueue(queue.SendSMS{MessageID: m.ID})
	}
	return m, nil
}
