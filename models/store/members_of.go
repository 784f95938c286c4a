package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/user"
)

// PeopleOf lists who may sign in for a business, by name, up to limit.
func (s *Store) PeopleOf(ctx context.Context, merchantID uuid.UUID, limit int) ([]user.User, error) {
	var rows []memberRow
	err := s.read(ctx).Raw(`SELECT `+userColumns+` FROM users u JOIN memberships mb ON mb.user_id = u.id
		WHERE mb.merchant_id = ? AND u.disabled_at IS NULL AND mb.disabled_at IS NULL ORDER BY lower(u.name), u.id LIMIT ?`, merchantID, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	people := make([]user.User, len(rows))
	for i, r := range rows {
		if people[i], err = r.domain(); err != nil {
			return nil, err
		}
	}
	return people, nil
}
