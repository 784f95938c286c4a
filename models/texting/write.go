package texting

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/sms"
)

// mostWritten is the longest text that a person may write, in characters.
const mostWritten = 600

// Draft is a text as the client would get it.
type Draft struct {
	Text string // with the sender before it, in plain writing
	sms.Count
	Outside []rune // characters that make every part shorter
}

// Preview counts a text to a client as it is written.
func (s *Service) Preview(ctx context.Context, who actor.Actor, text string) (d Draft, err error) {
	name, err := s.Store.sender(ctx, who.MerchantID, uuid.Nil)
	if err != nil {
		return d, err
	}
	return Drafted(sms.Shorten(name) + ": " + sms.Plain(strings.TrimSpace(strings.ToValidUTF8(text, "")))), nil
}

// Drafted counts a text as it leaves.
func Drafted(text string) Draft {
	return Draft{Text: text, Count: sms.CountOf(text), Outside: sms.Outside(text)}
}

// Write sends a client what a person of the team wrote.
func (s *Service) Write(ctx context.Context, who actor.Actor, clientID uuid.UUID, text string) (m sms.Message,
	err error) {
	if err := who.May(actor.Write); err != nil {
		return m, err
	}
	c, err := s.Clients.Client(ctx, who.MerchantID, clientID)
	if err != nil {
		return m, err
	}
	if err := s.MayWrite(ctx, c); err != nil {
		return m, err
	}
	text, err = followup.FreeText{Most: mostWritten, Needed: true, Missing: "Enter what the client is to read.",
		Long:    "An SMS written here has at most %d characters.",
		Numbers: "This looks like an identity or card number. Do not send such numbers by SMS."}.Clean("text", text)
	if err != nil {
		return m, err
	}
	draft, err := s.Preview(ctx, who, text)
	if err != nil {
		return m, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		client.Hold(tx, c.MerchantID, c.ID)
		id := tx.NewID()
		m, err = s.Queue(tx, sms.Message{ID: id, MerchantID: c.MerchantID, ClientID: c.ID, ObjectID: id, Kind: sms.Written,
			Attempt: 1, To: c.Phone, Text: draft.Text})
		if err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "sms.written", ObjectType: "sms", ObjectID: m.ID, ClientID: c.ID,
			Text: "An SMS was written to the client.", After: map[string]any{"parts": m.Parts}})
		m.Text = ""
		return tx.Answered(m)
	})
	return m, err
}

// MayWrite is nil when an SMS can be written to a client.
func (s *Service) MayWrite(ctx context.Context, c client.Client) error {
	if c.Erased() {
		return fault.New(fault.Conflict, "client_erased", "The personal data of this client was erased.")
	}
	return s.May(ctx, c.MerchantID, c.Phone)
}
