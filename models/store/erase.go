package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
)

// ofClient are the purchases of a client (@m merchant, @c client). A purchase that
// was made without a client record, but in the same name and with the same e-mail
// address, is the same person's.
const ofClient = `(SELECT id FROM purchases WHERE merchant_id = @m AND client_id = @c
	UNION SELECT id FROM purchases WHERE merchant_id = @m AND client_id IS NULL AND @email <> '' AND @name <> ''
		AND search @@ @words::tsquery AND lower(payer_email) = @email AND lower(payer_name) = @name)`

const aboutErasure = `WITH mine AS MATERIALIZED ` + ofClient + `,
	debits AS MATERIALIZED (SELECT state, final_at, action_date FROM collections WHERE merchant_id = @m AND purchase_id IN (SELECT id FROM mine))
	SELECT (SELECT count(*) FROM mine),
		(SELECT count(*) FROM mails WHERE merchant_id = @m AND (client_id = @c OR purchase_id IN (SELECT id FROM mine))),
		(SELECT count(*) FROM mandates WHERE merchant_id = @m AND id IN (SELECT id FROM mine)),
		(SELECT count(*) FROM invoices WHERE merchant_id = @m AND purchase_id IN (SELECT id FROM mine)),
		(SELECT count(*) FROM debits WHERE state IN ('submitted', 'in_tracking', 'provisional')),
		(SELECT count(*) FROM debits WHERE state = 'scheduled'),
		(SELECT CASE WHEN bool_and(final_at IS NOT NULL) THEN max((final_at AT TIME ZONE 'Africa/Johannesburg')::date) END FROM debits WHERE state IN ('submitted', 'in_tracking', 'provisional')),
		(SELECT count(*) FROM debits WHERE state = 'disputed'),
		(SELECT count(*) FROM refunds WHERE merchant_id = @m AND state = 'pending' AND purchase_id IN (SELECT id FROM mine)),
		COALESCE((SELECT max(action_date) FROM debits WHERE state NOT IN ('cancelled', 'recalled')),
			(SELECT max(day) FROM (
				SELECT (created_at AT TIME ZONE 'Africa/Johannesburg')::date AS day FROM mandates WHERE merchant_id = @m AND id IN (SELECT id FROM mine)
				UNION ALL SELECT issued FROM invoices WHERE merchant_id = @m AND purchase_id IN (SELECT id FROM mine)) AS kept))`

func erasureArgs(c client.Client) pgx.NamedArgs {
	return pgx.NamedArgs{"m": c.MerchantID.String(), "c": c.ID.String(), "email": strings.ToLower(c.Email), "name": strings.ToLower(c.FullName), "words": searchQuery(c.Email),
		"erased": client.ErasedName, "payer": erasedPayer()}
}

func erasedPayer() string {
	text, _ := json.Marshal(client.Details{FullName: client.ErasedName}) // texts
	return string(text)
}

func readErasure(c client.Client, row pgx.Row) (client.Erasure, error) {
	e := client.Erasure{Client: c}
	var end, last *calendar.Date
	err := row.Scan(&e.Purchases, &e.Mails, &e.Mandates, &e.Invoices, &e.AtBank, &e.Waiting, &end, &e.Disputes, &e.Refunds, &last)
	if err != nil {
		return e, fmt.Errorf("look at what an erasure is about: %w", err)
	}
	e.AtBankEnd, e.LastDebit = orZero(end), orZero(last)
	return e, nil
}

// Erasure implements client.Reader.
func (s *Store) Erasure(ctx context.Context, merchantID, id uuid.UUID) (client.Erasure, error) {
	c, err := one(ctx, s, clientTable, "merchant_id = $1 AND id = $2", merchantID, id)
	if err != nil {
		return client.Erasure{}, err
	}
	return readErasure(c, s.Pool.QueryRow(ctx, aboutErasure, erasureArgs(c)))
}

// Erasure implements client.Tx.
func (t *Tx) Erasure(merchantID, id uuid.UUID) (e client.Erasure, err error) {
	c, err := t.LockAnyClient(merchantID, id)
	if err != nil {
		return e, err
	}
	err = t.Pgx(func(tx pgx.Tx) error {
		e, err = readErasure(c, tx.QueryRow(t.ctx, aboutErasure, erasureArgs(c)))
		return err
	})
	return e, err
}

// EraseClient implements client.Tx. A test plants a client with words of its own and
// looks through every table: a new one that keeps them must be named in erasing.
func (t *Tx) EraseClient(c client.Client) error {
	before, err := t.LockAnyClient(c.MerchantID, c.ID)
	if err != nil {
		return err
	}
	if err := t.Pgx(func(tx pgx.Tx) error { return t.eraseRows(tx, before) }); err != nil {
		return err
	}
	erased := client.Client{ID: c.ID, MerchantID: c.MerchantID, Details: client.Details{FullName: client.ErasedName}, UpdatedAt: t.now}
	found, err := moved(t, eraseClient, erased, orNull(c.EvidenceUntil))
	if err == nil && !found {
		err = fault.ErrLost
	}
	return err
}

// saidOf is what gives a person away in texts of others: the log of requests, answers
// of endpoints.
func saidOf(c client.Client) []string {
	said := []string{c.ID.String()}
	for _, word := range []string{c.Email, c.Phone, c.FullName, c.LegalName} {
		if len(word) >= 5 { // shorter ones are in everybody's texts
			said = append(said, strings.ToLower(word))
		}
	}
	return said
}

// dropping removes what the law kept of erased clients: @ids are the clients.
var dropping = []struct{ table, sql string }{
	{"mandate_evidence", `DELETE FROM mandate_evidence WHERE mandate_id IN (SELECT id FROM mandates WHERE client_id = ANY(@ids::uuid[]))`},
	{"account_verifications", `DELETE FROM account_verifications WHERE client_id = ANY(@ids::uuid[]) OR purchase_id IN (SELECT id FROM mandates WHERE client_id = ANY(@ids::uuid[]))`},
	{"mandates", `UPDATE mandates SET holder_name = @erased, account_mask = '', bank_code = '', consent_text = '', consent_ip = '', consent_agent = '' WHERE client_id = ANY(@ids::uuid[])`},
	{"tokens", `UPDATE tokens SET account_mask = '', bank_code = '' WHERE client_id = ANY(@ids::uuid[])`},
	{"invoices", `UPDATE invoices SET particulars = jsonb_set(particulars, '{recipient}', jsonb_build_object('name', @erased::text)) WHERE client_id = ANY(@ids::uuid[])`},
	{"clients", `UPDATE clients SET evidence_until = NULL WHERE id = ANY(@ids::uuid[])`},
}

// DropEvidence implements client.Evidence.
func (s *Store) DropEvidence(ctx context.Context, today calendar.Date) (n int, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		args := pgx.NamedArgs{"today": today.String(), "erased": client.ErasedName}
		ids, err := idsOf(ctx, tx, `SELECT id::text FROM clients WHERE evidence_until < @today::date ORDER BY evidence_until LIMIT 100 FOR UPDATE SKIP LOCKED`, args)
		if n = len(ids); err != nil || n == 0 {
			return err
		}
		args["ids"] = ids
		for _, d := range dropping {
			if _, err := tx.Exec(ctx, d.sql, args); err != nil {
				return fmt.Errorf("drop from %s: %w", d.table, err)
			}
		}
		return nil
	})
	return n, err
}
