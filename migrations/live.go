package migrations

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// Live are the functions, views and triggers: the text of each as it runs now, told once. A file whose text the
// database does not have is put in whole; what a file does not tell any more, a step drops.
//
// Files are put in by their names. Those that begin with 0 come before the tables, for these call what they tell.
//
//go:embed live/*.sql
var Live embed.FS

// told are the texts that a database has: their sums by file, and the newest step of the release that put them in.
// They stand in a function of the database, not in a table: the rows of a copy bring rows, and no text.
type told struct {
	Step  int64             `json:"step"`
	Files map[string]string `json:"files"`
}

// lacks are the live files whose text the database does not have. One that a newer release has been at lacks none.
func (t told) lacks() (files []string) {
	if t.Step > Newest() {
		return nil
	}
	for _, name := range liveFiles() {
		if t.Files[name] != liveSums()[name] {
			files = append(files, name)
		}
	}
	return files
}

// liveFiles are in the order in which they are put in.
func liveFiles() []string {
	names, _ := fs.Glob(Live, "live/*.sql")
	return names
}

func liveText(name string) string {
	text, _ := Live.ReadFile(name)
	return string(text)
}

// liveSums are made once: each question whether the database is behind compares them.
var liveSums = sync.OnceValue(func() map[string]string {
	sums := map[string]string{}
	for _, name := range liveFiles() {
		sum := sha256.Sum256([]byte(liveText(name)))
		sums[name] = hex.EncodeToString(sum[:])
	}
	return sums
})

// asker is a connection, a pool or a transaction.
type asker interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// toldTo reads which texts a database has.
func toldTo(ctx context.Context, db asker) (t told, err error) {
	var has bool
	if err := db.QueryRow(ctx, `SELECT to_regprocedure('live_texts()') IS NOT NULL`).Scan(&has); err != nil || !has {
		return t, err
	}
	var text []byte
	if err := db.QueryRow(ctx, `SELECT live_texts()`).Scan(&text); err != nil {
		return t, err
	}
	return t, json.Unmarshal(text, &t)
}

// putLive puts in the texts that the database lacks, all of them or none. The caller holds the lock.
func putLive(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		has, err := toldTo(ctx, tx)
		if err != nil {
			return fmt.Errorf("live texts: %w", err)
		}
		lacks := has.lacks()
		if len(lacks) == 0 {
			return nil
		}
		if err := put(ctx, tx, lacks); err != nil {
			return err
		}
		text, err := json.Marshal(told{Newest(), liveSums()})
		if err != nil {
			return fmt.Errorf("live texts: %w", err)
		}
		if _, err := tx.Exec(ctx, `CREATE OR REPLACE FUNCTION live_texts() RETURNS jsonb LANGUAGE sql IMMUTABLE AS
			$$ SELECT '`+string(text)+`'::jsonb $$`); err != nil {
			return fmt.Errorf("live texts: %w", err)
		}
		return nil
	})
}

// putFirst puts in what the tables themselves call.
func putFirst(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var first []string
		for _, name := range liveFiles() {
			if strings.HasPrefix(path.Base(name), "0") {
				first = append(first, name)
			}
		}
		return put(ctx, tx, first)
	})
}

// put runs files. A function may call one that a later file tells, so that bodies are not looked at.
func put(ctx context.Context, tx pgx.Tx, files []string) error {
	if _, err := tx.Exec(ctx, `SET LOCAL check_function_bodies = off`); err != nil {
		return fmt.Errorf("live texts: %w", err)
	}
	for _, name := range files {
		if _, err := tx.Exec(ctx, liveText(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
