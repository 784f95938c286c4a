package prove

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/migrations"
)

// bases makes and drops databases. Each has a name of its own that begins with debitdesk_prove, and no other database
// of the server is touched.
type bases struct {
	admin    *pgxpool.Pool
	dsn      string
	name     string // what all names begin with
	template string // what they are copied from
	made     int
}

func openBases(ctx context.Context, dsn, template string) (b bases, err error) {
	b.dsn, b.template = dsn, template
	b.name = fmt.Sprintf("debitdesk_prove_%d_%d", os.Getpid(), time.Now().UnixNano()) //nolint:forbidigo // a name
	if b.admin, err = pgxpool.New(ctx, dsn); err != nil {
		return b, err
	}
	if template != "" {
		return b, nil
	}
	if err := b.run(ctx, `CREATE DATABASE `+pgx.Identifier{b.name}.Sanitize()); err != nil {
		return b, fmt.Errorf("the databases of prove: %w", err)
	}
	b.template = b.name
	pool, err := pgxpool.New(ctx, b.address(b.name))
	if err != nil {
		return b, err
	}
	defer pool.Close()
	return b, migrations.Up(ctx, pool)
}

func (b *bases) run(ctx context.Context, sql string) error {
	_, err := b.admin.Exec(ctx, sql)
	return err
}

func (b *bases) address(name string) string {
	u, err := url.Parse(b.dsn)
	if err != nil {
		return b.dsn
	}
	u.Path = "/" + name
	return u.String()
}

// fresh is a migrated database without rows, and what drops it.
func (b *bases) fresh(ctx context.Context) (dsn string, drop func() error, err error) {
	b.made++
	name := fmt.Sprintf("%s_%d", b.name, b.made)
	quoted := pgx.Identifier{name}.Sanitize()
	drop = func() error {
		return b.run(context.WithoutCancel(ctx), `DROP DATABASE IF EXISTS `+quoted+` WITH (FORCE)`)
	}
	return b.address(name), drop, b.run(ctx, `CREATE DATABASE `+quoted+` TEMPLATE `+
		pgx.Identifier{b.template}.Sanitize()+` STRATEGY file_copy`)
}

func (b *bases) close() (err error) {
	if b.admin == nil {
		return nil
	}
	if b.template == b.name {
		err = b.run(context.Background(), `DROP DATABASE IF EXISTS `+pgx.Identifier{b.template}.Sanitize()+` WITH (FORCE)`)
	}
	b.admin.Close()
	if err != nil {
		return errors.Join(errors.New("a database that begins with "+b.name+" is left"), err)
	}
	return nil
}
