package trail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"debitdesk/models/audit"
	"debitdesk/models/audit/merkle"
)

// behind are the merchants with links that are not in their log yet. While an alarm stands, a log waits.
const behind = `SELECT h.merchant_id FROM audit_heads h LEFT JOIN audit_trees t ON t.merchant_id = h.merchant_id
	WHERE (t.merchant_id IS NULL OR t.first + t.size - 1 < h.n)
	AND NOT EXISTS (SELECT FROM audit_alarms a WHERE a.merchant_id = h.merchant_id)`

// waiting tells whether a log is behind its chain.
func (s Store) waiting(ctx context.Context) (waits bool, err error) {
	if err = s.Pool.QueryRow(ctx, `SELECT EXISTS (`+behind+`)`).Scan(&waits); err != nil {
		return false, fmt.Errorf("look for logs of the audit that are behind: %w", err)
	}
	return waits, nil
}

// growLogs adds at most so many leaves to the logs that are behind.
func (k *Service) growLogs(ctx context.Context, limit int) (done Linked, err error) {
	err = pgx.BeginFunc(ctx, k.Store.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM audit_progress FOR UPDATE`); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, behind+` ORDER BY 1`)
		if err != nil {
			return err
		}
		merchants, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		for _, id := range merchants {
			if err != nil || done.Entries >= limit {
				break
			}
			err = k.growLog(ctx, tx, id, limit-done.Entries, &done)
		}
		return err
	})
	if err != nil {
		return Linked{}, fmt.Errorf("add to the logs of the audit: %w", err)
	}
	return done, nil
}

// growLog adds the next links of a merchant to its log and cuts a checkpoint, or raises an alarm.
func (k *Service) growLog(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID, limit int, done *Linked) error {
	base, err := baseOf(ctx, tx.QueryRow, merchantID)
	if err != nil {
		return err
	}
	old, err := logOf(ctx, tx.QueryRow, base)
	if err != nil {
		return err
	}
	var g growth
	if g.why = k.sound(old); g.why != "" {
		g.n = old.Last()
		return k.raiseAbout(ctx, tx, merchantID, g, done)
	}
	at := audit.Head{MerchantID: merchantID, N: old.Last()}
	if at.Hash, err = hashAt(ctx, tx.QueryRow, merchantID, at.N); err != nil {
		return err
	}
	next, err := linksAfter(ctx, tx.Query, merchantID, at.N, limit)
	if err != nil {
		return err
	}
	if err := g.follow(at, base, next, old.accepted); err != nil {
		return err
	}
	if err := k.append(ctx, tx, old, &g); err != nil {
		return err
	}
	done.Entries += len(g.leaves)
	return k.raiseAbout(ctx, tx, merchantID, g, done)
}

// append keeps the leaves, unless the hashes that are kept do not fit the log's root.
func (k *Service) append(ctx context.Context, tx pgx.Tx, old log, g *growth) error {
	var failed error
	tree, tiles, err := old.Append(g.leaves, tilesOf(ctx, tx.Query, old.merchantID, &failed))
	switch {
	case failed != nil:
		return failed
	case err != nil:
		g.leaves, g.n, g.why = nil, old.Last(), wrongHashes
		return nil //nolint:nilerr // told by the alarm
	case tree.Size == old.Size:
		return nil
	}
	at, err := merkle.Sign(tree, k.Signer)
	if err != nil {
		return err
	}
	now := old
	now.Tree, now.checkpoint = tree, at.Text
	return k.Store.keepLog(ctx, tx, old.Size, now, tiles)
}

func (k *Service) raiseAbout(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID, g growth, done *Linked) error {
	if g.why == "" {
		return nil
	}
	a := k.alarmAbout(merchantID, g.n, g.why)
	fresh, err := raise(ctx, tx.QueryRow, a)
	if fresh {
		done.Alarms = append(done.Alarms, a)
	}
	return err
}

// errMoved tells that another process was quicker.
var errMoved = errors.New("the log of the audit has another size by now")

func (s Store) keepLog(ctx context.Context, tx pgx.Tx, size int64, now log, tiles []merkle.Tile) error {
	tag, err := tx.Exec(ctx, `INSERT INTO audit_trees (merchant_id, origin, first, size, root, checkpoint, made_at)
		VALUES ($1, $8, $2, $3, $4, $5, $6) ON CONFLICT (merchant_id) DO UPDATE
		SET size = excluded.size, root = excluded.root, checkpoint = excluded.checkpoint, made_at = excluded.made_at
		WHERE audit_trees.size = $7 AND audit_trees.origin = excluded.origin`, now.merchantID, now.First, now.Size,
		now.Root[:], now.checkpoint, s.Now(), size, now.Origin)
	if err != nil {
		return err
	}
	if tag.RowsAffected() != 1 {
		return errMoved
	}
	levels, places, hashes := make([]int32, len(tiles)), make([]int64, len(tiles)), make([][]byte, len(tiles))
	for i, one := range tiles {
		levels[i], places[i], hashes[i] = int32(one.Level), one.N, one.Hashes //nolint:gosec // at most 12
	}
	_, err = tx.Exec(ctx, `INSERT INTO audit_tiles (merchant_id, level, n, hashes)
		SELECT $1::uuid, t.* FROM unnest($2::int[], $3::bigint[], $4::bytea[]) AS t
		ON CONFLICT (merchant_id, level, n) DO UPDATE SET hashes = excluded.hashes`, now.merchantID, levels, places, hashes)
	return err
}

// logOf gives a merchant's log; an empty one that begins behind the base when there is none.
func logOf(ctx context.Context, one queryRow, base audit.Base) (log, error) {
	l := log{Tree: merkle.Begin(merkle.Origin(base.MerchantID, time.Time{}), base.N+1), merchantID: base.MerchantID}
	root := l.Root[:]
	err := found(one(ctx, `SELECT origin, first, size, root, checkpoint, accepted FROM audit_trees WHERE merchant_id = $1`,
		base.MerchantID), &l.Origin, &l.First, &l.Size, &root, &l.checkpoint, &l.accepted)
	copy(l.Root[:], root)
	return l, err
}

// beginLog begins a new log of a chain that was accepted as it stands up to a link; what it holds comes by the sweep.
// It gives the log of before.
func (s Store) beginLog(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID, upTo int64) (before log, err error) {
	base, err := baseOf(ctx, tx.QueryRow, merchantID)
	if err != nil {
		return before, err
	}
	if before, err = logOf(ctx, tx.QueryRow, base); err != nil {
		return before, err
	}
	now := merkle.Begin(merkle.Origin(merchantID, s.Now()), base.N+1)
	for _, do := range []struct {
		sql  string
		args []any
	}{
		{`SELECT set_config('debitdesk.log_begins', $1, true)`, []any{merchantID.String()}},
		{`DELETE FROM audit_tiles WHERE merchant_id = $1`, []any{merchantID}},
		{`INSERT INTO audit_trees (merchant_id, origin, first, size, root, checkpoint, accepted, made_at)
			VALUES ($1, $2, $3, 0, $4, '', $5, $6) ON CONFLICT (merchant_id) DO UPDATE SET origin = excluded.origin,
			first = excluded.first, size = 0, root = excluded.root, checkpoint = '', accepted = excluded.accepted,
			made_at = excluded.made_at`, []any{merchantID, now.Origin, now.First, now.Root[:], upTo, s.Now()}},
		{`SELECT set_config('debitdesk.log_begins', '', true)`, nil},
	} {
		if _, err := tx.Exec(ctx, do.sql, do.args...); err != nil {
			return before, err
		}
	}
	return before, nil
}

// errNoTile tells that hashes are missing.
var errNoTile = errors.New("hashes of the log are missing")

// tilesOf reads tiles; what went wrong with the database is also told apart.
func tilesOf(ctx context.Context, read query, merchantID uuid.UUID, failed *error) merkle.Tiles {
	return func(want []tlog.Tile) ([][]byte, error) {
		levels, places := make([]int32, len(want)), make([]int64, len(want))
		for i, one := range want {
			levels[i], places[i] = int32(one.L), one.N //nolint:gosec // at most 12
		}
		rows, err := read(ctx, `SELECT coalesce(t.hashes, '')
			FROM unnest($2::int[], $3::bigint[]) WITH ORDINALITY AS w(level, n, i) LEFT JOIN audit_tiles t
				ON t.merchant_id = $1 AND t.level = w.level AND t.n = w.n ORDER BY w.i`, merchantID, levels,
			places)
		if err != nil {
			*failed = err
			return nil, err
		}
		out, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if err != nil {
			*failed = err
			return nil, err
		}
		for i, one := range want {
			if len(out[i]) < one.W*tlog.HashSize {
				return nil, errNoTile
			}
			out[i] = out[i][:one.W*tlog.HashSize]
		}
		return out, nil
	}
}

// log gives a merchant's log.
func (s Store) log(ctx context.Context, merchantID uuid.UUID) (log, error) {
	base, err := s.Base(ctx, merchantID)
	if err != nil {
		return log{}, err
	}
	l, err := logOf(ctx, s.Pool.QueryRow, base)
	if err != nil {
		return l, fmt.Errorf("log of the audit: %w", err)
	}
	return l, nil
}

func (s Store) tiles(ctx context.Context, merchantID uuid.UUID, failed *error) merkle.Tiles {
	return tilesOf(ctx, s.Pool.Query, merchantID, failed)
}

// linkOf finds the link of a merchant's entry, with the entry; its number is 0 while there is none.
func (s Store) linkOf(ctx context.Context, merchantID, entryID uuid.UUID) (entered, error) {
	if _, err := s.entry(ctx, merchantID, entryID); err != nil {
		return entered{}, err
	}
	var n int64
	err := found(s.Pool.QueryRow(ctx, `SELECT n FROM audit_links WHERE merchant_id = $1 AND entry_id = $2`, merchantID,
		entryID), &n)
	if err != nil || n == 0 {
		return entered{}, err
	}
	read, err := linksAfter(ctx, s.Pool.Query, merchantID, n-1, 1)
	if err != nil || len(read) == 0 {
		return entered{}, err
	}
	return read[0], nil
}
