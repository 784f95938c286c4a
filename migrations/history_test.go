package migrations_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/migrations"
	"debitdesk/models/database"
)

// parts are the partitions of a table with their row counts, as "first 3, 2026_12 0, ahead 1".
func (p past) parts(table string) string {
	p.t.Helper()
	return p.says(`SELECT string_agg(replace(part, $1 || '_', '') || ' ' || (xpath('/row/n/text()',
			query_to_xml(format('SELECT count(*) AS n FROM history.%I', part), true, true, '')))[1]::text, ', '
			ORDER BY low NULLS FIRST)
		FROM history_parts($1)`, table)
}

// firstMonth is the month in which the first partition of tables that are swapped now ends.
func (p past) firstMonth() string {
	p.t.Helper()
	return p.says(`SELECT to_char(time_of_id(month_bound(now() + interval '7 days', 1)) AT TIME ZONE 'UTC', 'YYYY_MM')`)
}

// The log of requests of before is the first partition: no row is copied, and what was
// made by hand with ids of any time is found too.
func TestTheOldLogOfRequestsBecomesAPartition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		odd  int
		want string
	}{{"ids of their time", 0, "first 3, MONTH 0, ahead 0"}, {"random ids among them", 2, "first 3, MONTH 0, ahead 2"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := before(t, 33)
			merchant := uuid.New()
			for i := range 3 {
				p.row("api_requests", map[string]any{"id": database.NewID(time.Now().AddDate(0, -i, 0)), "merchant_id": merchant,
					"answer": "old", "at": time.Now().AddDate(0, -i, 0)})
			}
			for range c.odd {
				id := uuid.New()
				id[0] = 0xab // ages ahead
				p.row("api_requests", map[string]any{"id": id, "merchant_id": merchant, "at": time.Now()})
			}
			file := p.says(`SELECT pg_relation_filepath('api_requests')`)
			p.upTo(33)
			if got := p.says(`SELECT pg_relation_filepath('history.api_requests_first')`); got != file {
				t.Errorf("the old rows were copied from %s to %s", file, got)
			}
			if want := strings.ReplaceAll(c.want, "MONTH", p.firstMonth()); p.parts("api_requests") != want {
				t.Errorf("%s, want %s", p.parts("api_requests"), want)
			}
			if got := p.says(`SELECT count(*) FROM api_requests WHERE answer = 'old' AND packed_in IS NULL`); got != "3" {
				t.Errorf("%s old rows are there", got)
			}
			if got := p.says(`SELECT string_agg(indexrelid::regclass::text, ' ') FROM pg_index
				WHERE indrelid = 'api_requests'::regclass`); got != "api_requests_by_merchant" {
				t.Errorf("the indexes are %s", got)
			}
			p.upTo(migrations.Newest())
		})
	}
}

// statements are those of a step, in their order.
func statements(t *testing.T, file string) (all []string) {
	t.Helper()
	text, err := migrations.Files.ReadFile(file)
	must(t, err)
	up, _, _ := strings.Cut(string(text), "-- +goose Down")
	_, up, _ = strings.Cut(up, "-- +goose Up")
	var one strings.Builder
	inside := false
	for line := range strings.Lines(up) {
		switch code := strings.TrimSpace(line); {
		case code == "-- +goose StatementBegin":
			inside = true
		case code == "-- +goose StatementEnd", !inside && strings.HasSuffix(code, ";"):
			if !inside {
				one.WriteString(line)
			}
			all, inside = append(all, one.String()), false
			one.Reset()
		case !strings.HasPrefix(code, "--"):
			one.WriteString(line)
		}
	}
	return all
}

// A migration that was broken off after one of its statements goes on.
func TestAPartitioningThatWasBrokenOffRunsAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step  int64
		file  string
		table string
		last  int // statements, which change the old tables
	}{{33, "0033_request_log.sql", "api_requests", 5}, {34, "0034_audit_months.sql", "audit_entries", 8},
		{35, "0035_audit_links_months.sql", "audit_links", 2}} {
		all := statements(t, c.file)
		for back := range c.last {
			t.Run(fmt.Sprintf("%d of %s", len(all)-back, c.file), func(t *testing.T) {
				t.Parallel()
				p := before(t, c.step)
				p.row(
					c.table,
					map[string]any{
						map[bool]string{true: "entry_id", false: "id"}[c.table == "audit_links"]: database.NewID(time.Now()),
					},
				)
				for _, sql := range all[:len(all)-back] {
					_, err := p.db.Exec(sql)
					must(t, err)
				}
				p.upTo(c.step)
				if got := p.parts(c.table); !strings.HasPrefix(got, "first 1, ") {
					t.Error(got)
				}
				p.upTo(migrations.Newest())
			})
		}
	}
}

// The audit of before goes on as it was: entries, links, indexes, and that nobody changes them.
func TestTheOldAuditBecomesAPartition(t *testing.T) {
	t.Parallel()
	p := before(t, 34)
	merchant := uuid.New()
	for n := range 3 {
		id := database.NewID(time.Now().AddDate(0, n-3, 0))
		p.row("audit_entries", map[string]any{"id": id, "merchant_id": merchant, "turn": n})
		p.row("audit_links", map[string]any{"entry_id": id, "merchant_id": merchant, "n": n + 1})
	}
	indexes := `SELECT string_agg(c.relname::text, ' ' ORDER BY c.relname::text COLLATE "C")
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = 'audit_entries'::regclass AND i.indisvalid`
	had := p.says(indexes)
	p.upTo(35)
	for _, table := range []string{"audit_entries", "audit_links"} {
		if got := p.parts(table); got != "first 3, "+p.firstMonth()+" 0, ahead 0" {
			t.Errorf("%s: %s", table, got)
		}
		for _, part := range []string{table, "history." + table + "_first", "history." + table + "_ahead"} {
			if _, err := p.db.Exec(`DELETE FROM ` + part); err == nil || !strings.Contains(err.Error(), "kept as they are") {
				t.Errorf("%s can be deleted from: %v", part, err)
			}
		}
	}
	if got := p.says(indexes); got != had {
		t.Errorf("the indexes were %s and are %s", had, got)
	}
	if got := p.says(`SELECT count(*) FROM pg_index WHERE indrelid = 'history.audit_links_first'::regclass`); got != "2" {
		t.Errorf("links of before have %s indexes", got)
	}
	p.upTo(migrations.Newest())
}

// The way back loses no row.
func TestPartitionsCanBeTakenBack(t *testing.T) {
	t.Parallel()
	p := before(t, 33)
	id := database.NewID(time.Now())
	p.row("api_requests", map[string]any{"id": id})
	p.row("audit_entries", map[string]any{"id": id})
	p.row("audit_links", map[string]any{"entry_id": id})
	shape := `SELECT string_agg(t.relname || ' ' || c.relname, ', '
		ORDER BY t.relname::text COLLATE "C", c.relname::text COLLATE "C")
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
		WHERE t.relnamespace = 'public'::regnamespace AND t.relname ~ '^(api_|audit_|events|deliver)'`
	had := p.says(shape)
	p.upTo(migrations.Newest())
	_, err := p.steps.DownTo(context.Background(), 32)
	must(t, err)
	if got := p.says(shape); got != had {
		t.Errorf("the indexes were %s and are %s", had, got)
	}
	if got := p.says(
		`SELECT (SELECT count(*) FROM api_requests) + (SELECT count(*) FROM audit_entries)
			+ (SELECT count(*) FROM audit_links)`,
	); got != "3" {
		t.Errorf("%s of 3 rows came back", got)
	}
	p.upTo(migrations.Newest())
}
