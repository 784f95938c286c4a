package trail

import (
	"context"
	"errors"
	"fmt"

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
			err = k.growLog(ctx, tx, id, limit-done.Entries, false, &done)
		}
		return err
	})
	if err != nil {
		return Linked{}, fmt.Errorf("add to the logs of the audit: %w", err)
	}
	return done, nil
}

// growLog adds the next links of a merchant to its log and cuts a checkpoint, or raises an alarm.
func (k *Service) growLog(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID, limit int, accepted bool,
	done *Linked) error {
	base, err := baseOf(ctx, tx.QueryRow, merchantID)
	if err != nil {
		return err
	}
	old, err := logOf(ctx, tx.QueryRow, base)
	if err != nil {
		return err
	}
	var g growth
	if g.why = k.sound(old); g.why != "" && !accepted {
		g.n = old.Last()
		return k.raiseAbout(ctx, tx, merchantID, g, done)
	}
	g.why = ""
	at := audit.Head{MerchantID: merchantID, N: old.Last()}
	if at.Hash, err = hashAt(ctx, tx.QueryRow, merchantID, at.N); err != nil {
		return err
	}
	next, err := linksAfter(ctx, tx.Query, merchantID, at.N, limit)
	if err != nil {
		return err
	}
	if err := g.follow(at, base, next, accepted); err != nil {
		return err
	}
	if err := k.append(ctx, tx, old, &g); err != nil {
		return err
	}
	done.Entries += len(g.leaves)
	return k.raiseAbout(ctx, tx, merchantID, g, done)
}

// catchUp takes the rest of an accepted chain into its log, as it stands. Where the hashes of the log itself were
// changed nothing can be added: the alarm about that comes back.
func (k *Service) catchUp(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID) error {
	for {
		var done Linked
		if err := k.growLog(ctx, tx, merchantID, linkChunk, true, &done); err != nil || done.Entries == 0 {
			return err
		}
	}
}

// append keeps the leaves, unless the hashes that are kept do not fit the log's root.
func (k *Service) append(ctx context.Context, tx pgx.Tx, old log, g *growth) error {
	var failed error
	tree, tiles, err := old.Append(g.leaves, tilesOf(ctx, tx.Query, old.MerchantID, &failed))
	switch {
	case failed != nil:
		return failed
	case err != nil:
		g.leaves, g.n, g.why = nil, old.Last(), "The hashes of the log are not those that its checkpoint was signed over."
		return nil
	case tree.Size == old.Size:
		return nil
	}
	at, err := merkle.Sign(tree, k.Signer)
	if err != nil {
		return err
	}
	return k.Store.keepLog(ctx, tx, old.Tree, log{tree, at.Text}, tiles)
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

func (s Store) keepLog(ctx context.Context, tx pgx.Tx, old merkle.Tree, now log, tiles []merkle.Tile) error {
	tag, err := tx.Exec(ctx, `INSERT INTO audit_trees (merchant_id, first, size, root, checkpoint, made_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (merchant_id) DO UPDATE
		SET size = excluded.size, root = excluded.root, checkpoint = excluded.checkpoint, made_at = excluded.made_at
		WHERE audit_trees.size = $7 AND audit_trees.first = excluded.first`, now.MerchantID, now.First, now.Size, now.Root[:],
		now.checkpoint, s.Now(), old.Size)
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
		ON CONFLICT (merchant_id, level, n) DO UPDATE SET hashes = excluded.hashes`, now.MerchantID, levels, places, hashes)
	return err
}

// logOf gives a merchant's log; an empty one that begins behind the base when there is none.
func logOf(ctx context.Context, one queryRow, base audit.Base) (log, error) {
	l := log{Tree: merkle.Begin(base.MerchantID, base.N+1)}
	root := l.Root[:]
	err := found(one(ctx, `SELECT first, size, root, checkpoint FROM audit_trees WHERE merchant_id = $1`, base.MerchantID),
		&l.First, &l.Size, &root, &l.checkpoint)
	copy(l.Root[:], root)
	return l, err
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
		rows, err := read(ctx, `SELECT coalesce(t.hashes, '') FROM unnest($2::int[], $3::bigint[]) WITH ORDINALITY AS w(level, n, i)
			LEFT JOIN audit_tiles t ON t.merchant_id = $1 AND t.level = w.level AND t.n = w.n ORDER BY w.i`, merchantID, levels,
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
