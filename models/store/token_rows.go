package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/paging"
	"debitdesk/models/token"
)

type tokenRow struct {
	ID            uuid.UUID `gorm:"primaryKey"`
	MerchantID    uuid.UUID
	BrandID       uuid.UUID
	ClientID      *uuid.UUID
	MandateID     uuid.UUID
	Method        string
	State         string
	Description   string
	HolderName    string
	BankCode      string
	AccountType   string
	AccountSealed []byte
	AccountMask   string
	AccountHash   []byte
	SoftFailures  int
	Failures      int
	BlockedCode   string
	LastUsedAt    *time.Time
	LastSuccessAt *time.Time
	CreatedBy     string
	CreatedAt     time.Time
	UpdatedAt     time.Time
	EndedAt       *time.Time
}

func (tokenRow) TableName() string { return "tokens" }

func (r tokenRow) domain() token.Token {
	return token.Token{ID: r.ID, MerchantID: r.MerchantID, BrandID: r.BrandID, ClientID: orZero(r.ClientID), MandateID: r.MandateID, Method: r.Method,
		State: token.State(r.State), Description: r.Description, HolderName: r.HolderName, BankCode: r.BankCode, AccountType: bank.AccountType(r.AccountType),
		AccountMask: r.AccountMask, SoftFailures: r.SoftFailures, Failures: r.Failures, BlockedCode: r.BlockedCode, LastUsedAt: utc(r.LastUsedAt),
		LastSuccessAt: utc(r.LastSuccessAt), CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
}

// InsertToken implements purchase.Tx; the account number is sealed here.
func (t *Tx) InsertToken(k token.Token) {
	t.create(&tokenRow{ID: k.ID, MerchantID: k.MerchantID, BrandID: k.BrandID, ClientID: orNull(k.ClientID), MandateID: k.MandateID, Method: k.Method,
		State: string(k.State), Description: k.Description, HolderName: k.HolderName, BankCode: k.BankCode, AccountType: string(k.AccountType),
		AccountSealed: t.s.seal.Seal(accountAt(k.MerchantID, k.ID), k.Account.Reveal()), AccountMask: k.AccountMask,
		AccountHash: t.s.seal.Hash(k.MerchantID, "account", k.BankCode+"/"+k.Account.Reveal()), CreatedBy: k.CreatedBy, CreatedAt: k.CreatedAt, UpdatedAt: k.UpdatedAt})
}

// RenewToken implements purchase.Tx.
func (t *Tx) RenewToken(k token.Token) {
	t.mustMove(`UPDATE tokens SET holder_name = $3, bank_code = $4, account_type = $5, account_sealed = $6, account_mask = $7, account_hash = $8, created_by = $9, updated_at = $10
		WHERE merchant_id = $1 AND id = $2 AND state = 'pending'`, k.MerchantID, k.ID, k.HolderName, k.BankCode, string(k.AccountType),
		t.s.seal.Seal(accountAt(k.MerchantID, k.ID), k.Account.Reveal()), k.AccountMask, t.s.seal.Hash(k.MerchantID, "account", k.BankCode+"/"+k.Account.Reveal()), k.CreatedBy, Instant(k.UpdatedAt))
}

//nolint:gosec // columns that are named token are no passwords
const moveToken = `UPDATE tokens SET state = $4, soft_failures = $5, failures = $6, blocked_code = $7, last_success_at = $8, updated_at = $9,
	ended_at = coalesce(ended_at, $10), last_used_at = $11 WHERE id = $1 AND merchant_id = $2 AND state = $3`

func moveTokenArgs(k token.Token, from token.State) []any {
	var ended *time.Time
	if k.State == token.Deleted || k.State == token.Superseded {
		ended = orNull(k.UpdatedAt)
	}
	return []any{k.ID, k.MerchantID, string(from), string(k.State), k.SoftFailures, k.Failures, k.BlockedCode, orNull(k.LastSuccessAt), k.UpdatedAt, ended, orNull(k.LastUsedAt)}
}

// MoveToken implements purchase.Tx: compare-and-set on the state.
func (t *Tx) MoveToken(k token.Token, from token.State) (bool, error) {
	n, err := t.exec(moveToken, moveTokenArgs(k, from)...)
	if err != nil {
		return false, fmt.Errorf("move token: %w", err)
	}
	return n == 1, nil
}

// SaveToken is MoveToken for a row that this transaction holds.
func (t *Tx) SaveToken(k token.Token, from token.State) {
	t.later(moveToken, moveTokenArgs(k, from)...)
}

// HoldToken implements purchase.Tx: it holds the token's row until the commit, so
// that a token cannot be deleted while a charge begins, though other charges may
// begin with it.
func (t *Tx) HoldToken(merchantID, id uuid.UUID) {
	t.must(`SELECT count(*) FROM (SELECT 1 FROM tokens WHERE id = $1 AND merchant_id = $2 AND state = 'active' FOR SHARE) AS held`, id, merchantID)
}

// Token implements purchase.Reader.
func (s *Store) Token(ctx context.Context, merchantID, id uuid.UUID) (token.Token, error) {
	row, err := take[tokenRow](ctx, s, "merchant_id = $1 AND id = $2", merchantID, id)
	return row.domain(), missing(err, "find token")
}

// TokensByID implements purchase.Reader.
func (s *Store) TokensByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]token.Token, error) {
	rows, err := takeAll[tokenRow](ctx, s, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
	if err != nil {
		return nil, fmt.Errorf("find tokens: %w", err)
	}
	return tokens(rows), nil
}

// TokensOf implements purchase.Reader.
func (s *Store) TokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error) {
	var rows []tokenRow
	err := s.read(ctx).Omit("account_sealed", "account_hash").Order("id DESC").
		Find(&rows, "merchant_id = ? AND client_id = ? AND state IN ('active','blocked')", merchantID, clientID).Error
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return tokens(rows), nil
}

// TokensOfClients implements batch.Reader.
func (s *Store) TokensOfClients(ctx context.Context, merchantID uuid.UUID, clients []uuid.UUID) (map[uuid.UUID][]token.Token, error) {
	rows, err := takeAll[tokenRow](ctx, s, "merchant_id = $1 AND client_id = ANY($2) AND state IN ('active','blocked') ORDER BY id DESC", merchantID, clients)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	out := map[uuid.UUID][]token.Token{}
	for _, t := range tokens(rows) {
		out[t.ClientID] = append(out[t.ClientID], t)
	}
	return out, nil
}

// PendingTokensOf implements purchase.Reader. A token whose mandate did not come
// about stays pending for good and is of no interest.
func (s *Store) PendingTokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error) {
	var rows []tokenRow
	err := s.read(ctx).Omit("account_sealed", "account_hash").Order("id DESC").
		Where("EXISTS (SELECT FROM purchases p WHERE p.id = tokens.id AND p.status IN ('pending_charge', 'pending_execute'))").
		Find(&rows, "merchant_id = ? AND client_id = ? AND state = 'pending'", merchantID, clientID).Error
	if err != nil {
		return nil, fmt.Errorf("list pending tokens: %w", err)
	}
	return tokens(rows), nil
}

func tokens(rows []tokenRow) []token.Token {
	out := make([]token.Token, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out
}

// TokenPage implements purchase.Lister: the live tokens of a client.
func (s *Store) TokenPage(ctx context.Context, merchantID, clientID uuid.UUID, ask paging.Ask) ([]token.Token, error) {
	q := s.read(ctx).Omit("account_sealed", "account_hash").
		Where("merchant_id = ? AND client_id = ? AND state IN ('active','blocked')", merchantID, clientID)
	var rows []tokenRow
	if err := beside(q, ask).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return tokens(rows), nil
}
