package member

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// livesIn is a membership that lets its person come in.
const livesIn = `SELECT FROM memberships m WHERE m.user_id = u.id AND m.disabled_at IS NULL`

const memberColumns = `SELECT mb.user_id AS id, mb.merchant_id, u.email, u.name, mb.role,
	mb.grants, mb.batch_limit_cents,
	u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id) AS has_factor,
	mb.break_glass, mb.last_used_at,
	COALESCE(mb.disabled_at, u.disabled_at) AS disabled_at, mb.created_at AS joined_at
	FROM memberships mb JOIN users u ON u.id = mb.user_id WHERE `

// Store is where members and invitations are kept.
type Store struct{ *database.DB }

func members(by *gorm.DB, which string, args ...any) *gorm.DB {
	return by.Raw(memberColumns+which, args...)
}

// Members are all people of the business, by name.
func (s Store) Members(ctx context.Context, merchantID uuid.UUID) (found []Member, err error) {
	err = members(s.Gorm(ctx), `mb.merchant_id = ? ORDER BY lower(COALESCE(NULLIF(u.name, ''), u.email)), u.id`,
		merchantID).Find(&found).Error
	return found, err
}

// Member finds one; NotFound for nobody of this business.
func (s Store) Member(ctx context.Context, merchantID, userID uuid.UUID) (m Member, err error) {
	err = members(s.Gorm(ctx), `mb.merchant_id = ? AND mb.user_id = ?`, merchantID, userID).Take(&m).Error
	return m, err
}

// holdMembers locks all members of the merchant, and the sessions of one of them, until
// the transaction ends: who changes one sees all others as they are. Sessions come
// before memberships, as in TouchSession, so that neither waits for the other in a
// circle.
func holdMembers(tx *database.Tx, merchantID, userID uuid.UUID) (found []Member, err error) {
	err = tx.Gorm().Exec(`SELECT FROM sessions WHERE user_id = ? ORDER BY id_hash FOR UPDATE`, userID).Error
	if err != nil {
		return nil, err
	}
	err = members(tx.Gorm(), `mb.merchant_id = ? ORDER BY mb.user_id FOR UPDATE OF mb`, merchantID).Find(&found).Error
	return found, err
}

// Hold finds a member and keeps the membership as it is until the transaction ends; NotFound for nobody of this
// business.
func Hold(tx *database.Tx, merchantID, userID uuid.UUID) (m Member, err error) {
	err = members(tx.Gorm(), `mb.merchant_id = ? AND mb.user_id = ? FOR SHARE OF mb`, merchantID, userID).Take(&m).Error
	return m, err
}

// AccountOf tells whose account an e-mail address is; belongs is false when no business
// lets the person in any more. NotFound when there is none.
func (s Store) AccountOf(ctx context.Context, email string) (id uuid.UUID, belongs bool, err error) {
	var account struct {
		ID      uuid.UUID
		Belongs bool
	}
	err = s.Gorm(ctx).Raw(`SELECT u.id, u.disabled_at IS NULL AND EXISTS (`+livesIn+
		`) AS belongs FROM users u WHERE lower(u.email) = lower(trim(?))`, email).Take(&account).Error
	if err != nil && !fault.Is(err, fault.NotFound) {
		err = fmt.Errorf("find account: %w", err)
	}
	return account.ID, account.Belongs, err
}

// setTerms changes what a member may do. Users.role is what a process of the release
// before reads.
func setTerms(tx *database.Tx, merchantID, userID uuid.UUID, terms Terms) {
	tx.Exec(`UPDATE memberships SET role = ?, grants = ?, batch_limit_cents = ?, updated_at = ?
		WHERE merchant_id = ? AND user_id = ?`, terms.Role, grantsJSON(terms.Grants), terms.BatchLimitCents, tx.Now(),
		merchantID, userID)
	tx.Exec(`UPDATE users SET role = ?, updated_at = ? WHERE merchant_id = ? AND id = ?`, terms.Role, tx.Now(),
		merchantID, userID)
}

// disableMember keeps somebody out and ends their sessions in that business.
func disableMember(tx *database.Tx, merchantID, userID uuid.UUID, at time.Time) {
	endSessionsIn(tx, merchantID, userID)
	tx.Exec(`UPDATE memberships SET disabled_at = ?, updated_at = ? WHERE merchant_id = ? AND user_id = ?`, at, at,
		merchantID, userID)
	leaves(tx, userID)
}

func enableMember(tx *database.Tx, merchantID, userID uuid.UUID) {
	tx.Exec(`UPDATE memberships SET disabled_at = NULL, updated_at = ? WHERE merchant_id = ? AND user_id = ?`, tx.Now(),
		merchantID, userID)
	comesBack(tx, merchantID, userID)
}

// removeMember ends a membership and its sessions.
func removeMember(tx *database.Tx, merchantID, userID uuid.UUID) {
	endSessionsIn(tx, merchantID, userID)
	tx.Exec(`DELETE FROM memberships WHERE merchant_id = ? AND user_id = ?`, merchantID, userID)
	leaves(tx, userID)
}

// addMember makes a person a member; one who belonged nowhere any more is back. used is
// when the person came in; zero for not yet.
func addMember(tx *database.Tx, merchantID, userID uuid.UUID, terms Terms, used time.Time) {
	tx.Exec(`INSERT INTO memberships (user_id, merchant_id, role, grants, batch_limit_cents, last_used_at, created_at,
			updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, merchant_id) DO UPDATE
		SET role = excluded.role, grants = excluded.grants, batch_limit_cents = excluded.batch_limit_cents,
			last_used_at = excluded.last_used_at, updated_at = excluded.updated_at`, userID, merchantID, terms.Role,
		grantsJSON(terms.Grants), terms.BatchLimitCents, database.OrNull(used), tx.Now(), tx.Now())
	comesBack(tx, merchantID, userID)
}

// takeBack gives somebody who belongs nowhere any more a new name and password; false
// when they do belong somewhere.
func takeBack(tx *database.Tx, userID uuid.UUID, name, passwordHash string, at time.Time) (bool, error) {
	taken, err := database.Found(tx.Gorm().Exec(`UPDATE users u SET name = ?, password_hash = ?, password_changed_at = ?,
			updated_at = ?
		WHERE id = ? AND (u.disabled_at IS NOT NULL OR NOT EXISTS (`+livesIn+`))`, name, passwordHash,
		database.Instant(at), tx.Now(), userID))
	if err != nil {
		return false, fmt.Errorf("take a person back: %w", err)
	}
	return taken, nil
}

func endSessionsIn(tx *database.Tx, merchantID, userID uuid.UUID) {
	tx.Exec(`DELETE FROM sessions s USING users u WHERE u.id = s.user_id AND s.user_id = ?
		AND COALESCE(s.merchant_id, u.merchant_id) = ?`, userID, merchantID)
}

// leaves disables whom no business lets in any more altogether, and else makes another
// business the first one: a process of the release before reads both.
func leaves(tx *database.Tx, userID uuid.UUID) {
	tx.Exec(`UPDATE users u SET disabled_at = ?, updated_at = ? WHERE id = ? AND disabled_at IS NULL AND NOT EXISTS (`+
		livesIn+`)`, tx.Now(), tx.Now(), userID)
	tx.Exec(`UPDATE users u SET merchant_id = o.merchant_id, role = o.role, updated_at = ?
		FROM (SELECT * FROM memberships WHERE user_id = ? AND disabled_at IS NULL
		ORDER BY last_used_at DESC NULLS LAST, created_at LIMIT 1) o
		WHERE u.id = o.user_id AND NOT EXISTS (`+livesIn+` AND m.merchant_id = u.merchant_id)`, tx.Now(), userID)
}

// comesBack undoes leaves for whom a business lets in.
func comesBack(tx *database.Tx, merchantID, userID uuid.UUID) {
	tx.Exec(`UPDATE users u SET disabled_at = NULL, updated_at = ?, merchant_id = o.merchant_id, role = o.role
			FROM memberships o
		WHERE u.id = ? AND o.user_id = u.id AND o.merchant_id = ?
		AND (u.disabled_at IS NOT NULL OR NOT EXISTS (`+livesIn+` AND m.merchant_id = u.merchant_id))`, tx.Now(), userID,
		merchantID)
}

// grantsJSON writes actions and yes or no, which always encode.
func grantsJSON(g actor.Grants) string {
	if len(g) == 0 {
		return "{}"
	}
	b, _ := json.Marshal(g)
	return string(b)
}

// TableName implements GORM's Tabler.
func (Invitation) TableName() string { return "invitations" }

// invited is an invitation with the hash of its token.
type invited struct {
	Invitation
	TokenHash []byte
}

// insertInvitation refuses a second open one to the same address.
func insertInvitation(tx *database.Tx, i Invitation, tokenHash []byte) error {
	switch err := tx.Gorm().Create(&invited{i, tokenHash}).Error; {
	case database.Violates(err, "invitations_open"):
		return fault.At("email", "already_invited",
			"This address is already invited. Send that invitation again, or revoke it first.")
	case err != nil:
		return fmt.Errorf("add invitation: %w", err)
	}
	return nil
}

// open is the scope of invitations that nobody accepted or revoked.
func open(db *gorm.DB) *gorm.DB { return db.Where("accepted_at IS NULL AND revoked_at IS NULL") }

// renewInvitation gives an open one a new token, its new end and one mail more; false
// when it is not open, or was mailed meanwhile.
func renewInvitation(tx *database.Tx, i Invitation, tokenHash []byte) (bool, error) {
	return database.Found(tx.Gorm().Model(&i).Scopes(database.OfMerchant(i.MerchantID), open).
		Where("mail_count = ?", i.MailCount-1).
		UpdateColumns(map[string]any{"token_hash": tokenHash, "expires_at": database.Instant(i.ExpiresAt),
			"mail_count": i.MailCount}))
}

func revokeInvitation(tx *database.Tx, merchantID, id uuid.UUID, at time.Time) (bool, error) {
	return database.Found(tx.Gorm().Model(&Invitation{}).Scopes(database.OfMerchant(merchantID), open).
		Where("id = ?", id).UpdateColumn("revoked_at", database.Instant(at)))
}

// useInvitation takes an invitation that is open at that moment; false when another
// took it. Who has the token has been invited, by whichever business.
func useInvitation(tx *database.Tx, id uuid.UUID, tokenHash []byte, at time.Time) (bool, error) {
	at = database.Instant(at)
	return database.Found(tx.Gorm().Model(&Invitation{}).Scopes(database.AcrossMerchants, open).
		Where("id = ? AND token_hash = ? AND expires_at > ?", id, tokenHash, at).UpdateColumn("accepted_at", at))
}

// Invitations that were not accepted, the newest first.
func (s Store) Invitations(ctx context.Context, merchantID uuid.UUID) (found []Invitation, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID), open).Order("id DESC").Find(&found).Error
	return found, err
}

func (s Store) Invitation(ctx context.Context, merchantID, id uuid.UUID) (i Invitation, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&i, "id = ?", id).Error
	return i, err
}

// InvitationByToken finds one of any business; NotFound when there is none.
func (s Store) InvitationByToken(ctx context.Context, tokenHash []byte) (i Invitation, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Take(&i, "token_hash = ?", tokenHash).Error
	return i, err
}

// OneByOne lets what a person does in a business happen one after the other, until the transaction ends.
func OneByOne(tx *database.Tx, merchantID, userID uuid.UUID) error {
	return tx.Gorm().Exec(`SELECT 1 FROM memberships WHERE merchant_id = ? AND user_id = ? FOR NO KEY UPDATE`, merchantID,
		userID).Error
}
