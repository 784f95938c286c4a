package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/approval"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
)

var (
	approvalTable = table.New[approval.Approval]("approvals")
	moveApproval  = approvalTable.Write(
		`UPDATE approvals SET @set(state, decided_by, decided_name, decision, decided_at), version = version + 1
		WHERE merchant_id = @merchant_id AND id = @id AND state = 'open' AND version = @version AND expires_at > @decided_at`)
)

// InsertApproval implements approval.Tx.
func (t *Tx) InsertApproval(a approval.Approval) error {
	database.Insert(t.Tx, approvalTable, a)
	switch err := t.Flush(); {
	case database.Violates(err, "approvals_one_open"):
		return fault.New(fault.Conflict, "already_asked",
			"Approval was already asked for. The request is still waiting for an answer.")
	case err != nil:
		return fmt.Errorf("add approval: %w", err)
	}
	return nil
}

// MoveApproval implements approval.Tx.
func (t *Tx) MoveApproval(a approval.Approval) (bool, error) {
	return database.Change(t.Tx, moveApproval, a)
}

// ExpireApprovals implements approval.Tx.
func (t *Tx) ExpireApprovals(merchantID uuid.UUID, limit int) ([]approval.Approval, error) {
	return database.Seek(t.Context(), t.s.DB, approvalTable,
		`UPDATE approvals SET state = 'expired', decided_at = ?, version = version + 1 WHERE id IN (SELECT id FROM approvals
		WHERE state = 'open' AND expires_at <= ? AND (merchant_id = ? OR ?) LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING *`,
		t.Now(), t.Now(), merchantID, merchantID == uuid.Nil, limit)
}

// SetDemands implements approval.Tx.
func (t *Tx) SetDemands(merchantID uuid.UUID, d merchant.Demands) (before merchant.Demands, err error) {
	db, err := t.Gorm()
	if err != nil {
		return before, fmt.Errorf("set demands: %w", err)
	}
	var row struct {
		ApproveDeletions    bool
		ApproveBatchesCents *int64
		ApproveFilesCents   *int64
	}
	if err := db.Raw(`SELECT approve_deletions, approve_batches_cents, approve_files_cents FROM merchants
		WHERE id = ? FOR NO KEY UPDATE`, merchantID).Scan(&row).Error; err != nil {
		return before, fmt.Errorf("set demands: %w", err)
	}
	t.Later(`UPDATE merchants SET approve_deletions = $2, approve_batches_cents = $3, approve_files_cents = $4, updated_at = $5
		WHERE id = $1`, merchantID, d.Deletions, d.BatchesAbove, d.FilesAbove, t.Now())
	return merchant.Demands{Deletions: row.ApproveDeletions, BatchesAbove: row.ApproveBatchesCents,
		FilesAbove: row.ApproveFilesCents}, nil
}

// Approval implements approval.Reader.
func (s *Store) Approval(ctx context.Context, merchantID, id uuid.UUID) (approval.Approval, error) {
	return database.One(ctx, s.DB, approvalTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// Approvals implements approval.Reader. One whose time is over counts as ended.
func (s *Store) Approvals(ctx context.Context, merchantID uuid.UUID, open bool,
	ask paging.Ask) ([]approval.Approval, error) {
	of := database.List(ctx, s.DB, approvalTable).Where("merchant_id = ? AND (state = 'open' AND expires_at > ?) = ?", merchantID,
		s.Now(), open)
	return database.Find(ctx, s.DB, approvalTable, database.Page(of, ask))
}

// OpenApproval implements approval.Reader.
func (s *Store) OpenApproval(ctx context.Context, merchantID uuid.UUID, kind approval.Kind,
	key string) (approval.Approval, bool, error) {
	found, err := database.All(ctx, s.DB, approvalTable,
		"merchant_id = $1 AND kind = $2 AND subject_key = $3 AND state = 'open' AND expires_at > $4 LIMIT 1",
		merchantID, kind, key, s.Now())
	if err != nil || len(found) == 0 {
		return approval.Approval{}, false, err
	}
	return found[0], true, nil
}

// OpenApproval implements approval.Tx.
func (t *Tx) OpenApproval(merchantID uuid.UUID, kind approval.Kind, key string) (approval.Approval, bool, error) {
	return t.s.OpenApproval(t.Context(), merchantID, kind, key)
}

// CountOpenApprovals implements approval.Reader.
func (s *Store) CountOpenApprovals(ctx context.Context, merchantID uuid.UUID) (n int, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT count(*) FROM approvals WHERE merchant_id = $1 AND state = 'open' AND expires_at > $2`, merchantID,
		s.Now()).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", err)
	}
	return n, nil
}

var (
	_ approval.Reader = (*Store)(nil)
	_ approval.Tx     = (*Tx)(nil)
)
