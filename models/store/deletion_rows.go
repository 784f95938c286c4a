package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

type deletionRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	MerchantID uuid.UUID
	Tokens     string
	Choices    string
	AskedBy    uuid.UUID
	AskedName  string
	Reason     string
	ApprovalID *uuid.UUID
	Approver   string
	State      string
	Until      time.Time
	EndedAt    *time.Time
	CreatedAt  time.Time
}

func (deletionRow) TableName() string { return "token_deletions" }

func (r deletionRow) domain() (purchase.Deletion, error) {
	d := purchase.Deletion{ID: r.ID, MerchantID: r.MerchantID, AskedBy: r.AskedBy, AskedName: r.AskedName, Reason: r.Reason, ApprovalID: orZero(r.ApprovalID), Approver: r.Approver,
		State: purchase.DeletionState(r.State), Until: r.Until.UTC(), EndedAt: utc(r.EndedAt), CreatedAt: r.CreatedAt.UTC()}
	if err := json.Unmarshal([]byte(r.Tokens), &d.Tokens); err != nil {
		return d, fmt.Errorf("read deletion %s: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Choices), &d.Choices); err != nil {
		return d, fmt.Errorf("read deletion %s: %w", r.ID, err)
	}
	return d, nil
}

// InsertDeletion implements purchase.Tx.
func (t *Tx) InsertDeletion(d purchase.Deletion) {
	tokens, err := json.Marshal(d.Tokens)
	if err != nil {
		t.fail(fmt.Errorf("write deletion: %w", err))
		return
	}
	choices, err := json.Marshal(d.Choices)
	if err != nil {
		t.fail(fmt.Errorf("write deletion: %w", err))
		return
	}
	t.create(&deletionRow{ID: d.ID, MerchantID: d.MerchantID, Tokens: string(tokens), Choices: string(choices), AskedBy: d.AskedBy, AskedName: d.AskedName, Reason: d.Reason,
		ApprovalID: orNull(d.ApprovalID), Approver: d.Approver, State: string(d.State), Until: Instant(d.Until), CreatedAt: Instant(d.CreatedAt)})
}

// EndDeletion implements purchase.Tx.
func (t *Tx) EndDeletion(d purchase.Deletion, state purchase.DeletionState) (bool, error) {
	n, err := t.exec(`UPDATE token_deletions SET state = $3, ended_at = $4
		WHERE merchant_id = $1 AND id = $2 AND state = 'waiting' AND ($3 <> 'undone' OR until > $4)`, d.MerchantID, d.ID, string(state), t.now)
	if err != nil {
		return false, fmt.Errorf("end deletion: %w", err)
	}
	return n == 1, nil
}

// HoldDeletion implements purchase.Tx.
func (t *Tx) HoldDeletion(d purchase.Deletion) (bool, error) {
	n, err := t.exec(`UPDATE token_deletions SET state = state WHERE merchant_id = $1 AND id = $2 AND state = 'waiting' AND until > $3`, d.MerchantID, d.ID, t.now)
	if err != nil {
		return false, fmt.Errorf("hold deletion: %w", err)
	}
	return n == 1, nil
}

// TurnToken implements purchase.Tx.
func (t *Tx) TurnToken(merchantID, id uuid.UUID, from, to token.State) (bool, error) {
	n, err := t.exec(`UPDATE tokens SET state = CASE WHEN $4 = 'active' AND blocked_code <> '' THEN 'blocked' ELSE $4 END, updated_at = $5
		WHERE merchant_id = $1 AND id = $2 AND state = $3`, merchantID, id, string(from), string(to), t.now)
	if err != nil {
		return false, fmt.Errorf("turn token: %w", err)
	}
	return n == 1, nil
}

// LeaveToken implements purchase.Tx.
func (t *Tx) LeaveToken(merchantID, id uuid.UUID, leaving bool) {
	t.later(`UPDATE purchases SET token_leaving = $3, version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND id = $2`, merchantID, id, leaving, t.now)
}

// PlanCollection implements purchase.Tx.
func (t *Tx) PlanCollection(c collection.Collection) (bool, error) {
	r := collectionRowOf(c)
	n, err := t.exec(`UPDATE collections SET action_date = $3, original_date = $4, submit_at = $5, execute_at = $6, final_at = $7, alert_at = $8, dispute_deadline = $9,
		statement_line = $10, updated_at = $11, disputable = $12, disputable_because = $13 WHERE merchant_id = $1 AND id = $2 AND state = 'scheduled' AND claimed_until IS NULL`,
		r.MerchantID, r.ID, r.ActionDate, r.OriginalDate, r.SubmitAt, r.ExecuteAt, r.FinalAt, r.AlertAt, r.DisputeDeadline, r.StatementLine, r.UpdatedAt,
		r.Disputable, []string(r.DisputableBecause))
	if err != nil {
		return false, fmt.Errorf("plan collection: %w", err)
	}
	return n == 1, nil
}

// Deletion implements purchase.Reader.
func (s *Store) Deletion(ctx context.Context, merchantID, id uuid.UUID) (purchase.Deletion, error) {
	var row deletionRow
	if err := s.read(ctx).Take(&row, "merchant_id = ? AND id = ?", merchantID, id).Error; err != nil {
		return purchase.Deletion{}, missing(err, "find deletion")
	}
	return row.domain()
}

// DeletionsWaiting implements purchase.Reader.
func (s *Store) DeletionsWaiting(ctx context.Context, merchantID uuid.UUID) ([]purchase.Deletion, error) {
	return s.deletions(ctx, `SELECT * FROM token_deletions WHERE state = 'waiting' AND merchant_id = ? AND until > ? ORDER BY id DESC LIMIT 100`, merchantID, s.Now())
}

// DeletionsDue implements purchase.Reader; it serves all merchants.
func (s *Store) DeletionsDue(ctx context.Context, limit int) ([]purchase.Deletion, error) {
	return s.deletions(ctx, `SELECT * FROM token_deletions WHERE state = 'waiting' AND until <= ? ORDER BY until LIMIT ?`, s.Now(), limit)
}

func (s *Store) deletions(ctx context.Context, query string, args ...any) ([]purchase.Deletion, error) {
	var rows []deletionRow
	if err := s.read(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("list deletions: %w", err)
	}
	out := make([]purchase.Deletion, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = r.domain(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// DeletingTokensOf implements purchase.Reader.
func (s *Store) DeletingTokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error) {
	var rows []tokenRow
	err := s.read(ctx).Omit("account_sealed", "account_hash").Order("id DESC").
		Find(&rows, "merchant_id = ? AND client_id = ? AND state = 'deleting'", merchantID, clientID).Error
	if err != nil {
		return nil, fmt.Errorf("list tokens that are being deleted: %w", err)
	}
	return tokens(rows), nil
}
