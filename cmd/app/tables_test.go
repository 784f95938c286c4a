package app_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/table"
	"debitdesk/models/storetest"
)

func TestEveryFieldThatIsKeptHasItsColumn(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), storetest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	tables := 0
	table.Made(func(name string, columns []string) {
		tables++
		rows, err := conn.Query(t.Context(),
			`SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`, name)
		if err != nil {
			t.Fatal(err)
		}
		there, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range columns {
			if !slices.Contains(there, column) {
				t.Errorf("table %s has no column %s: it wants a migration, or the tag \"-\"", name, column)
			}
		}
	})
	if tables < 20 { // ordinary records are GORM's, which names each column in its statements
		t.Errorf("only %d tables were looked at", tables)
	}
}
