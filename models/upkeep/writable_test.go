package upkeep_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/dbtest"
	"debitdesk/models/storetest"
	"debitdesk/models/upkeep"
)

func TestADatabaseThatTakesNoWritesIsNotWritable(t *testing.T) {
	dsn := storetest.DSN(t)
	db, err := database.Open(t.Context(), dsn, database.Options{Sandbox: true, MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := storetest.RowsOf(t, db)
	for range 200 {
		if err := (upkeep.Store{DB: s.DB}).Writable(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if rows, size := s.Number(`SELECT count(*) FROM readiness`),
		s.Number(`SELECT pg_total_relation_size('readiness')`); rows != 1 || size > 64<<10 {
		t.Errorf("it grew to %d rows and %d bytes", rows, size)
	}
	owner := func(sql string) {
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(t.Context()) }()
		for _, sql := range []string{`SET default_transaction_read_only = off`, sql} {
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	name := pgx.Identifier{dbtest.Database(dsn)}.Sanitize()
	for what, setting := range map[string]string{"read-only": "default_transaction_read_only = on",
		"without room": "temp_file_limit = '100kB'"} {
		owner(`ALTER DATABASE ` + name + ` SET ` + setting)
		s.Pool.Reset() // new connections know of it
		if err := (upkeep.Store{DB: s.DB}).Writable(t.Context()); err == nil {
			t.Errorf("%s: it says that it can write", what)
		}
		owner(`ALTER DATABASE ` + name + ` RESET ALL`)
		s.Pool.Reset()
		if err := (upkeep.Store{DB: s.DB}).Writable(t.Context()); err != nil {
			t.Errorf("after it was %s: %v", what, err)
		}
	}
}
