package subscription

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/token"
)

// PeriodsOf lists what was billed or skipped, newest first.
func (s Store) PeriodsOf(ctx context.Context, merchantID, subscriberID uuid.UUID) (found []Period, err error) {
	err = s.Gorm(ctx).Where("merchant_id = ? AND template_client_id = ?", merchantID, subscriberID).
		Order("starts_on DESC").Find(&found).Error
	return found, err
}

// dueSubscribers are those with something to do; each part reads one index. While an
// account is being deleted, nothing is billed to it. Few ever are.
const dueSubscribers = `SELECT id FROM template_clients WHERE next_at <= ? AND (token_id IS NULL OR token_id ` +
	token.NotBeingDeleted + `)
	UNION SELECT id FROM template_clients WHERE stored_token IS NOT NULL AND stored_token ` + token.NotBeingDeleted +
	` AND stored_token ` + token.NotHeld + ` AND (token_id IS NULL OR token_id ` + token.NotBeingDeleted + `)`

// DueSubscribers lists those of all merchants with a period that begins by now, or an account
// that was just stored, in the order of their ids, after one of them. Those whose account is
// being deleted wait until that is undone or final.
func (s Store) DueSubscribers(ctx context.Context, after uuid.UUID, limit int) ([]Subscriber, error) {
	return s.subscribers(ctx, fmt.Sprintf("s.id IN (%s) AND s.id > ? ORDER BY s.id LIMIT %d",
		dueSubscribers, limit), s.Now(), after)
}

// subscribersToJudge lists those of all merchants whose price, mandate or date changed, in the order of their ids.
func (s Store) subscribersToJudge(ctx context.Context, after uuid.UUID, limit int) ([]Subscriber, error) {
	return s.subscribers(ctx, fmt.Sprintf("s.fit_due AND s.id > ? ORDER BY s.id LIMIT %d", limit), after)
}

// keepVerdict keeps why the next period of a subscriber cannot be debited, unless the subscriber has changed meanwhile.
func (s Store) keepVerdict(ctx context.Context, sub Subscriber, why string) error {
	err := s.Gorm(ctx).Exec(`UPDATE template_clients SET unfit = ?, fit_due = false
		WHERE merchant_id = ? AND id = ? AND version = ? AND fit_due`, why, sub.MerchantID, sub.ID, sub.Version).Error
	if err != nil {
		return fmt.Errorf("keep what was found of a subscriber: %w", err)
	}
	return nil
}

// NextPeriod is the earliest moment after now at which a period is looked at.
func (s Store) NextPeriod(ctx context.Context) (at time.Time, found bool, err error) {
	at, found, err = database.Earliest(s.Gorm(ctx).Table("template_clients").Where("next_at > ?", s.Now()), "next_at")
	if err != nil {
		return time.Time{}, false, fmt.Errorf("find the next period: %w", err)
	}
	return at.UTC(), found, nil
}

// PeriodsOverdue tells whether DueSubscribers would find any.
func (s Store) PeriodsOverdue(ctx context.Context) (overdue bool, err error) {
	err = s.Gorm(ctx).Raw(`SELECT EXISTS (`+dueSubscribers+`)`, s.Now()).Find(&overdue).Error
	if err != nil {
		return false, fmt.Errorf("look for periods: %w", err)
	}
	return overdue, nil
}
