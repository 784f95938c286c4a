package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Kinds of sealed numbers, bound into their search hashes.
const (
	accountHash  = "bank_account"
	identityHash = "personal_code"
)

// sealedNumber are the columns of a number of a client: sealed, masked, and hashed to
// be found by.
func sealedNumber(name, kind string, number func(*client.Client) (plain, masked, clean string),
	opened func(*client.Client, string)) []table.Column[client.Client] {
	at := func(c *client.Client) seal.Place { return seal.PlaceOf("clients", name+"_sealed", c.MerchantID, c.ID) }
	return []table.Column[client.Client]{
		{Name: name + "_sealed", Write: func(box *seal.Box, c *client.Client) (any, error) {
			plain, _, _ := number(c)
			return box.Seal(at(c), plain), nil
		}, Read: func(box *seal.Box, c *client.Client, stored []byte) error {
			text, err := box.Open(at(c), stored)
			opened(c, text)
			return err
		}},
		{Name: name + "_mask", Write: func(_ *seal.Box, c *client.Client) (any, error) {
			_, masked, _ := number(c)
			return masked, nil
		}},
		{Name: name + "_hash", Write: func(box *seal.Box, c *client.Client) (any, error) {
			_, _, clean := number(c)
			return box.Hash(c.MerchantID, kind, clean), nil
		}},
	}
}

var (
	clientTable = table.New("clients", slices.Concat(
		sealedNumber("bank_account", accountHash, func(c *client.Client) (plain, masked, clean string) {
			return c.BankAccount.Reveal(), c.BankAccount.String(), bank.CleanAccount(c.BankAccount.Reveal()).Reveal()
		}, func(c *client.Client, opened string) { c.BankAccount = bank.AccountNumber(opened) }),
		sealedNumber("personal_code", identityHash, func(c *client.Client) (plain, masked, clean string) {
			return c.PersonalCode.Reveal(), c.PersonalCode.String(), bank.CleanID(c.PersonalCode.Reveal()).Reveal()
		}, func(c *client.Client, opened string) { c.PersonalCode = bank.IDNumber(opened) }),
		[]table.Column[client.Client]{{Name: "search", Write: func(_ *seal.Box, c *client.Client) (any, error) {
			return database.VectorOf(database.WordsOf(c.FullName, c.Email, c.Phone, c.LegalName, c.BrandName, c.RegistrationNumber, c.TaxNumber,
				c.City, c.BankAccount.Tail())), nil
		}}})...)
	updateClient = clientTable.Write(
		`UPDATE clients SET @set WHERE merchant_id = @merchant_id AND id = @id AND deleted_at IS NULL`)
	eraseClient = clientTable.Write(`UPDATE clients SET @set, erased_at = @updated_at, evidence_until = @until
		WHERE merchant_id = @merchant_id AND id = @id AND erased_at IS NULL`, "until")
)

// InsertClient implements client.Tx.
func (t *Tx) InsertClient(c client.Client) { database.Insert(t.Tx, clientTable, c) }

// LockClient implements client.Tx.
func (t *Tx) LockClient(merchantID, id uuid.UUID) (client.Client, error) {
	return database.One(t.Context(), t.s.DB, clientTable, "merchant_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE", merchantID,
		id)
}

// LockAnyClient implements client.Tx.
func (t *Tx) LockAnyClient(merchantID, id uuid.UUID) (client.Client, error) {
	return database.One(t.Context(), t.s.DB, clientTable, "merchant_id = $1 AND id = $2 FOR UPDATE", merchantID, id)
}

// HoldClient implements purchase.Tx.
func (t *Tx) HoldClient(merchantID, id uuid.UUID) {
	t.Must(
		`SELECT count(*) FROM (SELECT FROM clients WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL AND erased_at IS NULL FOR KEY SHARE) AS held`, merchantID, id)
}

// UpdateClient implements client.Tx.
func (t *Tx) UpdateClient(c client.Client) (bool, error) {
	return database.Change(t.Tx, updateClient, c)
}

// DeleteClient implements client.Tx.
func (t *Tx) DeleteClient(merchantID, id uuid.UUID) (bool, error) {
	n, err := t.Exec(
		`UPDATE clients SET deleted_at = $3, updated_at = $3 WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL`,
		merchantID, id, t.Now())
	if err != nil {
		return false, fmt.Errorf("delete client: %w", err)
	}
	return n == 1, nil
}

// Client implements client.Reader.
func (s *Store) Client(ctx context.Context, merchantID, id uuid.UUID) (client.Client, error) {
	return database.One(ctx, s.DB, clientTable, "merchant_id = $1 AND id = $2 AND deleted_at IS NULL", merchantID, id)
}

// ClientDetails gives what a purchase copies from a client; NotFound for an erased one.
func (s *Store) ClientDetails(ctx context.Context, merchantID, id uuid.UUID) (client.Details, error) {
	c, err := s.Client(ctx, merchantID, id)
	if err == nil && c.Erased() {
		return client.Details{}, fault.Missing()
	}
	return c.Details, err
}

// KnowsClient implements purchase.Reader.
func (s *Store) KnowsClient(ctx context.Context, merchantID, id uuid.UUID) error {
	_, err := s.Client(ctx, merchantID, id)
	return err
}

// Clients implements client.Reader.
func (s *Store) Clients(ctx context.Context, merchantID uuid.UUID, q client.Query) (paging.Page[client.Client], error) {
	var none paging.Page[client.Client]
	of, find, err := s.clientList(ctx, merchantID, q)
	if err != nil {
		return none, err
	}
	if find == nil {
		return walked(ctx, s, clientTable, of, q.Ask, nil)
	}
	ids, reached, err := s.find(ctx, find, q.Ask)
	if err != nil {
		return none, err
	}
	direction, _, _ := database.BesideID("id", q.Ask)
	clients, err := database.Seek(ctx, s.DB, clientTable, clientTable.Select+
		"merchant_id = ? AND id = ANY(?::uuid[]) ORDER BY id "+direction, merchantID, idsText(ids))
	return paging.CutAt(q.Ask, clients, reached), err
}

// CountClients implements client.Reader.
func (s *Store) CountClients(ctx context.Context, merchantID uuid.UUID, q client.Query, atMost int) (int, error) {
	of, find, err := s.clientList(ctx, merchantID, q)
	switch {
	case err != nil:
		return 0, err
	case find != nil:
		ids, err := s.foundAll(ctx, find)
		if ids == nil {
			return -1, err
		}
		return min(len(ids), atMost), err
	case of.fits != "":
		of.columns = "'' AS state, bank_account_sealed"
		counts, err := s.countWalked(ctx, of)
		if counts == nil {
			return -1, err
		}
		return min(int(counts[""]), atMost), nil
	}
	var n int64
	err = s.Gorm(ctx).Raw(fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM clients WHERE %s LIMIT %d) AS counted", of.where, atMost),
		of.args...).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count clients: %w", err)
	}
	return int(n), nil
}

// clientList is what a query asks for: the way to it, or how it is searched for.
func (s *Store) clientList(ctx context.Context, merchantID uuid.UUID, q client.Query) (*walk, *finder, error) {
	w := &walk{columns: clientTable.Columns(""), from: "clients"}
	w.and("merchant_id = ? AND deleted_at IS NULL", merchantID)
	if q.PersonalCode != "" {
		w.and("personal_code_hash = ?", s.Seal.Hash(merchantID, identityHash, q.PersonalCode.Reveal()))
	}
	if q.Account != nil {
		w.fitting("(bank_account_sealed IS NOT NULL) = ?", *q.Account)
	}
	// Programs look a client up by e-mail and take the first result: an address
	// that is somebody's finds exactly those.
	if strings.Contains(q.Text, "@") {
		var found bool
		err := s.Gorm(ctx).Raw(
			"SELECT EXISTS (SELECT FROM clients WHERE merchant_id = ? AND deleted_at IS NULL AND lower(email) = lower(?))", merchantID,
			q.Text).Scan(&found).Error
		if err != nil {
			return nil, nil, fmt.Errorf("find client by e-mail: %w", err)
		}
		if found {
			w.and("lower(email) = lower(?)", q.Text)
			return w, nil, nil
		}
	}
	words := database.SearchFor(merchantID, q.Text)
	if len(words.Words()) == 0 {
		return w, nil, nil
	}
	return w, s.clientFinder(words, w), nil
}

// clientFinder searches among clients.
func (s *Store) clientFinder(q database.Search, w *walk) *finder {
	f := &finder{q: q, walk: *w, words: vector("search")}
	where, args := w.all()
	f.arms = []arm{s.byWords(f, "clients", "clients", where, args...)}
	return f
}
