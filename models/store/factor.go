package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/factor"
	"debitdesk/models/fault"
	"debitdesk/models/store/table"
)

// factorRow is what stands beside a person's password.
type factorRow struct {
	ID              uuid.UUID
	Name            string
	Email           string
	TOTPSealed      []byte     `gorm:"column:totp_sealed"`
	TOTPConfirmedAt *time.Time `gorm:"column:totp_confirmed_at"`
	TOTPLastStep    int64      `gorm:"column:totp_last_step"`
	CodesLeft       int
	Required        bool
}

var (
	passkeyTable  = table.New[factor.Passkey]("passkeys")
	insertPasskey = passkeyTable.Write(`INSERT INTO passkeys (@columns, user_id) VALUES (@values, @user)`, "user")
	savePasskey   = passkeyTable.Write(
		`UPDATE passkeys SET @set(credential, last_used_at) WHERE user_id = @user AND id = @id`, "user")
)

// recoveryHash is the kind under which recovery codes are hashed; the key is not
// in the database, so that a dump of it cannot be searched for them.
const recoveryHash = "recovery"

func (s *Store) factors(ctx context.Context, userID uuid.UUID, lock string) (set factor.Set, err error) {
	var r factorRow
	found := s.read(ctx).Raw(`SELECT u.id, u.name, u.email, u.totp_sealed, u.totp_confirmed_at, u.totp_last_step,
			(SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) AS codes_left,
			EXISTS (SELECT FROM memberships mb JOIN merchants m ON m.id = mb.merchant_id
				WHERE mb.user_id = u.id AND mb.disabled_at IS NULL AND m.require_second_factor) AS required
		FROM users u WHERE u.id = ?`+lock, userID).Scan(&r)
	switch {
	case found.Error != nil:
		return set, fmt.Errorf("find second factors: %w", found.Error)
	case found.RowsAffected == 0:
		return set, fault.Missing()
	}
	key, err := s.seal.Open(placeOf("users", "totp_sealed", r.ID, r.ID), r.TOTPSealed)
	if err != nil {
		return set, fmt.Errorf("open the key of user %s: %w", r.ID, err)
	}
	set = factor.Set{UserID: r.ID, Name: r.Name, Email: r.Email, Key: factor.Key(key),
		ConfirmedAt: orZero(r.TOTPConfirmedAt).UTC(), LastStep: r.TOTPLastStep,
		CodesLeft: r.CodesLeft, Required: r.Required}
	set.Passkeys, err = all(ctx, s, passkeyTable, "user_id = $1 ORDER BY created_at, id", userID)
	return set, err
}

// FactorsOf implements factor.Reader.
func (s *Store) FactorsOf(ctx context.Context, userID uuid.UUID) (factor.Set, error) {
	return s.factors(ctx, userID, "")
}

// Factors implements factor.Tx.
func (t *Tx) Factors(userID uuid.UUID) (factor.Set, error) {
	return t.s.factors(t.Context(), userID, " FOR NO KEY UPDATE OF u")
}

// SetTOTP implements factor.Tx.
func (t *Tx) SetTOTP(userID uuid.UUID, key factor.Key) {
	var sealed []byte
	if key != "" {
		sealed = t.s.seal.Seal(placeOf("users", "totp_sealed", userID, userID), key.Reveal())
	}
	t.later(
		`UPDATE users SET totp_sealed = $2, totp_confirmed_at = NULL, totp_last_step = 0, updated_at = $3 WHERE id = $1`,
		userID, sealed, t.now)
}

// ConfirmTOTP implements factor.Tx.
func (t *Tx) ConfirmTOTP(userID uuid.UUID, at time.Time) {
	t.later(`UPDATE users SET totp_confirmed_at = $2, updated_at = $3 WHERE id = $1 AND totp_confirmed_at IS NULL`, userID,
		Instant(at), t.now)
}

// TakeStep implements factor.Tx.
func (t *Tx) TakeStep(userID uuid.UUID, step int64) (bool, error) {
	n, err := t.exec(
		`UPDATE users SET totp_last_step = $2 WHERE id = $1 AND totp_last_step < $2 AND totp_sealed IS NOT NULL`, userID,
		step)
	if err != nil {
		return false, fmt.Errorf("use a code: %w", err)
	}
	return n == 1, nil
}

// ReplaceRecoveryCodes implements factor.Tx.
func (t *Tx) ReplaceRecoveryCodes(userID uuid.UUID, codes []string) {
	t.later(`DELETE FROM recovery_codes WHERE user_id = $1`, userID)
	if len(codes) > 0 {
		t.later(`INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, h FROM unnest($2::bytea[]) h`, userID,
			t.s.recoveryHashes(userID, codes))
	}
}

// UseRecoveryCode implements factor.Tx.
func (t *Tx) UseRecoveryCode(userID uuid.UUID, code string, at time.Time) (bool, error) {
	n, err := t.exec(`UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL`,
		userID, t.s.recoveryHashes(userID, []string{code})[0], Instant(at))
	if err != nil {
		return false, fmt.Errorf("use a recovery code: %w", err)
	}
	return n == 1, nil
}

func (s *Store) recoveryHashes(userID uuid.UUID, codes []string) [][]byte {
	out := make([][]byte, len(codes))
	for i, code := range codes {
		out[i] = s.seal.Hash(userID, recoveryHash, factor.CleanCode(code))
	}
	return out
}

// UnusedCodes implements factor.Reader.
func (s *Store) UnusedCodes(ctx context.Context, userID uuid.UUID, codes []string) (n int, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT count(*) FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL AND code_hash = ANY($2)`,
		userID, s.recoveryHashes(userID, codes)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count recovery codes: %w", err)
	}
	return n, nil
}

// InsertPasskey implements factor.Tx.
func (t *Tx) InsertPasskey(userID uuid.UUID, p factor.Passkey) error {
	write(t, insertPasskey, p, userID)
	switch err := t.flush(); {
	case violates(err, "passkeys_pkey"):
		return fault.At("passkey", "unique", "That passkey is registered already.")
	case err != nil:
		return fmt.Errorf("add passkey: %w", err)
	}
	return nil
}

// SavePasskey implements factor.Tx.
func (t *Tx) SavePasskey(userID uuid.UUID, p factor.Passkey) { write(t, savePasskey, p, userID) }

// DropPasskey implements factor.Tx.
func (t *Tx) DropPasskey(userID uuid.UUID, id []byte) {
	t.later(`DELETE FROM passkeys WHERE user_id = $1 AND id = $2`, userID, id)
}

// DropPasskeys implements factor.Tx.
func (t *Tx) DropPasskeys(userID uuid.UUID) {
	t.later(`DELETE FROM passkeys WHERE user_id = $1`, userID)
}

// EndHalfSessions implements factor.Tx.
func (t *Tx) EndHalfSessions(userID uuid.UUID) {
	t.later(`DELETE FROM sessions WHERE user_id = $1 AND factor = ''`, userID)
}

// EndAllSessions implements factor.Tx.
func (t *Tx) EndAllSessions(userID uuid.UUID) {
	t.later(`DELETE FROM sessions WHERE user_id = $1`, userID)
}

// SetRequireFactor implements factor.Tx.
func (t *Tx) SetRequireFactor(merchantID uuid.UUID, on bool) (bool, error) {
	n, err := t.exec(
		`UPDATE merchants SET require_second_factor = $2, updated_at = $3 WHERE id = $1 AND require_second_factor <> $2`,
		merchantID, on, t.now)
	if err != nil {
		return false, fmt.Errorf("set the duty of a second factor: %w", err)
	}
	return n == 1, nil
}

// FactorMembers implements factor.Reader.
func (s *Store) FactorMembers(ctx context.Context, merchantID uuid.UUID) ([]factor.Member, error) {
	var rows []struct {
		ID        uuid.UUID
		Name      string
		Email     string
		Role      string
		App       bool
		Passkeys  int
		CodesLeft int
		Elsewhere bool
		Disabled  bool
	}
	err := s.read(ctx).Raw(`SELECT u.id, u.name, u.email, mb.role, u.totp_confirmed_at IS NOT NULL AS app,
			(SELECT count(*) FROM passkeys k WHERE k.user_id = u.id) AS passkeys,
			(SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) AS codes_left,
			EXISTS (SELECT FROM memberships o WHERE o.user_id = u.id AND o.merchant_id <> mb.merchant_id AND o.disabled_at IS NULL) AS elsewhere,
			COALESCE(u.disabled_at, mb.disabled_at) IS NOT NULL AS disabled
		FROM memberships mb JOIN users u ON u.id = mb.user_id WHERE mb.merchant_id = ? ORDER BY lower(u.name), lower(u.email)`, merchantID).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list second factors: %w", err)
	}
	out := make([]factor.Member, len(rows))
	for i, r := range rows {
		out[i] = factor.Member{ID: r.ID, Name: r.Name, Email: r.Email, Role: actor.Role(r.Role), App: r.App,
			Passkeys: r.Passkeys, CodesLeft: r.CodesLeft,
			Elsewhere: r.Elsewhere, Disabled: r.Disabled}
	}
	return out, nil
}

// HasFactor tells whether a person set up a second factor.
func (s *Store) HasFactor(ctx context.Context, userID uuid.UUID) (has bool, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id) FROM users u WHERE u.id = $1`, userID).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find second factor: %w", err)
	}
	return has, nil
}

var (
	_ factor.Tx     = (*Tx)(nil)
	_ factor.Reader = (*Store)(nil)
)
