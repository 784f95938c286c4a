package store

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/store/seal"
	"debitdesk/models/store/table"
)

// Kinds of sealed numbers, bound into their search hashes.
const (
	accountHash  = "bank_account"
	identityHash = "personal_code"
)

// sealedNumber are the columns of a number of a client: sealed, masked, and hashed to
// be found by.
func sealedNumber(name, kind string, number func(*client.Client) (plain, masked, clean string), opened func(*client.Client, string)) []table.Column[client.Client] {
	at := func(c *client.Client) seal.Place { return placeOf("clients", name+"_sealed", c.MerchantID, c.ID) }
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
			return vectorOf(wordsOf(c.FullName, c.Email, c.Phone, c.LegalName, c.BrandName, c.RegistrationNumber, c.TaxNumber, c.City, c.BankAccount.Tail())), nil
		}}})...)
	updateClient = clientTable.Write(`UPDATE clients SET @set WHERE merchant_id = @merchant_id AND id = @id AND deleted_at IS NULL`)
	eraseClient  = clientTable.Write(`UPDATE clients SET @set, erased_at = @updated_at, evidence_until = @until
		WHERE merchant_id = @merchant_id AND id = @id AND erased_at IS NULL`, "until")
)

// InsertClient implements client.Tx.
func (t *Tx) InsertClient(c client.Client) { insert(t, clientTable, c) }

// LockClient implements client.Tx.
func (t *Tx) LockClient(merchantID, id uuid.UUID) (client.Client, error) {
	return one(t.Context(), t.s, clientTable, "merchant_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE", merchantID, id)
}

// LockAnyClient implements client.Tx.
func (t *Tx) LockAnyClient(merchantID, id uuid.UUID) (client.Client, error) {
	return one(t.Context(), t.s, clientTable, "merchant_id = $1 AND id = $2 FOR UPDATE", merchantID, id)
}

// HoldClient implements purchase.Tx.
func (t *Tx) HoldClient(merchantID, id uuid.UUID) {
	t.must(`SELECT count(*) FROM (SELECT FROM clients WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL AND erased_at IS NULL FOR KEY SHARE) AS held`, merchantID, id)
}

// UpdateClient implements client.Tx.
func (t *Tx) UpdateClient(c client.Client) (bool, error) { return moved(t, updateClient, c) }

// DeleteClient implements client.Tx.
func (t *Tx) DeleteClient(merchantID, id uuid.UUID) (bool, error) {
	n, err := t.exec(`UPDATE clients SET deleted_at = $3, updated_at = $3 WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL`,
		merchantID, id, t.now)
	if err != nil {
		return false, fmt.Errorf("delete client: %w", err)
	}
	return n == 1, nil
}
