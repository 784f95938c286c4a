package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Service holds the use cases of clients.
type Service struct {
	Store Store
	Now   func() time.Time
	// Forget ends the use of a deleted client's tokens, in the same transaction.
	Forget func(ctx context.Context, tx *database.Tx, who actor.Actor, clientID uuid.UUID) error
}

// Input is what a client is made from.
type Input struct {
	Details
	How      Strictness
	Problems fault.Problems // of shape, found where the text was read
}

// Create adds a client. All problems come back at once.
func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (Client, error) {
	if err := who.May(actor.Write); err != nil {
		return Client{}, err
	}
	if err := together(in.Problems, in.Check(in.How, calendar.DateOf(s.Now()))); err != nil {
		return Client{}, err
	}
	c := Client{MerchantID: who.MerchantID, Details: in.Details}
	err := s.Store.InTx(ctx, func(tx *database.Tx) error {
		c.ID, c.CreatedAt, c.UpdatedAt = tx.NewID(), tx.Now(), tx.Now()
		Insert(tx, c)
		_, is := changes(Details{}, c.Details)
		tx.Audit(who, entryOf(c, "client.created", c.Name()+" was added.", nil, is))
		return tx.Answered(c)
	})
	return c, err
}

// Change turns the details as they stand into those wanted, with the problems
// of shape that were met.
type Change struct {
	Apply func(now Details) (Details, fault.Problems)
	How   Strictness
	// Version is the UpdatedAt that the person saw; zero for programs, which overwrite.
	Version time.Time
}

// Update changes a client. Purchases that exist already keep their own copy. A
// masked account or identity number leaves the stored one as it is: of a program any
// mask does (API contract 12.26), of a form only the one that it showed. A Conflict
// comes back when somebody else changed the client since Version.
func (s *Service) Update(ctx context.Context, who actor.Actor, id uuid.UUID, change Change) (Client, error) {
	if err := who.May(actor.Write); err != nil {
		return Client{}, err
	}
	var c Client
	err := s.Store.InTx(ctx, func(tx *database.Tx) (err error) {
		if c, err = lock(tx, who.MerchantID, id); err != nil {
			return err
		}
		if c.Erased() {
			return isErased()
		}
		if !change.Version.IsZero() && !change.Version.Equal(c.UpdatedAt) {
			return fault.New(fault.Conflict, "client_changed",
				"Another person changed this client in the meantime. Both versions are shown; save again to keep yours.")
		}
		before := c.Details
		wanted, shape := change.Apply(before)
		keepMasked(&wanted, before, change.Version.IsZero())
		if err := together(shape, wanted.checkSince(before, change.How, calendar.DateOf(tx.Now()))); err != nil {
			return err
		}
		return s.save(tx, who, &c, wanted)
	})
	return c, err
}

// keepMasked puts the stored numbers back where masks were sent: any mask, or only
// that of the stored number.
func keepMasked(wanted *Details, stored Details, anyMask bool) {
	for _, f := range textFields {
		if f.Number && anyMask && bank.IsMasked(*f.At(wanted)) {
			*f.At(wanted) = *f.At(&stored)
		}
	}
	if sent := wanted.BankAccount.Reveal(); bank.IsMasked(sent) && (anyMask || sent == stored.BankAccount.String()) {
		wanted.BankAccount = stored.BankAccount
	}
	if sent := wanted.PersonalCode.Reveal(); bank.IsMasked(sent) && (anyMask || sent == stored.PersonalCode.String()) {
		wanted.PersonalCode = stored.PersonalCode
	}
}

func (s *Service) save(tx *database.Tx, who actor.Actor, c *Client, wanted Details) error {
	was, is := changes(c.Details, wanted)
	c.Details = wanted
	if len(is) == 0 {
		return tx.Answered(*c)
	}
	if err := c.replaced(); err != nil {
		return err
	}
	c.UpdatedAt = tx.Now()
	if ok, err := update(tx, *c); err != nil || !ok {
		return orMissing(err)
	}
	tx.Audit(who, entryOf(*c, "client.changed", "The details of "+c.Name()+" were changed.", was, is))
	return tx.Answered(*c)
}

// replaced tells whether all numbers that cannot be read were entered again: beside a new one the old one, its mask and
// what it is found by cannot stay.
func (c *Client) replaced() error {
	var wrong fault.Problems
	for _, n := range []struct {
		unreadable bool
		path, now  string
	}{{c.AccountUnreadable(), "bank_account", c.BankAccount.Reveal()},
		{c.IdentityUnreadable(), "personal_code", c.PersonalCode.Reveal()}} {
		if n.unreadable && n.now == "" {
			wrong.Add(n.path, "unreadable", "The stored number cannot be read. Enter it again, then save.")
		}
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	c.Replace()
	return nil
}

// Delete hides a client and deletes its tokens; its purchases stay.
func (s *Service) Delete(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	if err := who.May(actor.Write); err != nil {
		return err
	}
	const tries = 5 // each loss means that somebody else changed one of its debits
	var lost error
	for range tries {
		if lost = s.delete(ctx, who, id); !errors.Is(lost, fault.ErrLost) {
			return lost
		}
	}
	return fault.New(fault.Conflict, "conflict",
		"A debit of this client is being changed by another person. Try again.").Because(lost)
}

func (s *Service) delete(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		ctx := tx.Context()
		c, err := lock(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if s.Forget != nil {
			if err := s.Forget(ctx, tx, who, id); err != nil {
				return fmt.Errorf("forget the client's tokens: %w", err)
			}
		}
		if ok, err := hide(tx, who.MerchantID, id); err != nil || !ok {
			return orMissing(err)
		}
		tx.Audit(who, entryOf(c, "client.deleted", c.Name()+" was deleted.", nil, nil))
		return nil
	})
}

func orMissing(err error) error {
	if err != nil {
		return err
	}
	return fault.Missing()
}

// together reports problems of shape and of rules at once; where the shape is
// wrong, no rule was really asked.
func together(shape, rules fault.Problems) error {
	all := shape
	for _, f := range rules {
		if !shape.Has(f.Path) {
			all = append(all, f)
		}
	}
	return all.Err()
}

func entryOf(c Client, action, text string, was, is map[string]any) audit.Entry {
	return audit.Entry{Action: action, ObjectType: "client", ObjectID: c.ID, ClientID: c.ID, Text: text, Before: was,
		After: is}
}

func entry(name string, i, n int) string { return fmt.Sprintf("%s[%d/%d]", name, i, n) }

// Readdress gives a client another e-mail address in a transaction under way. A
// client that was deleted meanwhile stays as it was.
func (s *Service) Readdress(tx *database.Tx, who actor.Actor, id uuid.UUID, email string) error {
	c, err := lock(tx, who.MerchantID, id)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	case c.Erased():
		return nil
	}
	wanted := c.Details
	wanted.Email = email
	was, is := changes(c.Details, wanted)
	if len(is) == 0 {
		return nil
	}
	c.Details, c.UpdatedAt = wanted, tx.Now()
	if ok, err := update(tx, c); err != nil || !ok {
		return orMissing(err)
	}
	tx.Audit(who, entryOf(c, "client.changed", "The details of "+c.Name()+" were changed.", was, is))
	return nil
}
