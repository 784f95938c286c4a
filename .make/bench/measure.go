package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// rounds: the rates are taken in turn, so that a machine whose speed drifts drifts
// for both.
const rounds = 3

// like makes an empty table with the columns, defaults and indexes of another and
// a script that inserts one row of the same bytes per transaction.
func (s *server) like(ctx context.Context, table, where string) (script string, err error) {
	name := "bench_" + table
	err = s.exec(ctx, "DROP TABLE IF EXISTS "+name, "DROP TABLE IF EXISTS "+name+"_one",
		fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING INDEXES)", name, table),
		fmt.Sprintf("CREATE TABLE %s_one AS SELECT * FROM %s WHERE %s ORDER BY created_at DESC LIMIT 1", name, table, where))
	if err != nil {
		return "", err
	}
	var cols string
	rows, err := s.query(ctx,
		`SELECT string_agg(CASE attname WHEN 'id' THEN 'gen_random_uuid()' WHEN 'purchase_id' THEN 'gen_random_uuid()'
			ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = '`+name+`_one'::regclass AND attnum > 0 AND NOT attisdropped`)
	if err != nil {
		return "", err
	}
	cols = rows
	return fmt.Sprintf("INSERT INTO %s SELECT %s FROM %s_one;\n", name, cols, name), nil
}

func purchases(ctx context.Context, s *server, length time.Duration, _ int) ([]line, error) {
	var client struct{ ID string }
	if err := s.post("/api/v1/clients/", `{"email":"first@example.com","full_name":"Thandi Nkosi","phone":"27821234567"}`,
		&client); err != nil {
		return nil, err
	}
	request := s.apiRequest("/api/v1/purchases/", s.purchase(client.ID, 0))
	if _, err := s.load(time.Second, func(int64) string { return request }); err != nil { // warm
		return nil, err
	}
	script, err := s.like(ctx, "purchases", "status = 'created'")
	if err != nil {
		return nil, err
	}
	var spent cost
	ours, theirs, err := inTurn(
		s.costing(&spent, func() (float64, error) { return s.load(length, func(int64) string { return request }) }),
		func() (float64, error) { return s.pgbench(ctx, length, script) })
	if err != nil {
		return nil, err
	}
	same, err := s.sameWrites(ctx, script)
	if err != nil {
		return nil, err
	}
	whole, err := s.pgbench(ctx, length, same)
	if err != nil {
		return nil, err
	}
	// Its purchases have ids by chance (version 4), which do not grow with time as ours do.
	if err := s.exec(ctx, "DELETE FROM purchases WHERE substr(id::text, 15, 1) = '4'",
		"VACUUM ANALYZE purchases"); err != nil {
		return nil, err
	}
	out := []line{
		rates("(a) POST /purchases/ through HTTP, 16 connections", ours, "pgbench, one row of the same bytes and indexes",
			theirs),
		rates("(a) the same", ours, "pgbench, the writes of a purchase in one transaction: row, count, audit entry, event",
			whole),
		spent.line("(a) POST /purchases/"),
	}
	out[1].aim = "for comparison"
	return out, nil
}

// sameWrites is a script with all that a purchase writes: the row with its count,
// the entry of the audit, and the event.
func (s *server) sameWrites(ctx context.Context, script string) (string, error) {
	script = "BEGIN;\n" + strings.Replace(script, "INSERT INTO bench_purchases ", "INSERT INTO purchases ", 1)
	for _, table := range []string{"audit_entries", "events"} {
		one := "bench_one_of_" + table
		err := s.exec(ctx, "DROP TABLE IF EXISTS "+one,
			fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM %s ORDER BY id DESC LIMIT 1", one, table))
		if err != nil {
			return "", err
		}
		const given = `FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0
			AND NOT attisdropped AND attname <> 'seq'`
		var lists [2]string
		for i, column := range []string{"attname", "CASE attname WHEN 'id' THEN 'gen_random_uuid()' " +
			"ELSE quote_ident(attname) END"} {
			if lists[i], err = s.query(ctx,
				fmt.Sprintf("SELECT string_agg("+column+", ', ' ORDER BY attnum) "+given, one)); err != nil {
				return "", err
			}
		}
		script += fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s;\n", table, lists[0], lists[1], one)
	}
	return script + "COMMIT;\n", nil
}

func (s *server) purchase(client string, due int64) string {
	more := ""
	if due > 0 {
		more = fmt.Sprintf(`,"due":%d`, due)
	}
	return fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q%s,
		"purchase":{"currency":"ZAR","language":"en","products":[{"name":"Membership","price":10000}]}}`,
		client, s.cast.BrandID, more)
}

func charges(ctx context.Context, s *server, length time.Duration, _ int) ([]line, error) {
	var client struct{ ID string }
	err := s.post("/api/v1/clients/",
		`{"email":"bench@example.com","full_name":"Bench Mark","bank_account":"4000000000","bank_code":"632005"}`, &client)
	if err != nil {
		return nil, err
	}
	var token struct{ ID string }
	err = s.post("/api/v1/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"Store","price":0}],"payment_method_details":{"direct_debit":{"deduction_day":1}}}}`,
		client.ID, s.cast.BrandID), &token)
	if err != nil {
		return nil, err
	}
	due := time.Now().Add(40 * 24 * time.Hour).Unix()
	var ids []string
	charge := func(n int64) string {
		if n >= int64(len(ids)) {
			return ""
		}
		return s.apiRequest("/api/v1/purchases/"+ids[n]+"/charge/", `{"recurring_token":"`+token.ID+`"}`)
	}
	var script string
	var spent cost
	ours, theirs, err := inTurn(
		func() (float64, error) {
			var err error
			if ids, err = s.fresh(ctx, client.ID, due, 4000*int(length.Seconds())); err != nil {
				return 0, err
			}
			return s.costing(&spent, func() (float64, error) { return s.load(length, charge) })()
		},
		func() (float64, error) {
			var err error
			if script == "" {
				if script, err = s.like(ctx, "collections", "state = 'scheduled'"); err != nil {
					return 0, err
				}
			}
			return s.pgbench(ctx, length, script)
		})
	if err != nil {
		return nil, err
	}
	return []line{rates("(b) POST /purchases/{id}/charge/ through HTTP, 16 connections", ours,
		"pgbench, one collection row of the same bytes and indexes", theirs),
		spent.line("(b) POST /purchases/{id}/charge/")}, nil
}

func pages(ctx context.Context, s *server, _ time.Duration, rows int) ([]line, error) {
	browser, err := s.signIn()
	if err != nil {
		return nil, err
	}
	var client, one struct{ ID string } // what the list is filled with copies of
	if err := s.post("/api/v1/clients/", `{"email":"page@example.com","full_name":"Thandi Nkosi"}`, &client); err != nil {
		return nil, err
	}
	if err := s.post("/api/v1/purchases/", s.purchase(client.ID, 0), &one); err != nil {
		return nil, err
	}
	var out []line
	var small time.Duration
	for _, n := range []int{10_000, rows} {
		if err := s.fill(ctx, n); err != nil {
			return nil, err
		}
		median, err := s.median(browser, 150)
		if err != nil {
			return nil, err
		}
		l := line{what: fmt.Sprintf("(c) purchases page, 50 rows, filter and counts, at %d purchases", n),
			measured: median.Round(10 * time.Microsecond).String(),
			against:  "the same page at 10000", ratio: "1.00", aim: "under 15ms"}
		if small == 0 {
			small = median
		} else {
			l.ratio, l.aim = fmt.Sprintf("%.2f", float64(median)/float64(small)), "under 15ms, at most 1.20"
		}
		out = append(out, l)
	}
	return out, nil
}

// median times the page as one browser sees it, over the filters people use.
func (s *server) median(browser *http.Client, times int) (time.Duration, error) {
	filters := []string{"", "?status=created", "?status=error,overdue", "?status=paid&due_from=2026-01-01"}
	var took []time.Duration
	for i := range times + 8 {
		began := time.Now()
		res, err := browser.Get(s.base + "/purchases" + filters[i%len(filters)])
		if err != nil {
			return 0, err
		}
		n, err := io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || n < 10_000 {
			return 0, fmt.Errorf("purchases page: %d, %d bytes, %w", res.StatusCode, n, err)
		}
		if i >= 8 { // the first ones warm
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

func memory(_ context.Context, s *server, _ time.Duration, _ int) ([]line, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, text := range strings.Split(string(status), "\n") {
		if name, value, ok := strings.Cut(text, ":"); ok {
			found[name] = strings.Join(strings.Fields(value), " ")
		}
	}
	return []line{{"(d) memory of the server after the above", found["VmRSS"], "its peak", found["VmHWM"],
		"under 100 MB"}}, nil
}

func inTurn(ours, theirs func() (float64, error)) (a, b float64, err error) {
	var as, bs []float64
	for range rounds {
		x, err := ours()
		if err != nil {
			return 0, 0, err
		}
		y, err := theirs()
		if err != nil {
			return 0, 0, err
		}
		as, bs = append(as, x), append(bs, y)
	}
	slices.Sort(as)
	slices.Sort(bs)
	return as[rounds/2], bs[rounds/2], nil
}

func rates(what string, ours float64, against string, theirs float64) line {
	return line{what, fmt.Sprintf("%.0f/s", ours), fmt.Sprintf("%s: %.0f/s", against, theirs),
		fmt.Sprintf("%.2f", ours/theirs), "at least 0.50"}
}
