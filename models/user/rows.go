package user

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

// memberRecord is a person as a member of one business, with what signs the person in.
type memberRecord struct {
	User
	PasswordHash string
}

var memberUser = table.View[memberRecord]()

// userColumns are a person within one business: what the membership says wins.
const userColumns = `u.id, mb.merchant_id, u.email, u.name, mb.role, u.password_hash, u.theme, u.keys_off,
	u.last_seen_at, COALESCE(u.disabled_at, mb.disabled_at) AS disabled_at, u.created_at, u.updated_at,
	mb.grants, mb.batch_limit_cents`

// Store is where people, their sessions, the counters of sign-ins and the links to reset
// a password are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (User) TableName() string { return "users" }

// withPassword is a person with the hash of the password.
type withPassword struct {
	User
	PasswordHash string
}

// Insert adds a person and refuses a second user of that e-mail address.
func Insert(tx *database.Tx, u User, passwordHash string) error {
	switch err := tx.Gorm().Create(&withPassword{u, passwordHash}).Error; {
	case database.Violates(err, "users_by_email"):
		return fault.At("email", "unique", "This e-mail address is already in use.")
	case err != nil:
		return fmt.Errorf("add user: %w", err)
	}
	return nil
}

// change changes columns of a person, who is the same in all businesses; NotFound when there is none.
func change(tx *database.Tx, id uuid.UUID, columns map[string]any) error {
	found, err := database.Found(tx.Gorm().Table("users").Where("id = ?", id).UpdateColumns(columns))
	if err == nil && !found {
		err = fault.Missing()
	}
	return err
}

func setUserTheme(tx *database.Tx, id uuid.UUID, theme string) error {
	return change(tx, id, map[string]any{"theme": theme, "updated_at": tx.Now()})
}

func setKeysOff(tx *database.Tx, id uuid.UUID, off bool) error {
	return change(tx, id, map[string]any{"keys_off": off, "updated_at": tx.Now()})
}

func setUserSeen(tx *database.Tx, id uuid.UUID, at time.Time) {
	tx.Later(`UPDATE users SET last_seen_at = $2 WHERE id = $1`, id, database.Instant(at))
}

// membership is what a person chose in a business.
func membership(tx *database.Tx, merchantID, id uuid.UUID) *gorm.DB {
	return tx.Gorm().Table("memberships").Where("merchant_id = ? AND user_id = ?", merchantID, id)
}

// setBusinessUsed notes for which business the person works now.
func setBusinessUsed(tx *database.Tx, merchantID, id uuid.UUID, at time.Time) {
	tx.Fail(membership(tx, merchantID, id).UpdateColumn("last_used_at", database.Instant(at)).Error)
}

// setFirstSteps hides the first steps from a person, or shows them again.
func setFirstSteps(tx *database.Tx, merchantID, id uuid.UUID, hidden bool) error {
	return membership(tx, merchantID, id).UpdateColumn("first_steps_hidden", hidden).Error
}

func setPassword(tx *database.Tx, id uuid.UUID, hash string, at time.Time) error {
	return change(tx, id, map[string]any{"password_hash": hash, "password_changed_at": database.Instant(at),
		"updated_at": tx.Now()})
}

// Businesses are those a person works for now, the last used first.
func (s Store) Businesses(ctx context.Context, userID uuid.UUID) (out []Business, err error) {
	err = s.Gorm(ctx).Table("memberships mb").Select("m.id, m.name, m.is_test").
		Joins("JOIN merchants m ON m.id = mb.merchant_id").Joins("JOIN users u ON u.id = mb.user_id").
		Where("mb.user_id = ? AND mb.disabled_at IS NULL AND u.disabled_at IS NULL", userID).
		Order("mb.last_used_at DESC NULLS LAST, mb.created_at").Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("list businesses: %w", err)
	}
	return out, nil
}

func (s Store) Business(ctx context.Context, id uuid.UUID) (b Business, err error) {
	err = s.Gorm(ctx).Table("merchants").Take(&b, "id = ?", id).Error
	return b, err
}

// UserByEmail finds a person of any merchant and the password hash; NotFound when there
// is none. It is the person in the business that was worked for last, and one whose
// membership is not disabled comes first.
func (s Store) UserByEmail(ctx context.Context, email string) (User, string, error) {
	if strings.ContainsRune(email, 0) || !utf8.ValidString(email) { // no text that could be stored: nobody's
		return User{}, "", fault.Missing()
	}
	m, err := s.member(
		ctx,
		`lower(u.email) = lower(trim($1)) ORDER BY mb.disabled_at IS NOT NULL,
			mb.last_used_at DESC NULLS LAST, mb.created_at`,
		email,
	)
	return m.User, m.PasswordHash, err
}

// User of the merchant; NotFound when there is none.
func (s Store) User(ctx context.Context, merchantID, id uuid.UUID) (User, error) {
	m, err := s.member(ctx, `mb.merchant_id = $1 AND u.id = $2`, merchantID, id)
	return m.User, err
}

// Active is a person who may work for the merchant; NotFound for one who may not any more.
func (s Store) Active(ctx context.Context, merchantID, id uuid.UUID) (User, error) {
	m, err := s.member(ctx, `mb.merchant_id = $1 AND u.id = $2 AND mb.disabled_at IS NULL AND u.disabled_at IS NULL`,
		merchantID, id)
	return m.User, err
}

const memberFrom = `SELECT ` + userColumns + ` FROM users u JOIN memberships mb ON mb.user_id = u.id WHERE `

func (s Store) member(ctx context.Context, where string, args ...any) (memberRecord, error) {
	return database.First(database.Collect(ctx, s.DB, memberUser, memberFrom+where+` LIMIT 1`, args))
}

// people are who may sign in for a business.
func (s Store) people(ctx context.Context, order string, args ...any) ([]User, error) {
	found, err := database.Collect(ctx, s.DB, memberUser, memberFrom+
		`mb.merchant_id = $1 AND mb.disabled_at IS NULL AND u.disabled_at IS NULL `+order, args)
	out := make([]User, len(found))
	for i, m := range found {
		out[i] = m.User
	}
	return out, err
}

// Colleagues are the people of the merchant who can sign in, by name.
func (s Store) Colleagues(ctx context.Context, merchantID uuid.UUID) ([]User, error) {
	return s.people(ctx, `ORDER BY u.name, u.email`, merchantID)
}

// PeopleOf lists who may sign in for a business, by name, up to limit.
func (s Store) PeopleOf(ctx context.Context, merchantID uuid.UUID, limit int) ([]User, error) {
	return s.people(ctx, `ORDER BY lower(u.name), u.id LIMIT $2`, merchantID, limit)
}

// Admins are the people who may sign in for a business and run it, the first of them first.
func (s Store) Admins(ctx context.Context, merchantID uuid.UUID) ([]User, error) {
	return s.people(ctx, `AND mb.role = $2 ORDER BY u.id`, merchantID, string(actor.Admin))
}

var (
	throttleTable = table.New[Throttle]("sign_in_failures")
	saveThrottle  = throttleTable.Write(
		`UPDATE sign_in_failures SET @set(failures, last_at, locked_until) WHERE key = @key`)
)

// Throttles locks the counters of these keys, made at zero where missing, and gives them
// in the order of the keys. The rows are locked in one order for everybody.
func Throttles(tx *database.Tx, keys []string) ([]Throttle, error) {
	sorted := slices.Sorted(slices.Values(keys))
	tx.Later(
		`INSERT INTO sign_in_failures (key, failures, last_at) SELECT k, 0, $2::timestamptz FROM unnest($1::text[]) k
			ORDER BY k
		ON CONFLICT DO NOTHING`, sorted, time.Unix(0, 0).UTC())
	found, err := database.All(tx.Context(), tx.DB(), throttleTable, "key = ANY($1) ORDER BY key FOR UPDATE", sorted)
	out := make([]Throttle, len(keys))
	for _, c := range found {
		out[slices.Index(keys, c.Key)] = c
	}
	return out, err
}

func SaveThrottle(tx *database.Tx, c Throttle) { database.Write(tx, saveThrottle, c) }

// TableName implements GORM's Tabler.
func (Reset) TableName() string { return "password_resets" }

// made is a link to reset a password with when it was made.
type made struct {
	Reset
	CreatedAt time.Time
}

func insertReset(tx *database.Tx, r Reset) { tx.Create(&made{r, tx.Now()}) }

// useResets uses one link and ends all others of the person; false when it was used
// before.
func useResets(tx *database.Tx, r Reset, at time.Time) (bool, error) {
	at = database.Instant(at)
	unused := func() *gorm.DB { return tx.Gorm().Model(&Reset{}).Where("used_at IS NULL") }
	used, err := database.Found(unused().Where("token_hash = ? AND expires_at > ?", r.Hash, at).
		UpdateColumn("used_at", at))
	if err == nil {
		err = unused().Where("user_id = ?", r.UserID).UpdateColumn("used_at", at).Error
	}
	if err != nil {
		return false, fmt.Errorf("use password reset: %w", err)
	}
	return used, nil
}

// Reset finds a link by its hash; NotFound when there is none.
func (s Store) Reset(ctx context.Context, hash []byte) (r Reset, err error) {
	err = s.Gorm(ctx).Take(&r, "token_hash = ?", hash).Error
	return r, err
}
