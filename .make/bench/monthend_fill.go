package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/keyfile"
)

// monthDay are the moments of debits that are due on one day.
type monthDay struct{ submit, answer, final time.Time }

// plan makes 20 000 clients, each with an account and a purchase that is debited in a month: copies of one that went
// through the API, straight in the tables.
func (s *server) plan(ctx context.Context) (day monthDay, err error) {
	now, err := s.clock()
	if err != nil {
		return day, err
	}
	var client, token, charged struct{ ID string }
	if err := s.post("/api/v1/clients/", fmt.Sprintf(`{"email":"month%s@example.com","full_name":"Sipho Ndlovu",
		"bank_account":"4000000000","bank_code":"632005"}`, now.Format("20060102")), &client); err != nil {
		return day, err
	}
	if err := s.post("/api/v1/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"Store","price":0}],"payment_method_details":{"direct_debit":{"deduction_day":1}}}}`,
		client.ID, s.cast.BrandID), &token); err != nil {
		return day, err
	}
	if err := s.post("/api/v1/purchases/", s.purchase(client.ID, now.AddDate(0, 0, 28).Unix()), &charged); err != nil {
		return day, err
	}
	if err := s.post("/api/v1/purchases/"+charged.ID+"/charge/", `{"recurring_token":"`+token.ID+`"}`,
		new(struct{})); err != nil {
		return day, err
	}
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return day, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var action time.Time
	err = conn.QueryRow(ctx, `SELECT submit_at, final_at, action_date FROM collections
		WHERE purchase_id = $1`, charged.ID).Scan(
		&day.submit, &day.final, &action)
	if err != nil {
		return day, err
	}
	day.answer = calendar.DateOf(action.Add(12*time.Hour)).At(23, 59)
	return day, s.multiply(ctx, conn, token.ID, charged.ID, now)
}

// clock is the moment at which the sandbox stands.
func (s *server) clock() (time.Time, error) {
	var at struct{ Now int64 }
	r, err := http.NewRequest(http.MethodGet, s.base+"/sandbox/clock", nil)
	if err != nil {
		return time.Time{}, err
	}
	r.Header.Set("Authorization", "Bearer "+s.cast.Token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = res.Body.Close() }()
	err = json.NewDecoder(res.Body).Decode(&at)
	return time.Unix(at.Now, 0).UTC(), err
}

// multiply copies a client, a token with its mandate, and a purchase with its debit. An account number opens in its own
// row alone, so each is sealed anew.
func (s *server) multiply(ctx context.Context, conn *pgx.Conn, tokenID, purchaseID string, now time.Time) error {
	keys, err := keyfile.Open("", filepath.Join(s.folder, "data"))
	if err != nil {
		return err
	}
	box, err := keys.Box()
	if err != nil {
		return err
	}
	merchantID, err := uuid.Parse(s.cast.MerchantID)
	if err != nil {
		return err
	}
	n := monthDebits - 1
	clients, tokens, debits, owed := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	sealed, hashes := make([][]byte, n), make([][]byte, n)
	for i := range n {
		at := now.Add(time.Duration(i) * time.Microsecond)
		token := database.NewID(at)
		number := fmt.Sprintf("4%02d%05d0000", now.Unix()/86_400%100, i)[:12]
		clients[i], tokens[i] = database.NewID(at).String(), token.String()
		debits[i], owed[i] = database.NewID(at).String(), database.NewID(at).String()
		sealed[i] = box.Seal(seal.PlaceOf("tokens", "account_sealed", merchantID, token), number)
		hashes[i] = box.Hash(merchantID, "account", number)
	}
	copies := func(table, columns, from, changes string) string {
		return `INSERT INTO ` + table + ` (` + columns + `) SELECT (r).` + strings.ReplaceAll(columns, ", ", ", (r).") +
			` FROM (SELECT jsonb_populate_record(p, jsonb_build_object(` + changes + `)) AS r
			FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[], $5::bytea[], $6::uuid[]) WITH ORDINALITY
			AS u (token, debit, owed, sealed, hash, client, n),
			(SELECT q FROM ` + table + ` AS q WHERE ` + from + `) AS one(p)) AS made`
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		token, debit := "id = '"+tokenID+"'", "purchase_id = '"+purchaseID+"'"
		for _, c := range []struct{ table, from, changes string }{
			{"clients", "id = (SELECT client_id FROM tokens WHERE " + token + ")", "'id', u.client, " +
				"'email', 'm' || u.n || (p).email, 'bank_account_sealed', NULL, 'bank_account_hash', NULL"},
			{"mandates", token, "'id', u.token, 'client_id', u.client, 'contract_reference', 'M" +
				strconv.FormatInt(now.Unix()/86_400%1_000, 10) + "X' || u.n"},
			{"tokens", token, "'id', u.token, 'client_id', u.client, 'mandate_id', u.token, 'account_sealed', u.sealed, " +
				"'account_hash', u.hash"},
			{"purchases", "id = '" + purchaseID + "'", "'id', u.owed, 'client_id', u.client, 'token_id', u.token, " +
				"'payer_sealed', NULL, 'reference_generated', (p).reference_generated || 'M' || u.n"},
			{"collections", debit, "'id', u.debit, 'purchase_id', u.owed, 'client_id', u.client, 'token_id', u.token, " +
				"'mandate_id', u.token"},
		} {
			var columns string
			if err := tx.QueryRow(ctx, `SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute
				WHERE attrelid = $1::regclass
				AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, c.table).Scan(&columns); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, copies(c.table, columns, c.from, c.changes), tokens, debits, owed,
				sealed, hashes, clients); err != nil {
				return fmt.Errorf("copy %s: %w", c.table, err)
			}
			if _, err := tx.Exec(ctx, "ANALYZE "+c.table); err != nil { // as it would be by the day on which they are due
				return err
			}
		}
		return nil
	})
}
