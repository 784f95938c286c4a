package prove

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// line is the way between the sandbox bank and the product, where answers get late, doubled, out of order and lost.
// It changes the bank's own tables alone.
type line struct {
	db   *pgxpool.Pool
	lost []reply
}

// reply is one answer that waits at the bank.
type reply struct {
	ID  string
	Seq int
}

func (l *line) waiting(ctx context.Context) ([]reply, error) {
	rows, err := l.db.Query(ctx, `SELECT instruction_id::text, seq FROM sandbox_answers WHERE delivered_at IS NULL
		ORDER BY due_at, instruction_id, seq`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[reply])
}

// disturb does one fault to one of the answers that wait, and says which; empty when none waits.
func (l *line) disturb(ctx context.Context, f Fault, r *rand.Rand) (string, error) {
	all, err := l.waiting(ctx)
	if err != nil || len(all) == 0 {
		return "", err
	}
	one := all[r.IntN(len(all))]
	days := 1 + r.IntN(6)
	switch f {
	case Delayed:
		err = l.run(ctx, `UPDATE sandbox_answers SET due_at = due_at + make_interval(days => $3)
			WHERE instruction_id = $1 AND seq = $2`, one.ID, one.Seq, days)
	case Doubled:
		err = l.run(ctx, `WITH next AS (UPDATE sandbox_instructions SET last_seq = last_seq + 1 WHERE id = $1
			RETURNING last_seq)
			INSERT INTO sandbox_answers (instruction_id, seq, kind, code, due_at, channel, reference)
			SELECT instruction_id, next.last_seq, kind, code, due_at + make_interval(hours => $3), channel, reference
			FROM sandbox_answers, next WHERE instruction_id = $1 AND seq = $2`, one.ID, one.Seq, r.IntN(48))
	case Reordered:
		err = l.run(ctx, `UPDATE sandbox_answers a SET due_at = b.due_at FROM sandbox_answers b
			WHERE a.instruction_id = $1 AND b.instruction_id = $1 AND a.delivered_at IS NULL AND b.delivered_at IS NULL
			AND a.seq <> b.seq AND (SELECT count(*) FROM sandbox_answers WHERE instruction_id = $1
				AND delivered_at IS NULL) = 2`, one.ID)
	case Lost:
		l.lost = append(l.lost, one)
		err = l.run(ctx, `UPDATE sandbox_answers SET delivered_at = due_at WHERE instruction_id = $1 AND seq = $2`, one.ID,
			one.Seq)
	case Kill, Failover:
		return "", nil
	}
	return fmt.Sprintf("%s: answer %d of the bank about %s", f, one.Seq, one.ID), err
}

// repeat makes the bank say again what was lost, and everything it said in the last days: an acknowledgement gets
// lost as easily.
func (l *line) repeat(ctx context.Context, since time.Time) error {
	for _, one := range l.lost {
		if err := l.run(ctx, `UPDATE sandbox_answers SET delivered_at = NULL WHERE instruction_id = $1 AND seq = $2`, one.ID,
			one.Seq); err != nil {
			return err
		}
	}
	l.lost = nil
	return l.run(ctx, `UPDATE sandbox_answers SET delivered_at = NULL WHERE due_at > $1`, since)
}

// breakConnections ends every connection to the database but those of the checks, as a failover does.
func (l *line) breakConnections(ctx context.Context) error {
	return l.run(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND application_name <> 'prove'`)
}

// lapse lets the claims of servers that are gone end, as real time would.
func (l *line) lapse(ctx context.Context) error {
	for _, table := range []string{"collections", "deliveries", "mails", "sms_messages"} {
		if err := l.run(ctx, `UPDATE `+table+` SET claimed_until = now() - interval '1 second'
			WHERE claimed_until > now()`); err != nil {
			return err
		}
	}
	return nil
}

func (l *line) run(ctx context.Context, sql string, args ...any) error {
	_, err := l.db.Exec(ctx, sql, args...)
	return err
}

// eyes is a connection of the checks.
func eyes(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	c.MaxConns, c.ConnConfig.RuntimeParams["application_name"] = 2, "prove"
	return pgxpool.NewWithConfig(ctx, c)
}
