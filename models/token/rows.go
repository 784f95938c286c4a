package token

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// Store is where tokens are kept.
type Store struct{ *database.DB }

//nolint:gosec // columns that are named token are no passwords
var (
	// Table holds the tokens, their account numbers sealed; reading leaves those sealed. By it go the statements that
	// travel with what is charged or brought in; all else is GORM's.
	Table = table.New("tokens",
		table.Column[Token]{Name: "account_sealed", Write: func(box *seal.Box, k *Token) (any, error) {
			return box.Seal(accountPlace(k.MerchantID, k.ID), k.Account.Reveal()), nil
		}},
		table.Column[Token]{Name: "account_hash", Write: func(box *seal.Box, k *Token) (any, error) {
			return HashOfAccount(box, k.MerchantID, k.BankCode, k.Account), nil
		}})
	renewToken = Table.Write(
		`UPDATE tokens SET @set(holder_name, bank_code, account_type, account_sealed, account_mask,
			account_hash, created_by, updated_at),
			state = 'pending', blocked_code = '', soft_failures = 0, failures = 0, ended_at = NULL
		WHERE merchant_id = @merchant_id AND id = @id
			AND (state = 'pending' OR state = 'deleted' AND blocked_code = @used)`, "used",
	)
	moveToken = Table.Write(
		`UPDATE tokens SET @set(state, soft_failures, failures, blocked_code, last_success_at, updated_at, last_used_at),
		ended_at = CASE WHEN @state IN ('deleted', 'superseded') THEN coalesce(ended_at, @updated_at) ELSE ended_at END
		WHERE id = @id AND merchant_id = @merchant_id AND state = @from`, "from")
)

// TableName implements GORM's Tabler.
func (Token) TableName() string { return "tokens" }

// NotBeingDeleted is the condition, after its id, that a token is not being deleted.
const NotBeingDeleted = `NOT IN (SELECT id FROM tokens WHERE state = 'deleting')`

// NotHeld is the condition, after its id, that the debits of a token's client are not stopped.
const NotHeld = `NOT IN (SELECT id FROM tokens WHERE held_at IS NOT NULL)`

// Insert adds a token in this transaction; the account number is sealed here.
func Insert(tx *database.Tx, k Token) { database.Insert(tx, Table, k) }

// Renew takes new details of a token that is renewable; else the transaction ends with fault.ErrLost.
func Renew(tx *database.Tx, k Token) { database.CompareAndSet(tx, renewToken, k, bank.CodeOnceOffDone) }

// Move changes a token, if it still stands in the state from; false when another was quicker.
func Move(tx *database.Tx, k Token, from State) (bool, error) {
	return database.Change(tx, moveToken, k, from)
}

// Save is Move for a row that this transaction holds.
func Save(tx *database.Tx, k Token, from State) { database.Save(tx, moveToken, k, from) }

// Turn changes the state alone, so that what the bank says at this moment about the token
// stays; one that was blocked meanwhile does not become active.
func Turn(tx *database.Tx, merchantID, id uuid.UUID, from, to State) (bool, error) {
	turned, err := database.Found(tx.Gorm().Model(&Token{ID: id}).Scopes(database.OfMerchant(merchantID)).
		Where("state = ?", from).UpdateColumns(map[string]any{"updated_at": tx.Now(),
		"state": gorm.Expr("CASE WHEN ? AND blocked_code <> '' THEN ? ELSE ? END", to == Active, Blocked, to)}))
	if err != nil {
		return false, fmt.Errorf("turn token: %w", err)
	}
	return turned, nil
}

// Hold keeps the token from being deleted while a charge begins, though other charges may
// begin with it; the transaction ends with fault.ErrLost when it is not active any more, or held or parked.
func Hold(tx *database.Tx, merchantID, id uuid.UUID) {
	tx.CheckLock(
		"tokens",
		`SELECT count(*) FROM (SELECT 1 FROM tokens WHERE id = $1 AND merchant_id = $2
			AND state = 'active' AND held_at IS NULL AND parked_at IS NULL FOR SHARE) AS held`,
		id,
		merchantID,
	)
}

// HoldOf lets nothing be debited any more from the accounts of a client that may still be, and gives their ids. Charges
// that began come first.
func HoldOf(tx *database.Tx, merchantID, clientID uuid.UUID) (held []uuid.UUID, err error) {
	err = tx.Gorm().Raw(`UPDATE tokens SET held_at = ? WHERE merchant_id = ? AND client_id = ? AND held_at IS NULL
			AND state NOT IN ('deleted', 'superseded') RETURNING id`, tx.Now(), merchantID, clientID).Find(&held).Error
	if err != nil {
		return nil, fmt.Errorf("hold tokens: %w", err)
	}
	return held, nil
}

// Object lets nothing be debited any more from an account, since its client says that it did not agree; false when that
// was said already, or the account is gone.
func Object(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	objected, err := database.Found(tx.Gorm().Exec(`UPDATE tokens SET objected_at = ?, held_at = coalesce(held_at, ?),
			updated_at = ?
		WHERE merchant_id = ? AND id = ? AND objected_at IS NULL AND state NOT IN ('deleted', 'superseded')`, tx.Now(),
		tx.Now(), tx.Now(), merchantID, id))
	if err != nil {
		return false, fmt.Errorf("hold a token: %w", err)
	}
	return objected, nil
}

// Agree takes that back; false when there is nothing to take back. The account of a client whose debits are stopped
// stays held.
func Agree(tx *database.Tx, merchantID, id uuid.UUID, stopped bool) (bool, error) {
	agreed, err := database.Found(tx.Gorm().Exec(`UPDATE tokens SET objected_at = NULL,
			held_at = CASE WHEN ? THEN held_at END, updated_at = ?
		WHERE merchant_id = ? AND id = ? AND objected_at IS NOT NULL`, stopped, tx.Now(), merchantID, id))
	if err != nil {
		return false, fmt.Errorf("release a token: %w", err)
	}
	return agreed, nil
}

// ReleaseOf lets the accounts of a client be debited again, and gives their ids. What the client did not agree to stays
// held.
func ReleaseOf(tx *database.Tx, merchantID, clientID uuid.UUID) (free []uuid.UUID, err error) {
	err = tx.Gorm().Raw(`UPDATE tokens SET held_at = NULL WHERE merchant_id = ? AND client_id = ? AND held_at IS NOT NULL
			AND objected_at IS NULL RETURNING id`, merchantID, clientID).Find(&free).Error
	if err != nil {
		return nil, fmt.Errorf("release tokens: %w", err)
	}
	return free, nil
}

// Unpark lets the accounts be debited, and tells how many were not yet.
func Unpark(tx *database.Tx, merchantID uuid.UUID, ids []uuid.UUID) (int64, error) {
	let := tx.Gorm().Exec(`UPDATE tokens SET parked_at = NULL WHERE merchant_id = ? AND id = ANY(?::uuid[])
		AND parked_at IS NOT NULL`, merchantID, database.IDs(ids))
	if let.Error != nil {
		return 0, fmt.Errorf("unpark tokens: %w", let.Error)
	}
	return let.RowsAffected, nil
}

// Token finds a token, live or not, with its account still sealed.
func (s Store) Token(ctx context.Context, merchantID, id uuid.UUID) (k Token, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&k, "id = ?", id).Error
	return k, err
}

// live are the states of tokens that are listed with their clients.
var live = []State{Active, Blocked}

// ofClient is the scope of the tokens of a client.
func ofClient(merchantID, clientID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("merchant_id = ? AND client_id = ?", merchantID, clientID) }
}

// TokensOf lists the live tokens of a client, newest first.
func (s Store) TokensOf(ctx context.Context, merchantID, clientID uuid.UUID) (found []Token, err error) {
	err = s.Gorm(ctx).Scopes(ofClient(merchantID, clientID)).Where("state IN ?", live).Order("id DESC").Find(&found).Error
	return found, err
}

// TokensOfClients lists the live tokens of each of some clients, newest first.
func (s Store) TokensOfClients(ctx context.Context, merchantID uuid.UUID,
	clients []uuid.UUID) (map[uuid.UUID][]Token, error) {
	var found []Token
	err := s.Gorm(ctx).Raw(`SELECT t.* FROM (SELECT DISTINCT id FROM unnest(?::uuid[]) AS u (id)) AS c
		CROSS JOIN LATERAL (SELECT * FROM tokens
			WHERE client_id = c.id AND merchant_id = ? AND state IN ('active', 'blocked') OFFSET 0) AS t ORDER BY t.id DESC`,
		database.IDs(clients), merchantID).Find(&found).Error
	out := map[uuid.UUID][]Token{}
	for _, k := range found {
		out[k.ClientID] = append(out[k.ClientID], k)
	}
	return out, err
}

// PendingTokensOf lists tokens of a client that are not usable yet: the client is being asked,
// or the first debit is under way. A token whose mandate did not come
// about stays pending for good and is of no interest.
func (s Store) PendingTokensOf(ctx context.Context, merchantID, clientID uuid.UUID) (found []Token, err error) {
	err = s.Gorm(ctx).Scopes(ofClient(merchantID, clientID)).Where("state = ?", Pending).
		Where(`EXISTS (SELECT FROM purchases p WHERE p.id = tokens.id
			AND p.status IN ('pending_charge', 'pending_execute'))`).
		Order("id DESC").Find(&found).Error
	return found, err
}

// TokenPage gives one page of the live tokens of a client.
func (s Store) TokenPage(ctx context.Context, merchantID, clientID uuid.UUID, ask paging.Ask) (found []Token,
	err error) {
	of := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("state IN ('active','blocked')")
	err = database.PageOf(of, "client_id", clientID, ask).Find(&found).Error
	return found, err
}

// DeletingTokensOf lists the tokens of a client whose deletion can still be undone.
func (s Store) DeletingTokensOf(ctx context.Context, merchantID, clientID uuid.UUID) (found []Token, err error) {
	err = s.Gorm(ctx).Scopes(ofClient(merchantID, clientID)).Where("state = ?", Deleting).Order("id DESC").
		Find(&found).Error
	return found, err
}

// accountPlace is the place of the account number of a token.
func accountPlace(merchantID, tokenID uuid.UUID) seal.Place {
	return seal.PlaceOf("tokens", "account_sealed", merchantID, tokenID)
}

// OpenAccount reads the number of a stored account, for the bank alone. Without one there is nothing to ask a bank.
func OpenAccount(box *seal.Box, merchantID, tokenID uuid.UUID, sealed []byte) (bank.AccountNumber, error) {
	number, err := box.Open(accountPlace(merchantID, tokenID), sealed)
	if err == nil && number == "" {
		err = fmt.Errorf("%w: it is empty", seal.ErrDamaged)
	}
	if err != nil {
		return "", fmt.Errorf("open the account of token %s: %w", tokenID, err)
	}
	return bank.AccountNumber(number), nil
}

// HashOfAccount finds an account at its bank without its number.
func HashOfAccount(box *seal.Box, merchantID uuid.UUID, bankCode string, number bank.AccountNumber) []byte {
	return box.Hash(merchantID, "account", bankCode+"/"+number.Reveal())
}
