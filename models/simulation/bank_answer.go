package simulation

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// BankAnswer is what a person makes the bank say: a return code ("00" pays), or a
// dispute with one of its codes. Exactly one is given.
type BankAnswer struct{ Code, Dispute string }

// Force makes the sandbox bank answer a collection now, instead of what its
// account would bring, and applies the answer. Purchases of others are NotFound;
// what is not at the bank, or has the bank's last word, is a Conflict.
func (c *Controls) Force(ctx context.Context, who actor.Actor, purchaseID uuid.UUID,
	a BankAnswer) (purchase.Record, error) {
	if err := who.May(actor.MoveClock); err != nil {
		return purchase.Record{}, err
	}
	rec, err := c.Purchases.Get(ctx, who, purchaseID)
	if err != nil {
		return rec, err
	}
	if err := a.check(); err != nil {
		return rec, err
	}
	if !c.Forces() {
		return rec, fault.New(fault.Conflict, "collection_wrong_status", NotForced)
	}
	if err := mayAnswer(rec.Collection); err != nil {
		return rec, err
	}
	switch err := c.Bank(ctx, rec.Collection.ID, a.Code, a.Dispute); {
	case errors.Is(err, bank.ErrUnknown):
		return rec, notThere(rec.Collection)
	case errors.Is(err, bank.ErrNotDisputable):
		return rec, fault.At("dispute", "dispute_rejected",
			"The client’s bank refuses this dispute: the debit is as the client authenticated it.")
	case errors.Is(err, bank.ErrOutOfWindow):
		last, _ := rec.Collection.DisputableUntil()
		return rec, fault.At("dispute", "out_of_window",
			"The client’s bank refuses this dispute: the last day was %s.", last.Format("2 January 2006"))
	case err != nil:
		return rec, err
	}
	if err := c.caughtUp(inner(ctx)); err != nil {
		return rec, err
	}
	after, err := c.Purchases.Get(ctx, who, purchaseID)
	if err != nil {
		return rec, err
	}
	return after, c.Store.InTx(ctx, func(tx *database.Tx) error {
		note(tx, who, "sandbox.answer_forced", rec.Collection.ID, rec.ID, rec.ClientID,
			"The sandbox bank was told to answer: "+a.words()+".")
		return tx.Answered(after)
	})
}

// AtBank lists what the bank's desk can answer.
func (c *Controls) AtBank(ctx context.Context, who actor.Actor, limit int) ([]AtBank, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return c.Store.AtBank(ctx, who.MerchantID, limit)
}

func (a BankAnswer) words() string {
	if a.Dispute != "" {
		return bank.CodeOf(a.Dispute).Label()
	}
	return bank.CodeOf(a.Code).Label()
}

func (a BankAnswer) check() error {
	_, known := bank.FindCode(a.Code)
	dispute, disputable := bank.FindCode(a.Dispute)
	switch {
	case a.Code != "" && a.Dispute != "":
		return fault.New(fault.Invalid, "invalid", "Give code or dispute, not both.")
	case a.Code == "" && a.Dispute == "":
		return fault.At("code", "required", "Enter a return code such as 00 or 02, or a dispute of 30, 32, 34 or 36.")
	case a.Code != "" && !known:
		return fault.At("code", "invalid_choice",
			"%q is not a return code. Use 00, 02, 03, 04, 05, 06, 08, 10, 12, 14, 16, 18, 22, 26, 28, 30, 32, 34, 36, 56 or 60.",
			a.Code)
	case a.Dispute != "" && (!disputable || dispute.Class != bank.Dispute):
		return fault.At("dispute", "invalid_choice", "%q is not a dispute code. Use 30, 32, 34 or 36.", a.Dispute)
	}
	return nil
}

// mayAnswer tells whether the bank's word could still change the collection.
func mayAnswer(c *collection.Collection) error {
	switch {
	case c == nil:
		return fault.New(fault.Conflict, "collection_wrong_status", "Nothing of this purchase is collected.")
	case c.State == collection.Scheduled:
		return notThere(c)
	case c.State.Ended():
		return fault.New(fault.Conflict, "collection_wrong_status", "The debit of this purchase is over: %s.",
			c.State.Label())
	}
	return nil
}

func notThere(c *collection.Collection) error {
	return fault.New(fault.Conflict, "collection_wrong_status",
		"The bank does not have this debit yet. It is handed over at %s SAST.", say(c.SubmitAt))
}

// BankAnswers are the words that the bank's desk offers for a collection, in the order
// of a person's mind: pay, the usual failures, the disputes.
func BankAnswers(c *collection.Collection) (codes []bank.ReturnCode) {
	if mayAnswer(c) != nil {
		return nil
	}
	for _, code := range bank.ReturnCodes() {
		kind := bank.Unpaid
		switch code.Class {
		case bank.Dispute:
			kind = bank.Disputed
		case bank.Success:
			kind = paysBy(c.Method)
		case bank.Info, bank.Blocked:
			continue
		case bank.Soft, bank.Hard, bank.Unknown, bank.NotRun:
		}
		if _, moves := c.State.After(kind); moves {
			codes = append(codes, code)
		}
	}
	return codes
}

// paysBy is how the bank calls a success: without a return window it is final.
func paysBy(m bank.Method) bank.MessageKind {
	if m == bank.DebiCheck {
		return bank.Successful
	}
	return bank.Provisional
}
