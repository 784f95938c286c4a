package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"
)

// sealedColumn is one column that holds sealed content. binding is the column that
// is bound into the seal.
type sealedColumn struct {
	table, key, binding, column string
	kind                        string // of the key; empty: uuid
}

func (c sealedColumn) keyKind() string { return cmp.Or(c.kind, "uuid") }

func (c sealedColumn) String() string { return c.table + "." + c.column }

// sealedColumns are all of them. Answers to idempotency keys are not here: they are
// gone after two days. The keys are ids, or a batch and a row of it.
var sealedColumns = []sealedColumn{
	{table: "clients", key: "id", binding: "merchant_id", column: "bank_account_sealed"},
	{table: "clients", key: "id", binding: "merchant_id", column: "personal_code_sealed"},
	{table: "purchases", key: "id", binding: "merchant_id", column: "payer_sealed"},
	{table: "tokens", key: "id", binding: "merchant_id", column: "account_sealed"},
	{table: "mandate_evidence", key: "id", binding: "merchant_id", column: "content"},
	{table: "batch_rows", key: "batch_id, n", binding: "merchant_id", column: "cells"},
	{table: "batch_mends", key: "id", binding: "merchant_id", column: "was_sealed"},
	{table: "book_import_rows", key: "import_id, n", binding: "merchant_id", column: "cells"},
	{table: "book_import_rows", key: "import_id, n", binding: "merchant_id", column: "undo_sealed"},
	{table: "book_scans", key: "id", binding: "merchant_id", column: "content"},
	{table: "client_merges", key: "id", binding: "merchant_id", column: "before_sealed"},
	{table: "template_clients", key: "id", binding: "merchant_id", column: "debit_sealed"},
	{table: "webhooks", key: "id", binding: "merchant_id", column: "private_key"},
	{table: "issuers", key: "id", binding: "merchant_id", column: "client_secret"},
	{table: "merchant_keys", key: "merchant_id", binding: "merchant_id", column: "private_key"},
	{table: "users", key: "id", binding: "id", column: "totp_sealed"},
	{table: "mails", key: "id", binding: "merchant_id", column: "body_sealed"},
	{table: "sms_messages", key: "id", binding: "merchant_id", column: "text_sealed"},
	{table: "sms_replies", key: "id", binding: "merchant_id", column: "text_sealed"},
	{table: "bank_items", key: "id", binding: "merchant_id", column: "order_sealed"},
	{table: "bank_files_out", key: "id", binding: "merchant_id", column: "content", kind: "text"},
	{table: "bank_files_in", key: "id", binding: "merchant_id", column: "content"},
	{table: "list_views", key: "id", binding: "merchant_id", column: "query_sealed"},
	{table: "tasks", key: "id", binding: "merchant_id", column: "input_sealed"},
	{table: "task_chunks", key: "task_id, n", binding: "merchant_id", column: "content"},
	{table: "approvals", key: "id", binding: "merchant_id", column: "input_sealed"},
	{table: "selections", key: "id", binding: "merchant_id", column: "query_sealed"},
}

// AnswersColumn holds the answers to requests with an idempotency key, which are dropped after two days and are not
// sealed anew.
const AnswersColumn = "idempotency_keys.body"

// keyNames are what keys can be called.
var keyNames = regexp.MustCompile(`^[!-~]+$`)

// KeysInUse lists the ids of the keys under which anything is sealed, each with the columns that hold it.
func (s Store) KeysInUse(ctx context.Context) (map[string][]string, error) {
	return keysInUse(ctx, s.Pool.Query)
}

func keysInUse(ctx context.Context, read query) (map[string][]string, error) {
	used := map[string][]string{}
	there, err := columnsThere(ctx, read) // a copy may be taken of a schema that is older than this program
	if err != nil {
		return nil, err
	}
	columns := append([]sealedColumn{{table: "idempotency_keys", column: "body"}}, sealedColumns...)
	for _, c := range columns {
		if !there[c.String()] {
			continue
		}
		rows, err := read(ctx, `SELECT DISTINCT substring(`+c.column+` FROM 2 FOR get_byte(`+c.column+`, 0))
			FROM `+c.table+` WHERE `+c.column+` IS NOT NULL AND length(`+c.column+`) > 0`)
		if err != nil {
			return nil, fmt.Errorf("keys in use: %w", err)
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if err != nil {
			return nil, fmt.Errorf("keys in use: %w", err)
		}
		for _, id := range ids {
			if keyNames.Match(id) { // what is damaged may name no key at all
				used[string(id)] = append(used[string(id)], c.String())
			}
		}
	}
	return used, nil
}

// query reads rows, by the pool or in a transaction.
type query func(ctx context.Context, sql string, args ...any) (pgx.Rows, error)

func columnsThere(ctx context.Context, read query) (map[string]bool, error) {
	rows, err := read(ctx,
		`SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'`)
	if err != nil {
		return nil, fmt.Errorf("columns of the schema: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("columns of the schema: %w", err)
	}
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	return there, nil
}

// SealedColumns names the columns that hold sealed content, as table.column.
func SealedColumns() []string {
	out := make([]string, len(sealedColumns))
	for i, c := range sealedColumns {
		out[i] = c.String()
	}
	return out
}
