package installation

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"debitdesk/models/database"
)

// Store is where the link is kept.
type Store struct{ *database.DB }

// firstLink is the one link, of which only a hash is kept.
type firstLink struct {
	TokenHash            []byte
	CreatedAt, ExpiresAt time.Time
}

// TableName implements GORM's Tabler.
func (firstLink) TableName() string { return "first_links" }

// AnyUser tells whether there is a user, of any business.
func (s Store) AnyUser(ctx context.Context) (has bool, err error) {
	if err := s.Gorm(ctx).Raw(`SELECT EXISTS (SELECT FROM users)`).Scan(&has).Error; err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return has, nil
}

// AnyAdmin tells whether an admin of any business can sign in.
func (s Store) AnyAdmin(ctx context.Context) (has bool, err error) {
	err = s.Gorm(ctx).Raw(`SELECT EXISTS (SELECT FROM memberships mb JOIN users u ON u.id = mb.user_id
		WHERE mb.role = 'admin' AND mb.disabled_at IS NULL AND u.disabled_at IS NULL)`).Scan(&has).Error
	if err != nil {
		return false, fmt.Errorf("look for an admin: %w", err)
	}
	return has, nil
}

// Link is nil for the link that works at that moment; NotFound for any other.
func (s Store) Link(ctx context.Context, hash []byte, at time.Time) error {
	var link firstLink
	return s.Gorm(ctx).Where("token_hash = ? AND expires_at > ?", hash, database.Instant(at)).
		Take(&link, "NOT EXISTS (SELECT FROM users)").Error
}

// begin keeps others from making or using a link until the transaction ends; Conflict once there is a user.
func begin(tx *database.Tx) error {
	if err := tx.Gorm().Exec(`SELECT pg_advisory_xact_lock(hashtext('debitdesk first link'))`).Error; err != nil {
		return fmt.Errorf("hold the first link: %w", err)
	}
	has, err := Store{tx.DB()}.AnyUser(tx.Context())
	if err == nil && has {
		err = opened()
	}
	return err
}

// keepLink puts a new link in the place of the one before.
func keepLink(tx *database.Tx, hash []byte, at, until time.Time) error {
	err := tx.Gorm().Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "one"}},
		DoUpdates: clause.AssignmentColumns([]string{"token_hash", "created_at", "expires_at"})}).
		Create(&firstLink{hash, database.Instant(at), database.Instant(until)}).Error
	if err != nil {
		return fmt.Errorf("keep the first link: %w", err)
	}
	return nil
}

// useLink takes the link; false when it is not the newest, is over or was taken.
func useLink(tx *database.Tx, hash []byte, at time.Time) (bool, error) {
	return database.Found(tx.Gorm().Delete(&firstLink{}, "token_hash = ? AND expires_at > ?", hash, database.Instant(at)))
}
