package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/cmd/app"
	"debitdesk/migrations"
	"debitdesk/models/actor"
	"debitdesk/models/audit/anchor"
	"debitdesk/models/database"
	"debitdesk/models/database/postgres"
	"debitdesk/models/database/seal"
	"debitdesk/models/keyfile"
	"debitdesk/models/plural"
	"debitdesk/models/upkeep"
)

type restoreCmd struct {
	File   string `arg:"" help:"A file that debitdesk backup made."`
	SHA256 string `name:"sha256" placeholder:"SUM" help:"For a file of an earlier release, which is not authenticated: the sha256 that debitdesk backup printed when it made it."`
}

func (r *restoreCmd) run(ctx context.Context, c Config, out streams) error {
	notes, end, err := readBackup(r.File)
	if err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out.out, format+"\n", args...) }
	say("the file is complete: made %s by %s, PostgreSQL %d", notes.Made.Format(time.RFC3339),
		notes.Program, notes.Postgres)
	if err := r.trusted(c, notes, end); err != nil {
		return err
	}
	say("no one has changed it since")
	if err := notes.fits(c); err != nil {
		return err
	}
	if err := r.bringIn(ctx, c, out, notes); err != nil {
		return err
	}
	say("every row is there: %s", notes.counts())
	return checkRestored(ctx, c, out, say)
}

// trusted tells whether the file is as this installation made it. A dump is a program that PostgreSQL runs, so nothing
// of a file that somebody else may have written is used.
func (r *restoreCmd) trusted(c Config, notes backupNotes, end ending) error {
	if end.proof != nil {
		path := keyfile.Path(c.Keys, c.Data)
		set, err := keyfile.Load(path)
		if err != nil {
			return fmt.Errorf("the backup needs the key file that belongs to it, at %s: %w", path, err)
		}
		return end.proven(notes.Key, set.Sealing, path)
	}
	_, sum, err := sumOf(r.File)
	switch {
	case err != nil:
		return err
	case r.SHA256 == "":
		return errors.New("an earlier release made this backup, which does not show whether it was changed since: " +
			"give the sum that debitdesk backup printed then, with --sha256")
	case !strings.EqualFold(r.SHA256, sum):
		return fmt.Errorf("the sha256 of this file is %s, and not the one that you gave: it was changed since, or is "+
			"another one", sum)
	}
	return nil
}

// fits tells before anything is touched whether this program and its keys can use
// what is in the file.
func (n *backupNotes) fits(c Config) error {
	for _, step := range n.Holds.Schema {
		if v, err := strconv.ParseInt(step, 10, 64); err != nil || v > migrations.Newest() {
			return fmt.Errorf(
				"the backup is of a newer release (schema step %s, this program knows %d): restore it with that release", step,
				migrations.Newest())
		}
	}
	if len(n.Holds.Keys) == 0 {
		return nil
	}
	path := keyfile.Path(c.Keys, c.Data)
	set, err := keyfile.Load(path)
	if err != nil {
		return fmt.Errorf("the backup needs the key file that belongs to it, at %s: %w", path, err)
	}
	return lackingKeys(set, n.Holds.Keys, path)
}

// bringIn fills the empty database and counts what came.
func (r *restoreCmd) bringIn(ctx context.Context, c Config, out streams, notes backupNotes) (err error) {
	a, err := Open(ctx, c, opening{log: commandLog(c, out), maxConns: fewConns, asItIs: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	tools, _, err := a.tools(ctx)
	if err != nil {
		return err
	}
	a.Store.Pool.Reset()
	if err := makeRoom(ctx, a.dsn()); err != nil {
		return err
	}
	dump, err := os.Open(r.File)
	if err != nil {
		return err
	}
	defer func() { _ = dump.Close() }()
	if err := fill(ctx, tools, a.dsn(), notes, &checked{from: dump, notes: notes}); err != nil {
		return fmt.Errorf("nothing was restored, the database is empty: %w", err)
	}
	holds, err := upkeep.Store{DB: a.Store}.Holds(ctx)
	if err != nil {
		return err
	}
	if wrong := notes.Holds.Differences(holds); wrong != nil {
		return fmt.Errorf("what was restored is not what was backed up; do not use this database:\n%w", wrong)
	}
	return nil
}

// fill brings the rows of a dump into the schema that this program makes. A file of an earlier release has rows that
// name their months; it brings its own schema, and was compared with its sum.
func fill(ctx context.Context, tools postgres.Tools, dsn string, notes backupNotes, dump io.Reader) error {
	if notes.Key == "" {
		return tools.Restore(ctx, dsn, dump)
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = schemaOf(ctx, dsn, notes.Holds)
	if err == nil {
		err = upkeep.Refill(ctx, conn, notes.Holds, func(role string) error { return tools.Refill(ctx, dsn, role, dump) })
	}
	if err != nil {
		return errors.Join(err, upkeep.Clear(context.WithoutCancel(ctx), conn))
	}
	return nil
}

// schemaOf makes the schema of a copy's release.
func schemaOf(ctx context.Context, dsn string, of upkeep.CopyInfo) error {
	if len(of.Schema) == 0 {
		return errNoBackup
	}
	step, err := strconv.ParseInt(of.Schema[len(of.Schema)-1], 10, 64)
	if err != nil {
		return errNoBackup
	}
	pool, err := database.Sessions(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	return migrations.UpTo(ctx, pool, step, of.Jobs)
}

// lookAgain is how long connections that are just being closed may take.
const lookAgain = 2 * time.Second

// makeRoom clears a database that nobody uses and that holds nothing.
func makeRoom(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for end := time.Now().Add(lookAgain); ; {
		why, err := upkeep.Occupied(ctx, conn)
		switch {
		case err != nil:
			return err
		case why == "":
			return upkeep.Clear(ctx, conn)
		case time.Now().After(end):
			return errors.New(why)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain / 10):
		}
	}
}

// checkRestored opens the product on what came and asks what only its own rules can tell.
func checkRestored(ctx context.Context, c Config, out streams, say func(string, ...any)) (err error) {
	a, err := Open(ctx, c, opening{log: commandLog(c, out), baseURL: c.PublicURL(c.Listen), migrate: true, noBank: true,
		maxConns: fewConns})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	say("the schema is the one of this program")
	used, err := upkeep.Store{DB: a.Store}.KeysInUse(ctx)
	if err != nil {
		return err
	}
	var ids []string
	for id := range used {
		ids = append(ids, id)
	}
	if err := lackingKeys(a.Keys, ids, keyfile.Path(c.Keys, c.Data)); err != nil {
		return err
	}
	say("the key file has every sealing key that is in use (%d)", len(ids))
	archived, err := anchor.At(c.Data, app.HeadSigner(a.Keys.Signing)).Archive()
	if err != nil {
		return err
	}
	if archived != "" {
		say(
			"the heads of the audit that were noted before are kept in %s; those of the backup are noted from now on",
			archived,
		)
	}
	if err := a.Services.Audit.Link(ctx); err != nil {
		return err
	}
	checked, err := a.Services.Audit.VerifyAll(ctx, actor.OperatorOf(uuid.Nil))
	if err != nil {
		return err
	}
	var links int64
	var broken []error
	for _, one := range checked {
		links += one.Links
		if !one.Holds() {
			broken = append(broken, fmt.Errorf("the audit of merchant %s is broken at link %d: %s", one.MerchantID, one.Broken,
				one.Why))
		}
	}
	if len(broken) > 0 {
		return errors.Join(broken...)
	}
	say("the audit holds: %s, %s", plural.Of(len(checked), "merchant"), plural.Of(links, "entry"))
	say("restored")
	return nil
}

func lackingKeys(set *keyfile.Set, needed []string, path string) error {
	var missing []string
	for _, id := range needed {
		if !slices.ContainsFunc(set.Sealing, keyIs(id)) {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf(
		"the key file %s lacks the sealing key %s, without which numbers in this backup cannot be read: "+
			"put the key file of that time in its place",
		path,
		strings.Join(missing, ", "),
	)
}

func keyIs(id string) func(seal.Key) bool {
	return func(k seal.Key) bool { return k.ID == id }
}
