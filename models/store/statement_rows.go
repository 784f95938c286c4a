package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/fault"
	"debitdesk/models/paging"
	movement "debitdesk/models/statement" // a statement is SQL here
	"debitdesk/models/store/table"
)

var statementTable = table.New[movement.Statement]("company_statements")

// InsertStatement implements statement.Tx.
func (t *Tx) InsertStatement(s movement.Statement) { insert(t, statementTable, s) }

// CancelStatement implements statement.Tx: compare-and-set from what is open.
func (t *Tx) CancelStatement(merchantID, id uuid.UUID) (bool, error) {
	n, err := t.exec(`UPDATE company_statements SET status = 'cancelled', file = NULL, claim = NULL, claimed_until = NULL, finished_at = $3, updated_at = $3
		WHERE merchant_id = $1 AND id = $2 AND status IN ('pending', 'running')`, merchantID, id, t.now)
	if err != nil {
		return false, fmt.Errorf("cancel statement: %w", err)
	}
	return n == 1, nil
}

// Statement implements statement.Reader.
func (s *Store) Statement(ctx context.Context, merchantID, id uuid.UUID) (movement.Statement, error) {
	return one(ctx, s, statementTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// Statements implements statement.Reader.
func (s *Store) Statements(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) (paging.Page[movement.Statement], error) {
	found, err := find(ctx, s, statementTable, beside(list(ctx, s, statementTable).Where("merchant_id = ?", merchantID), ask))
	if err != nil {
		return paging.Page[movement.Statement]{}, err
	}
	return paging.Cut(ask, found), nil
}

// StatementFile implements statement.Reader.
func (s *Store) StatementFile(ctx context.Context, merchantID, id uuid.UUID) (file []byte, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT file FROM company_statements WHERE merchant_id = $1 AND id = $2 AND status = 'finished'`,
		native([]any{merchantID, id})...).Scan(&file)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing()
	}
	return file, err
}
