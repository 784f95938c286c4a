package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	monthDebits = 20_000
	monthFactor = 3.0 // times the COPY, at most
	monthRate   = 5_000
	monthPages  = 25 * time.Millisecond
	idleLook    = 10 * time.Second
	aside       = 10 * time.Minute       // the clock goes on while a step is prepared
	lookEvery   = 250 * time.Millisecond // in which the watched pages are opened once: 20 pages a second
)

// added are the tables that a debit adds rows to, in an order that foreign keys allow, with the column that tells when.
var added = []struct{ name, at string }{
	{"sandbox_instructions", "received_at"},
	{"sandbox_answers", "(SELECT received_at FROM sandbox_instructions i WHERE i.id = t.instruction_id)"},
	{"audit_entries", "at"}, {"bank_messages", "received_at"},
	{"ledger_entries", "(SELECT received_at FROM bank_messages b WHERE b.instruction_id = t.collection_id)"},
	{"events", "created_at"},
}

// monthEnd moves the clock of a server that works over the day on which 20 000 debits are due: they are handed
// to the sandbox bank, which pays each, and turn final. Meanwhile people open pages. Beside each step the
// rows that it added are taken out and COPYed into the same tables again.
func monthEnd(ctx context.Context, s *server, _ time.Duration, _ int) (out []line, err error) {
	browser, err := s.signIn()
	if err != nil {
		return nil, err
	}
	idle, err := s.idle(ctx)
	if err != nil {
		return nil, err
	}
	var paid, final, busy []time.Duration
	var steps, copied, finalCopied []time.Duration
	spent := cost{operations: rounds * monthDebits}
	for range rounds {
		m, err := s.month(ctx, browser)
		if err != nil {
			return nil, err
		}
		paid, final, busy = append(paid, m.handedOver+m.answered), append(final, m.final), append(busy, m.pages...)
		spent.server, spent.database = spent.server+m.spent.server, spent.database+m.spent.database
		steps, copied, finalCopied = append(steps, m.handedOver), append(copied, m.copied), append(finalCopied, m.finalCopied)
	}
	for _, took := range [][]time.Duration{paid, final, steps, copied, finalCopied, busy} {
		slices.Sort(took)
	}
	took, beside := paid[rounds/2], copied[rounds/2]
	closed, closedBeside := final[rounds/2], finalCopied[rounds/2]
	return []line{
		{fmt.Sprintf("(j) %d debits due on one day: handed over and answered", monthDebits),
			fmt.Sprintf("%s, %.0f/s, of it handed over %s", seconds(took), monthDebits/took.Seconds(), seconds(steps[rounds/2])),
			"COPY of the rows it adds: " + seconds(beside), fmt.Sprintf("%.2f", took.Seconds()/beside.Seconds()),
			fmt.Sprintf("at least %d/s, at most %.2f", monthRate, monthFactor)},
		{"(j) … made final", fmt.Sprintf("%s, %.0f/s", seconds(closed), monthDebits/closed.Seconds()),
			"COPY of the rows it adds: " + seconds(closedBeside), fmt.Sprintf("%.2f", closed.Seconds()/closedBeside.Seconds()),
			fmt.Sprintf("at most %.2f", monthFactor)},
		{fmt.Sprintf("(j) pages meanwhile, %d of them", len(busy)), spread(busy), "",
			fmt.Sprintf("%.2f", busy[len(busy)/2].Seconds()/monthPages.Seconds()), "median under " + monthPages.String()},
		spent.line("(j) a debit until it is final, pages included"),
		idle,
	}, nil
}

// idle counts what a server that has nothing to do asks its database.
func (s *server) idle(ctx context.Context) (line, error) {
	const asked = "SELECT xact_commit::text FROM pg_stat_database WHERE datname = current_database()"
	count := func() (int, error) {
		if err := s.exec(ctx, "SELECT pg_stat_clear_snapshot()"); err != nil {
			return 0, err
		}
		text, err := s.query(ctx, asked)
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(text)
	}
	time.Sleep(2 * time.Second) // what is under way ends, and is counted
	before, err := count()
	if err != nil {
		return line{}, err
	}
	took := s.cpuFor(idleLook)
	after, err := count()
	return line{"(j) a server with nothing to do asks",
		fmt.Sprintf("%.1f transactions/s", float64(after-before)/idleLook.Seconds()),
		"processor of the server: " + fmt.Sprintf("%.1f %%", 100*took.Seconds()/idleLook.Seconds()),
		"", "for comparison"}, err
}

// oneMonth is what one month end took.
type oneMonth struct {
	handedOver, answered, final, copied, finalCopied time.Duration
	pages                                            []time.Duration
	spent                                            cost
}

// month is one month end, a month after the last.
func (s *server) month(ctx context.Context, browser *http.Client) (m oneMonth, err error) {
	day, err := s.plan(ctx)
	if err != nil {
		return m, err
	}
	over, opened := make(chan struct{}), make(chan error, 1)
	go func() {
		next := time.NewTicker(lookEvery)
		defer next.Stop()
		for {
			select {
			case <-over:
				opened <- nil
				return
			case <-next.C:
			}
			took, err := s.open(browser, len(watched))
			if err != nil {
				opened <- err
				return
			}
			m.pages = append(m.pages, took...)
		}
	}()
	for _, step := range []struct {
		to   time.Time
		took *time.Duration
	}{{day.submit.Add(-aside), nil}, {day.submit, &m.handedOver}, {day.answer, &m.answered},
		{day.final.Add(-aside), nil}, {day.final, &m.final}} {
		if err = s.exec(ctx, "CHECKPOINT"); err != nil {
			break
		}
		began, server, database := time.Now(), s.cpu(), s.databaseCPU()
		if err = s.post("/sandbox/clock", fmt.Sprintf(`{"now":%q}`, step.to.Format(time.RFC3339Nano)),
			new(struct{})); err != nil {
			break
		}
		if step.took != nil {
			*step.took = time.Since(began)
			m.spent.server += s.cpu() - server
			m.spent.database += s.databaseCPU() - database
		}
	}
	close(over)
	if err = errors.Join(err, <-opened); err != nil {
		return m, err
	}
	done, err := s.query(ctx, `SELECT count(*)::text FROM collections WHERE state = 'final' AND final_at = $1`, day.final)
	if err == nil && done != strconv.Itoa(monthDebits) {
		err = fmt.Errorf("%s debits are final, want %d", done, monthDebits)
	}
	if err != nil {
		return m, err
	}
	if m.copied, err = s.addAgain(ctx, day.submit, day.final, 7*monthDebits); err != nil {
		return m, err
	}
	m.finalCopied, err = s.addAgain(ctx, day.final, day.final.Add(time.Hour), 2*monthDebits)
	return m, err
}

// addAgain takes the rows that were added from one moment to another out of their tables and COPYs them in
// again, in one transaction, and gives how long that took.
func (s *server) addAgain(ctx context.Context, from, to time.Time, least int64) (took time.Duration, err error) {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	held, all := make([]bytes.Buffer, len(added)), int64(0)
	mine := func(at string) string {
		return fmt.Sprintf("%s >= '%s' AND %s < '%s'", at, from.Format(time.RFC3339Nano), at, to.Format(time.RFC3339Nano))
	}
	for i, t := range added {
		tag, err := conn.PgConn().CopyTo(ctx, &held[i],
			"COPY (SELECT t.* FROM "+t.name+" t WHERE "+mine(t.at)+") TO STDOUT (FORMAT binary)")
		if err != nil {
			return 0, err
		}
		all += tag.RowsAffected()
	}
	if all < least {
		return 0, fmt.Errorf("%d rows were added, want %d at least", all, least)
	}
	for _, t := range slices.Backward(added) {
		if err := s.exec(ctx, "ALTER TABLE "+t.name+" DISABLE TRIGGER USER", "DELETE FROM "+t.name+" t WHERE "+mine(t.at),
			"ALTER TABLE "+t.name+" ENABLE TRIGGER USER", "VACUUM "+t.name); err != nil {
			return 0, err
		}
	}
	if err := s.exec(ctx, "CHECKPOINT"); err != nil {
		return 0, err
	}
	began := time.Now()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for i, t := range added {
			if _, err := tx.Conn().PgConn().CopyFrom(ctx, &held[i], "COPY "+t.name+" FROM STDIN (FORMAT binary)"); err != nil {
				return fmt.Errorf("copy into %s: %w", t.name, err)
			}
		}
		return nil
	})
	return time.Since(began), err
}
