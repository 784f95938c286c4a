package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

func (s *server) query(ctx context.Context, q string, args ...any) (text string, err error) {
	conn, err := connect(ctx, s.dsn())
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	err = conn.QueryRow(ctx, q, args...).Scan(&text)
	return text, err
}

// copies inserts n copies of a purchase under ids that grow with time. They have no
// sealed numbers: those open in the row that they were sealed for alone.
const copies = `INSERT INTO purchases SELECT (r).* FROM (
	SELECT jsonb_populate_record(p, jsonb_build_object('id',
	(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint + n), 12, '0') || '7' ||
		substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid,
		'status', (%s), 'reference_generated', 'B' || n, 'pass_at', NULL, 'payer_sealed', NULL, 'client_id', (%s))) AS r
	FROM generate_series(1, $1::int) AS n, (SELECT q FROM purchases AS q WHERE merchant_id = $2 AND status = 'created'
	ORDER BY id DESC LIMIT 1) AS one(p)) AS made
	RETURNING id::text`

// statuses as a merchant of some years has them.
const mixedStatuses = `CASE WHEN n % 100 < 80 THEN 'paid' WHEN n % 100 < 88 THEN 'error'
	WHEN n % 100 < 92 THEN 'created' WHEN n % 100 < 94 THEN 'overdue'
	WHEN n % 100 < 96 THEN 'pending_charge' WHEN n % 100 < 98 THEN 'cancelled' ELSE 'preauthorized' END`

// fill brings the merchant to that many purchases.
func (s *server) fill(ctx context.Context, total int) error {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var have int
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM purchases WHERE merchant_id = $1`,
		s.cast.MerchantID).Scan(&have); err != nil {
		return err
	}
	if have > total { // the measurements before made more
		if _, err := conn.Exec(ctx, `DELETE FROM purchases WHERE id IN (SELECT id FROM purchases WHERE merchant_id = $1
			AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.purchase_id = purchases.id)
			AND NOT EXISTS (SELECT 1 FROM ledger_entries l WHERE l.purchase_id = purchases.id)
			AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.purchase_id = purchases.id) AND status = 'created'
			ORDER BY id LIMIT $2)`, s.cast.MerchantID, have-total); err != nil {
			return err
		}
		if err := conn.QueryRow(ctx, `SELECT count(*) FROM purchases WHERE merchant_id = $1`,
			s.cast.MerchantID).Scan(&have); err != nil {
			return err
		}
	}
	const chunk = 50_000
	for have < total {
		n := min(chunk, total-have)
		if _, err := conn.Exec(ctx, fmt.Sprintf(copies, mixedStatuses, "(p).client_id"), n, s.cast.MerchantID); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
		have += n
	}
	for _, q := range []string{"VACUUM (ANALYZE) purchases", "VACUUM (ANALYZE) purchase_count_deltas", "CHECKPOINT"} {
		if _, err := conn.Exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// fresh makes n purchases of a client that can be charged, straight in the table:
// making them is not what is measured.
func (s *server) fresh(ctx context.Context, client string, due int64, n int) ([]string, error) {
	var made struct{ ID string }
	if err := s.post("/api/v1/purchases/", s.purchase(client, due), &made); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, fmt.Sprintf(copies, "'created'", "(p).client_id"), n, s.cast.MerchantID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func connect(ctx context.Context, dsn string) (*pgx.Conn, error) { return pgx.Connect(ctx, dsn) }
