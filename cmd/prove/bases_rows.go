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
	_, pool, err := b.own(ctx, b.name)
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

// address is the server's with another database. An address may name its database in its query as well, which then
// counts more than its path.
func (b *bases) address(name string) (string, error) {
	u, err := url.Parse(b.dsn)
	if err != nil {
		return "", errors.New("the address of the server is not a URL") // its text may hold a password
	}
	query := u.Query()
	for key := range query {
		if key == "dbname" || key == "database" {
			query.Del(key)
		}
	}
	u.Path, u.RawPath, u.RawQuery = "/"+name, "", query.Encode()
	c, err := pgx.ParseConfig(u.String())
	if err != nil {
		return "", errors.New("the address of the server cannot be read")
	}
	if c.Database != name {
		return "", fmt.Errorf("the address of the server leads to the database %q and not to %q", c.Database, name)
	}
	return u.String(), nil
}

// own opens one of our databases, and refuses any other: whatever stands between may lead elsewhere.
func (b *bases) own(ctx context.Context, name string) (dsn string, pool *pgxpool.Pool, err error) {
	if dsn, err = b.address(name); err != nil {
		return "", nil, err
	}
	if pool, err = pgxpool.New(ctx, dsn); err != nil {
		return "", nil, err
	}
	var is string
	if err = pool.QueryRow(ctx, `SELECT current_database()`).Scan(&is); err == nil && is != name {
		err = fmt.Errorf("the server leads to the database %q and not to %q", is, name)
	}
	if err != nil {
		pool.Close()
		return "", nil, err
	}
	return dsn, pool, nil
}

// fresh is a migrated database without rows, and what drops it.
func (b *bases) fresh(ctx context.Context) (dsn string, drop func() error, err error) {
	b.made++
	name := fmt.Sprintf("%s_%d", b.name, b.made)
	quoted := pgx.Identifier{name}.Sanitize()
	drop = func() error {
		return b.run(context.WithoutCancel(ctx), `DROP DATABASE IF EXISTS `+quoted+` WITH (FORCE)`)
	}
	if err = b.run(ctx, `CREATE DATABASE `+quoted+` TEMPLATE `+pgx.Identifier{b.template}.Sanitize()+
		` STRATEGY file_copy`); err != nil {
		return "", drop, err
	}
	dsn, pool, err := b.own(ctx, name)
	if err != nil {
		return "", drop, errors.Join(err, drop())
	}
	pool.Close()
	return dsn, drop, nil
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
