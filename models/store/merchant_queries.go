package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

// Merchants lists all merchants, oldest first; for the command line alone.
func (s *Store) Merchants(ctx context.Context) ([]merchant.Merchant, error) {
	return all(ctx, s, merchantTable, "true ORDER BY id")
}

// Demands implements merchant.Reader.
func (s *Store) Demands(ctx context.Context, id uuid.UUID) (merchant.Demands, error) {
	var d merchant.Demands
	err := s.Pool.QueryRow(ctx, `SELECT approve_deletions, approve_batches_cents FROM merchants WHERE id = $1`, id).Scan(&d.Deletions, &d.BatchesAbove)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, fault.Missing()
	}
	if err != nil {
		return d, fmt.Errorf("find what needs a second person: %w", err)
	}
	return d, nil
}

// HasDemo tells whether a demo merchant is in the database.
func (s *Store) HasDemo(ctx context.Context) (has bool, err error) {
	if err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM merchants WHERE is_demo)`).Scan(&has); err != nil {
		return false, fmt.Errorf("look for a demo merchant: %w", err)
	}
	return has, nil
}
