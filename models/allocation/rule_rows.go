package allocation

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// ruleRow is the setting as the business has it.
type ruleRow struct {
	Since *time.Time `gorm:"column:eft_rule_since"`
	By    string     `gorm:"column:eft_rule_by"`
}

func (r ruleRow) rule() Rule {
	if r.Since == nil {
		return Rule{}
	}
	return Rule{Since: *r.Since, By: r.By}
}

func (s Store) rule(ctx context.Context, merchantID uuid.UUID) (Rule, error) {
	var row ruleRow
	err := s.Gorm(ctx).Raw(`SELECT eft_rule_since, eft_rule_by FROM merchants WHERE id = ?`, merchantID).Scan(&row).Error
	if err != nil {
		return Rule{}, fmt.Errorf("the rule for EFT payments: %w", err)
	}
	return row.rule(), nil
}

// lockRule is the setting, which stays as it is until the transaction ends; to change keeps others from reading it so.
func lockRule(tx *database.Tx, merchantID uuid.UUID, change bool) (Rule, error) {
	how := " FOR SHARE"
	if change {
		how = " FOR NO KEY UPDATE"
	}
	var row ruleRow
	err := tx.Gorm().Raw(`SELECT eft_rule_since, eft_rule_by FROM merchants WHERE id = ?`+how, merchantID).
		Scan(&row).Error
	if err != nil {
		return Rule{}, fmt.Errorf("lock the rule for EFT payments: %w", err)
	}
	return row.rule(), nil
}

func saveRule(tx *database.Tx, merchantID uuid.UUID, r Rule) error {
	return database.OneRow(tx.Gorm().Exec(`UPDATE merchants SET eft_rule_since = ?, eft_rule_by = ?, updated_at = ?
		WHERE id = ?`, database.InstantOrNull(r.Since), r.By, tx.Now(), merchantID))
}
