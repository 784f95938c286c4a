package webhook

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/mail"
	"debitdesk/models/paging"
)

// Tx is what the use cases of webhooks write, all in one transaction.
type Tx interface {
	audit.Log
	Now() time.Time
	NewID() uuid.UUID
	Answered(result any) error

	// InsertWebhook keeps the private key sealed.
	InsertWebhook(w Webhook, private []byte)
	// SaveWebhook ends the transaction with fault.ErrLost when the webhook is not as
	// it was loaded, or deleted. What waits goes to its new address.
	SaveWebhook(w Webhook)
	// DeleteWebhook drops what was on its way; false when there was no such webhook.
	DeleteWebhook(merchantID, id uuid.UUID) (bool, error)
	// InsertCompanyKey keeps the first key of a merchant; a later one is thrown away.
	InsertCompanyKey(merchantID uuid.UUID, k Keys)
	InsertDelivery(d Delivery)
	// InsertTestEvent writes an event with its one delivery; nothing else waits for it.
	InsertTestEvent(e Event, d Delivery)
	// RepeatSince delivers once more what the webhook wants of the events since then.
	RepeatSince(w Webhook, since time.Time) (n int, err error)
	// NoticeFailing marks a webhook whose failing its owner is told of; false when
	// that was done already or it does not fail any more.
	NoticeFailing(id uuid.UUID) (bool, error)
	InsertMail(m mail.Mail)
}

// Reader finds what the use cases decide on. Everything is bounded by the
// merchant; unknown ids and those of others are NotFound.
type Reader interface {
	Webhook(ctx context.Context, merchantID, id uuid.UUID) (Webhook, error)
	Webhooks(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) ([]Webhook, error)
	FailingWebhooks(ctx context.Context, merchantID uuid.UUID) ([]Webhook, error)
	Event(ctx context.Context, merchantID, id uuid.UUID) (Event, error)
	Events(ctx context.Context, merchantID uuid.UUID, f EventFilter, ask paging.Ask) ([]Event, error)
	Delivery(ctx context.Context, merchantID, id uuid.UUID) (Delivery, error)
	Deliveries(ctx context.Context, merchantID uuid.UUID, f DeliveryFilter, ask paging.Ask) ([]Delivery, error)
	// DeliveryAttempts are by delivery, oldest first.
	DeliveryAttempts(ctx context.Context, deliveryIDs []uuid.UUID) (map[uuid.UUID][]Attempt, error)
	// EventsInFull are events by id, with their snapshots.
	EventsInFull(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Event, error)
	// CompanyKey gives the public half (PEM); empty when there is none yet.
	CompanyKey(ctx context.Context, merchantID uuid.UUID) (string, error)
	// WebhookKey opens the private key that signs for a webhook, or for the company
	// when webhookID is zero; nil when the company has none yet.
	WebhookKey(ctx context.Context, merchantID, webhookID uuid.UUID) ([]byte, error)
	// CountSince counts what RepeatSince would deliver, at most so many.
	CountSince(ctx context.Context, w Webhook, since time.Time, atMost int) (int, error)
	// AdminAddresses are the mail addresses of the merchant's admins.
	AdminAddresses(ctx context.Context, merchantID uuid.UUID) ([]string, error)
}

// Task is a delivery that this process has claimed.
type Task struct {
	Delivery
	Event        Event `gorm:"embedded;embeddedPrefix:e_"`
	Gone         bool  // its webhook was deleted
	FailingSince time.Time
	Noticed      bool // its owner was told of the failing
	Title        string
}

// Outcome is what became of an attempt. Failed or delivered, Next is zero.
type Outcome struct {
	Attempt
	State State
	Next  time.Time
}

// Queue hands out deliveries. It crosses merchants: the sweep serves them all.
type Queue interface {
	// ClaimDeliveries takes up to limit deliveries that are due and have nothing
	// before them, at most each for one address and none for those that are busy.
	ClaimDeliveries(ctx context.Context, limit, each int, busy []string) ([]Task, error)
	// NoteAttempt writes the outcome, unless another process has written one since the
	// claim, and what it says of the webhook's health.
	NoteAttempt(ctx context.Context, t Task, o Outcome) error
	// DropDelivery ends a delivery whose webhook is gone.
	DropDelivery(ctx context.Context, t Task) error
	// ReleaseDelivery gives a claim back unused.
	ReleaseDelivery(ctx context.Context, t Task) error
	// DeliveriesDue tells whether a delivery is due that has nothing before it.
	DeliveriesDue(ctx context.Context) (bool, error)
	// NextDelivery is the earliest moment after now at which a delivery becomes due.
	NextDelivery(ctx context.Context) (at time.Time, found bool, err error)
}

// Header is one header of a call.
type Header struct{ Name, Value string }

// Answer is what an endpoint answered.
type Answer struct {
	Status int    // HTTP; 0: no answer
	Text   string // the first 2 kB of the body
	Error  string // why there is no answer
}

// Poster calls an endpoint. It never follows a redirect.
type Poster interface {
	Post(ctx context.Context, address string, headers []Header, body []byte) Answer
}

// Letters words the mails of this package.
type Letters interface {
	// EndpointFails tells an admin since when the endpoint does not accept deliveries.
	EndpointFails(w Webhook, lastError string) mail.Letter
}
