package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Writable is an error when the database takes no writes: it is a standby, read-only,
// or its disk is full. One row is written and kept, so that no table grows; a megabyte
// is sorted on disk and gone afterwards, since one row finds room on a full disk too.
func (s *Store) Writable(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`SET LOCAL lock_timeout = '1s'`,
			`SET LOCAL work_mem = '64kB'`,
			`INSERT INTO readiness (one, written_at) VALUES (true, now()) ON CONFLICT (one) DO UPDATE SET written_at = now()`,
			`SELECT count(*) FROM (SELECT repeat(md5(g::text), 32) COLLATE "C" AS words FROM generate_series(1, 1000) AS g ORDER BY words OFFSET 0) AS sorted`,
		} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("try to write: %w", err)
	}
	return nil
}
