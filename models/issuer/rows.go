package issuer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
)

// Store is where issuers are kept, and whom they know.
type Store struct{ *database.DB }

func secretPlace(merchantID, id uuid.UUID) seal.Place {
	return seal.PlaceOf("issuers", "client_secret", merchantID, id)
}

// TableName implements GORM's Tabler.
func (Issuer) TableName() string { return "issuers" }

// withSecret is an issuer with its secret, which is read to exchange codes alone. A public client has none.
type withSecret struct {
	Issuer
	ClientSecret Secret `gorm:"serializer:sealed"`
}

func insertIssuer(tx *database.Tx, i Issuer, secret Secret) { tx.Create(&withSecret{i, secret}) }

// saveIssuer is fault.ErrLost when the issuer is not as it was loaded. An empty secret keeps the one that is there.
func saveIssuer(tx *database.Tx, i Issuer, secret Secret) error {
	was := i.Version
	i.Version++
	columns := []string{"client_id", "name", "enabled", "domains", "forced", "provisions", "trusts_email", "trusts_mfa",
		"groups_claim", "group_roles", "usual_role", "session_hours", "version", "updated_at"}
	if secret != "" {
		columns = append(columns, "client_secret")
	}
	return database.OneRow(tx.Gorm().Model(&withSecret{Issuer: i}).Scopes(database.OfMerchant(i.MerchantID)).
		Where("version = ? AND deleted_at IS NULL", was).Select(columns).UpdateColumns(withSecret{i, secret}))
}

// removeIssuer keeps the row, which sessions and the audit name, without its secret, and forgets whom it knew.
func removeIssuer(tx *database.Tx, i Issuer, at time.Time) (bool, error) {
	err := tx.Gorm().Exec(`DELETE FROM sessions WHERE issuer_id = ?`, i.ID).Error
	if err == nil {
		err = tx.Gorm().Scopes(database.OfMerchant(i.MerchantID)).Delete(&person{}, "issuer_id = ?", i.ID).Error
	}
	if err != nil {
		return false, wrapped("forget whom an issuer knew", err)
	}
	return database.Found(tx.Gorm().Table("issuers").Scopes(database.OfMerchant(i.MerchantID)).
		Where("id = ? AND deleted_at IS NULL", i.ID).
		UpdateColumns(map[string]any{"deleted_at": at, "updated_at": at, "client_secret": nil}))
}

// Issuers of a business, by name.
func (s Store) Issuers(ctx context.Context, merchantID uuid.UUID) (issuers []Issuer, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("deleted_at IS NULL").Order("name, id").
		Find(&issuers).Error
	return issuers, err
}

// Issuer of a business; NotFound otherwise.
func (s Store) Issuer(ctx context.Context, merchantID, id uuid.UUID) (i Issuer, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&i, "id = ? AND deleted_at IS NULL", id).Error
	return i, err
}

// Open finds an issuer of any business with which people can sign in now: who signs in has no business yet.
func (s Store) Open(ctx context.Context, id uuid.UUID) (i Issuer, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Take(&i, "id = ? AND enabled AND deleted_at IS NULL", id).Error
	return i, err
}

// Shown are the issuers that the sign-in page offers, of all businesses.
func (s Store) Shown(ctx context.Context, most int) (issuers []Issuer, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Where("enabled AND deleted_at IS NULL").Order("name, id").
		Limit(most).Find(&issuers).Error
	return issuers, err
}

// Secret opens the secret of an issuer; empty for a public client.
func (s Store) Secret(ctx context.Context, i Issuer) (Secret, error) {
	var kept struct{ ClientSecret []byte }
	err := s.Gorm(ctx).Table("issuers").Scopes(database.OfMerchant(i.MerchantID)).Take(&kept, "id = ?", i.ID).Error
	if err != nil || kept.ClientSecret == nil {
		return "", wrapped("find the secret of an issuer", err)
	}
	opened, err := s.Seal.OpenBytes(secretPlace(i.MerchantID, i.ID), kept.ClientSecret)
	if errors.Is(err, seal.ErrDamaged) {
		return "", fault.New(fault.Conflict, "issuer_secret_damaged",
			"The secret kept for %s cannot be read. An admin has to enter it again under Settings, Security.",
			i.Name).Because(err)
	}
	return Secret(opened), wrapped("open the secret of an issuer", err)
}

// personOf tells whom an issuer means by a subject.
func (s Store) personOf(ctx context.Context, issuerID uuid.UUID, subject string) (id uuid.UUID, found bool, err error) {
	var known person
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Take(&known, "issuer_id = ? AND subject = ?", issuerID, subject).
		Error
	if fault.Is(err, fault.NotFound) {
		return id, false, nil
	}
	return known.UserID, err == nil, wrapped("find a person of an issuer", err)
}

// person is whom an issuer knows by a subject.
type person struct {
	IssuerID              uuid.UUID
	Subject               string
	UserID, MerchantID    uuid.UUID
	CreatedAt, LastUsedAt time.Time
}

// TableName implements GORM's Tabler.
func (person) TableName() string { return "issuer_people" }

// link notes by which subject an issuer knows a person; false when it knows the person by another already.
func link(tx *database.Tx, i Issuer, subject string, userID uuid.UUID, at time.Time) (bool, error) {
	at = database.Instant(at)
	return database.Found(tx.Gorm().Scopes(database.AcrossMerchants).Clauses(clause.OnConflict{DoNothing: true}).
		Create(&person{i.ID, subject, userID, i.MerchantID, at, at}))
}

func used(tx *database.Tx, i Issuer, subject string, at time.Time) error {
	return tx.Gorm().Model(&person{}).Scopes(database.AcrossMerchants).
		Where("issuer_id = ? AND subject = ?", i.ID, subject).UpdateColumn("last_used_at", database.Instant(at)).Error
}

// counted is what counts once, by its hash.
type counted struct {
	Hash      []byte
	ExpiresAt time.Time
}

// TableName implements GORM's Tabler.
func (counted) TableName() string { return "issuer_once" }

// once is true for the first that comes with this hash.
func once(tx *database.Tx, hash []byte, until time.Time) (bool, error) {
	return database.Found(tx.Gorm().Clauses(clause.OnConflict{DoNothing: true}).
		Create(&counted{hash, database.Instant(until)}))
}

// Tidy forgets what counted once and is over.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	err := s.Gorm(ctx).Delete(&counted{}, "expires_at < ?", database.Instant(now)).Error
	return wrapped("forget what counted once", err)
}

// ended is a session that ended.
type ended struct {
	UserID, MerchantID uuid.UUID
	Name, Email        string
}

// endSessions ends those of an issuer's session, or all of a subject, and tells whose they were.
func endSessions(tx *database.Tx, i Issuer, l Logout) ([]ended, error) {
	var out []ended
	err := tx.Gorm().Raw(`WITH gone AS (DELETE FROM sessions WHERE issuer_id = ? AND (? = '' OR issuer_subject = ?)
			AND (? = '' OR issuer_sid = ?) RETURNING user_id, merchant_id)
		SELECT DISTINCT g.user_id, COALESCE(g.merchant_id, u.merchant_id) AS merchant_id, u.name, u.email
		FROM gone g JOIN users u ON u.id = g.user_id`, i.ID, l.Subject, l.Subject, l.SID, l.SID).Scan(&out).Error
	return out, wrapped("end the sessions of an issuer", err)
}

// bound is the condition on a membership mb of a user u that a forced issuer binds it: no exception, and of one of the
// domains that follow.
const bound = `NOT (mb.break_glass AND mb.role = 'admin') AND lower(substring(u.email from '[^@]*$')) = ANY(`

// endPasswords ends the sessions in a business that began with a password where the issuer is forced.
func endPasswords(tx *database.Tx, i Issuer) error {
	return tx.Gorm().Exec(`DELETE FROM sessions s USING users u, memberships mb WHERE u.id = s.user_id
		AND mb.user_id = u.id AND mb.merchant_id = ? AND COALESCE(s.merchant_id, u.merchant_id) = ?
		AND s.issuer_id IS NULL AND `+bound+`?)`, i.MerchantID, i.MerchantID, database.TextArray(i.Domains)).Error
}

// Forced names the issuer through which a person has to come in to a business; empty: any way is right.
func (s Store) Forced(ctx context.Context, merchantID, userID uuid.UUID) (name string, err error) {
	err = s.Gorm(ctx).Raw(`SELECT COALESCE((SELECT i.name FROM issuers i
		JOIN memberships mb ON mb.merchant_id = i.merchant_id JOIN users u ON u.id = mb.user_id
		WHERE i.merchant_id = ? AND u.id = ? AND i.enabled AND i.forced AND i.deleted_at IS NULL
		AND `+bound+`i.domains) ORDER BY i.name LIMIT 1), '')`, merchantID, userID).Scan(&name).Error
	return name, wrapped("find what a business demands at sign-in", err)
}

// keepers counts the admins of a business whose password always opens it, and keeps the memberships as they are.
func keepers(tx *database.Tx, merchantID uuid.UUID) (n int64, err error) {
	err = tx.Gorm().Raw(`SELECT count(*) FROM (SELECT 1 FROM memberships mb JOIN users u ON u.id = mb.user_id
		WHERE mb.merchant_id = ? AND mb.role = 'admin' AND mb.break_glass AND mb.disabled_at IS NULL
		AND u.disabled_at IS NULL FOR SHARE OF mb) k`, merchantID).Scan(&n).Error
	return n, wrapped("count exceptions", err)
}

// setKeepers marks these members, and no others, as those whose password always opens the business.
func setKeepers(tx *database.Tx, merchantID uuid.UUID, ids []uuid.UUID) error {
	return tx.Gorm().Exec(`UPDATE memberships SET break_glass = NOT break_glass, updated_at = ?
		WHERE merchant_id = ? AND break_glass <> (user_id = ANY(?::text[]::uuid[]))`, tx.Now(), merchantID,
		database.IDs(ids)).Error
}

func wrapped(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
