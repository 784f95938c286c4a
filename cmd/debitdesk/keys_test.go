package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/database/seal"
	"debitdesk/models/keyfile"
	"debitdesk/models/merchant"
	"debitdesk/models/upkeep"
)

// otherBytes are the columns of bytes that are not sealed: hashes, public things
// and files that hold masks alone. Every other one must be re-sealed.
var otherBytes = []string{
	"sessions.id_hash",
	"first_links.token_hash",
	"issuer_once.hash",
	"credentials.secret_hash",
	"idempotency_keys.fingerprint",
	"idempotency_keys.body",
	"clients.bank_account_hash",
	"api_request_bodies.packed",
	"clients.personal_code_hash",
	"mandate_evidence.sha256",
	"brand_logos.picture",
	"tokens.account_hash",
	"bank_messages.raw",
	"batches.header_hash",
	"batches.content_hash",
	"batch_rows.same_hash",
	"batch_rows.client_hash",
	"batch_rows.digest",
	"batches.fingerprint",
	"batch_mappings.header_hash",
	"book_imports.header_hash",
	"book_imports.content_hash",
	"book_imports.fingerprint",
	"book_import_rows.digest",
	"book_scans.sha256",
	"book_mappings.header_hash",
	"audit_links.hash",
	"audit_heads.hash",
	"audit_heads.signature",
	"audit_bases.hash",
	"audit_bases.signature",
	"audit_trees.root",
	"audit_tiles.hashes",
	"recovery_codes.code_hash",
	"passkeys.id",
	"invitations.token_hash",
	"account_verifications.account_hash",
	"sandbox_instructions.account_hash",
	"password_resets.token_hash",
	"client_page_links.token_hash",
	"client_page_sessions.token_hash",
	"client_page_acts.code_hash",
	"sms_addresses.token_hash",
	"company_statements.file",
	"bank_files_out.sha256",
	"bank_files_in.sha256",
	"bank_files_in.content_sha256",
	"bank_entries.account_hash",
	"bank_answers.raw",
	"bank_statements.account_hash",
	"selections.chosen",
	"selections.excluded", // ids
	"kept_forms.sealed",   // and gone within the hour
}

func TestANewKeySealsEverythingWhileTheProductServes(t *testing.T) {
	t.Parallel()
	env := demoOn(t, 26)
	c, err := ReadConfig(env)
	must(t, err)
	server, err := Open(t.Context(), c, opening{log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		baseURL: "http://127.0.0.1:1"}) // knows the old key alone
	must(t, err)
	defer func() { must(t, server.Close()) }()
	old := server.box.Newest()

	rotated := typed(t, env, "", "keys", "rotate")
	if rotated.code != exitOK || !strings.Contains(rotated.out, "everything is sealed with") {
		t.Fatalf("%+v", rotated)
	}
	set, err := keyfile.Load(filepath.Join(env["DEBITDESK_DATA"], keyfile.Name))
	must(t, err)
	if len(set.Sealing) != 2 || set.Sealing[1].ID != old {
		t.Fatalf("%d keys", len(set.Sealing))
	}
	by := sealedBy(t, server)
	for column, keys := range by {
		if slices.ContainsFunc(keys, func(k string) bool { return k != set.Sealing[0].ID }) &&
			column != "idempotency_keys.body" {
			t.Errorf("%s is sealed with %v", column, keys)
		}
	}
	if len(by["clients.bank_account_sealed"]) == 0 || len(by["tokens.account_sealed"]) == 0 ||
		len(by["purchases.payer_sealed"]) == 0 {
		t.Errorf("nothing was looked at: %v", by)
	}
	readable(t, server) // it has not looked at the key file since

	_, err = server.Store.Pool.Exec(t.Context(), `INSERT INTO idempotency_keys (merchant_id, is_test, key, fingerprint,
			status, body, stored_at) SELECT merchant_id, true, 'k', '\x00', 200, $1, now() FROM clients LIMIT 1`,
		asSealedBy(old))
	must(t, err)
	const stays = "answers to requests of the last two days; they are dropped after that"
	for command, want := range map[string]string{"prune": old + " stays: it opens " + stays,
		"status": old + "  opens " + stays} {
		if got := typed(t, env, "", "keys", command); got.code != exitOK || !strings.Contains(got.out, want) {
			t.Fatalf("%s: %+v", command, got)
		}
	}
	if _, err := server.Store.Pool.Exec(t.Context(), `DELETE FROM idempotency_keys WHERE key = 'k'`); err != nil {
		t.Fatal(err)
	}
	if got := typed(t, env, "", "keys", "prune"); got.code != exitOK || !strings.Contains(got.out, old+" was removed") {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "", "keys", "status"); got.code != exitOK || strings.Contains(got.out, old) {
		t.Fatalf("%+v", got)
	}
	again, err := Open(t.Context(), c, opening{log: server.Log, baseURL: "http://127.0.0.1:1"})
	must(t, err)
	defer func() { must(t, again.Close()) }()
	readable(t, again)
}

// asSealedBy begins like what a key sealed.
func asSealedBy(key string) []byte { return append([]byte{byte(len(key))}, key...) }

func TestEveryColumnOfBytesIsSealedOrKnown(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	if got := typed(t, env, "", "merchant", "create", "gym", "--name", "Gym"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	c, err := ReadConfig(env)
	must(t, err)
	a, err := Open(t.Context(), c, opening{log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	must(t, err)
	defer func() { must(t, a.Close()) }()
	rows, err := a.Store.Pool.Query(t.Context(),
		`SELECT c.table_name || '.' || c.column_name FROM information_schema.columns c
		WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND c.table_name NOT LIKE 'river%'`)
	must(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	sealed := upkeep.SealedColumns()
	for _, column := range all {
		if !slices.Contains(sealed, column) && !slices.Contains(otherBytes, column) {
			t.Errorf("%s holds bytes: name it among those that are re-sealed, or say here why it is not sealed", column)
		}
	}
	for _, column := range append(slices.Clone(sealed), otherBytes...) {
		if !slices.Contains(all, column) {
			t.Errorf("there is no %s", column)
		}
	}
}

// sealedBy are the ids of the keys in each sealed column.
func sealedBy(t *testing.T, a *App) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, column := range append(upkeep.SealedColumns(), "idempotency_keys.body") {
		table, name, _ := strings.Cut(column, ".")
		rows, err := a.Store.Pool.Query(t.Context(), `SELECT `+name+` FROM `+table+` WHERE `+name+` IS NOT NULL`)
		must(t, err)
		values, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		must(t, err)
		for _, v := range values {
			if id := seal.SealedBy(v); id != "" && !slices.Contains(out[column], id) {
				out[column] = append(out[column], id)
			}
		}
	}
	return out
}

// readable opens the number of every client.
func readable(t *testing.T, a *App) {
	t.Helper()
	m, err := merchant.Store{DB: a.Store}.MerchantBySlug(t.Context(), "kloof-street-fitness")
	must(t, err)
	rows, err := a.Store.Pool.Query(t.Context(),
		`SELECT id FROM clients WHERE merchant_id = $1 AND bank_account_sealed IS NOT NULL`, m.ID)
	must(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	must(t, err)
	if len(ids) < 5 {
		t.Fatalf("%d clients", len(ids))
	}
	for _, id := range ids {
		var found client.Client
		found, err := a.Services.Clients.Get(context.WithoutCancel(t.Context()), actor.OperatorOf(m.ID), id)
		must(t, err)
		if len(found.BankAccount.Reveal()) < 7 {
			t.Errorf("client %s: %q", id, found.BankAccount.Reveal())
		}
	}
}

// A key that was added without a rotation would seal what comes, and nobody would have kept a copy of it.
func TestARotationThatCannotBeginLeavesTheKeysAsTheyAre(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	if got := typed(t, env, "", "migrate", "up"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	path := filepath.Join(env["DEBITDESK_DATA"], keyfile.Name)
	if _, err := keyfile.Open("", env["DEBITDESK_DATA"]); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	must(t, err)
	execute(t, env["DATABASE_URL"], `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',
		current_database()); END $$`)
	for _, args := range [][]string{{"keys", "rotate"}, {"audit", "verify"},
		{"merchant", "create", "kloof", "--name", "Kloof Street"}} {
		if got := typed(t, env, "", args...); got.code != exitFailed || got.err != "debitdesk: "+errReadOnly.Error()+"\n" {
			t.Errorf("%v: %+v", args, got)
		}
	}
	after, err := os.ReadFile(path)
	must(t, err)
	if string(after) != string(before) {
		t.Error("the key file changed, and the rotation did not begin")
	}
}
