package trail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/audit"
	"debitdesk/models/audit/merkle"
	"debitdesk/models/database"
)

// behind are the merchants with links that are not in their log yet. While an alarm stands, a log waits.
const behind = `SELECT h.merchant_id FROM audit_heads h LEFT JOIN audit_trees t ON t.merchant_id = h.merchant_id
	WHERE (t.merchant_id IS NULL OR t.first + t.size - 1 < h.n)
	AND NOT EXISTS (SELECT FROM audit_alarms a WHERE a.merchant_id = h.merchant_id)`

// waiting tells whether a log is behind its chain.
func (s Store) waiting(ctx context.Context) (waits bool, err error) {
	if err = s.Gorm(ctx).Raw(`SELECT EXISTS (` + behind + `)`).Find(&waits).Error; err != nil {
		return false, fmt.Errorf("look for logs of the audit that are behind: %w", err)
	}
	return waits, nil
}

// growLogs adds at most so many leaves to the logs that are behind.
func (k *Service) growLogs(ctx context.Context, limit int) (done Linked, err error) {
	err = k.Store.InTx(ctx, func(t *database.Tx) error {
		if _, err := reachedBy(t); err != nil {
			return err
		}
		var merchants []uuid.UUID
		err := t.Gorm().Raw(behind + ` ORDER BY 1`).Find(&merchants).Error
		for _, id := range merchants {
			if err != nil || done.Entries >= limit {
				break
			}
			err = k.growLog(t, id, limit-done.Entries, &done)
		}
		return err
	})
	if err != nil {
		return Linked{}, fmt.Errorf("add to the logs of the audit: %w", err)
	}
	return done, nil
}

// growLog adds the next links of a merchant to its log and cuts a checkpoint, or raises an alarm.
func (k *Service) growLog(t *database.Tx, merchantID uuid.UUID, limit int, done *Linked) error {
	base, err := baseOf(t.Gorm(), merchantID)
	if err != nil {
		return err
	}
	old, err := logOf(t.Gorm(), base)
	if err != nil {
		return err
	}
	var g growth
	if g.why = k.sound(old); g.why != "" {
		g.n = old.Last()
		return k.raiseAbout(t, merchantID, g, done)
	}
	at := audit.Head{MerchantID: merchantID, N: old.Last()}
	if at.Hash, err = hashAt(t.Gorm(), merchantID, at.N); err != nil {
		return err
	}
	var next []entered
	if err := t.Pgx(func(tx pgx.Tx) (err error) {
		next, err = linksAfter(t.Context(), tx.Query, merchantID, at.N, limit)
		return err
	}); err != nil {
		return err
	}
	if err := g.follow(at, base, next, old.accepted); err != nil {
		return err
	}
	if err := k.append(t, old, &g); err != nil {
		return err
	}
	done.Entries += len(g.leaves)
	return k.raiseAbout(t, merchantID, g, done)
}

// append keeps the leaves, unless the hashes that are kept do not fit the log's root.
func (k *Service) append(t *database.Tx, old log, g *growth) error {
	var failed error
	tree, tiles, err := old.Append(g.leaves, tilesOf(t.Gorm(), old.merchantID, &failed))
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
	return k.Store.keepLog(t, old.Size, now, tiles)
}

func (k *Service) raiseAbout(t *database.Tx, merchantID uuid.UUID, g growth, done *Linked) error {
	if g.why == "" {
		return nil
	}
	a := k.alarmAbout(merchantID, g.n, g.why)
	fresh, err := raise(t.Gorm(), a)
	if fresh {
		done.Alarms = append(done.Alarms, a)
	}
	return err
}

// errMoved tells that another process was quicker.
var errMoved = errors.New("the log of the audit has another size by now")

func (s Store) keepLog(t *database.Tx, size int64, now log, tiles []merkle.Tile) error {
	kept, err := database.Found(t.Gorm().Exec(`INSERT INTO audit_trees (merchant_id, origin, first, size, root, checkpoint,
			made_at)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (merchant_id) DO UPDATE
		SET size = excluded.size, root = excluded.root, checkpoint = excluded.checkpoint, made_at = excluded.made_at
		WHERE audit_trees.size = ? AND audit_trees.origin = excluded.origin`, now.merchantID, now.Origin, now.First, now.Size,
		now.Root[:], now.checkpoint, s.Now(), size))
	if err != nil {
		return err
	}
	if !kept {
		return errMoved
	}
	rows := make([]tileRow, len(tiles))
	for i, one := range tiles {
		rows[i] = tileRow{now.merchantID, one.Level, one.N, one.Hashes}
	}
	if len(rows) == 0 {
		return nil
	}
	return t.Gorm().Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "merchant_id"}, {Name: "level"}, {Name: "n"}},
		DoUpdates: clause.AssignmentColumns([]string{"hashes"})}).Create(&rows).Error
}

// tileRow are some hashes of a log.
type tileRow struct {
	MerchantID uuid.UUID
	Level      int
	N          int64
	Hashes     []byte
}

// TableName implements GORM's Tabler.
func (tileRow) TableName() string { return "audit_tiles" }

// logOf gives a merchant's log; an empty one that begins behind the base when there is none.
func logOf(by *gorm.DB, base audit.Base) (log, error) {
	l := log{Tree: merkle.Begin(merkle.Origin(base.MerchantID, time.Time{}), base.N+1), merchantID: base.MerchantID}
	var kept []struct {
		Origin, Checkpoint    string
		First, Size, Accepted int64
		Root                  []byte
	}
	err := by.Raw(`SELECT origin, first, size, root, checkpoint, accepted FROM audit_trees WHERE merchant_id = ?`,
		base.MerchantID).Find(&kept).Error
	for _, one := range kept {
		l.Origin, l.First, l.Size, l.checkpoint, l.accepted = one.Origin, one.First, one.Size, one.Checkpoint, one.Accepted
		copy(l.Root[:], one.Root)
	}
	return l, err
}

// beginLog begins a new log of a chain that was accepted as it stands up to a link; what it holds comes by the sweep.
// It gives the log of before.
func (s Store) beginLog(t *database.Tx, merchantID uuid.UUID, upTo int64) (before log, err error) {
	base, err := baseOf(t.Gorm(), merchantID)
	if err != nil {
		return before, err
	}
	if before, err = logOf(t.Gorm(), base); err != nil {
		return before, err
	}
	now := merkle.Begin(merkle.Origin(merchantID, s.Now()), base.N+1)
	for _, do := range []struct {
		sql  string
		args []any
	}{
		{`SELECT set_config('debitdesk.log_begins', ?, true)`, []any{merchantID.String()}},
		{`DELETE FROM audit_tiles WHERE merchant_id = ?`, []any{merchantID}},
		{`INSERT INTO audit_trees (merchant_id, origin, first, size, root, checkpoint, accepted, made_at)
			VALUES (?, ?, ?, 0, ?, '', ?, ?) ON CONFLICT (merchant_id) DO UPDATE SET origin = excluded.origin,
			first = excluded.first, size = 0, root = excluded.root, checkpoint = '', accepted = excluded.accepted,
			made_at = excluded.made_at`, []any{merchantID, now.Origin, now.First, now.Root[:], upTo, s.Now()}},
		{`SELECT set_config('debitdesk.log_begins', '', true)`, nil},
	} {
		if err := t.Gorm().Exec(do.sql, do.args...).Error; err != nil {
			return before, err
		}
	}
	return before, nil
}

// errNoTile tells that hashes are missing.
var errNoTile = errors.New("hashes of the log are missing")

// tilesOf reads tiles; what went wrong with the database is also told apart.
func tilesOf(by *gorm.DB, merchantID uuid.UUID, failed *error) merkle.Tiles {
	return func(want []tlog.Tile) ([][]byte, error) {
		levels, places := make([]int, len(want)), make([]int, len(want))
		for i, one := range want {
			levels[i], places[i] = one.L, int(one.N)
		}
		var found []struct{ Hashes []byte }
		if *failed = by.Raw(`SELECT coalesce(t.hashes, '') AS hashes
			FROM unnest(?::int[], ?::bigint[]) WITH ORDINALITY AS w(level, n, i) LEFT JOIN audit_tiles t
				ON t.merchant_id = ? AND t.level = w.level AND t.n = w.n ORDER BY w.i`, database.Numbers(levels),
			database.Numbers(places), merchantID).Find(&found).Error; *failed != nil {
			return nil, *failed
		}
		out := make([][]byte, len(found))
		for i, one := range want {
			if len(found[i].Hashes) < one.W*tlog.HashSize {
				return nil, errNoTile
			}
			out[i] = found[i].Hashes[:one.W*tlog.HashSize]
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
	l, err := logOf(s.Gorm(ctx), base)
	if err != nil {
		return l, fmt.Errorf("log of the audit: %w", err)
	}
	return l, nil
}

func (s Store) tiles(ctx context.Context, merchantID uuid.UUID, failed *error) merkle.Tiles {
	return tilesOf(s.Gorm(ctx), merchantID, failed)
}

// linkOf finds the link of a merchant's entry, with the entry; its number is 0 while there is none.
func (s Store) linkOf(ctx context.Context, merchantID, entryID uuid.UUID) (entered, error) {
	if _, err := s.entry(ctx, merchantID, entryID); err != nil {
		return entered{}, err
	}
	var n int64
	err := s.Gorm(ctx).Raw(`SELECT n FROM audit_links WHERE merchant_id = ? AND entry_id = ?`, merchantID, entryID).
		Find(&n).Error
	if err != nil || n == 0 {
		return entered{}, err
	}
	read, err := linksAfter(ctx, s.Pool.Query, merchantID, n-1, 1)
	if err != nil || len(read) == 0 {
		return entered{}, err
	}
	return read[0], nil
}
