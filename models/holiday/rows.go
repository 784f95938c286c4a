package holiday

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Store is where proclaimed days are kept.
type Store struct{ *database.DB }

// putDay keeps a day, or changes what was kept of it.
func putDay(tx *database.Tx, c calendar.Change) error {
	_, err := tx.Exec(`INSERT INTO proclaimed_days (day, name, open, created_at) VALUES ($1::text::date, $2, $3, $4)
		ON CONFLICT (day) DO UPDATE SET name = $2, open = $3`, c.Day.String(), c.Name, c.Open, tx.Now())
	if err != nil {
		return fmt.Errorf("keep a proclaimed day: %w", err)
	}
	return nil
}

// dropDay forgets a day; false when it was not kept.
func dropDay(tx *database.Tx, day calendar.Date) (bool, error) {
	n, err := tx.Exec(`DELETE FROM proclaimed_days WHERE day = $1::text::date`, day.String())
	if err != nil {
		return false, fmt.Errorf("forget a proclaimed day: %w", err)
	}
	return n == 1, nil
}

// ProclaimedDays lists the days that are kept, the earliest first.
func (s Store) ProclaimedDays(ctx context.Context) ([]calendar.Change, error) {
	rows, err := s.Pool.Query(ctx, `SELECT day::text, name, open,
		(created_at AT TIME ZONE 'Africa/Johannesburg')::date::text FROM proclaimed_days ORDER BY day`)
	if err != nil {
		return nil, fmt.Errorf("read proclaimed days: %w", err)
	}
	days, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c calendar.Change, err error) {
		var day string
		if err := row.Scan(&day, &c.Name, &c.Open, &c.Gazetted); err != nil {
			return c, err
		}
		c.Source, c.Sure = "Added on this installation", "C"
		if c.KnownFrom, err = calendar.ParseDate(c.Gazetted); err != nil {
			return c, err
		}
		c.Day, err = calendar.ParseDate(day)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("read proclaimed days: %w", err)
	}
	return days, nil
}

// PlannedOn counts the debits of all merchants that are planned for a day and not with
// the bank yet.
func (s Store) PlannedOn(ctx context.Context, day calendar.Date) (n int64, err error) {
	if err := s.Pool.QueryRow(ctx,
		`SELECT count(*) FROM collections WHERE state = 'scheduled' AND action_date = $1::text::date`,
		day.String()).Scan(&n); err != nil {
		return 0, fmt.Errorf("count planned debits: %w", err)
	}
	return n, nil
}
