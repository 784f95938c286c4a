package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"debitdesk/models/database/postgres"
	"debitdesk/models/keyfile"
	"debitdesk/models/upkeep"
)

type backupCmd struct {
	File string `arg:"" help:"The file to write; it must not exist yet."`
}

func (b *backupCmd) run(ctx context.Context, c Config, io streams) (err error) {
	if _, err := os.Lstat(b.File); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s already exists: choose another name", b.File)
	}
	a, err := Open(ctx, c, opening{log: commandLog(c, io), maxConns: fewConns, asItIs: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	tools, major, err := a.tools(ctx)
	if err != nil {
		return err
	}
	notes := backupNotes{Made: time.Now().UTC().Truncate(time.Second), Program: version(), Postgres: major}
	part := b.File + ".part"
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	if err := a.writeCopy(ctx, tools, part, &notes); err != nil {
		return err
	}
	if err := a.checkCopy(ctx, tools, part); err != nil {
		return err
	}
	if err := keepAs(part, b.File); err != nil {
		return err
	}
	return notes.tell(io, b.File, keyfile.Path(c.Keys, c.Data))
}

// dsn is the address of the database that is open, for programs of PostgreSQL.
func (a *App) dsn() string {
	if a.cluster != nil {
		return a.cluster.DSN(postgres.Database)
	}
	return a.Config.SessionURL()
}

// tools are PostgreSQL's programs that fit the server.
func (a *App) tools(ctx context.Context) (tools postgres.Tools, major int, err error) {
	if err := a.Store.Pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000`).Scan(
		&major); err != nil {
		return tools, 0, fmt.Errorf("version of the server: %w", err)
	}
	tools, err = postgres.FindTools(ctx, a.Config.Data, major)
	return tools, major, err
}

// writeCopy dumps one moment of the database into a file that we alone may read.
func (a *App) writeCopy(ctx context.Context, tools postgres.Tools, part string, notes *backupNotes) error {
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // the file that was asked for
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return err
	}
	return upkeep.Store{DB: a.Store}.AsOneMoment(ctx, func(snapshot string, holds upkeep.CopyInfo) error {
		notes.Holds = holds
		if err := tools.Dump(ctx, a.dsn(), snapshot, part); err != nil {
			return err
		}
		return notes.seal(part, a.Keys.Sealing)
	})
}

// checkCopy reads the file back as a restore would.
func (a *App) checkCopy(ctx context.Context, tools postgres.Tools, part string) error {
	notes, end, err := readBackup(part)
	if err == nil {
		err = end.proven(notes.Key, a.Keys.Sealing, keyfile.Path(a.Config.Keys, a.Config.Data))
	}
	if err != nil {
		return fmt.Errorf("the copy was read back: %w", err)
	}
	list, err := tools.List(ctx, part)
	if err != nil {
		return fmt.Errorf("the copy was read back: %w", err)
	}
	for table := range notes.Holds.Rows {
		if !strings.Contains(list, " TABLE public "+table+" ") {
			return fmt.Errorf("the copy lacks the table %s", table)
		}
		// The rows of a table with months are in the tables of those.
		month := func(name string) bool { return strings.HasPrefix(name, "history "+table+"_") }
		if !strings.Contains(list, " TABLE DATA public "+table+" ") && !slices.ContainsFunc(notes.Holds.Months, month) {
			return fmt.Errorf("the copy lacks the rows of the table %s", table)
		}
	}
	for _, month := range notes.Holds.Months {
		if !strings.Contains(list, " TABLE DATA "+month+" ") {
			return fmt.Errorf("the copy lacks the rows of the table %s", month)
		}
	}
	return nil
}

// keepAs gives the finished file its name, for good.
func keepAs(part, file string) error {
	if err := os.Rename(part, file); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// mainTables are those whose rows are told of.
var mainTables = []string{"merchants", "users", "clients", "mandates", "tokens", "purchases", "collections", "invoices",
	"audit_entries"}

func (n *backupNotes) tell(io streams, file, keys string) error {
	size, sum, err := sumOf(file)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.out,
		"%s\n  size    %d bytes\n  sha256  %s\n  made    %s by %s, PostgreSQL %d\n  rows    %s\n\n"+
			"Keep the key file too, in another place: %s\nWithout it the account and identity numbers in this backup "+
			"cannot be read. Needed: %s\n",
		file, size, sum, n.Made.Format(time.RFC3339), n.Program, n.Postgres, n.counts(), keys, orNone(n.Holds.Keys))
	return err
}

func (n *backupNotes) counts() string {
	var parts []string
	for _, table := range mainTables {
		if rows, ok := n.Holds.Rows[table]; ok {
			parts = append(parts, fmt.Sprintf("%d %s", rows, strings.ReplaceAll(table, "_", " ")))
		}
	}
	return strings.Join(parts, ", ")
}

func orNone(keys []string) string {
	if len(keys) == 0 {
		return "no key, nothing is sealed yet"
	}
	return "key " + strings.Join(keys, ", ")
}
