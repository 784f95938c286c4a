package client

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/facet"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Query says which clients a list shows.
type Query struct {
	Text         string // an e-mail address, or the beginnings of words
	PersonalCode bank.IDNumber
	Account      *bool        // with, or without, a bank account on record
	Facets       facet.Filter // of its tokens
	CreatedFrom  time.Time    // added at or after it; zero: open
	CreatedTo    time.Time
	paging.Ask
}

// unwritten stands for bytes that no kept text has, so that nothing is found by them. Without them a search for nothing
// else would be no search, and find every client.
const unwritten = "\uFFFD"

// tidy makes the query fit for the store and understands numbers typed into
// the search field: an identity number is sought exactly, a phone number in the
// form it is kept.
func (q Query) tidy() Query {
	q.Text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(q.Text, unwritten), "\x00", unwritten))
	if runes := []rune(q.Text); len(runes) > 200 {
		q.Text = string(runes[:200])
	}
	q.PersonalCode = bank.CleanID(q.PersonalCode.Reveal())
	if id := bank.CleanID(q.Text); q.PersonalCode == "" && len(id) == 13 && strings.Trim(id.Reveal(), "0123456789") == "" {
		q.PersonalCode, q.Text = id, ""
	}
	if phone, ok := bank.NormalisePhone(q.Text); ok {
		q.Text = phone
	}
	return q
}

// List gives one page of clients, newest first. Text that is the e-mail address
// of clients finds exactly those.
func (s *Service) List(ctx context.Context, who actor.Actor, q Query) (paging.Page[Client], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Client]{}, err
	}
	return s.Store.Clients(ctx, who.MerchantID, q.tidy())
}

// WithTokens adds to those clients of a list that have no account of their own the one that is stored for them.
func (s *Service) WithTokens(ctx context.Context, who actor.Actor, list []Client) error {
	if err := who.May(actor.Read); err != nil {
		return err
	}
	at := map[uuid.UUID]*Client{}
	var ids []uuid.UUID
	for i := range list {
		if c := &list[i]; c.BankAccount == "" && !c.AccountUnreadable() {
			at[c.ID], ids = c, append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := s.Store.tokensOf(ctx, who.MerchantID, ids)
	for _, t := range found {
		at[t.ClientID].TokenMask, at[t.ClientID].TokenBank = t.AccountMask, t.BankCode
	}
	return err
}

// Several gives those of some clients that there are, in the order of the ids.
func (s *Service) Several(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Client, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	found, err := s.Store.several(ctx, who.MerchantID, ids)
	by := make(map[uuid.UUID]Client, len(found))
	for _, c := range found {
		by[c.ID] = c
	}
	out := make([]Client, 0, len(found))
	for _, id := range ids {
		if c, there := by[id]; there {
			out = append(out, c)
		}
	}
	return out, err
}

// Erased tells of which of some clients the personal data was removed, deleted ones included.
func (s *Service) Erased(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	found, err := s.Store.erased(ctx, who.MerchantID, ids)
	erased := make(map[uuid.UUID]bool, len(found))
	for _, c := range found {
		erased[c.ID] = true
	}
	return erased, err
}

// Count counts what List would show, up to atMost.
func (s *Service) Count(ctx context.Context, who actor.Actor, q Query, atMost int) (int, error) {
	if err := who.May(actor.Read); err != nil {
		return 0, err
	}
	return s.Store.CountClients(ctx, who.MerchantID, q.tidy(), atMost)
}

// Get gives one client.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Client, error) {
	if err := who.May(actor.Read); err != nil {
		return Client{}, err
	}
	return s.Store.Client(ctx, who.MerchantID, id)
}

// Numbers are a client's account and identity number in full.
type Numbers struct{ BankAccount, PersonalCode string }

// Reveal shows the numbers in full to a person who may see them, and keeps an
// audit entry of it. It is the only use case that does.
func (s *Service) Reveal(ctx context.Context, who actor.Actor, id uuid.UUID) (Numbers, error) {
	if err := who.May(actor.Reveal); err != nil {
		return Numbers{}, err
	}
	var shown Numbers
	err := s.Store.InTx(ctx, func(tx *database.Tx) error {
		c, err := lock(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if c.Erased() {
			return isErased()
		}
		if c.Any() {
			return fault.New(fault.Conflict, "unreadable",
				"A number of this client cannot be read: it was damaged, or its key is missing. Enter it again.")
		}
		shown = Numbers{c.BankAccount.Reveal(), c.PersonalCode.Reveal()}
		tx.Audit(who, entryOf(c, "client.revealed", "Account and identity number of "+c.Name()+" were shown in full.", nil,
			nil))
		return nil
	})
	return shown, err
}

// InAnswer are the numbers as an answer of the API's client addresses carries
// them: in full for a program that may see them (API contract 12.26), masked for
// others. A person has Reveal, which is audited.
func (c Client) InAnswer(who actor.Actor) Numbers {
	if who.Kind == actor.Credential && who.Can(actor.Reveal) {
		return Numbers{c.BankAccount.Reveal(), c.PersonalCode.Reveal()}
	}
	return Numbers{c.BankAccount.String(), c.PersonalCode.String()}
}
