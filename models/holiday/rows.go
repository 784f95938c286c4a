package holiday

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Store is where proclaimed days are kept.
type Store struct{ *database.DB }

// proclaimed is a day as it is kept.
type proclaimed struct {
	Day       calendar.Date
	Name      string
	Open      bool
	CreatedAt time.Time
}

// TableName implements GORM's Tabler.
func (proclaimed) TableName() string { return "proclaimed_days" }

// putDay keeps a day, or changes what was kept of it.
func putDay(tx *database.Tx, c calendar.Change) error {
	err := tx.Gorm().Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "day"}},
		DoUpdates: clause.AssignmentColumns([]string{"name", "open"})}).
		Create(&proclaimed{c.Day, c.Name, c.Open, tx.Now()}).Error
	if err != nil {
		return fmt.Errorf("keep a proclaimed day: %w", err)
	}
	return nil
}

// dropDay forgets a day; false when it was not kept.
func dropDay(tx *database.Tx, day calendar.Date) (bool, error) {
	kept, err := database.Found(tx.Gorm().Delete(&proclaimed{}, "day = ?", day))
	if err != nil {
		return false, fmt.Errorf("forget a proclaimed day: %w", err)
	}
	return kept, nil
}

// ProclaimedDays lists the days that are kept, the earliest first.
func (s Store) ProclaimedDays(ctx context.Context) ([]calendar.Change, error) {
	var kept []proclaimed
	if err := s.Gorm(ctx).Order("day").Find(&kept).Error; err != nil {
		return nil, fmt.Errorf("read proclaimed days: %w", err)
	}
	days := make([]calendar.Change, len(kept))
	for i, k := range kept {
		from := calendar.DateOf(k.CreatedAt)
		days[i] = calendar.Change{Day: k.Day, Name: k.Name, Open: k.Open, KnownFrom: from, Gazetted: from.String(),
			Source: "Added on this installation", Sure: "C"}
	}
	return days, nil
}

// PlannedOn counts the debits of all merchants that are planned for a day and not with
// the bank yet.
func (s Store) PlannedOn(ctx context.Context, day calendar.Date) (n int64, err error) {
	err = s.Gorm(ctx).Table("collections").Where("state = 'scheduled' AND action_date = ?", day).Count(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count planned debits: %w", err)
	}
	return n, nil
}
