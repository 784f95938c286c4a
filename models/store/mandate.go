package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/mandate"
)

// Who gave a mandate, to whom and for whom never changes.
var (
	mandateTable = table.New[mandate.Mandate]("mandates")
	moveMandate  = mandateTable.Write(
		`UPDATE mandates SET @set WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")
)

// InsertMandate implements purchase.Tx.
func (t *Tx) InsertMandate(m mandate.Mandate) { database.Insert(t.Tx, mandateTable, m) }

// RenewMandate implements purchase.Tx.
func (t *Tx) RenewMandate(m mandate.Mandate, from mandate.State) {
	database.MustChange(t.Tx, moveMandate, m, from)
}

// SaveMandate is RenewMandate for a row that this transaction holds.
func (t *Tx) SaveMandate(m mandate.Mandate, from mandate.State) {
	database.Write(t.Tx, moveMandate, m, from)
}

// EndMandate implements purchase.Tx. The bank hears of it through the newest
// authentication, if there is one; no answer to it counts any more.
func (t *Tx) EndMandate(merchantID, id uuid.UUID, state mandate.State) {
	t.Later(
		`UPDATE mandates SET state = $3, ended_at = $4, updated_at = $4 WHERE merchant_id = $1 AND id = $2 AND state NOT IN ('cancelled', 'superseded')`,
		merchantID, id, string(state), t.Now())
	t.Later(`UPDATE mandate_authentications SET cancel_due = true,
		state = CASE WHEN state IN ('requested', 'sent', 'delivered') THEN 'withdrawn' ELSE state END
		WHERE merchant_id = $1 AND mandate_id = $2 AND number = (SELECT max(number) FROM mandate_authentications WHERE mandate_id = $2)`, merchantID, id)
}

// Mandate implements purchase.Reader.
func (s *Store) Mandate(ctx context.Context, merchantID, id uuid.UUID) (mandate.Mandate, error) {
	return database.One(ctx, s.DB, mandateTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// MandatesByID implements purchase.Reader.
func (s *Store) MandatesByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]mandate.Mandate, error) {
	return database.All(ctx, s.DB, mandateTable, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
}

var evidenceTable = table.New("mandate_evidence", table.Column[mandate.Evidence]{
	Name: "content",
	Write: func(box *seal.Box, e *mandate.Evidence) (any, error) {
		return box.SealBytes(seal.PlaceOf("mandate_evidence", "content", e.MerchantID, e.ID), e.Content), nil
	},
	Read: func(box *seal.Box, e *mandate.Evidence, stored []byte) (err error) {
		e.Content, err = box.OpenBytes(seal.PlaceOf("mandate_evidence", "content", e.MerchantID, e.ID), stored)
		return err
	},
})

// InsertEvidence implements purchase.Tx. Scans show account numbers and are sealed.
func (t *Tx) InsertEvidence(e mandate.Evidence) { database.Insert(t.Tx, evidenceTable, e) }

// EvidenceOf lists the files that prove a mandate, without their content.
func (s *Store) EvidenceOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]mandate.Evidence, error) {
	of := database.List(ctx, s.DB, evidenceTable, "content").Where("merchant_id = ? AND mandate_id = ?", merchantID, mandateID)
	return database.Find(ctx, s.DB, evidenceTable, of.Order("id"))
}

// Evidence opens one file.
func (s *Store) Evidence(ctx context.Context, merchantID, id uuid.UUID) (mandate.Evidence, error) {
	return database.One(ctx, s.DB, evidenceTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

var (
	authenticationTable = table.New[mandate.Authentication]("mandate_authentications")
	saveAuthentication  = authenticationTable.Write(`UPDATE mandate_authentications
		SET @set(state, code, channel, cancel_due, sent_at, delivered_at, expires_at, answered_at) WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")
)

// InsertAuthentication implements purchase.Tx.
func (t *Tx) InsertAuthentication(a mandate.Authentication) {
	database.Insert(t.Tx, authenticationTable, a)
}

// SaveAuthentication writes what may change of an authentication that this
// transaction holds.
func (t *Tx) SaveAuthentication(a mandate.Authentication, from mandate.AuthState) {
	database.Write(t.Tx, saveAuthentication, a, from)
}

// AuthenticationsOf implements purchase.Reader and mandate.Reader.
func (s *Store) AuthenticationsOf(ctx context.Context, merchantID,
	mandateID uuid.UUID) ([]mandate.Authentication, error) {
	return database.All(ctx, s.DB, authenticationTable, "merchant_id = $1 AND mandate_id = $2 ORDER BY number DESC", merchantID,
		mandateID)
}

// DebitsUnder implements purchase.Reader.
func (s *Store) DebitsUnder(ctx context.Context, merchantID, mandateID uuid.UUID) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM collections WHERE merchant_id = $1 AND mandate_id = $2
		AND `+standing, merchantID, mandateID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count debits under a mandate: %w", err)
	}
	return n, nil
}

// standing: a debit that is under way or was collected, and did not fail; as the
// index collections_once says it.
const standing = `state NOT IN ('unpaid', 'cancelled', 'recalled', 'dispute_lost')`

// DebitsNear implements purchase.Reader.
func (s *Store) DebitsNear(ctx context.Context, merchantID uuid.UUID, mandateIDs []uuid.UUID, from,
	to calendar.Date) (map[uuid.UUID][]mandate.Day, error) {
	out := map[uuid.UUID][]mandate.Day{}
	if len(mandateIDs) == 0 {
		return out, nil
	}
	rows, err := s.Pool.Query(ctx,
		`SELECT mandate_id, original_date, action_date FROM collections WHERE merchant_id = $1 AND mandate_id = ANY($2)
		AND (once_off OR action_date BETWEEN $3 AND $4) AND `+standing, merchantID, mandateIDs, from, to)
	if err != nil {
		return nil, fmt.Errorf("find debits under mandates: %w", err)
	}
	var id uuid.UUID
	var d mandate.Day
	_, err = pgx.ForEachRow(rows, []any{&id, &d.Due, &d.Action}, func() error {
		out[id] = append(out[id], d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find debits under mandates: %w", err)
	}
	return out, nil
}

// DebitsBefore implements purchase.Reader.
func (s *Store) DebitsBefore(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID][]mandate.Day, error) {
	rows, err := s.Pool.Query(ctx, `SELECT own.id, collections.original_date, collections.action_date FROM collections own
		JOIN collections ON collections.merchant_id = own.merchant_id AND collections.mandate_id = own.mandate_id
			AND (collections.created_at, collections.id) < (own.created_at, own.id)
			AND collections.action_date BETWEEN own.action_date - $3::int AND own.action_date + $3::int AND collections.`+
		standing+`
		WHERE own.merchant_id = $1 AND own.id = ANY($2)`, merchantID, ids, mandate.PeriodReach)
	if err != nil {
		return nil, fmt.Errorf("find debits before others: %w", err)
	}
	out := map[uuid.UUID][]mandate.Day{}
	var id uuid.UUID
	var d mandate.Day
	_, err = pgx.ForEachRow(rows, []any{&id, &d.Due, &d.Action}, func() error {
		out[id] = append(out[id], d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find debits before others: %w", err)
	}
	return out, nil
}

// HoldDebits implements purchase.Tx. Debits of one mandate begin one after the
// other: the second waits for the first, and then finds it.
func (t *Tx) HoldDebits(merchantID, mandateID uuid.UUID, from, to calendar.Date, seen int) {
	t.Must(`SELECT count(*) FROM (SELECT 1 FROM mandates WHERE merchant_id = $1 AND id = $2 FOR NO KEY UPDATE) AS held`,
		merchantID, mandateID)
	t.Must(`SELECT CASE WHEN count(*) = $5 THEN 1 ELSE 0 END FROM collections WHERE merchant_id = $1 AND mandate_id = $2
		AND action_date BETWEEN $3 AND $4 AND `+standing, merchantID, mandateID, from, to, seen)
}

var verificationTable = table.New("account_verifications", table.Column[mandate.Verification]{
	Name: "account_hash",
	Write: func(box *seal.Box, v *mandate.Verification) (any, error) {
		return hashOfAccount(box, v.MerchantID, v.BankCode, v.Account), nil
	},
})

// hashOfAccount finds an account at its bank without its number.
func hashOfAccount(box *seal.Box, merchantID uuid.UUID, bankCode string, number bank.AccountNumber) []byte {
	return box.Hash(merchantID, "account", bankCode+"/"+number.Reveal())
}

// InsertVerification implements purchase.Tx. The number itself is not kept.
func (t *Tx) InsertVerification(v mandate.Verification) { database.Insert(t.Tx, verificationTable, v) }

// VerificationsOf implements mandate.Reader.
func (s *Store) VerificationsOf(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]mandate.Verification, error) {
	return database.All(ctx, s.DB, verificationTable, "merchant_id = $1 AND purchase_id = $2 ORDER BY id DESC LIMIT 50", merchantID,
		purchaseID)
}

// VerificationsOfClient implements mandate.Lister.
func (s *Store) VerificationsOfClient(ctx context.Context, merchantID,
	clientID uuid.UUID) ([]mandate.Verification, error) {
	return database.All(ctx, s.DB, verificationTable, "merchant_id = $1 AND client_id = $2 ORDER BY id DESC LIMIT 50", merchantID,
		clientID)
}
