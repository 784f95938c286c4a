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
	"gorm.io/gorm/clause"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// memberRecord is a person as a member of one business, with what signs the person in.
type memberRecord struct {
	User
	PasswordHash string
}

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
	tx.Fail(tx.Gorm().Table("users").Where("id = ?", id).UpdateColumn("last_seen_at", database.Instant(at)).Error)
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
	return member(s.members(ctx).Scopes(database.AcrossMerchants).Where("lower(u.email) = lower(trim(?))", email).
		Order("mb.disabled_at IS NOT NULL, mb.last_used_at DESC NULLS LAST, mb.created_at"))
}

// User of the merchant; NotFound when there is none.
func (s Store) User(ctx context.Context, merchantID, id uuid.UUID) (User, error) {
	u, _, err := member(s.members(ctx).Where("mb.merchant_id = ? AND u.id = ?", merchantID, id))
	return u, err
}

// Active is a person who may work for the merchant; NotFound for one who may not any more.
func (s Store) Active(ctx context.Context, merchantID, id uuid.UUID) (User, error) {
	u, _, err := member(s.members(ctx).Scopes(active(merchantID)).Where("u.id = ?", id))
	return u, err
}

// members are people within the businesses that they work for.
func (s Store) members(ctx context.Context) *gorm.DB {
	return s.Gorm(ctx).Table("users u").Select(userColumns).Joins("JOIN memberships mb ON mb.user_id = u.id")
}

// active is the scope of the members who may work for a business.
func active(merchantID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Where("mb.merchant_id = ? AND mb.disabled_at IS NULL AND u.disabled_at IS NULL", merchantID)
	}
}

// member is the first of some members, with the hash of the password.
func member(of *gorm.DB) (User, string, error) {
	var m memberRecord
	err := of.Take(&m).Error
	return m.User, m.PasswordHash, err
}

// Colleagues are the people of the merchant who can sign in, by name.
func (s Store) Colleagues(ctx context.Context, merchantID uuid.UUID) (people []User, err error) {
	err = s.members(ctx).Scopes(active(merchantID)).Order("u.name, u.email").Find(&people).Error
	return people, err
}

// PeopleOf lists who may sign in for a business, by name, up to limit.
func (s Store) PeopleOf(ctx context.Context, merchantID uuid.UUID, limit int) (people []User, err error) {
	err = s.members(ctx).Scopes(active(merchantID)).Order("lower(u.name), u.id").Limit(limit).Find(&people).Error
	return people, err
}

// Admins are the people who may sign in for a business and run it, the first of them first.
func (s Store) Admins(ctx context.Context, merchantID uuid.UUID) (people []User, err error) {
	err = s.members(ctx).Scopes(active(merchantID)).Where("mb.role = ?", actor.Admin).Order("u.id").Find(&people).Error
	return people, err
}

// TableName implements GORM's Tabler.
func (Throttle) TableName() string { return "sign_in_failures" }

// Throttles locks the counters of these keys, made at zero where missing, and gives them
// in the order of the keys. The rows are locked in one order for everybody.
func Throttles(tx *database.Tx, keys []string) ([]Throttle, error) {
	sorted := slices.Sorted(slices.Values(keys))
	missing := make([]Throttle, len(sorted))
	for i, key := range sorted {
		missing[i] = Throttle{Key: key, LastAt: time.Unix(0, 0).UTC()}
	}
	if err := tx.Gorm().Clauses(clause.OnConflict{DoNothing: true}).Create(&missing).Error; err != nil {
		return nil, fmt.Errorf("begin to count sign-ins: %w", err)
	}
	var found []Throttle
	err := tx.Gorm().Scopes(database.ForUpdate).Where("key IN ?", sorted).Order("key").Find(&found).Error
	out := make([]Throttle, len(keys))
	for _, c := range found {
		out[slices.Index(keys, c.Key)] = c
	}
	return out, err
}

// SaveThrottle writes a counter that this transaction holds.
func SaveThrottle(tx *database.Tx, c Throttle) {
	tx.Fail(tx.Gorm().Model(&Throttle{}).Where("key = ?", c.Key).Select("failures", "last_at", "locked_until").
		UpdateColumns(c).Error)
}

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
