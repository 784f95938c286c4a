package migrations_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/migrations"
	"debitdesk/models/database/dbtest"
)

// saysFrom is the first step that says how long it takes. Those before it were applied by then.
const saysFrom = "0211"

// What is done for each row of a table that is there already takes the longer the more there are.
func TestAStepThatReadsATableSaysHowLongItTakes(t *testing.T) {
	t.Parallel()
	reads := regexp.MustCompile(`(?s)CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)|INSERT INTO \w+[^;]*?FROM (\w+)|UPDATE (\w+)`)
	names, err := fs.Glob(migrations.Files, "*.sql")
	must(t, err)
	looked := 0
	for _, name := range names {
		if name < saysFrom {
			continue
		}
		text, err := fs.ReadFile(migrations.Files, name)
		must(t, err)
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, m := range reads.FindAllStringSubmatch(up, -1) {
			table := m[1] + m[2] + m[3]
			looked++
			if strings.Contains(up, "CREATE TABLE "+table+" ") || strings.Contains(up, "million rows of "+table+";") ||
				strings.Contains(m[0], "WHERE EXISTS") {
				continue
			}
			t.Errorf("%s goes through %s, and does not say how long that takes", name, table)
		}
	}
	if looked == 0 {
		t.Error("no step was looked at")
	}
}

func TestTheStatusForetellsHowLongTheMissingStepsTake(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), dbtest.Empty(t))
	must(t, err)
	t.Cleanup(pool.Close)
	must(t, migrations.UpTo(t.Context(), pool, 218, 0))
	_, err = pool.Exec(t.Context(), `UPDATE pg_class SET reltuples = 2100000 WHERE oid = 'purchases'::regclass`)
	must(t, err)
	steps, behind, err := migrations.Status(t.Context(), pool)
	must(t, err)
	i := slices.IndexFunc(steps, func(s migrations.Migration) bool { return s.Name == "0219_purchases_in_arrears.sql" })
	if !behind || i < 0 || steps[i].Takes.Time != 7*time.Second ||
		steps[i].Takes.Sentence() != "about 7 seconds; writes to purchases wait" {
		t.Errorf("behind %t: %+v", behind, steps)
	}
	if all := migrations.Missing(steps); all.Time != 7*time.Second {
		t.Errorf("all take %+v: tables without rows take nothing", all)
	}
	must(t, migrations.Up(t.Context(), pool))
	steps, _, err = migrations.Status(t.Context(), pool)
	must(t, err)
	if all := migrations.Missing(steps).Sentence(); all != "" {
		t.Errorf("nothing is missing, and takes %s", all)
	}
}

func TestHowLongStepsTakeIsSaidInWords(t *testing.T) {
	t.Parallel()
	for want, takes := range map[string]migrations.Takes{
		"":                 {},
		"about a second":   {Time: time.Second},
		"about 90 seconds": {Time: 90 * time.Second, Waits: nil},
		"about 7 minutes; writes to clients and purchases wait": migrations.Takes{Time: 6 * time.Minute,
			Waits: []string{"clients"}}.Plus(migrations.Takes{Time: 45 * time.Second, Waits: []string{"purchases", "clients"}}),
	} {
		if got := takes.Sentence(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
