package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The tables that an invoice is written to, in an order that foreign keys allow.
var invoiceTables = []struct{ name, owner string }{
	{"purchases", "id"}, {"invoices", "purchase_id"}, {"audit_entries", "purchase_id"}, {"mails", "purchase_id"},
}

const (
	billed     = 10_000
	billFactor = 3.0 // times the COPY, at most
)

// bills sends invoices to many payers by one request, and beside it writes the rows
// it made once more: read out, deleted, and COPYed into the same tables with the
// same indexes, keys and triggers, committed at once.
//
// Meanwhile nobody sends the mails, so that the rows are those that the request
// wrote.
func bills(ctx context.Context, s *server, _ time.Duration, _ int) (out []line, err error) {
	s.leave()
	if err := s.serve(s.env, "--no-workers"); err != nil {
		return nil, err
	}
	defer func() {
		s.leave()
		err = errors.Join(err,
			s.exec(ctx, "UPDATE mails SET state = 'sent', sent_at = now(), next_try_at = NULL WHERE state = 'queued'",
				"VACUUM ANALYZE mails, purchases, invoices, audit_entries"), s.serve(s.env))
	}()
	clients, err := s.payers(ctx, "billed", billed)
	if err != nil {
		return nil, err
	}
	for _, size := range []struct {
		n   int
		aim time.Duration
	}{{billed / 10, 300 * time.Millisecond}, {billed, 2 * time.Second}} {
		body := s.bill(clients[:size.n])
		var ours, theirs []time.Duration
		for round := range rounds + 1 {
			posted, copied, err := s.billOnce(ctx, body, size.n)
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first one warms
				ours, theirs = append(ours, posted), append(theirs, copied)
			}
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		took, against := ours[rounds/2], theirs[rounds/2]
		out = append(out,
			line{
				fmt.Sprintf(
					"(f) POST /billing/ with %d clients: number, purchase, lines, invoice, audit entry, mail each, committed", size.n),
				seconds(took), "COPY of the same rows into the same tables: " + seconds(against),
				fmt.Sprintf("%.2f", took.Seconds()/against.Seconds()),
				fmt.Sprintf("at most %.2f, under %s", billFactor, seconds(size.aim))})
	}
	return out, nil
}

// payers are clients with e-mail addresses, copied from one straight in the table:
// making them is not what is measured. They have no account or identity number, since
// a sealed number opens in its own row alone.
func (s *server) payers(ctx context.Context, called string, n int) (ids []string, err error) {
	var one struct{ ID string }
	err = s.post("/api/v1/clients/", `{"email":"bill@example.com","full_name":"Nomvula Dlamini","phone":"27821234567",
		"street_address":"12 Long Street","city":"Cape Town","zip_code":"8001","country":"ZA","bank_code":"632005"}`, &one)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx,
		`INSERT INTO clients SELECT (r).* FROM (SELECT jsonb_populate_record(c, jsonb_build_object(
		'id', gen_random_uuid(), 'email', $3 || n || '@example.com', 'full_name', 'Payer ' || n)) AS r
		FROM generate_series(1, $1::int) AS n, (SELECT k FROM clients AS k WHERE id = $2) AS one(c)) AS made
		RETURNING id::text`, n, one.ID, called)
	if err != nil {
		return nil, err
	}
	if ids, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE clients")
	return ids, err
}

func (s *server) bill(clients []string) string {
	return fmt.Sprintf(
		`{"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"Tuition, first term","price":450000},
		{"name":"Sports levy","price":35000,"quantity":2}],
		"notes":"Payable before the term begins."},"clients":[{"client_id":"%s"}]}`,
		s.cast.BrandID, time.Now().Add(30*24*time.Hour).Unix(), strings.Join(clients, `"},{"client_id":"`))
}

func (s *server) billOnce(ctx context.Context, body string, n int) (posted, copied time.Duration, err error) {
	if err := s.exec(ctx, "CHECKPOINT"); err != nil {
		return 0, 0, err
	}
	var ids []string
	began := time.Now()
	if err := s.post("/billing/", body, &ids); err != nil {
		return 0, 0, err
	}
	posted = time.Since(began)
	if len(ids) != n {
		return 0, 0, fmt.Errorf("%d purchases were made, want %d", len(ids), n)
	}
	copied, err = s.again(ctx, ids)
	return posted, copied, err
}

// again takes the rows of purchases out of their tables and COPYs them in again, in
// one transaction, and gives how long that took.
func (s *server) again(ctx context.Context, ids []string) (time.Duration, error) {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, `CREATE TEMP TABLE again AS SELECT unnest($1::text[])::uuid AS id`, ids); err != nil {
		return 0, err
	}
	held := make([]bytes.Buffer, len(invoiceTables))
	for i, t := range invoiceTables {
		rows := fmt.Sprintf(
			"COPY (SELECT t.* FROM %s t JOIN again ON again.id = t.%s ORDER BY t.id) TO STDOUT (FORMAT binary)", t.name, t.owner)
		tag, err := conn.PgConn().CopyTo(ctx, &held[i], rows)
		if err != nil {
			return 0, err
		}
		if int(tag.RowsAffected()) != len(ids) {
			return 0, fmt.Errorf("%s: %d rows of %d purchases", t.name, tag.RowsAffected(), len(ids))
		}
	}
	for _, t := range slices.Backward(invoiceTables) {
		// Entries of the audit refuse to be deleted, by a trigger.
		if err := s.exec(ctx, "ALTER TABLE "+t.name+" DISABLE TRIGGER USER"); err != nil {
			return 0, err
		}
		_, err := conn.Exec(ctx, fmt.Sprintf("DELETE FROM %s t USING again WHERE again.id = t.%s", t.name, t.owner))
		if err := errors.Join(err, s.exec(ctx, "ALTER TABLE "+t.name+" ENABLE TRIGGER USER")); err != nil {
			return 0, err
		}
	}
	// The triggers of these tables will write the entries of the journal again.
	if err := s.exec(ctx, "ALTER TABLE journal_entries DISABLE TRIGGER USER"); err != nil {
		return 0, err
	}
	_, err = conn.Exec(ctx, "DELETE FROM journal_entries j USING again WHERE again.id = j.purchase_id")
	if err := errors.Join(err, s.exec(ctx, "ALTER TABLE journal_entries ENABLE TRIGGER USER")); err != nil {
		return 0, err
	}
	for _, t := range invoiceTables {
		if _, err := conn.Exec(ctx, "VACUUM "+t.name); err != nil {
			return 0, err
		}
	}
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return 0, err
	}
	began := time.Now()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for i, t := range invoiceTables {
			if _, err := tx.Conn().PgConn().CopyFrom(ctx, &held[i], "COPY "+t.name+" FROM STDIN (FORMAT binary)"); err != nil {
				return fmt.Errorf("copy into %s: %w", t.name, err)
			}
		}
		return nil
	})
	return time.Since(began), err
}
