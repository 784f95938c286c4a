package migrations_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"debitdesk/migrations"
	"debitdesk/models/store/storetest"
)

// past is a database that stands at an old step and holds rows that were made by hand.
type past struct {
	t     *testing.T
	db    *sql.DB
	steps *goose.Provider
}

func before(t *testing.T, step int64) past {
	t.Helper()
	db, err := sql.Open("pgx", storetest.Empty(t))
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	steps, err := migrations.Provider(db)
	must(t, err)
	p := past{t, db, steps}
	p.upTo(step - 1)
	return p
}

func (p past) upTo(step int64) {
	p.t.Helper()
	_, err := p.steps.UpTo(context.Background(), step)
	must(p.t, err)
}

// row adds a row; columns that must have a value and are not named get the empty value of their type. What the row
// refers to need not be there.
func (p past) row(table string, values map[string]any) uuid.UUID {
	p.t.Helper()
	values = maps.Clone(values)
	columns, err := p.db.Query(
		`SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1
		AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'`, table)
	must(p.t, err)
	defer func() { _ = columns.Close() }()
	for columns.Next() {
		var name, kind string
		must(p.t, columns.Scan(&name, &kind))
		if _, given := values[name]; given {
			continue
		}
		values[name] = map[string]any{"uuid": uuid.New(), "text": "", "boolean": false, "bigint": 0, "integer": 0,
			"smallint": 0, "jsonb": "[]", "ARRAY": "{}",
			"date": "2026-01-01", "timestamp with time zone": "2026-01-01T00:00:00Z", "tsvector": "", "bytea": []byte{}}[kind]
	}
	must(p.t, columns.Err())
	names := slices.Sorted(maps.Keys(values))
	marks, args := make([]string, len(names)), make([]any, len(names))
	for i, name := range names {
		marks[i], args[i] = fmt.Sprintf("$%d", i+1), values[name]
	}
	tx, err := p.db.Begin()
	must(p.t, err)
	_, err = tx.Exec(`SET LOCAL session_replication_role = replica`) // no foreign keys, no triggers
	must(p.t, err)
	_, err = tx.Exec(`INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(marks, ", ")+`)`,
		args...)
	must(p.t, err)
	must(p.t, tx.Commit())
	id, _ := values["id"].(uuid.UUID)
	return id
}

// says reads one row as text.
func (p past) says(query string, args ...any) string {
	p.t.Helper()
	var out string
	must(p.t, p.db.QueryRow(query, args...).Scan(&out))
	return out
}

// folds works off what was noted. A note stays while a transaction is under way that began before it, in
// another test too.
func (p past) folds() {
	p.t.Helper()
	for range 10_000 {
		p.says(`SELECT fold_figures(1000)`)
		if p.says(`SELECT count(*) FROM attention_changes`) == "0" {
			return
		}
		p.says(`SELECT pg_sleep(0.01)`) // leaves the processor to that other test
	}
	p.t.Fatal("what was noted is not worked off")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Refunds and movements of before learn which payment and which debit they belong to.
func TestOldRefundsBelongToTheirPayment(t *testing.T) {
	t.Parallel()
	p := before(t, 13)
	at := func(day int) time.Time { return time.Date(2026, 3, day, 8, 0, 0, 0, time.UTC) }
	brand := p.row("brands", map[string]any{"id": uuid.New(),
		"merchant_id": p.row("merchants", map[string]any{"id": uuid.New()})})
	owed := func(status string, refunded int) uuid.UUID {
		return p.row("purchases", map[string]any{"brand_id": brand, "status": status, "refunded_cents": refunded,
			"version": 4, "updated_at": at(9), "history": `[{"status": "created"}]`, "total_cents": 100})
	}
	debit := func(purchase uuid.UUID, state string) uuid.UUID {
		return p.row("collections", map[string]any{"purchase_id": purchase, "state": state, "final_at": at(20)})
	}
	moved := func(purchase uuid.UUID, day int, kind string, cents int, also map[string]any) {
		values := map[string]any{"purchase_id": purchase, "at": at(day), "kind": kind, "amount_cents": cents}
		maps.Copy(values, also)
		p.row("ledger_entries", values)
	}
	refund := func(purchase uuid.UUID, day, cents int, state string) uuid.UUID {
		return p.row("refunds", map[string]any{"purchase_id": purchase, "amount_cents": cents, "state": state,
			"channel": "bank", "created_at": at(day)})
	}

	partly := owed("refunded", 40) // collected, and a part went back
	partlyDebit := debit(partly, "final")
	moved(partly, 1, "collected", 100, map[string]any{"collection_id": partlyDebit})
	partlyRefund := refund(partly, 3, 40, "settled")
	moved(partly, 4, "refunded", -40, map[string]any{"refund_id": partlyRefund})

	twice := owed("pending_refund", 0) // collected, returned, paid by hand, and that is to go back
	moved(twice, 1, "collected", 100, map[string]any{"collection_id": debit(twice, "unpaid")})
	moved(twice, 2, "returned", -100, nil)
	moved(twice, 3, "paid_by_hand", 100, nil)
	twiceRefund := refund(twice, 5, 70, "pending")

	early := owed("pending_refund", 0) // the debit can still be returned
	earlyDebit := debit(early, "provisional")
	moved(early, 1, "collected", 100, map[string]any{"collection_id": earlyDebit})
	earlyRefund := refund(early, 2, 100, "pending")

	won := owed("paid", 100) // went back, was disputed, and the dispute was won
	moved(won, 1, "collected", 100, map[string]any{"collection_id": debit(won, "dispute_won")})
	refund(won, 2, 100, "settled")

	plain := owed("paid", 0)
	moved(plain, 1, "paid_by_hand", 100, nil)
	open := owed("created", 0)
	p.upTo(13)

	for _, c := range []struct {
		name string
		id   uuid.UUID
		want string
	}{
		{"partly refunded", partly, "refunded 4: 1 payments, 60 left, 40 refunded, 0 under way"},
		{"paid twice", twice, "pending_refund 4: 2 payments, 100 left, 0 refunded, 70 under way"},
		{"provisional", early, "pending_refund 4: 1 payments, 100 left, 0 refunded, 100 under way"},
		{"dispute won", won, "refunded 5: 1 payments, 100 left, 100 refunded, 0 under way"},
		{"paid", plain, "paid 4: 1 payments, 100 left, 0 refunded, 0 under way"},
		{"open", open, "created 4: 0 payments, 0 left, 0 refunded, 0 under way"},
	} {
		if got := p.says(
			`SELECT format('%s %s: %s payments, %s left, %s refunded, %s under way', status, version, payment_count, net_cents,
				refunded_cents, refunding_cents)
			FROM purchases WHERE id = $1`,
			c.id,
		); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	belongs := `SELECT format('%s %s %s', payment, coalesce(collection_id::text, 'none'),
		to_char(due_at AT TIME ZONE 'UTC', 'DD')) FROM refunds WHERE id = $1`
	for id, want := range map[uuid.UUID]string{partlyRefund: "1 " + partlyDebit.String() + " 03", twiceRefund: "2 none 05",
		earlyRefund: "1 " + earlyDebit.String() + " 20"} {
		if got := p.says(belongs, id); got != want {
			t.Errorf("a refund: %s, want %s", got, want)
		}
	}
	if got := p.says(`SELECT collection_id::text FROM ledger_entries WHERE refund_id = $1`,
		partlyRefund); got != partlyDebit.String() {
		t.Errorf("the movement of a refund belongs to %s", got)
	}
	var history []struct {
		Status string
		At     time.Time
	}
	must(t, json.Unmarshal([]byte(p.says(`SELECT history::text FROM purchases WHERE id = $1`, won)), &history))
	if len(history) != 2 || history[1].Status != "refunded" || !history[1].At.Equal(at(9)) {
		t.Errorf("the history of a dispute that was won: %+v", history)
	}
	p.upTo(migrations.Newest())
}

// Credentials of before keep their lifetimes when they turn from the clock of the sandbox to real time.
func TestOldCredentialsKeepTheirLifetimes(t *testing.T) {
	t.Parallel()
	p := before(t, 18)
	const day = 24 * time.Hour
	now := time.Now()
	issued := func(created, expires, used time.Duration, next uuid.UUID) uuid.UUID {
		values := map[string]any{"id": uuid.New(), "kind": "token", "created_at": now.Add(created),
			"expires_at": now.Add(expires), "last_used_at": now.Add(used)}
		if next != uuid.Nil {
			values["replaced_by"] = next
		}
		return p.row("credentials", values)
	}
	ahead := issued(30*day, 60*day, 31*day, uuid.Nil) // issued while the clock was ahead
	plain := issued(-30*day, 30*day, -day, uuid.Nil)
	old := issued(-10*day, 31*day, -day, ahead) // replaced while the clock was ahead; both work for a day
	both := issued(29*day, 31*day, 29*day, ahead)
	kept := p.says(`SELECT format('%s %s %s', created_at, expires_at, last_used_at) FROM credentials WHERE id = $1`, plain)
	p.upTo(18)

	if got := p.says(`SELECT format('%s %s %s', created_at, expires_at, last_used_at) FROM credentials WHERE id = $1`,
		plain); got != kept {
		t.Errorf("one that was issued and used in real time was %s and is %s", kept, got)
	}
	if got := p.says(
		`SELECT format('%s %s %s', expires_at - created_at, created_at <= now(), last_used_at <= now())
			FROM credentials WHERE id = $1`,
		ahead,
	); got != "30 days t t" {
		t.Errorf("one that was issued under a clock ahead: %s", got)
	}
	for name, id := range map[string]uuid.UUID{"one that was replaced": old, "one that was issued and replaced": both} {
		if got := p.says(
			`SELECT format('%s %s', c.expires_at - n.created_at, c.created_at <= now())
				FROM credentials c JOIN credentials n ON n.id = c.replaced_by WHERE c.id = $1`,
			id,
		); got != "1 day t" {
			t.Errorf("%s under a clock ahead: %s", name, got)
		}
	}
	p.upTo(migrations.Newest())
}

// The turns of the audit go on where they were, so that its chain finds every entry.
func TestTheTurnsOfTheAuditGoOn(t *testing.T) {
	t.Parallel()
	p := before(t, 31)
	_, err := p.db.Exec(`UPDATE audit_turns SET base = 5000000`)
	must(t, err)
	entry := func() string {
		id := p.row("audit_entries", map[string]any{"id": uuid.New()})
		return p.says(`SELECT (turn - 5000000 BETWEEN 1 AND pg_snapshot_xmax(pg_current_snapshot())::text::bigint)::text
			|| ' ' || (turn >= (SELECT max(turn) FROM audit_entries))::text FROM audit_entries WHERE id = $1`, id)
	}
	was := entry()
	p.upTo(31)
	if is := entry(); was != "true true" || is != was {
		t.Errorf("an entry has its turn and is the last: before %s, now %s", was, is)
	}
}

// Step 31 dropped an index that what needs attention reads; step 32 brings it back.
func TestPurchasesThatWaitAreFoundByTheirToken(t *testing.T) {
	t.Parallel()
	p := before(t, 31)
	const index = `SELECT coalesce((SELECT indexdef || indisvalid FROM pg_indexes JOIN pg_index
		ON indexrelid = to_regclass(indexname) WHERE indexname = 'purchases_waiting'), '')`
	was := p.says(index)
	p.upTo(32)
	if is := p.says(index); is == "" || is != was {
		t.Errorf("before %q, now %q", was, is)
	}
}
