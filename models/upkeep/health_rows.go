package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// Vitals is how far behind the work is. Ages are of the oldest that waits.
type Vitals struct {
	QueueLag        time.Duration // since a job could have begun, real time
	OutboxAge       time.Duration // since a mail was written that has not left
	WebhookAge      time.Duration // since a delivery was due first that nobody took
	OverdueAge      time.Duration // since a collection should have gone to the bank
	MandateTimeouts int64         // clients who did not answer in time, last 24 hours
	Unlinked        int64         // entries of the audit that are not in their chain yet
	AuditAlarms     int64         // chains of the audit that do not hold
	Connections     int64         // of all clients, to this server
	MaxConnections  int64
}

// Vitals asks one question that reads small partial indexes. It ends with ctx.
func (s Store) Vitals(ctx context.Context) (v Vitals, err error) {
	now := s.Now()
	var found struct {
		Vitals
		Queue, Outbox, Webhook, Overdue float64 // seconds
	}
	err = s.Gorm(ctx).Raw(`SELECT
		coalesce(extract(epoch FROM (SELECT now() - min(scheduled_at) FROM river_job WHERE state = 'available')), 0)::float8
			AS queue,
		coalesce(extract(epoch FROM (SELECT (@now)::timestamptz - min(created_at) FROM mails WHERE state = 'queued')),
			0)::float8 AS outbox,
		coalesce(extract(epoch FROM (SELECT (@now)::timestamptz - min(created_at) FROM deliveries
			WHERE state = 'pending')), 0)::float8 AS webhook,
		coalesce(extract(epoch FROM (SELECT (@now)::timestamptz - min(submit_at) FROM collections
			WHERE state = 'scheduled' AND submit_at < @now)), 0)::float8 AS overdue,
		(SELECT count(*) FROM mandate_authentications WHERE state = 'no_response' AND expires_at > @yesterday)
			AS mandate_timeouts,
		(SELECT count(*) FROM audit_entries e, audit_progress p WHERE e.turn >= p.turn
			AND (e.turn, e.id) > (p.turn, p.entry_id)) AS unlinked,
		(SELECT count(*) FROM audit_alarms) AS audit_alarms,
		(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
		current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
			AS max_connections`, map[string]any{"now": now, "yesterday": now.Add(-24 * time.Hour)}).Take(&found).Error
	if err != nil {
		return v, fmt.Errorf("vital signs: %w", err)
	}
	v = found.Vitals
	v.QueueLag, v.OutboxAge, v.WebhookAge, v.OverdueAge = seconds(found.Queue), seconds(found.Outbox),
		seconds(found.Webhook), seconds(found.Overdue)
	return v, nil
}

func seconds(s float64) time.Duration { return max(0, time.Duration(s*float64(time.Second))) }

// recentDays is how far back the states of collections are counted.
const recentDays = 30

// RecentCollections counts by state the collections whose action date lies within the
// last thirty days or ahead, of all merchants together.
func (s Store) RecentCollections(ctx context.Context) (map[string]int64, error) {
	counts, err := database.CountByState[string](ctx, s.DB, `SELECT c.state, sum(c.n)::bigint AS n
		FROM merchants m, LATERAL (SELECT state, count(*) AS n FROM collections
			WHERE merchant_id = m.id AND action_date >= ? GROUP BY state) AS c GROUP BY c.state`,
		s.Now().AddDate(0, 0, -recentDays))
	if err != nil {
		return nil, fmt.Errorf("count recent collections: %w", err)
	}
	return counts, nil
}

// Writable is an error when the database takes no writes: it is a standby, read-only,
// or its disk is full. One row is written and kept, so that no table grows; a megabyte
// is sorted on disk and gone afterwards, since one row finds room on a full disk too. It is no work of the product, of
// which pages that are open would be told.
func (s Store) Writable(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`SET LOCAL lock_timeout = '1s'`,
			`SET LOCAL work_mem = '64kB'`,
			`INSERT INTO readiness (one, written_at) VALUES (true, now()) ON CONFLICT (one) DO UPDATE SET written_at = now()`,
			`SELECT count(*) FROM (SELECT repeat(md5(g::text), 32) COLLATE "C" AS words FROM generate_series(1, 1000) AS g
				ORDER BY words OFFSET 0) AS sorted`,
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
