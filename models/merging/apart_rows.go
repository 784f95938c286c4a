package merging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

var apartTable = table.New[apart]("clients_apart")

// keepApart keeps a pair, or lets it go; false when it was so already.
func keepApart(tx *database.Tx, a apart, is bool) (changed bool, err error) {
	sql, args := `INSERT INTO clients_apart (merchant_id, first_id, later_id, by_id, by_name, at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`, []any{a.MerchantID, a.FirstID, a.LaterID, a.ByID, a.ByName,
		a.At}
	if !is {
		sql, args = `DELETE FROM clients_apart WHERE merchant_id = $1 AND first_id = $2 AND later_id = $3`, args[:3]
	}
	n, err := tx.Exec(sql, args...)
	if err != nil {
		return false, fmt.Errorf("keep clients apart: %w", err)
	}
	return n == 1, nil
}

// apart lists pairs that are not the same client, the newest first.
func (s Store) apart(ctx context.Context, merchantID uuid.UUID, limit int) ([]apart, error) {
	return database.All(ctx, s.DB, apartTable, "merchant_id = $1 ORDER BY at DESC, first_id, later_id LIMIT $2",
		merchantID, limit)
}

// apartFrom are the clients who are not the same one as a client.
func (s Store) apartFrom(ctx context.Context, merchantID, id uuid.UUID) (map[uuid.UUID]bool, error) {
	out := map[uuid.UUID]bool{}
	rows, err := s.Pool.Query(ctx, `SELECT later_id::text FROM clients_apart WHERE merchant_id = $1 AND first_id = $2
		UNION ALL SELECT first_id::text FROM clients_apart WHERE merchant_id = $1 AND later_id = $2`, merchantID.String(),
		id.String())
	if err == nil {
		var other string
		_, err = pgx.ForEachRow(rows, []any{&other}, func() error {
			out[uuid.MustParse(other)] = true
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("find clients kept apart: %w", err)
	}
	return out, nil
}
