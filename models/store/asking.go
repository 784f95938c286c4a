package store

import (
	"context"
	"fmt"
)

// AskingNow tells whether any payer is being asked about a mandate, or any bank has
// yet to hear that an answer is not wanted any more. It reads partial indexes that
// hold nothing else.
func (s *Store) AskingNow(ctx context.Context) (asking bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mandate_authentications WHERE state IN ('requested', 'sent', 'delivered'))
		OR EXISTS (SELECT FROM mandate_authentications WHERE cancel_due)`).Scan(&asking)
	if err != nil {
		return false, fmt.Errorf("look for open authentications: %w", err)
	}
	return asking, nil
}
