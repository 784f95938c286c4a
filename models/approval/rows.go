package approval

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Store is where requests are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Approval) TableName() string { return "approvals" }

// unanswered is the scope of the requests of a merchant that can be answered at a moment.
func unanswered(merchantID uuid.UUID, now time.Time) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Where("merchant_id = ? AND state = ? AND expires_at > ?", merchantID, Open, now)
	}
}

// insert refuses a second open request for the same thing.
func insert(tx *database.Tx, a Approval) error {
	switch err := tx.Gorm().Create(&a).Error; {
	case database.Violates(err, "approvals_one_open"):
		return fault.New(fault.Conflict, "already_asked",
			"Approval was already asked for. The request is still waiting for an answer.")
	case err != nil:
		return fmt.Errorf("add approval: %w", err)
	}
	return nil
}

// end ends an open request; false when it was ended meanwhile. What was to be done is forgotten with it.
func end(tx *database.Tx, a Approval) (bool, error) {
	was := a.Version
	a.Input, a.Version = nil, a.Version+1
	a.Replace()
	return database.Found(tx.Gorm().Model(&a).Scopes(unanswered(a.MerchantID, a.DecidedAt)).Where("version = ?", was).
		Select("state", "decided_by", "decided_name", "decision", "decided_at", "subject", "input_sealed", "version").
		UpdateColumns(a))
}

// expire ends open requests whose time is over: at most limit, of one merchant or, with the
// zero id, of all.
func expire(tx *database.Tx, merchantID uuid.UUID, limit int) (expired []Approval, err error) {
	err = tx.Gorm().Raw(`UPDATE approvals SET state = 'expired', decided_at = ?, input_sealed = NULL, version = version + 1
		WHERE id IN (SELECT id FROM approvals WHERE state = 'open' AND expires_at <= ? AND (merchant_id = ? OR ?)
			LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING *`, tx.Now(), tx.Now(), merchantID, merchantID == uuid.Nil, limit).
		Scan(&expired).Error
	return expired, err
}

// Approval finds one of the merchant's.
func (s Store) Approval(ctx context.Context, merchantID, id uuid.UUID) (a Approval, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&a, "id = ?", id).Error
	return a, err
}

// Approvals lists requests, newest first; only open ones or only others. One whose time is over counts as ended. What
// is to be done is not read.
func (s Store) Approvals(ctx context.Context, merchantID uuid.UUID, open bool,
	ask paging.Ask) (found []Approval, err error) {
	err = database.PageOf(s.Gorm(ctx).Omit("Input").Where("(state = ? AND expires_at > ?) = ?", Open, s.Now(), open),
		"merchant_id", merchantID, ask).Find(&found).Error
	return found, err
}

// OpenApproval finds the open request for the same thing.
func (s Store) OpenApproval(ctx context.Context, merchantID uuid.UUID, kind Kind, key string) (Approval, bool, error) {
	return s.open(ctx, merchantID, "kind = ? AND subject_key = ?", kind, key)
}

// open finds the newest request that waits for an answer and meets a condition.
func (s Store) open(ctx context.Context, merchantID uuid.UUID, condition string, args ...any) (a Approval, is bool,
	err error) {
	err = s.Gorm(ctx).Scopes(unanswered(merchantID, s.Now())).Where(condition, args...).Order("id DESC").Take(&a).Error
	if fault.Is(err, fault.NotFound) {
		return a, false, nil
	}
	return a, err == nil, err
}

// mostOpen is how many requests of one kind stand on a page beside what they are about.
const mostOpen = 50

// openOf lists the open requests of a kind, newest first.
func (s Store) openOf(ctx context.Context, merchantID uuid.UUID, kind Kind) (found []Approval, err error) {
	err = s.Gorm(ctx).Scopes(unanswered(merchantID, s.Now())).Where("kind = ?", kind).Order("id DESC").Limit(mostOpen).
		Find(&found).Error
	return found, err
}

// OpenDeletionOf finds the newest open request to delete the token, alone or with others.
func (s Store) OpenDeletionOf(ctx context.Context, merchantID, tokenID uuid.UUID) (Approval, bool, error) {
	return s.open(ctx, merchantID, "kind = ? AND subject->'tokens' @> to_jsonb(?::text)", DeleteTokens, tokenID.String())
}

// CountOpenApprovals counts the requests that wait for an answer.
func (s Store) CountOpenApprovals(ctx context.Context, merchantID uuid.UUID) (int, error) {
	var n int64
	err := s.Gorm(ctx).Model(&Approval{}).Scopes(unanswered(merchantID, s.Now())).Count(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", err)
	}
	return int(n), nil
}
