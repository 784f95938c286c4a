package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/rulebook"
)

// ErasedName is what lists and pages call a client whose personal data is gone.
const ErasedName = "Erased client"

// Erasure is what the erasure of a client is about.
type Erasure struct {
	Client    Client `gorm:"-"`
	Purchases int
	Mails     int
	Mandates  int
	Invoices  int

	AtBank    int           // debits that the bank has, or whose return window is open
	Waiting   int           // debits that are not at the bank yet
	AtBankEnd calendar.Date // when the last of AtBank is final at the latest; zero: nobody knows
	Disputes  int           // under way
	Refunds   int           // owed to the client, and not paid yet

	Own       []rulebook.Own `gorm:"-"` // stricter values that the merchant chose
	LastDebit calendar.Date  // or the last mandate or invoice where nothing was collected; zero: there is nothing to keep
}

// Blocked tells whether something is under way that needs the client's details.
func (e Erasure) Blocked() bool { return e.AtBank+e.Disputes+e.Refunds > 0 }

// KeptUntil is the last day on which evidence is kept; zero when there is none.
func (e Erasure) KeptUntil() calendar.Date {
	if e.LastDebit.IsZero() {
		return calendar.Date{}
	}
	return rulebook.Default().ForMerchant(e.Client.MerchantID.String(), e.Own).KeptUntil(e.LastDebit)
}

func (e Erasure) blocked() error {
	switch {
	case e.AtBank > 0 && !e.AtBankEnd.IsZero():
		return fault.New(fault.Conflict, "client_under_way",
			"A debit of this client is under way. The client can be erased after %s.", e.AtBankEnd)
	case e.AtBank > 0:
		return fault.New(fault.Conflict, "client_under_way",
			"A debit of this client is under way. The client can be erased once the bank has answered.")
	case e.Disputes > 0:
		return fault.New(fault.Conflict, "client_under_way",
			"A debit of this client is disputed. The client can be erased once that is decided.")
	case e.Refunds > 0:
		return fault.New(fault.Conflict, "client_under_way",
			"Money is owed back to this client. The client can be erased once it is paid.")
	}
	return nil
}

// WhatErasureMeans tells what would go and what would stay.
func (s *Service) WhatErasureMeans(ctx context.Context, who actor.Actor, id uuid.UUID) (Erasure, error) {
	if err := who.May(actor.Manage); err != nil {
		return Erasure{}, err
	}
	return s.Store.Erasure(ctx, who.MerchantID, id)
}

// Erase removes the personal data of a client on its request (source: POPIA 24). Its
// stored accounts end first. What is under way with the bank needs the details, so
// that it waits for that: Conflict. Mandates with their evidence, invoices and the
// audit stay, as the law wants. An erased client is erased once.
func (s *Service) Erase(ctx context.Context, who actor.Actor, id uuid.UUID) (Client, error) {
	if err := who.May(actor.Manage); err != nil {
		return Client{}, err
	}
	const tries = 5 // each loss means that somebody else changed one of its debits
	var lost error
	for range tries {
		var c Client
		if c, lost = s.erase(ctx, who, id); !errors.Is(lost, fault.ErrLost) {
			return c, lost
		}
	}
	return Client{}, fault.New(fault.Conflict, "conflict",
		"A debit of this client is being changed by another person. Try again.").Because(lost)
}

func (s *Service) erase(ctx context.Context, who actor.Actor, id uuid.UUID) (c Client, err error) {
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		ctx := tx.Context()
		if c, err = lockAny(tx, who.MerchantID, id); err != nil {
			return err
		}
		if c.Erased() {
			return isErased()
		}
		if err := notMerged(tx, c); err != nil {
			return err
		}
		if s.Forget != nil {
			if err := s.Forget(ctx, tx, who, id); err != nil {
				return fmt.Errorf("forget the client's tokens: %w", err)
			}
		}
		about, err := erasureWithin(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if about.AtBank += about.Waiting; about.Blocked() { // what waits still, somebody else took in hand
			return about.blocked()
		}
		c.ErasedAt, c.UpdatedAt, c.EvidenceUntil = tx.Now(), tx.Now(), about.KeptUntil()
		if err := eraseAll(tx, c); err != nil {
			return err
		}
		c.Details, c.ChosenLanguage = Details{FullName: ErasedName}, ""
		after := map[string]any{"purchases": about.Purchases, "mandates_kept": about.Mandates,
			"invoices_kept": about.Invoices}
		if !c.EvidenceUntil.IsZero() {
			after["kept_until"] = c.EvidenceUntil.String()
		}
		tx.Audit(who, entryOf(c, "client.erased", "The personal data of a client was erased on request.", nil, after))
		return nil
	})
	return c, err
}

func isErased() error {
	return fault.New(fault.Conflict, "client_erased",
		"The personal data of this client was erased. Add a new client instead.")
}

// DropOldEvidence removes mandates' wording, scans and names on invoices of erased
// clients once the law does not want them any more. The day is the real one, so that
// a moved sandbox clock destroys no evidence.
func DropOldEvidence(ctx context.Context, store Store, now time.Time) error {
	for ctx.Err() == nil {
		if n, err := store.DropEvidence(ctx, calendar.DateOf(now)); err != nil || n == 0 {
			return err
		}
	}
	return ctx.Err()
}
