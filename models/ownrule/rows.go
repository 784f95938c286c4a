package ownrule

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/merchant"
	"debitdesk/models/rulebook"
)

var (
	ruleTable = table.New[Rule]("own_rules")
	ruleEnd   = ruleTable.Write(`UPDATE own_rules SET @set(to_day, ended_at, ended_by, replaced)
		WHERE merchant_id = @merchant_id AND id = @id`)
)

// Store is where the rules of businesses are kept.
type Store struct{ *database.DB }

// Rules lists all rules that a business ever chose, by key and day.
func (s Store) Rules(ctx context.Context, merchantID uuid.UUID) ([]Rule, error) {
	return database.All(ctx, s.DB, ruleTable, "merchant_id = $1 ORDER BY key, from_day, created_at", merchantID)
}

// Rule gives a rule of a business; NotFound otherwise.
func (s Store) Rule(ctx context.Context, merchantID, id uuid.UUID) (Rule, error) {
	return database.One(ctx, s.DB, ruleTable, "merchant_id = $1 AND id = $2", merchantID, id)
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
func lockRules(tx *database.Tx, merchantID uuid.UUID, key string) ([]Rule, error) {
	if _, err := tx.Exec(`SELECT 1 FROM merchants WHERE id = $1 FOR NO KEY UPDATE`, merchantID); err != nil {
		return nil, fmt.Errorf("lock merchant: %w", err)
	}
	return database.All(tx.Context(), tx.DB(), ruleTable,
		"merchant_id = $1 AND key = $2 AND (to_day IS NULL OR to_day > from_day) ORDER BY from_day", merchantID, key)
}

// lockRule reads a rule and keeps others from changing it; NotFound otherwise.
func lockRule(tx *database.Tx, merchantID, id uuid.UUID) (Rule, error) {
	return database.One(tx.Context(), tx.DB(), ruleTable, "merchant_id = $1 AND id = $2 FOR UPDATE", merchantID, id)
}

func insertRule(tx *database.Tx, r Rule) { database.Insert(tx, ruleTable, r) }

func endRule(tx *database.Tx, r Rule) { database.MustChange(tx, ruleEnd, r) }

// forget makes this process read what is kept with brands anew.
func (s Store) forget(merchantID uuid.UUID) { merchant.Store{DB: s.DB}.Forget(merchantID) }
