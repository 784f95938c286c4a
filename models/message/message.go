// Package message lists what went out to clients in writing, mails and SMS together, and shows what each said. It
// writes nothing: mails are the outbox's, SMS are texting's.
package message

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/paging"
	"debitdesk/models/sms"
)

// Channel is the way by which a message reaches a client.
type Channel string

// The channels.
const (
	Mail Channel = "mail"
	SMS  Channel = "sms"
)

// State is where a message stands, in the words of no channel.
type State string

// The states. Sent is with the relay or provider, or arrived; Unsent did not reach the client and is not tried again.
const (
	Waiting State = "waiting"
	Sent    State = "sent"
	Unsent  State = "unsent"
)

// States lists all of them.
var States = []State{Waiting, Sent, Unsent}

// Message is one mail or SMS to a client.
type Message struct {
	ID, MerchantID       uuid.UUID
	ClientID, PurchaseID uuid.UUID // no purchase: zero
	Channel              Channel
	Kind                 string
	To                   string `gorm:"column:recipient"` // empty: the client was erased
	Subject              string // of a mail
	Text                 string `gorm:"-"` // of an SMS
	Parts                int    // of an SMS: how many are paid for
	Status               string `gorm:"column:state"` // as its channel names it
	Why                  string // why it was not sent, or not yet
	CreatedAt, SentAt    time.Time
	Client               string // the client's name, or its address
}

// LetsIn tells that the message holds a link or code for its reader alone. Nobody else is shown its words.
func (m Message) LetsIn() bool {
	return mail.Mail{Kind: m.Kind}.LetsIn() || sms.Message{Kind: m.Kind}.LetsIn()
}

// Filter narrows the list; its zero value takes everything.
type Filter struct {
	Channel  Channel
	State    State
	ClientID uuid.UUID
	From, To time.Time // when it was written, both included
	Search   string    // in the address, the number, the subject and the client's name
}

// CountLimit is how far the messages of a filter are counted.
const CountLimit = 10_000

// Service reads messages.
type Service struct {
	Store Store
	Mails outbox.Store
}

// List gives one page, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Message], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Message]{}, err
	}
	return s.Store.page(ctx, who.MerchantID, f, ask)
}

// Count counts what a filter lets through, up to CountLimit; not known where each message would have to be looked at.
func (s *Service) Count(ctx context.Context, who actor.Actor, f Filter) (n int64, known bool, err error) {
	if err := who.May(actor.Read); err != nil {
		return 0, false, err
	}
	return s.Store.count(ctx, who.MerchantID, f)
}

// Written is a message with its words.
type Written struct {
	Message
	Copies []string // addresses beside the first, of a mail
	Words  string   // in plain text; empty where they are for the client alone
	Files  []string // their names
}

// Get gives one message to a client with what it says.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (w Written, err error) {
	if err := who.May(actor.Read); err != nil {
		return w, err
	}
	if w.Message, err = s.Store.message(ctx, who.MerchantID, id); err != nil {
		return w, err
	}
	if w.Channel == SMS {
		w.Words = w.Text
		return w.veiled(), nil
	}
	m, err := s.Mails.Mail(ctx, who.MerchantID, id)
	if err != nil {
		return w, err
	}
	w.Words = m.Text
	w.Copies = append(append(w.Copies, m.CC...), m.BCC...)
	for _, file := range m.Attachments {
		w.Files = append(w.Files, file.Name)
	}
	return w.veiled(), nil
}

// veiled takes away what is for the client alone.
func (w Written) veiled() Written {
	if w.LetsIn() {
		w.Words, w.Text = "", ""
	}
	return w
}
