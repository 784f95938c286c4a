package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/approval"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/user"
)

type approvalRow struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	MerchantID  uuid.UUID
	Kind        string
	Subject     string
	SubjectKey  string
	Reason      string
	State       string
	AskedBy     uuid.UUID
	AskedName   string
	DecidedBy   *uuid.UUID
	DecidedName string
	Decision    string
	DecidedAt   *time.Time
	ExpiresAt   time.Time
	Version     int
	CreatedAt   time.Time
}

func (approvalRow) TableName() string { return "approvals" }

func (r approvalRow) domain() (approval.Approval, error) {
	a := approval.Approval{ID: r.ID, MerchantID: r.MerchantID, Kind: approval.Kind(r.Kind), SubjectKey: r.SubjectKey, Reason: r.Reason, State: approval.State(r.State),
		AskedBy: r.AskedBy, AskedName: r.AskedName, DecidedBy: orZero(r.DecidedBy), DecidedName: r.DecidedName, Decision: r.Decision, DecidedAt: utc(r.DecidedAt),
		ExpiresAt: r.ExpiresAt.UTC(), Version: r.Version, CreatedAt: r.CreatedAt.UTC()}
	if err := json.Unmarshal([]byte(r.Subject), &a.Subject); err != nil {
		return a, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	return a, nil
}

func approvalsOf(rows []approvalRow) ([]approval.Approval, error) {
	out := make([]approval.Approval, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = r.domain(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// InsertApproval implements approval.Tx.
func (t *Tx) InsertApproval(a approval.Approval) error {
	subject, err := json.Marshal(a.Subject)
	if err != nil {
		return fmt.Errorf("write approval: %w", err)
	}
	t.create(&approvalRow{ID: a.ID, MerchantID: a.MerchantID, Kind: string(a.Kind), Subject: string(subject), SubjectKey: a.SubjectKey, Reason: a.Reason, State: string(a.State),
		AskedBy: a.AskedBy, AskedName: a.AskedName, ExpiresAt: Instant(a.ExpiresAt), Version: a.Version, CreatedAt: Instant(a.CreatedAt)})
	switch err := t.flush(); {
	case violates(err, "approvals_one_open"):
		return fault.New(fault.Conflict, "already_asked", "Somebody was asked for this already. The request still waits for an answer.")
	case err != nil:
		return fmt.Errorf("add approval: %w", err)
	}
	return nil
}

// MoveApproval implements approval.Tx.
func (t *Tx) MoveApproval(a approval.Approval) (bool, error) {
	n, err := t.exec(`UPDATE approvals SET state = $4, decided_by = $5, decided_name = $6, decision = $7, decided_at = $8, version = version + 1
		WHERE merchant_id = $1 AND id = $2 AND state = 'open' AND version = $3 AND expires_at > $8`,
		a.MerchantID, a.ID, a.Version, string(a.State), orNull(a.DecidedBy), a.DecidedName, a.Decision, Instant(a.DecidedAt))
	if err != nil {
		return false, fmt.Errorf("move approval: %w", err)
	}
	return n == 1, nil
}

// ExpireApprovals implements approval.Tx.
func (t *Tx) ExpireApprovals(merchantID uuid.UUID, limit int) ([]approval.Approval, error) {
	db, err := t.read()
	if err != nil {
		return nil, fmt.Errorf("expire approvals: %w", err)
	}
	var rows []approvalRow
	err = db.Raw(`UPDATE approvals SET state = 'expired', decided_at = ?, version = version + 1 WHERE id IN (SELECT id FROM approvals
		WHERE state = 'open' AND expires_at <= ? AND (merchant_id = ? OR ?) LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING *`,
		t.now, t.now, merchantID, merchantID == uuid.Nil, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("expire approvals: %w", err)
	}
	return approvalsOf(rows)
}

// SetDemands implements approval.Tx.
func (t *Tx) SetDemands(merchantID uuid.UUID, d merchant.Demands) (before merchant.Demands, err error) {
	db, err := t.read()
	if err != nil {
		return before, fmt.Errorf("set demands: %w", err)
	}
	var row struct {
		ApproveDeletions    bool
		ApproveBatchesCents *int64
	}
	if err := db.Raw(`SELECT approve_deletions, approve_batches_cents FROM merchants WHERE id = ? FOR NO KEY UPDATE`, merchantID).Scan(&row).Error; err != nil {
		return before, fmt.Errorf("set demands: %w", err)
	}
	t.later(`UPDATE merchants SET approve_deletions = $2, approve_batches_cents = $3, updated_at = $4 WHERE id = $1`, merchantID, d.Deletions, d.BatchesAbove, t.now)
	return merchant.Demands{Deletions: row.ApproveDeletions, BatchesAbove: row.ApproveBatchesCents}, nil
}

// Approval implements approval.Reader.
func (s *Store) Approval(ctx context.Context, merchantID, id uuid.UUID) (approval.Approval, error) {
	var row approvalRow
	if err := s.read(ctx).Take(&row, "merchant_id = ? AND id = ?", merchantID, id).Error; err != nil {
		return approval.Approval{}, missing(err, "find approval")
	}
	return row.domain()
}

// Approvals implements approval.Reader. One whose time is over counts as ended.
func (s *Store) Approvals(ctx context.Context, merchantID uuid.UUID, open bool, ask paging.Ask) ([]approval.Approval, error) {
	var rows []approvalRow
	q := beside(s.read(ctx).Where("merchant_id = ? AND (state = 'open' AND expires_at > ?) = ?", merchantID, s.Now(), open), ask)
	if err := q.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	return approvalsOf(rows)
}

const openApproval = "merchant_id = ? AND kind = ? AND subject_key = ? AND state = 'open' AND expires_at > ?"

// OpenApproval implements approval.Reader.
func (s *Store) OpenApproval(ctx context.Context, merchantID uuid.UUID, kind approval.Kind, key string) (approval.Approval, bool, error) {
	return openApprovalOf(s.read(ctx), merchantID, kind, key, s.Now())
}

// OpenApproval implements approval.Tx.
func (t *Tx) OpenApproval(merchantID uuid.UUID, kind approval.Kind, key string) (approval.Approval, bool, error) {
	db, err := t.read()
	if err != nil {
		return approval.Approval{}, false, fmt.Errorf("find open approval: %w", err)
	}
	return openApprovalOf(db, merchantID, kind, key, t.now)
}

func openApprovalOf(db *gorm.DB, merchantID uuid.UUID, kind approval.Kind, key string, now time.Time) (approval.Approval, bool, error) {
	var rows []approvalRow
	if err := db.Limit(1).Find(&rows, openApproval, merchantID, string(kind), key, now).Error; err != nil {
		return approval.Approval{}, false, fmt.Errorf("find open approval: %w", err)
	}
	if len(rows) == 0 {
		return approval.Approval{}, false, nil
	}
	a, err := rows[0].domain()
	return a, err == nil, err
}

// CountOpenApprovals implements approval.Reader.
func (s *Store) CountOpenApprovals(ctx context.Context, merchantID uuid.UUID) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM approvals WHERE merchant_id = $1 AND state = 'open' AND expires_at > $2`, merchantID, s.Now()).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", err)
	}
	return n, nil
}

// Colleagues implements approval.Reader.
func (s *Store) Colleagues(ctx context.Context, merchantID uuid.UUID) ([]user.User, error) {
	var rows []memberRow
	err := s.read(ctx).Raw(`SELECT `+userColumns+` FROM users u JOIN memberships mb ON mb.user_id = u.id
		WHERE mb.merchant_id = ? AND mb.disabled_at IS NULL AND u.disabled_at IS NULL ORDER BY u.name, u.email`, merchantID).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list colleagues: %w", err)
	}
	out := make([]user.User, len(rows))
	for i, r := range rows {
		if out[i], err = r.domain(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var (
	_ approval.Reader = (*Store)(nil)
	_ approval.Tx     = (*Tx)(nil)
)
