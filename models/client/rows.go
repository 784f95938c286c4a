package client

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

// Store is where clients are kept.
type Store struct{ *database.DB }

// Kinds of sealed numbers, bound into their search hashes.
const (
	accountHash  = "bank_account"
	identityHash = "personal_code"
)

// IdentityHash is by what a client is found who has an identity number.
func IdentityHash(box *seal.Box, merchantID uuid.UUID, n bank.IDNumber) []byte {
	return box.Hash(merchantID, identityHash, n.Reveal())
}

// AccountHash is by what a client is found who has an account on record.
func AccountHash(box *seal.Box, merchantID uuid.UUID, n bank.AccountNumber) []byte {
	return box.Hash(merchantID, accountHash, bank.CleanAccount(n.Reveal()).Reveal())
}

// TableName implements GORM's Tabler.
func (Client) TableName() string { return "clients" }

// columns are what is read of a client: all but the words and hashes that it is found by.
var columns = database.Columns[Client]("")

// Of is the scope of the clients of a merchant, deleted ones too.
func Of(merchantID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Select(columns).Where("merchant_id = ?", merchantID) }
}

// Live is the scope of the clients of a merchant that were not deleted.
func Live(merchantID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return Of(merchantID)(db).Where("deleted_at IS NULL") }
}

// The columns that hold the numbers.
const (
	accountSealed  = "bank_account_sealed"
	identitySealed = "personal_code_sealed"
)

// sealedNumber are the columns of a number of a client: sealed, masked, and hashed to
// be found by.
func sealedNumber(name, kind string, number func(*Client) (plain, masked, clean string),
	opened func(*Client, string)) []table.Column[Client] {
	at := func(c *Client) seal.Place { return seal.PlaceOf("clients", name+"_sealed", c.MerchantID, c.ID) }
	return []table.Column[Client]{
		{Name: name + "_sealed", Write: func(box *seal.Box, c *Client) (any, error) {
			plain, _, _ := number(c)
			return box.Seal(at(c), plain), nil
		}, Read: func(box *seal.Box, c *Client, stored []byte) error {
			text, err := box.Open(at(c), stored)
			opened(c, text)
			return err
		}},
		{Name: name + "_mask", Write: func(_ *seal.Box, c *Client) (any, error) {
			_, masked, _ := number(c)
			return masked, nil
		}},
		{Name: name + "_hash", Write: func(box *seal.Box, c *Client) (any, error) {
			_, _, clean := number(c)
			return box.Hash(c.MerchantID, kind, clean), nil
		}},
	}
}

var (
	// Table holds the clients, their numbers sealed. By it go the statements that travel with what is imported or charged,
	// and those that write what a client is found by; all else is GORM's.
	Table = table.New("clients", slices.Concat(
		sealedNumber("bank_account", accountHash, func(c *Client) (plain, masked, clean string) {
			return c.BankAccount.Reveal(), c.BankAccount.String(), bank.CleanAccount(c.BankAccount.Reveal()).Reveal()
		}, func(c *Client, opened string) { c.BankAccount = bank.AccountNumber(opened) }),
		sealedNumber("personal_code", identityHash, func(c *Client) (plain, masked, clean string) {
			return c.PersonalCode.Reveal(), c.PersonalCode.String(), bank.CleanID(c.PersonalCode.Reveal()).Reveal()
		}, func(c *Client, opened string) { c.PersonalCode = bank.IDNumber(opened) }),
		[]table.Column[Client]{{Name: "search", Write: func(_ *seal.Box, c *Client) (any, error) {
			return database.VectorOf(
				database.WordsOf(append(append(phoneParts(c.Phone), c.Tags...), c.FullName, c.Email, c.Phone, c.LegalName,
					c.BrandName,
					c.RegistrationNumber, c.TaxNumber, c.City, c.BankAccount.Tail())...),
			), nil
		}}})...)
	updateClient = Table.Write(
		`UPDATE clients SET @set WHERE merchant_id = @merchant_id AND id = @id AND deleted_at IS NULL`)
	eraseClient = Table.Write(`UPDATE clients SET @set, erased_at = @updated_at, evidence_until = @until
		WHERE merchant_id = @merchant_id AND id = @id AND erased_at IS NULL`, "until")
)

// phoneParts are the ends of a phone number behind the code of its country, down to four digits: each of its parts
// begins one of them, so that a number is found by any part.
func phoneParts(phone string) (ends []string) {
	for at := 2; at+4 <= len(phone); at++ {
		ends = append(ends, phone[at:])
	}
	return ends
}

// Insert adds a client in this transaction.
func Insert(tx *database.Tx, c Client) { database.Insert(tx, Table, c) }

// lock reads a live client and keeps others from changing it meanwhile; NotFound otherwise.
func lock(tx *database.Tx, merchantID, id uuid.UUID) (c Client, err error) {
	err = tx.Gorm().Scopes(Live(merchantID), database.ForUpdate).Take(&c, "id = ?", id).Error
	return c, err
}

// lockAny is lock for deleted clients too.
func lockAny(tx *database.Tx, merchantID, id uuid.UUID) (c Client, err error) {
	err = tx.Gorm().Scopes(Of(merchantID), database.ForUpdate).Take(&c, "id = ?", id).Error
	return c, err
}

// Hold keeps the client from being deleted while an account is stored; the transaction ends with fault.ErrLost
// when it is gone.
func Hold(tx *database.Tx, merchantID, id uuid.UUID) {
	tx.CheckLock(
		"clients",
		`SELECT count(*) FROM (SELECT FROM clients WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL
			AND erased_at IS NULL FOR KEY SHARE) AS held`,
		merchantID,
		id,
	)
}

// HoldForDebit is Hold for what begins to debit the client: it also ends with fault.ErrLost when everything
// was stopped, or
// the client is parked.
func HoldForDebit(tx *database.Tx, merchantID, id uuid.UUID) {
	tx.CheckLock(
		"clients",
		`SELECT count(*) FROM (SELECT FROM clients WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL
			AND erased_at IS NULL AND stopped_at IS NULL AND parked_at IS NULL FOR SHARE) AS held`,
		merchantID,
		id,
	)
}

// Lock reads a live client whom this transaction stops or resumes: what stores an account of the client at this moment
// comes first, or waits. Rows that only refer to the client do not wait, so that a charge which holds a token goes on.
func Lock(tx *database.Tx, merchantID, id uuid.UUID) (c Client, err error) {
	err = tx.Gorm().Scopes(Live(merchantID), database.ForNoKeyUpdate).Take(&c, "id = ?", id).Error
	return c, err
}

// SetStopped notes since when nothing is debited from a client that this transaction has locked; zero: debits run.
func SetStopped(tx *database.Tx, merchantID, id uuid.UUID, at time.Time) {
	set(tx, merchantID, id, map[string]any{"stopped_at": database.InstantOrNull(at)})
}

// SetChosenLanguage notes the language that a client, whom this transaction has locked, chose itself.
func SetChosenLanguage(tx *database.Tx, merchantID, id uuid.UUID, language string) {
	set(tx, merchantID, id, map[string]any{"chosen_language": language, "updated_at": tx.Now()})
}

// set changes columns of a client that this transaction has locked.
func set(tx *database.Tx, merchantID, id uuid.UUID, columns map[string]any) {
	tx.Fail(tx.Gorm().Table("clients").Where("merchant_id = ? AND id = ?", merchantID, id).UpdateColumns(columns).Error)
}

// ClientStopped tells that everything was stopped that is debited from a client, and that the client came in with an
// import whose group was not switched on.
func (s Store) ClientStopped(ctx context.Context, merchantID, id uuid.UUID) (stopped, parked bool, err error) {
	var is struct{ Stopped, Parked bool }
	err = s.Gorm(ctx).Raw(`SELECT coalesce(bool_or(stopped_at IS NOT NULL), false) AS stopped,
		coalesce(bool_or(parked_at IS NOT NULL), false) AS parked FROM clients WHERE merchant_id = ? AND id = ?`, merchantID,
		id).Take(&is).Error
	if err != nil {
		return false, false, fmt.Errorf("look whether a client is stopped: %w", err)
	}
	return is.Stopped, is.Parked, nil
}

// SetParked notes since when clients wait for the group of their import; zero: they do not wait.
func SetParked(tx *database.Tx, merchantID uuid.UUID, ids []uuid.UUID, at time.Time) {
	tx.Fail(tx.Gorm().Table("clients").Where("merchant_id = ? AND id = ANY(?::uuid[])", merchantID, database.IDs(ids)).
		UpdateColumn("parked_at", database.InstantOrNull(at)).Error)
}

// update replaces the details of a live client; false when it was deleted meanwhile.
func update(tx *database.Tx, c Client) (bool, error) { return database.Change(tx, updateClient, c) }

// hide deletes the client; false when another was quicker.
func hide(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	hidden, err := database.Found(tx.Gorm().Exec(`UPDATE clients SET deleted_at = ?, updated_at = ?
		WHERE merchant_id = ? AND id = ? AND deleted_at IS NULL`, tx.Now(), tx.Now(), merchantID, id))
	if err != nil {
		return false, fmt.Errorf("delete client: %w", err)
	}
	return hidden, nil
}

// TakeOff takes a client off the lists who became one with another: as when it is deleted, but what hung on it moved.
// It is false when another was quicker.
func TakeOff(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	return hide(tx, merchantID, id)
}

// BringBack undoes TakeOff, with the moment of the last change before it; false when the client is no longer as it was
// left.
func BringBack(tx *database.Tx, merchantID, id uuid.UUID, changed time.Time) (bool, error) {
	back, err := database.Found(tx.Gorm().Exec(`UPDATE clients SET deleted_at = NULL, updated_at = ?
		WHERE merchant_id = ? AND id = ? AND deleted_at IS NOT NULL AND erased_at IS NULL`, changed, merchantID, id))
	if err != nil {
		return false, fmt.Errorf("bring a client back: %w", err)
	}
	return back, nil
}

// Touch notes when a client that this transaction has locked was changed last, where nothing else changed.
func Touch(tx *database.Tx, merchantID, id uuid.UUID, at time.Time) {
	set(tx, merchantID, id, map[string]any{"updated_at": at})
}

// LockAny is LockIn for deleted clients too.
func LockAny(tx *database.Tx, merchantID, id uuid.UUID) (Client, error) {
	return lockAny(tx, merchantID, id)
}

// Client gives one client; NotFound for unknown, deleted and other merchants' ids.
func (s Store) Client(ctx context.Context, merchantID, id uuid.UUID) (Client, error) {
	return database.ByKey(ctx, s.DB, Table, database.Key{MerchantID: merchantID, ID: id},
		func(c Client) database.Key { return database.Key{MerchantID: c.MerchantID, ID: c.ID} }, " AND deleted_at IS NULL")
}

// several gives those of some clients that there are, in no order.
func (s Store) several(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (found []Client, err error) {
	err = s.Gorm(ctx).Scopes(Live(merchantID)).Find(&found, "id = ANY(?::uuid[])", database.IDs(ids)).Error
	return found, err
}

func (s Store) erased(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (found []Client, err error) {
	err = s.Gorm(ctx).Scopes(Of(merchantID)).
		Find(&found, "id = ANY(?::uuid[]) AND erased_at IS NOT NULL", database.IDs(ids)).Error
	return found, err
}

// ClientDetails gives what a purchase copies from a client; NotFound for an erased one.
func (s Store) ClientDetails(ctx context.Context, merchantID, id uuid.UUID) (Details, error) {
	c, err := s.Client(ctx, merchantID, id)
	if err == nil && c.Erased() {
		return Details{}, fault.Missing()
	}
	return c.Addressed(), err
}

// KnowsClient is nil for a client who was not deleted, erased or not; NotFound otherwise.
func (s Store) KnowsClient(ctx context.Context, merchantID, id uuid.UUID) error {
	_, err := s.Client(ctx, merchantID, id)
	return err
}

// DetailsOf gives what purchases copy from those of many clients that there are.
func (s Store) DetailsOf(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Details, error) {
	var found []Client
	err := s.Gorm(ctx).Scopes(Live(merchantID)).
		Find(&found, "erased_at IS NULL AND id = ANY(?::uuid[])", database.IDs(ids)).Error
	out := make(map[uuid.UUID]Details, len(found))
	for _, c := range found {
		out[c.ID] = c.Addressed()
	}
	return out, err
}

// SaveIn replaces the details of a client that this transaction has locked, with the moment of the change. What a
// client is brought from elsewhere was checked before.
func SaveIn(tx *database.Tx, c Client) { database.Save(tx, updateClient, c) }

// LockIn reads live clients, by id, and keeps others from changing them meanwhile.
func LockIn(tx *database.Tx, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Client, error) {
	out := map[uuid.UUID]Client{}
	if len(ids) == 0 {
		return out, nil
	}
	var found []Client
	err := tx.Gorm().Scopes(Live(merchantID), database.ForUpdate).Order("id").
		Find(&found, "id = ANY(?::uuid[])", database.IDs(ids)).Error
	for _, c := range found {
		out[c.ID] = c
	}
	return out, err
}
