package mandate

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/token"
)

// Store is where mandates are kept, and what proves them.
type Store struct{ *database.DB }

var (
	// Table holds the mandates. Who gave one, to whom and for whom never changes. By it go the statements that travel with
	// what is charged or brought in; all else is GORM's.
	Table       = table.New[Mandate]("mandates")
	moveMandate = Table.Write(
		`UPDATE mandates SET @set WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")
)

// TableName implements GORM's Tabler.
func (Mandate) TableName() string { return "mandates" }

// TableName implements GORM's Tabler.
func (Replaced) TableName() string { return "mandates_replaced" }

// TableName implements GORM's Tabler.
func (Evidence) TableName() string { return "mandate_evidence" }

// TableName implements GORM's Tabler.
func (Authentication) TableName() string { return "mandate_authentications" }

// TableName implements GORM's Tabler.
func (Verification) TableName() string { return "account_verifications" }

// ofMandate is the scope of what belongs to a mandate.
func ofMandate(merchantID, mandateID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Where("merchant_id = ? AND mandate_id = ?", merchantID, mandateID)
	}
}

// Insert adds a mandate in this transaction.
func Insert(tx *database.Tx, m Mandate) { database.Insert(tx, Table, m) }

// Renew takes new details of a mandate that was never given, if it still stands in the
// state from; else the transaction ends with fault.ErrLost.
func Renew(tx *database.Tx, m Mandate, from State) { database.CompareAndSet(tx, moveMandate, m, from) }

// Save is Renew for a row that this transaction holds.
func Save(tx *database.Tx, m Mandate, from State) { database.Write(tx, moveMandate, m, from) }

// End ends a mandate whose token ends. The bank hears of it through the newest
// authentication, if there is one; no answer to it counts any more.
func End(tx *database.Tx, merchantID, id uuid.UUID, state State) {
	tx.Later(
		`UPDATE mandates SET state = $3, ended_at = $4, updated_at = $4
			WHERE merchant_id = $1 AND id = $2 AND state NOT IN ('cancelled', 'superseded')`,
		merchantID,
		id,
		string(state),
		tx.Now(),
	)
	tx.Later(`UPDATE mandate_authentications SET cancel_due = true,
		state = CASE WHEN state IN ('requested', 'sent', 'delivered') THEN 'withdrawn' ELSE state END
		WHERE merchant_id = $1 AND mandate_id = $2
		AND number = (SELECT max(number) FROM mandate_authentications WHERE mandate_id = $2)`, merchantID, id)
}

// Suspend suspends a usable mandate.
func Suspend(tx *database.Tx, merchantID, id uuid.UUID, code string) {
	tx.Later(`UPDATE mandates SET state = 'suspended', reason_code = $3, updated_at = $4
		WHERE merchant_id = $1 AND id = $2 AND state IN ('active', 'registered_unauthenticated')`, merchantID, id, code,
		tx.Now())
}

// Finish ends a usable mandate that has served its one debit. The bank knows by itself that a once-off
// mandate is done.
func Finish(tx *database.Tx, merchantID, id uuid.UUID, code string) {
	tx.Later(`UPDATE mandates SET state = 'cancelled', reason_code = $3, ended_at = $4, updated_at = $4
		WHERE merchant_id = $1 AND id = $2 AND state IN ('active', 'registered_unauthenticated')`, merchantID, id, code,
		tx.Now())
}

// CancelTold notes that the bank knows an authentication is not wanted any more; false when
// it was noted before.
func CancelTold(tx *database.Tx, id uuid.UUID) (bool, error) {
	told, err := database.Found(tx.Gorm().Model(&Authentication{ID: id}).Scopes(database.AcrossMerchants).
		Where("cancel_due").UpdateColumn("cancel_due", false))
	if err != nil {
		return false, fmt.Errorf("note a cancelled mandate: %w", err)
	}
	return told, nil
}

// Mandate finds one; NotFound for unknown ids and those of others.
func (s Store) Mandate(ctx context.Context, merchantID, id uuid.UUID) (m Mandate, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&m, "id = ?", id).Error
	return m, err
}

// lockMandate is Mandate, and keeps others from changing it.
func lockMandate(tx *database.Tx, merchantID, id uuid.UUID) (m Mandate, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&m, "id = ?", id).Error
	return m, err
}

// TokensWithMandates finds those of many tokens that there are and the mandates that they stand under, in no order,
// with the accounts still sealed.
func (s Store) TokensWithMandates(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) ([]token.Token, []Mandate, error) {
	if len(ids) == 1 {
		found, err := database.Kept[database.Lookups[database.Key, standing]](s.DB).Find(ctx,
			database.Key{MerchantID: merchantID, ID: ids[0]}, s.tokensStanding)
		return found.tokens, found.mandates, err
	}
	return s.tokensWithMandates(ctx, merchantID, ids)
}

func (s Store) tokensWithMandates(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) ([]token.Token, []Mandate, error) {
	const these = "merchant_id = $1 AND id = ANY($2)"
	return database.Both(ctx, s.DB, token.Table, these, Table,
		"merchant_id = $1 AND id = ANY(ARRAY(SELECT mandate_id FROM tokens WHERE "+these+"))", merchantID, ids)
}

// standing is a token with the mandate that it stands under, or nothing.
type standing struct {
	tokens   []token.Token
	mandates []Mandate
}

// tokensStanding finds tokens with their mandates by their keys, as one question.
func (s Store) tokensStanding(ctx context.Context, keys []database.Key) ([]standing, error) {
	if len(keys) == 1 {
		tokens, mandates, err := s.tokensWithMandates(ctx, keys[0].MerchantID, []uuid.UUID{keys[0].ID})
		return []standing{{tokens, mandates}}, err
	}
	const fromKeys = " FROM " + database.FromKeys + " JOIN tokens t ON t.merchant_id = key_merchant AND t.id = key_id"
	tokens, mandates, err := database.CollectBoth(ctx, s.DB,
		token.Table, "SELECT "+token.Table.Columns("t")+fromKeys+" ORDER BY key_order",
		Table, "SELECT "+Table.Columns("m")+fromKeys+
			" JOIN mandates m ON m.merchant_id = key_merchant AND m.id = t.mandate_id ORDER BY key_order",
		database.KeyArrays(keys)...)
	if err != nil {
		return nil, err
	}
	out, under := make([]standing, len(keys)), make([]database.Key, len(keys))
	for i, found := range database.PerKey(keys, tokens,
		func(t token.Token) database.Key { return database.Key{MerchantID: t.MerchantID, ID: t.ID} }) {
		if out[i].tokens = found; len(found) > 0 {
			under[i] = database.Key{MerchantID: found[0].MerchantID, ID: found[0].MandateID}
		}
	}
	for i, found := range database.PerKey(under, mandates,
		func(m Mandate) database.Key { return database.Key{MerchantID: m.MerchantID, ID: m.ID} }) {
		out[i].mandates = found
	}
	return out, nil
}

// MandatesByID finds those of many that there are, in no order.
func (s Store) MandatesByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (found []Mandate, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("id IN ?", ids).Find(&found).Error
	return found, err
}

// replacedTable, like the tables below, writes what travels with an account that is stored or with answers of the bank.
var replacedTable = table.New[Replaced]("mandates_replaced")

// InsertReplaced keeps a permission that another one takes the place of.
func InsertReplaced(tx *database.Tx, r Replaced) { database.Insert(tx, replacedTable, r) }

// ReplacedBy lists the permissions that a mandate took the place of, newest first.
func (s Store) ReplacedBy(ctx context.Context, merchantID, mandateID uuid.UUID) (found []Replaced, err error) {
	err = s.Gorm(ctx).Scopes(ofMandate(merchantID, mandateID)).Order("id DESC").Find(&found).Error
	return found, err
}

// InsertEvidence keeps a file that proves a mandate, with what waits: an import brings many. Scans show account numbers
// and are sealed.
func InsertEvidence(tx *database.Tx, e Evidence) {
	sealed := tx.DB().Seal.SealBytes(seal.PlaceOf("mandate_evidence", "content", e.MerchantID, e.ID), e.Content)
	tx.Later(`INSERT INTO mandate_evidence (id, merchant_id, mandate_id, name, content_type, size_bytes, sha256, content,
			created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, database.Native([]any{e.ID, e.MerchantID, database.OrNull(e.MandateID),
		e.Name, e.ContentType, e.SizeBytes, e.SHA256, sealed, e.CreatedAt})...)
}

// EvidenceOf lists the files that prove a mandate, without their content.
func (s Store) EvidenceOf(ctx context.Context, merchantID, mandateID uuid.UUID) (found []Evidence, err error) {
	err = s.Gorm(ctx).Scopes(ofMandate(merchantID, mandateID)).Omit("Content").Order("id").Find(&found).Error
	return found, err
}

// Evidence opens one file.
func (s Store) Evidence(ctx context.Context, merchantID, id uuid.UUID) (e Evidence, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&e, "id = ?", id).Error
	return e, err
}

var (
	// authentications holds how often clients were fromKeys.
	authentications    = table.New[Authentication]("mandate_authentications")
	saveAuthentication = authentications.Write(`UPDATE mandate_authentications
		SET @set(state, code, channel, cancel_due, sent_at, delivered_at, expires_at, answered_at)
		WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")
)

// InsertAuthentication adds one more time that the client is fromKeys.
func InsertAuthentication(tx *database.Tx, a Authentication) { database.Insert(tx, authentications, a) }

// SaveAuthentication writes what may change of an authentication that this
// transaction holds.
func SaveAuthentication(tx *database.Tx, a Authentication, from AuthState) {
	database.Write(tx, saveAuthentication, a, from)
}

// AuthenticationsOf lists how often the client was fromKeys, newest first.
func (s Store) AuthenticationsOf(ctx context.Context, merchantID,
	mandateID uuid.UUID) (found []Authentication, err error) {
	err = s.Gorm(ctx).Scopes(ofMandate(merchantID, mandateID)).Order("number DESC").Find(&found).Error
	return found, err
}

// AuthenticationsOfEach lists the same for each of some mandates.
func (s Store) AuthenticationsOfEach(ctx context.Context, merchantID uuid.UUID,
	mandateIDs []uuid.UUID) (map[uuid.UUID][]Authentication, error) {
	var found []Authentication
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).
		Where("mandate_id = ANY(?::uuid[])", database.IDs(mandateIDs)).Order("mandate_id, number DESC").Find(&found).Error
	of := map[uuid.UUID][]Authentication{}
	for _, a := range found {
		of[a.MandateID] = append(of[a.MandateID], a)
	}
	return of, err
}

var verificationTable = table.New("account_verifications", table.Column[Verification]{
	Name: "account_hash",
	Write: func(box *seal.Box, v *Verification) (any, error) {
		return token.HashOfAccount(box, v.MerchantID, v.BankCode, v.Account), nil
	},
})

// InsertVerification keeps what the bank said about an account. The number itself is not kept.
func InsertVerification(tx *database.Tx, v Verification) { database.Insert(tx, verificationTable, v) }

// VerificationsOf lists what the bank said about the account of a purchase, newest first.
func (s Store) VerificationsOf(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]Verification, error) {
	return s.verifications(ctx, merchantID, "purchase_id = ?", purchaseID)
}

// VerificationsOfClient gives what banks said about a client's accounts, newest first.
func (s Store) VerificationsOfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]Verification, error) {
	return s.verifications(ctx, merchantID, "client_id = ?", clientID)
}

func (s Store) verifications(ctx context.Context, merchantID uuid.UUID, which string,
	id uuid.UUID) (found []Verification, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where(which, id).Order("id DESC").Limit(50).
		Find(&found).Error
	return found, err
}
