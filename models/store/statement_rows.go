package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/fault"
	"debitdesk/models/paging"
	movement "debitdesk/models/statement" // a statement is SQL here
)

type statementRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	MerchantID uuid.UUID
	IsTest     bool
	Format     string
	Timezone   string
	Query      string
	Filter     string
	Status     string
	Note       string
	Rows       int64
	BeganAt    *time.Time
	FinishedAt *time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

func (statementRow) TableName() string { return "company_statements" }

func (r statementRow) domain() (movement.Statement, error) {
	st := movement.Statement{ID: r.ID, MerchantID: r.MerchantID, IsTest: r.IsTest, Format: movement.Format(r.Format), Timezone: r.Timezone, Query: r.Query,
		Status: movement.Status(r.Status), Note: r.Note, Rows: r.Rows, BeganAt: utc(r.BeganAt), FinishedAt: utc(r.FinishedAt),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
	if err := json.Unmarshal([]byte(r.Filter), &st.Filter); err != nil {
		return st, fmt.Errorf("filter of statement %s: %w", r.ID, err)
	}
	return st, nil
}

// InsertStatement implements statement.Tx.
func (t *Tx) InsertStatement(s movement.Statement) {
	filter, err := json.Marshal(s.Filter)
	if err != nil {
		t.fail(err)
		return
	}
	t.create(&statementRow{ID: s.ID, MerchantID: s.MerchantID, IsTest: s.IsTest, Format: string(s.Format), Timezone: s.Timezone, Query: s.Query, Filter: string(filter),
		Status: string(s.Status), CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt})
}

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
	row, err := take[statementRow](ctx, s, "merchant_id = $1 AND id = $2", merchantID, id)
	if err != nil {
		return movement.Statement{}, missing(err, "find statement")
	}
	return row.domain()
}

// Statements implements statement.Reader.
func (s *Store) Statements(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) (paging.Page[movement.Statement], error) {
	var none paging.Page[movement.Statement]
	var rows []statementRow
	list := s.read(ctx).Select("id", "merchant_id", "is_test", "format", "timezone", "query", "filter", "status", "note", "rows", "began_at", "finished_at", "created_at", "updated_at")
	if err := beside(list.Where("merchant_id = ?", merchantID), ask).Find(&rows).Error; err != nil {
		return none, fmt.Errorf("list statements: %w", err)
	}
	out := make([]movement.Statement, len(rows))
	for i, r := range rows {
		st, err := r.domain()
		if err != nil {
			return none, err
		}
		out[i] = st
	}
	return paging.Cut(ask, out), nil
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
