package upkeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/plural"
)

// resealChunk is how many rows one transaction re-seals.
const resealChunk = 500

// Rotation is how far the rows are under a new key.
type Rotation struct {
	KeyID    string
	Done     int64 // rows looked at
	Finished bool
}

// Left are rows that could not be re-sealed, by the columns that hold them.
type Left map[string]int64

// place is where a rotation stands.
type place struct {
	Column int    `json:"column"` // of sealedColumns
	After  string `json:"after"`  // the key of the last row, as text; empty: from the first
	Done   int64  `json:"done"`
	Passes int    `json:"passes"`
	Left   Left   `json:"left,omitempty"` // that this pass could not open
}

// BeginRotation notes that everything is to be sealed with that key, and has it added. A
// database that takes no writes, and a file that cannot be written, leave both as they
// are: servers would seal with a key that nobody was told of.
func (s Store) BeginRotation(ctx context.Context, keyID string, add func() error) error {
	err := s.InTx(ctx, func(tx *database.Tx) error {
		if err := tx.Gorm().Exec(`INSERT INTO key_rotations (key_id, started_at) VALUES (?, now()) ON CONFLICT DO NOTHING`,
			keyID).Error; err != nil {
			return err
		}
		return add()
	})
	if err != nil {
		return fmt.Errorf("begin the rotation of keys: %w", err)
	}
	return nil
}

// Rotations lists the rotations, newest first.
func (s Store) Rotations(ctx context.Context) ([]Rotation, error) {
	var found []Rotation
	err := s.Gorm(ctx).Raw(`SELECT key_id, COALESCE((progress->>'done')::bigint, 0) AS done,
		finished_at IS NOT NULL AS finished FROM key_rotations ORDER BY started_at DESC`).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("rotations of keys: %w", err)
	}
	return found, nil
}

// Reseal goes on with the newest rotation until it is finished, chunk by chunk,
// each in a transaction of its own; progress hears of each. Rows that change
// meanwhile are left to who changes them and are met again in the next pass: it is
// finished when a pass leaves nothing under another key but what it could not open:
// damaged rows, and those whose key is missing, stay as they are and are counted.
// A process that does not have the key yet does nothing.
func (s Store) Reseal(ctx context.Context, progress func(Rotation)) error {
	for {
		more, r, err := s.resealChunk(ctx)
		if err != nil {
			return fmt.Errorf("re-seal: %w", err)
		}
		if r.KeyID != "" && progress != nil {
			progress(r)
		}
		if !more || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (s Store) resealChunk(ctx context.Context) (more bool, r Rotation, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var at place
		var text string
		err := tx.QueryRow(
			ctx,
			`SELECT key_id, progress::text FROM key_rotations WHERE finished_at IS NULL
				ORDER BY started_at DESC LIMIT 1 FOR UPDATE SKIP LOCKED`,
		).Scan(&r.KeyID, &text)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if s.Seal.Newest() != r.KeyID {
			r.KeyID = ""
			return nil
		}
		if err := json.Unmarshal([]byte(text), &at); err != nil {
			return err
		}
		more = true
		if at.Column < len(sealedColumns) {
			if err := s.resealRows(ctx, tx, sealedColumns[at.Column], &at); err != nil {
				return fmt.Errorf("%s: %w", sealedColumns[at.Column], err)
			}
		} else {
			left, err := sealedOtherwise(ctx, tx.Query, r.KeyID)
			if err != nil {
				return err
			}
			if more = !maps.Equal(left, at.Left); more {
				at = place{Done: at.Done, Passes: at.Passes + 1}
			}
		}
		r.Done, r.Finished = at.Done, !more
		saved, _ := json.Marshal(at) // numbers and a text
		_, err = tx.Exec(ctx, `UPDATE key_rotations SET progress = $2, finished_at = CASE WHEN $3 THEN now() END
			WHERE key_id = $1 OR $3 AND finished_at IS NULL`, r.KeyID, string(saved), r.Finished)
		return err
	})
	return more, r, err
}

// resealRows re-seals the next rows of one column.
func (s Store) resealRows(ctx context.Context, tx pgx.Tx, c sealedColumn, at *place) error {
	key := `concat_ws('/', ` + c.key + `)`
	after, args := "", []any{resealChunk}
	if at.After != "" {
		id, n, _ := strings.Cut(at.After, "/")
		after, args = ` WHERE (`+c.key+`) > ($2::`+c.keyKind()+`)`, append(args, id)
		if n != "" {
			after, args = ` WHERE (`+c.key+`) > ($2::uuid, $3::text::int)`, append(args, n)
		}
	}
	rows, err := tx.Query(ctx, `SELECT `+key+`, `+c.binding+`, `+c.column+` FROM `+c.table+after+` ORDER BY `+c.key+
		` LIMIT $1`, args...)
	if err != nil {
		return err
	}
	type row struct {
		Key     string
		Binding uuid.UUID
		Sealed  []byte
	}
	read, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	for _, r := range read {
		at.After, at.Done = r.Key, at.Done+1
		if len(r.Sealed) == 0 || seal.SealedBy(r.Sealed) == s.Seal.Newest() {
			continue
		}
		fresh, err := s.Seal.Reseal(seal.Place{Owner: r.Binding, Table: c.table, Column: c.column, Row: r.Key}, r.Sealed)
		if errors.Is(err, seal.ErrDamaged) {
			if at.Left == nil {
				at.Left = Left{}
			}
			at.Left[c.String()]++
			continue
		}
		if err != nil {
			return fmt.Errorf("row %s: %w", r.Key, err)
		}
		batch.Queue(`UPDATE `+c.table+` SET `+c.column+` = $3 WHERE `+key+` = $1 AND `+c.column+` = $2 AND `+where(c),
			r.Key, r.Sealed, fresh, firstOf(r.Key))
	}
	if len(read) < resealChunk {
		at.Column, at.After = at.Column+1, ""
	}
	return tx.SendBatch(ctx, batch).Close()
}

// where finds a row by the index of its key.
func where(c sealedColumn) string {
	first, _, _ := strings.Cut(c.key, ",")
	return first + ` = $4::text::` + c.keyKind()
}

// firstOf is the first part of a key.
func firstOf(key string) string {
	first, _, _ := strings.Cut(key, "/")
	return first
}

// sealedOtherwise counts the rows that are not under a key.
func sealedOtherwise(ctx context.Context, read query, keyID string) (Left, error) {
	begins, left := append([]byte{byte(len(keyID))}, keyID...), Left{} //nolint:gosec // an id has at most 255 bytes
	for _, c := range sealedColumns {
		rows, err := read(ctx, `SELECT count(*) FROM `+c.table+` WHERE `+c.column+` IS NOT NULL AND length(`+c.column+
			`) > 0 AND substring(`+c.column+` FROM 1 FOR $1) <> $2`, len(begins), begins)
		if err != nil {
			return nil, err
		}
		n, err := pgx.CollectOneRow(rows, pgx.RowTo[int64])
		if err != nil {
			return nil, err
		}
		if n > 0 {
			left[c.String()] = n
		}
	}
	return left, nil
}

// NotResealed counts the rows that the last rotation, once finished, left under other keys: it could not open them.
func (s Store) NotResealed(ctx context.Context) (Left, error) {
	all, err := s.Rotations(ctx)
	if err != nil || len(all) == 0 || !all[0].Finished {
		return nil, err
	}
	left, err := sealedOtherwise(ctx, s.Pool.Query, all[0].KeyID)
	if err != nil {
		return nil, fmt.Errorf("rows that were not re-sealed: %w", err)
	}
	return left, nil
}

// In says how many rows there are, and where.
func (l Left) In() string {
	var parts []string
	var sum int64
	for _, column := range slices.Sorted(maps.Keys(l)) {
		sum += l[column]
		parts = append(parts, fmt.Sprintf("%d in %s", l[column], column))
	}
	return plural.Of(sum, "row") + " (" + strings.Join(parts, ", ") + ")"
}
