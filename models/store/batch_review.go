package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch"
)

// Digest implements batch.Reader.
func (s *Store) Digest(merchantID uuid.UUID, text string) []byte {
	return s.seal.Hash(merchantID, "batch_digest", text)
}

// MadeBy implements batch.Reader.
func (s *Store) MadeBy(ctx context.Context, b batch.Batch, clients []uuid.UUID) (map[uuid.UUID]bool, error) {
	out := map[uuid.UUID]bool{}
	if len(clients) == 0 || !b.Started() {
		return out, nil
	}
	rows, err := s.Pool.Query(ctx, `SELECT DISTINCT client_id FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state IN ('sent', 'voided')
		AND new_client AND client_id = ANY($3)`, b.MerchantID, b.ID, clients)
	if err != nil {
		return nil, fmt.Errorf("find clients that a batch made: %w", err)
	}
	var id uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { out[id] = true; return nil }); err != nil {
		return nil, fmt.Errorf("find clients that a batch made: %w", err)
	}
	return out, nil
}

// RowsOfPerson implements batch.Reader.
func (s *Store) RowsOfPerson(ctx context.Context, b batch.Batch, n int) ([]int, error) {
	rows, err := s.Pool.Query(ctx, `SELECT n FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state IN ('bad', 'ready') AND (n = $3 OR client_hash =
		(SELECT client_hash FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND n = $3)) ORDER BY n`, b.MerchantID, b.ID, n)
	if err != nil {
		return nil, fmt.Errorf("find rows of one person: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("find rows of one person: %w", err)
	}
	return out, nil
}

// RowsDebiting implements batch.Reader.
func (s *Store) RowsDebiting(ctx context.Context, merchantID, id uuid.UUID, tokens []uuid.UUID) ([]batch.Row, error) {
	return s.lines(ctx, merchantID, id, `state = 'ready' AND charge = 'wanted' AND token_id = ANY($3) ORDER BY n`, tokens)
}

// DebitTotals implements batch.Reader.
func (s *Store) DebitTotals(ctx context.Context, merchantID, id uuid.UUID) ([]batch.DebitTotal, error) {
	rows, err := s.Pool.Query(ctx, `SELECT debit_method, debit_date, count(*), least(sum(total_cents), 9223372036854775807)::bigint, count(*) FILTER (WHERE disputable <> '{}') FROM batch_rows
		WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND charge = 'wanted' GROUP BY 1, 2 ORDER BY 2 NULLS FIRST, 1`, merchantID, id)
	if err != nil {
		return nil, fmt.Errorf("add up debits of a batch: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t batch.DebitTotal, err error) {
		var day *batch.Day
		err = r.Scan(&t.Method, &day, &t.Rows, &t.Cents, &t.Disputable)
		t.Date = orZero(day)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up debits of a batch: %w", err)
	}
	return out, nil
}

// NewClients implements batch.Reader.
func (s *Store) NewClients(ctx context.Context, merchantID, id uuid.UUID, limit int) ([]batch.Row, error) {
	return s.lines(ctx, merchantID, id, `n IN (SELECT min(n) FROM batch_rows
		WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND new_client GROUP BY client_hash) ORDER BY n LIMIT $3`, limit)
}

// ForgetDecisions implements batch.Tx.
func (t *Tx) ForgetDecisions(b batch.Batch) {
	t.later(`UPDATE batch_rows SET decision = '', chosen_client = NULL, confirmed = false WHERE merchant_id = $1 AND batch_id = $2 AND state IN ('new', 'ready', 'bad')
		AND (decision <> '' OR confirmed)`, b.MerchantID, b.ID)
}

// Confirm implements batch.Tx.
func (t *Tx) Confirm(b batch.Batch, amounts map[int]int64) (int, error) {
	var numbers []int
	var cents []int64
	for n, amount := range amounts {
		numbers, cents = append(numbers, n), append(cents, amount)
	}
	n, err := t.exec(`UPDATE batch_rows r SET confirmed = true, revision = $5 FROM unnest($3::int[], $4::bigint[]) AS seen (n, cents)
		WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.n = seen.n AND r.total_cents = seen.cents AND r.state = 'ready' AND r.usual_cents > 0 AND NOT r.confirmed`,
		b.MerchantID, b.ID, numbers, cents, b.Revision)
	if err != nil {
		return 0, fmt.Errorf("confirm amounts: %w", err)
	}
	return int(n), nil
}
