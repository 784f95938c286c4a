package ownrule

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/merchant"
	"debitdesk/models/rulebook"
)

// Store is where the rules of businesses are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Rule) TableName() string { return "own_rules" }

// Rules lists all rules that a business ever chose, by key and day.
func (s Store) Rules(ctx context.Context, merchantID uuid.UUID) (rules []Rule, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("key, from_day, created_at").Find(&rules).Error
	return rules, err
}

// Rule gives a rule of a business; NotFound otherwise.
func (s Store) Rule(ctx context.Context, merchantID, id uuid.UUID) (r Rule, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&r, "id = ?", id).Error
	return r, err
}

// OwnRules lists the rules of a business as the rulebook takes them.
func (s Store) OwnRules(ctx context.Context, merchantID uuid.UUID) ([]rulebook.Own, error) {
	rules, err := s.Rules(ctx, merchantID)
	if err != nil {
		return nil, fmt.Errorf("read a merchant's own rules: %w", err)
	}
	var own []rulebook.Own
	for _, r := range rules {
		if !r.Void() {
			own = append(own, r.Row())
		}
	}
	return own, nil
}

// Within lists the rules of a business as a transaction sees them.
func Within(tx *database.Tx, merchantID uuid.UUID) ([]rulebook.Own, error) {
	return Store{tx.DB()}.OwnRules(tx.Context(), merchantID)
}

// lockRules reads the rules of one key that have not ended for good, and keeps others from changing them.
func lockRules(tx *database.Tx, merchantID uuid.UUID, key string) (rules []Rule, err error) {
	if err := merchant.Lock(tx, merchantID); err != nil {
		return nil, err
	}
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID)).
		Where("key = ? AND (to_day IS NULL OR to_day > from_day)", key).Order("from_day").Find(&rules).Error
	return rules, err
}

// lockRule reads a rule and keeps others from changing it; NotFound otherwise.
func lockRule(tx *database.Tx, merchantID, id uuid.UUID) (r Rule, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&r, "id = ?", id).Error
	return r, err
}

// endRule ends a rule that this transaction holds.
func endRule(tx *database.Tx, r Rule) error {
	return database.OneRow(tx.Gorm().Model(&r).Scopes(database.OfMerchant(r.MerchantID)).
		Select("to_day", "ended_at", "ended_by", "replaced").UpdateColumns(r))
}

// forget makes this process read what is kept with brands anew.
func (s Store) forget(merchantID uuid.UUID) { merchant.Store{DB: s.DB}.Forget(merchantID) }
