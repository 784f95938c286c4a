package simulation

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// Phone is one request to authenticate a mandate, as the client's phone shows it.
type Phone struct {
	Request  mandate.Authentication `gorm:"embedded"`
	Mandate  mandate.Mandate        `gorm:"embedded;embeddedPrefix:m_"`
	Brand    string
	Currency string
}

// AmountCents is what the client is asked to authenticate for each debit.
func (p Phone) AmountCents() int64 {
	if p.Mandate.Terms != nil && p.Mandate.Terms.PriceCents > 0 {
		return p.Mandate.Terms.PriceCents
	}
	return p.Mandate.AmountCents
}

// MaxCents is the most that one debit may take; 0 when there is no limit.
func (p Phone) MaxCents() int64 {
	if p.Mandate.Terms == nil {
		return 0
	}
	return p.Mandate.Terms.MaxAmountCents
}

// Replied is a purchase with its mandate after the client's answer.
type Replied struct {
	purchase.Record
	Mandate mandate.Mandate
}

// The answers of a client, as the phone sends them.
const (
	Accept = "accept"
	Reject = "reject"
	Ignore = "ignore" // lets the time run out
)

// AnswerMandate makes the client of a purchase answer the request to authenticate
// its mandate now, instead of what the account would bring, and applies the
// answer. Purchases of others are NotFound; where nothing is asked of the client
// (any more) it is a Conflict.
func (c *Controls) AnswerMandate(ctx context.Context, who actor.Actor, purchaseID uuid.UUID,
	answer string) (Replied, error) {
	var r Replied
	if err := who.May(actor.MoveClock); err != nil {
		return r, err
	}
	before, err := c.Purchases.Get(ctx, who, purchaseID)
	if err != nil {
		return r, err
	}
	if answer == "" {
		return r, fault.At("answer", "required", "Give accept, reject or ignore.")
	}
	if answer != Accept && answer != Reject && answer != Ignore {
		return r, fault.At("answer", "invalid_choice", "%q is not an answer of a client. Use accept, reject or ignore.",
			answer)
	}
	if !c.Forces() {
		return r, conflict(NotForced)
	}
	request, err := c.asked(ctx, who.MerchantID, purchaseID)
	if err != nil {
		return r, err
	}
	if err := c.reply(ctx, request, answer); err != nil {
		return r, err
	}
	if err := c.caughtUp(inner(ctx)); err != nil {
		return r, err
	}
	if r.Record, err = c.Purchases.Get(ctx, who, purchaseID); err != nil {
		return r, err
	}
	if r.Mandate, err = mandate.Store(c.Store).Mandate(ctx, who.MerchantID, request.MandateID); err != nil {
		return r, err
	}
	return r, c.Store.InTx(ctx, func(tx *database.Tx) error {
		note(tx, who, "sandbox.payer_answered", request.ID, before.ID, before.ClientID,
			"On the client’s phone in the sandbox: "+replies[answer]+".")
		return tx.Answered(r)
	})
}

var replies = map[string]string{Accept: "accepted", Reject: "declined", Ignore: "left unanswered"}

// asked is the request that waits for the client. One that is on its way to the
// bank is handed over first.
func (c *Controls) asked(ctx context.Context, merchantID, mandateID uuid.UUID) (mandate.Authentication, error) {
	request, err := c.Store.OpenAuthentication(ctx, merchantID, mandateID)
	if err == nil && request.State == mandate.AuthRequested {
		if err := c.caughtUp(inner(ctx)); err != nil {
			return request, err
		}
		request, err = c.Store.OpenAuthentication(ctx, merchantID, mandateID)
	}
	if fault.Is(err, fault.NotFound) {
		return request, c.nothingAsked(ctx, merchantID, mandateID)
	}
	return request, err
}

// nothingAsked says why the client has nothing to answer.
func (c *Controls) nothingAsked(ctx context.Context, merchantID, mandateID uuid.UUID) error {
	m, err := mandate.Store(c.Store).Mandate(ctx, merchantID, mandateID)
	switch {
	case fault.Is(err, fault.NotFound):
		return conflict("This purchase asks for no mandate.")
	case err != nil:
		return err
	case m.Kind != mandate.DebiCheck:
		return conflict(
			"The client of an EFT mandate is not asked at the bank. Only DebiCheck mandates are answered on the phone.")
	case m.State.Waiting():
		return conflict("Nothing is waiting on the client’s phone right now. Try again in a few seconds.")
	}
	return conflict("Nothing is waiting on the client’s phone: the mandate is %s.", m.State.Label())
}

func conflict(format string, args ...any) error {
	return fault.New(fault.Conflict, "mandate_wrong_status", format, args...)
}

func (c *Controls) reply(ctx context.Context, request mandate.Authentication, answer string) error {
	switch err := c.Phone(ctx, request.ID, answer); {
	case errors.Is(err, bank.ErrUnknown):
		return conflict("The client’s bank does not have this request yet. Try again in a few seconds.")
	case errors.Is(err, bank.ErrTooLate):
		return conflict("It is too late: the request was answered already, or it has expired.")
	default:
		return err
	}
}

// latelyAnswered is how many requests that are over a phone still shows.
const latelyAnswered = 10

// Phones shows what waits on the phones of a merchant's clients, newest first,
// and what was answered lately.
func (c *Controls) Phones(ctx context.Context, who actor.Actor) (open, over []Phone, err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, nil, err
	}
	return c.Store.Phones(ctx, who.MerchantID, latelyAnswered)
}
