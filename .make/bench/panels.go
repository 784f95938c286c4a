package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	openPanels = 500
	idleFor    = 20 * time.Second
	within     = time.Second // issue: everybody sees a change within a second
	singles    = 60
)

// panels opens 500 live panels, each a stream of its own, on as many mandates and
// then on 50, and has the bank's messages reach them.
func panels(ctx context.Context, s *server, _ time.Duration, _ int) ([]line, error) {
	browser, err := s.signIn()
	if err != nil {
		return nil, err
	}
	browser.Timeout = 0
	without := s.cpuFor(idleFor)
	var out []line
	for _, mandates := range []int{openPanels, openPanels / 10} {
		lines, err := s.panelsOn(ctx, browser, mandates, without)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	lines, err := s.onTime(ctx, browser)
	return append(out, lines...), err
}

func (s *server) panelsOn(ctx context.Context, browser *http.Client, mandates int,
	without time.Duration) ([]line, error) {
	ids, err := s.waitingMandates(ctx, mandates)
	if err != nil {
		return nil, err
	}
	before, err := s.resident()
	if err != nil {
		return nil, err
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	w, err := s.openPanels(ctx, browser, ids)
	if err != nil {
		return nil, err
	}
	idle := s.cpuFor(idleFor)
	after, err := s.resident()
	if err != nil {
		return nil, err
	}
	busy := s.cpu()
	all, err := w.change(ctx, s, "delivered", ids)
	if err != nil {
		return nil, err
	}
	busy = s.cpu() - busy
	var one []time.Duration
	for i := range singles { // as the bank's messages come, one by one
		took, err := w.change(ctx, s, []string{"sent", "delivered"}[i/len(ids)%2], ids[i%len(ids):i%len(ids)+1])
		if err != nil {
			return nil, err
		}
		one = append(one, took...)
	}
	what := fmt.Sprintf("(e) %d live panels on %d mandates: ", openPanels, mandates)
	lines := []line{
		{what + "processor while nothing happens for " + idleFor.String(), seconds(idle),
			"without panels: " + seconds(without), fmt.Sprintf("%.1f %%", 100*idle.Seconds()/idleFor.Seconds()), "near none"},
		{what + "all mandates change at once", spread(all), "processor: " + seconds(busy), ratioOf(all),
			"all within " + within.String()},
		{what + "one mandate changes", spread(one), fmt.Sprintf("%d changes", singles), ratioOf(one),
			"all within " + within.String()},
	}
	if mandates == openPanels { // later the memory of the first time is there to be used again
		lines = append(lines, line{what + "memory of the server", megabytes(after), "before: " + megabytes(before),
			fmt.Sprintf("%d kB a panel", (after-before)/openPanels>>10), "under 100 MB"})
	}
	return lines, nil
}

// waitingMandates makes mandates whose payers have 48 hours, straight in the table.
func (s *server) waitingMandates(ctx context.Context, n int) ([]string, error) {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, `DELETE FROM mandate_authentications WHERE requested_by = 'bench'`); err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx,
		`WITH m AS (INSERT INTO mandates (id, merchant_id, brand_id, kind, state, contract_reference,
			profile_code, abbreviated_name,
			clearing_account, period_units, deduction_day, amount_cents, holder_name, account_mask, bank_code, account_type,
			consent_text, consent_at, consent_channel, created_at, updated_at)
		SELECT gen_random_uuid(), $1, $2, 'debicheck', 'pending_authentication', 'P' || $3 || 'X' || n, 'BENCH', 'BENCH',
		'12345678', 'months', 1, 10000,
			'Bench Mark', '•••• 0000', '632005', 'CURRENT', '', now(), 'bank', now(), now()
			FROM generate_series(1, $3::int) AS n RETURNING id, merchant_id)
		INSERT INTO mandate_authentications (id, merchant_id, mandate_id, number, method, state, requested_by,
		requested_at, sent_at, expires_at)
		SELECT gen_random_uuid(), merchant_id, id, 1, 'DELAYED', 'sent', 'bench', now(), now(), now() + interval '48 hours'
		FROM m RETURNING mandate_id::text`,
		s.cast.MerchantID, s.cast.BrandID, n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// watchers are the open panels.
type watchers struct {
	of      map[string]int // panels by mandate
	arrived chan arrival
	failed  atomic.Pointer[error]
}

type arrival struct {
	mandate string
	at      time.Time
}

// openPanels opens the streams and waits until each has shown its state.
func (s *server) openPanels(ctx context.Context, browser *http.Client, ids []string) (*watchers, error) {
	w := &watchers{of: map[string]int{}, arrived: make(chan arrival, 4*openPanels)}
	var ready sync.WaitGroup
	for i := range openPanels {
		id := ids[i%len(ids)]
		w.of[id]++
		ready.Add(1)
		go func() {
			shown := sync.OnceFunc(ready.Done)
			defer shown()
			if err := s.readPanel(ctx, browser, id, shown, w.arrived); err != nil && ctx.Err() == nil {
				w.failed.Store(&err)
			}
		}()
	}
	ready.Wait()
	for quiet := false; !quiet; { // the tables' own notices of the new rows
		select {
		case <-w.arrived:
		case <-time.After(time.Second):
			quiet = true
		}
	}
	return w, w.err()
}

func (w *watchers) err() error {
	if failed := w.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

func (s *server) readPanel(ctx context.Context, browser *http.Client, id string, shown func(),
	arrived chan<- arrival) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/mandates/"+id+"/events", nil)
	if err != nil {
		return err
	}
	res, err := browser.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("stream: status %d", res.StatusCode)
	}
	lines, first := bufio.NewReaderSize(res.Body, 8<<10), true
	for {
		text, err := lines.ReadSlice('\n')
		if err != nil {
			return err
		}
		if !strings.HasPrefix(string(text), "data: ") {
			continue
		}
		if shown(); !first {
			arrived <- arrival{id, time.Now()}
		}
		first = false
	}
}

// change moves the authentications of mandates and gives how long it took until
// each of their panels had it, counted from before the statement.
func (w *watchers) change(ctx context.Context, s *server, state string, ids []string) ([]time.Duration, error) {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	missing := 0
	for _, id := range ids {
		missing += w.of[id]
	}
	began := time.Now()
	if _, err := conn.Exec(ctx,
		`UPDATE mandate_authentications SET state = $1, delivered_at = now() WHERE mandate_id = ANY($2::uuid[])`, state,
		ids); err != nil {
		return nil, err
	}
	var took []time.Duration
	for over := time.After(time.Minute); missing > 0; missing-- {
		select {
		case a := <-w.arrived:
			took = append(took, a.at.Sub(began))
		case <-over:
			return nil, fmt.Errorf("%d panels did not hear of a change: %w", missing, w.err())
		}
	}
	return took, nil
}

// resident is the memory of the server's process, in bytes.
func (s *server) resident() (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	return pages * os.Getpagesize(), err
}

// cpuFor is the processor time that the server uses within a length of time.
func (s *server) cpuFor(length time.Duration) time.Duration {
	before := s.cpu()
	time.Sleep(length)
	return s.cpu() - before
}

// cpu is the processor time of the server's process so far.
func (s *server) cpu() time.Duration {
	return processTime(strconv.Itoa(s.cmd.Process.Pid), 2)
}

func spread(took []time.Duration) string {
	slices.Sort(took)
	at := func(percent int) time.Duration { return took[(len(took)-1)*percent/100].Round(time.Millisecond / 10) }
	return fmt.Sprintf("p50 %s, p95 %s, max %s", at(50), at(95), at(100))
}

// ratioOf is the slowest beside the limit.
func ratioOf(took []time.Duration) string {
	return fmt.Sprintf("%.2f", slices.Max(took).Seconds()/within.Seconds())
}

func megabytes(bytes int) string { return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20)) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
