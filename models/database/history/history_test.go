package history_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/database"
	"debitdesk/models/database/history"
	"debitdesk/models/storetest"
)

type archive struct {
	*database.DB
	t *testing.T
}

func open(t *testing.T) archive {
	t.Helper()
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true})
	must(t, err)
	t.Cleanup(db.Close)
	return archive{db, t}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (a archive) run(sql string, args ...any) {
	a.t.Helper()
	_, err := a.Pool.Exec(a.t.Context(), sql, args...)
	must(a.t, err)
}

func (a archive) says(sql string, args ...any) (text string) {
	a.t.Helper()
	must(a.t, a.Pool.QueryRow(a.t.Context(), sql, args...).Scan(&text))
	return text
}

// request adds a request of that moment.
func (a archive) request(merchant uuid.UUID, at time.Time) uuid.UUID {
	a.t.Helper()
	id := database.NewID(at)
	a.run(`INSERT INTO api_requests (id, merchant_id, at, method, path, route, status, took_us)
		VALUES ($1, $2, $3, 'GET', '/', '/', 200, 1)`, id, merchant, at)
	return id
}

// parts are the partitions of a table, without its name.
func (a archive) parts(table string) string {
	a.t.Helper()
	return a.says(`SELECT string_agg(replace(part, $1 || '_', ''), ' ') FROM history_parts($1)`, table)
}

// where is the partition in which a request is.
func (a archive) where(id uuid.UUID) string {
	a.t.Helper()
	return a.says(
		`SELECT replace(tableoid::regclass::text, 'history.api_requests_', '') FROM api_requests WHERE id = $1`,
		id,
	)
}

func month(at time.Time) string { return at.Format("2006_01") }

// monthOf is the day on which the month of a partition begins.
func (a archive) monthOf(part string) time.Time {
	a.t.Helper()
	at, err := time.Parse("2006_01", part)
	must(a.t, err)
	return at
}

func TestEveryTableThatIsPartitionedIsNamed(t *testing.T) {
	t.Parallel()
	a := open(t)
	want := slices.Clone(history.Tables)
	slices.Sort(want)
	if got := a.says(`SELECT string_agg(relname, ' ' ORDER BY relname::text COLLATE "C") FROM pg_class
		WHERE relkind = 'p' AND relnamespace = 'public'::regnamespace`); got != strings.Join(want, " ") {
		t.Errorf("%s are partitioned and %v are named", got, want)
	}
}

func TestMonthsAreMadeAheadByManyAtOnce(t *testing.T) {
	t.Parallel()
	a := open(t)
	m := uuid.New()
	// "first" ends with a month that had a week at least to go when the schema was made, so what follows it is the
	// next month, or in the last week of a month the one after.
	begun := a.monthOf(strings.Fields(a.parts("api_requests"))[1])
	next := time.Date(a.Now().Year(), a.Now().Month()+2, 3, 0, 0, 0, 0, time.UTC)
	far := next.AddDate(5, 0, 0)
	early, odd := a.request(m, next), a.request(m, far)
	random := uuid.New()
	random[0] = 0xee
	a.run(
		`INSERT INTO api_requests (id, merchant_id, at, method, path, route, status, took_us)
			VALUES ($1, $2, now(), '', '', '', 1, 1)`,
		random,
		m,
	)
	if got := a.where(odd); got != "ahead" {
		t.Errorf("a row without a month is in %s", got)
	}
	grow := func() {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := history.Grow(t.Context(), a.DB); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		must(t, history.Grow(t.Context(), a.DB)) // one that met a lock leaves it to the next round
	}
	grow()
	if got := a.where(early); got != month(next) {
		t.Errorf("a row of %s is in %s", month(next), got)
	}
	must(t, a.Clock.MoveTo(t.Context(), far)) // years without a round
	grow()
	want := []string{"first"}
	for at := begun; !at.After(next.AddDate(0, 1, 0)); at = at.AddDate(0, 1, 0) { // the last holds the years
		want = append(want, month(at))
	}
	want = append(want, month(far), month(far.AddDate(0, 1, 0)), month(far.AddDate(0, 2, 0)), "ahead")
	if got := a.parts("api_requests"); got != strings.Join(want, " ") {
		t.Errorf("the partitions are %s, want %s", got, strings.Join(want, " "))
	}
	if got := a.where(odd); got != month(far) {
		t.Errorf("a row of %s is in %s", month(far), got)
	}
	if got := a.where(random); got != "ahead" {
		t.Errorf("an id that is no moment's is in %s", got)
	}
	if got := a.says(`SELECT count(*) FROM api_requests`); got != "3" {
		t.Errorf("%s of 3 rows are there", got)
	}
}

func TestAMonthThatIsPastGoesAndWhatMustStayStays(t *testing.T) {
	t.Parallel()
	a := open(t)
	m := uuid.New()
	a.run(
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, 'm', 'M', true, now(), now())`,
		m,
	)
	start := a.Now()
	old, kept := a.request(m, start.AddDate(0, -1, 0)), a.request(m, start)
	for i := range 8 {
		must(t, a.Clock.MoveTo(t.Context(), start.AddDate(0, i, 0)))
		must(t, history.Grow(t.Context(), a.DB))
	}
	young := a.request(m, a.Now())
	of := history.Dropping{Of: "The log", Period: database.Period{N: 2, Unit: "m"},
		Tables: []history.Table{{Name: "api_requests", Stays: "old.id = '" + kept.String() + "'"}}}
	drop := func(now time.Time) bool {
		t.Helper()
		done, err := history.Drop(t.Context(), a.DB, now, of)
		must(t, err)
		return done
	}
	if drop(start.AddDate(0, 1, 0)) {
		t.Error("something went before its time")
	}
	if !drop(a.Now()) || drop(a.Now()) {
		t.Error("what is past goes once")
	}
	if got := a.says(
		`SELECT string_agg(id::text, ' ' ORDER BY id) FROM api_requests`,
	); got != kept.String()+" "+young.String() {
		t.Errorf("%s are there; %s went, %s and %s stay", got, old, kept, young)
	}
	if got := a.parts("api_requests"); !strings.HasPrefix(
		got,
		"rest_"+month(a.Now().AddDate(0, -2, 0))+" "+month(a.Now().AddDate(0, -2, 0))+" ",
	) {
		t.Errorf("the partitions are %s", got)
	}
	if got := a.says(
		`SELECT text || ' ' || (after ->> 'kept') FROM audit_entries WHERE merchant_id = $1 AND action = 'history.dropped'`,
		m,
	); !strings.HasPrefix(got, "The log before ") ||
		!strings.HasSuffix(got, " 2m") {
		t.Errorf("the audit says %s", got)
	}
	late := a.request(m, start.AddDate(-3, 0, 0))
	if got := a.where(late); !strings.HasPrefix(got, "rest_") {
		t.Errorf("a row that comes late is in %s", got)
	}
	if of.Period = (database.Period{}); drop(a.Now().AddDate(50, 0, 0)) {
		t.Error("something went that is kept forever")
	}
}

func TestNobodyWaitsForATableThatIsInUse(t *testing.T) {
	t.Parallel()
	a := open(t)
	must(t, a.Clock.MoveTo(t.Context(), a.Now().AddDate(1, 0, 0)))
	reader, err := pgx.Connect(t.Context(), a.Pool.Config().ConnString())
	must(t, err)
	defer func() { _ = reader.Close(t.Context()) }()
	tx, err := reader.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), `SELECT count(*) FROM api_requests`)
	must(t, err)
	before := a.parts("api_requests")
	must(t, history.Grow(t.Context(), a.DB))
	if got := a.parts("api_requests"); got != before {
		t.Errorf("months were made while somebody read: %s", got)
	}
	must(t, tx.Rollback(t.Context()))
	must(t, history.Grow(t.Context(), a.DB))
	if got := a.parts("api_requests"); got == before {
		t.Error("no month was made in the next round")
	}
}

func TestNoPartitionComesOrGoesWhileACopyIsMade(t *testing.T) {
	t.Parallel()
	a := open(t)
	must(t, a.Clock.MoveTo(t.Context(), a.Now().AddDate(1, 0, 0)))
	before := a.parts("audit_entries")
	now := a.Now().AddDate(1, 0, 0)
	of := history.Dropping{Of: "The log", Period: database.Period{N: 1, Unit: "d"},
		Tables: []history.Table{{Name: "audit_links"}}}
	held, free, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- history.Still(t.Context(), a.DB, func(*pgxpool.Conn) error { close(held); <-free; return nil })
	}()
	<-held
	must(t, history.Grow(t.Context(), a.DB))
	if done, err := history.Drop(t.Context(), a.DB, now, of); done || err != nil {
		t.Errorf("something was dropped: %t, %v", done, err)
	}
	if got := a.parts("audit_entries"); got != before {
		t.Errorf("%s became %s", before, got)
	}
	close(free)
	must(t, <-ended)
	must(t, history.Grow(t.Context(), a.DB))
	done, err := history.Drop(t.Context(), a.DB, now, of)
	if must(t, err); !done || a.parts("audit_entries") == before {
		t.Error("nothing came or went afterwards")
	}
}

func TestALookUpByIDTouchesOnePartition(t *testing.T) {
	t.Parallel()
	a := open(t)
	m := uuid.New()
	start := a.Now()
	for i := range 10 {
		must(t, a.Clock.MoveTo(t.Context(), start.AddDate(0, i, 0)))
		must(t, history.Grow(t.Context(), a.DB))
		a.request(m, a.Now())
	}
	id := a.request(m, start.AddDate(0, 5, 0))
	for _, c := range []struct {
		sql  string
		most int
		args []any
	}{
		{`SELECT * FROM api_requests WHERE merchant_id = $1 AND id = $2`, 1, []any{m, id}},
		{`SELECT * FROM api_requests WHERE merchant_id = $1 AND id < $2 ORDER BY id DESC LIMIT 2`, 3, []any{m, id}},
	} {
		rows, err := a.Pool.Query(t.Context(), `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) `+c.sql, c.args...)
		must(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		touched := 0
		for _, line := range lines {
			if strings.Contains(line, " on api_requests_") && !strings.Contains(line, "never executed") &&
				!strings.Contains(line, "Bitmap Index") {
				touched++
			}
		}
		if touched == 0 || touched > c.most {
			t.Errorf("%s touches %d partitions:\n%s", c.sql, touched, strings.Join(lines, "\n"))
		}
	}
}

func TestIDsAreMomentsAndMonths(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 23, 59, 59, 999_000_000, time.UTC)
	id, first := database.NewID(at), history.FirstID(at)
	if !history.TimeOf(id).Equal(at) || !history.TimeOf(first).Equal(at) {
		t.Errorf("%s and %s, want %s", history.TimeOf(id), history.TimeOf(first), at)
	}
	if history.SameMonth(id, database.NewID(at.Add(time.Millisecond))) || !history.SameMonth(id, first) {
		t.Error("months end at midnight UTC")
	}
}
