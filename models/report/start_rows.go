package report

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// start tells which first steps a merchant and a person have taken.
func (s Store) start(ctx context.Context, merchantID, userID uuid.UUID) (Start, error) {
	var out Start
	ownFirst := func(table, and string) string { // the first that an index of the merchant has; a blank ends the name m
		return "(SELECT true FROM " + table + " WHERE " + database.BoundTo("merchant_id", "@m ") + and +
			" ORDER BY merchant_id LIMIT 1) IS NOT NULL"
	}
	err := s.Gorm(ctx).Raw(`SELECT
		`+ownFirst("clients", " AND deleted_at IS NULL")+` AS client,
		`+ownFirst("mandates", "")+` AS mandate,
		`+ownFirst("batches", " AND state NOT IN ('mapping', 'checking', 'checked')")+` AS batch,
		EXISTS (SELECT FROM memberships WHERE merchant_id = @m AND user_id <> @u AND role = 'admin'
			AND disabled_at IS NULL) AS second_admin,
		EXISTS (SELECT FROM users WHERE id = @u AND totp_confirmed_at IS NOT NULL)
			OR EXISTS (SELECT FROM passkeys WHERE user_id = @u) AS two_step,
		COALESCE((SELECT first_steps_hidden FROM memberships WHERE merchant_id = @m AND user_id = @u), false) AS hidden`,
		map[string]any{"m": merchantID, "u": userID}).Scan(&out).Error
	if err != nil {
		return out, fmt.Errorf("first steps: %w", err)
	}
	return out, nil
}
