package factor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
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

// recoveryHash is the kind under which recovery codes are hashed; the key is not
// in the database, so that a dump of it cannot be searched for them.
const recoveryHash = "recovery"

// Store is where second factors are kept.
type Store struct{ *database.DB }

func (s Store) factors(ctx context.Context, userID uuid.UUID, lock string) (set Set, err error) {
	var r factorRow
	found := s.Gorm(ctx).Raw(`SELECT u.id, u.name, u.email, u.totp_sealed, u.totp_confirmed_at, u.totp_last_step,
			(SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) AS codes_left,
			EXISTS (SELECT FROM memberships mb JOIN merchants m ON m.id = mb.merchant_id
				WHERE mb.user_id = u.id AND mb.disabled_at IS NULL AND m.require_second_factor) AS required
		FROM users u WHERE u.id = ?`+lock, userID).Scan(&r)
	switch {
	case found.Error != nil:
		return set, fmt.Errorf("find the two-step sign-in of a person: %w", found.Error)
	case found.RowsAffected == 0:
		return set, fault.Missing()
	}
	key, err := s.Seal.Open(seal.PlaceOf("users", "totp_sealed", r.ID, r.ID), r.TOTPSealed)
	if set.Unread = errors.Is(err, seal.ErrDamaged); err != nil && !set.Unread {
		return set, fmt.Errorf("open the key of user %s: %w", r.ID, err)
	}
	set = Set{UserID: r.ID, Name: r.Name, Email: r.Email, Key: Key(key), Unread: set.Unread,
		ConfirmedAt: database.OrZero(r.TOTPConfirmedAt).UTC(), LastStep: r.TOTPLastStep,
		CodesLeft: r.CodesLeft, Required: r.Required}
	return set, s.Gorm(ctx).Where("user_id = ?", userID).Order("created_at, id").Find(&set.Passkeys).Error
}

// FactorsOf tells what a person has; NotFound when there is none.
func (s Store) FactorsOf(ctx context.Context, userID uuid.UUID) (Set, error) {
	return s.factors(ctx, userID, "")
}

// factors locks the person and tells what they have; NotFound when there is none.
func factors(tx *database.Tx, userID uuid.UUID) (Set, error) {
	return Store{tx.DB()}.factors(tx.Context(), userID, " FOR NO KEY UPDATE OF u")
}

// personIn is the row of a person, who has one whatever businesses they work for.
func personIn(tx *database.Tx, userID uuid.UUID) *gorm.DB {
	return tx.Gorm().Table("users").Where("id = ?", userID)
}

// setTOTP keeps a key that is not confirmed yet; empty: none any more.
func setTOTP(tx *database.Tx, userID uuid.UUID, key Key) {
	var sealed []byte
	if key != "" {
		sealed = tx.DB().Seal.Seal(seal.PlaceOf("users", "totp_sealed", userID, userID), key.Reveal())
	}
	tx.Fail(personIn(tx, userID).UpdateColumns(map[string]any{"totp_sealed": sealed, "totp_confirmed_at": nil,
		"totp_last_step": 0, "updated_at": tx.Now()}).Error)
}

func confirmTOTP(tx *database.Tx, userID uuid.UUID, at time.Time) {
	tx.Fail(personIn(tx, userID).Where("totp_confirmed_at IS NULL").
		UpdateColumns(map[string]any{"totp_confirmed_at": database.Instant(at), "updated_at": tx.Now()}).Error)
}

// takeStep is false when a code of that step or a later one was used already.
func takeStep(tx *database.Tx, userID uuid.UUID, step int64) (bool, error) {
	taken, err := database.Found(personIn(tx, userID).Where("totp_last_step < ? AND totp_sealed IS NOT NULL", step).
		UpdateColumn("totp_last_step", step))
	if err != nil {
		return false, fmt.Errorf("use a code: %w", err)
	}
	return taken, nil
}

// recoveryCode opens the way in once.
type recoveryCode struct {
	UserID   uuid.UUID
	CodeHash []byte
	UsedAt   time.Time
}

// TableName implements GORM's Tabler.
func (recoveryCode) TableName() string { return "recovery_codes" }

// replaceRecoveryCodes forgets the codes before.
func replaceRecoveryCodes(tx *database.Tx, userID uuid.UUID, codes []string) {
	tx.Fail(tx.Gorm().Delete(&recoveryCode{}, "user_id = ?", userID).Error)
	var kept []recoveryCode
	for _, hash := range (Store{tx.DB()}).recoveryHashes(userID, codes) {
		kept = append(kept, recoveryCode{UserID: userID, CodeHash: hash})
	}
	if len(kept) > 0 {
		tx.Create(&kept)
	}
}

// unused is the scope of the codes of a person that open the way in.
func unused(userID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Model(&recoveryCode{}).Where("user_id = ? AND used_at IS NULL", userID)
	}
}

// useRecoveryCode is false when the code is unknown or was used.
func useRecoveryCode(tx *database.Tx, userID uuid.UUID, code string, at time.Time) (bool, error) {
	used, err := database.Found(tx.Gorm().Model(&recoveryCode{}).Scopes(unused(userID)).
		Where("code_hash = ?", Store{tx.DB()}.recoveryHashes(userID, []string{code})[0]).
		UpdateColumn("used_at", database.Instant(at)))
	if err != nil {
		return false, fmt.Errorf("use a recovery code: %w", err)
	}
	return used, nil
}

func (s Store) recoveryHashes(userID uuid.UUID, codes []string) [][]byte {
	out := make([][]byte, len(codes))
	for i, code := range codes {
		out[i] = s.Seal.Hash(userID, recoveryHash, CleanCode(code))
	}
	return out
}

// UnusedCodes counts how many of these are unused recovery codes of the person.
func (s Store) UnusedCodes(ctx context.Context, userID uuid.UUID, codes []string) (int, error) {
	var n int64
	err := s.Gorm(ctx).Model(&recoveryCode{}).Scopes(unused(userID)).
		Where("code_hash IN ?", s.recoveryHashes(userID, codes)).Count(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count recovery codes: %w", err)
	}
	return int(n), nil
}

// TableName implements GORM's Tabler.
func (Passkey) TableName() string { return "passkeys" }

// owned is a passkey with whose it is.
type owned struct {
	Passkey
	UserID uuid.UUID
}

// InsertPasskey refuses one that is registered already, whoever has it.
func InsertPasskey(tx *database.Tx, userID uuid.UUID, p Passkey) error {
	switch err := tx.Gorm().Create(&owned{p, userID}).Error; {
	case database.Violates(err, "passkeys_pkey"):
		return fault.At("passkey", "unique", "That passkey is registered already.")
	case err != nil:
		return fmt.Errorf("add passkey: %w", err)
	}
	return nil
}

func savePasskey(tx *database.Tx, userID uuid.UUID, p Passkey) {
	tx.Fail(tx.Gorm().Model(&Passkey{}).Where("user_id = ? AND id = ?", userID, p.ID).Select("credential", "last_used_at").
		UpdateColumns(p).Error)
}

func dropPasskey(tx *database.Tx, userID uuid.UUID, id []byte) {
	tx.Fail(tx.Gorm().Delete(&Passkey{}, "user_id = ? AND id = ?", userID, id).Error)
}

func dropPasskeys(tx *database.Tx, userID uuid.UUID) {
	tx.Fail(tx.Gorm().Delete(&Passkey{}, "user_id = ?", userID).Error)
}

// endHalfSessions ends the person's sessions that showed no second factor.
func endHalfSessions(tx *database.Tx, userID uuid.UUID) {
	tx.Later(`DELETE FROM sessions WHERE user_id = $1 AND factor = ''`, userID)
}

func endAllSessions(tx *database.Tx, userID uuid.UUID) {
	tx.Later(`DELETE FROM sessions WHERE user_id = $1`, userID)
}

// setRequireFactor is false when the switch of the business stood so already.
func setRequireFactor(tx *database.Tx, merchantID uuid.UUID, on bool) (bool, error) {
	set, err := database.Found(tx.Gorm().Table("merchants").Where("id = ? AND require_second_factor <> ?", merchantID, on).
		UpdateColumns(map[string]any{"require_second_factor": on, "updated_at": tx.Now()}))
	if err != nil {
		return false, fmt.Errorf("require two-step sign-in: %w", err)
	}
	return set, nil
}

// FactorMembers are the people of a business, by name.
func (s Store) FactorMembers(ctx context.Context, merchantID uuid.UUID) ([]Member, error) {
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
	err := s.Gorm(ctx).Raw(`SELECT u.id, u.name, u.email, mb.role, u.totp_confirmed_at IS NOT NULL AS app,
			(SELECT count(*) FROM passkeys k WHERE k.user_id = u.id) AS passkeys,
			(SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) AS codes_left,
			EXISTS (SELECT FROM memberships o WHERE o.user_id = u.id AND o.merchant_id <> mb.merchant_id
			AND o.disabled_at IS NULL) AS elsewhere,
			COALESCE(u.disabled_at, mb.disabled_at) IS NOT NULL AS disabled
		FROM memberships mb JOIN users u ON u.id = mb.user_id WHERE mb.merchant_id = ?
		ORDER BY lower(u.name), lower(u.email)`, merchantID).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list who uses two-step sign-in: %w", err)
	}
	out := make([]Member, len(rows))
	for i, r := range rows {
		out[i] = Member{ID: r.ID, Name: r.Name, Email: r.Email, Role: actor.Role(r.Role), App: r.App,
			Passkeys: r.Passkeys, CodesLeft: r.CodesLeft,
			Elsewhere: r.Elsewhere, Disabled: r.Disabled}
	}
	return out, nil
}
