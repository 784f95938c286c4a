package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/bank/simbank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/queue"
)

const exchanged = 50_000

// exchanges hands 50 000 debits to the file bank, cuts and writes them, and reads what a bank answers: an
// acknowledgement with one refusal in a hundred, and a status of each debit. Beside it the rows that are there
// at the end are COPYed.
func exchanges(ctx context.Context, s *server, _ time.Duration, _ int) (out []line, err error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(80 << 20)) // as the program runs
	keys, err := seal.NewBox([]seal.Key{{ID: "bench", Secret: make([]byte, 32)}}, make([]byte, 32))
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, s.dsn(), database.Options{Seal: keys, Sandbox: true, MaxConns: 4,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	dir, err := os.MkdirTemp("", "bench-bank-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := files.InitProfile(dir, "simulator"); err != nil {
		return nil, err
	}
	profile, err := files.ReadProfile(dir)
	if err != nil {
		return nil, err
	}
	profile.MaxFileBytes = 200 << 20
	eft := profile.Services["eft"]
	eft.Success = string(exchange.ByReport)
	profile.Services["eft"] = eft
	now := calendar.DateOf(time.Now()).AddDays(30).At(5, 0)
	clock := func() time.Time { return now }
	box, err := files.OpenBox(dir, files.Settings{MaxBytes: profile.MaxFileBytes, Now: clock})
	if err != nil {
		return nil, err
	}
	defer func() { _ = box.Close() }()
	x := &exchange.Service{Store: exchange.Store{DB: db}, Rules: profile.Rules(), Encoder: profile.Encoder(),
		Decoder: iso20022.Decoder{}, Box: box, Calendar: calendar.New(), Now: clock}
	simulated, err := simbank.Open(simbank.Settings{Dir: dir, Now: clock, Reports: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = simulated.Close() }()

	var peak atomic.Uint64
	step := func(what, aim string, do func() error) error {
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		peak.Store(before.HeapInuse)
		stop := watchHeap(&peak)
		began := time.Now()
		err := do()
		took := time.Since(began)
		stop()
		out = append(out, line{fmt.Sprintf("(i) %d debits: %s", exchanged, what), seconds(took),
			fmt.Sprintf("heap grew by %d MB at most", (peak.Load()-before.HeapInuse)>>20),
			fmt.Sprintf("%.0f/s", exchanged/took.Seconds()), aim})
		return err
	}
	debits := benchDebits(now)
	run := func() error { // a file in the inbox is read at the second look, when it has not changed
		for quiet := 0; quiet < 2; {
			moved, err := x.Run(ctx)
			if err != nil {
				return err
			}
			if moved == 0 {
				quiet++
			}
		}
		return nil
	}
	round := func() error { _, err := simulated.Round(ctx); return err }
	if err := step("handed over, 200 at a time", "", func() error {
		for n := 0; n < len(debits); n += 200 {
			if _, err := x.Submit(ctx, debits[n:n+200]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return out, err
	}
	for now = calendar.DateOf(now).At(8, 0); !x.Calendar.IsBusinessDay(calendar.DateOf(now)); now = now.AddDate(0, 0, 1) {
	}
	began := time.Now()
	if err := step("cut, written, checked and laid out", "2 s to write, 100 MB", run); err != nil {
		return out, err
	}
	if err := round(); err != nil {
		return out, err
	}
	if err := step("acknowledgement read", "", run); err != nil {
		return out, err
	}
	now = debits[0].ActionDate.AddDays(5).At(9, 0)
	if err := round(); err != nil {
		return out, err
	}
	if err := step("answers of each debit read", "100 MB", run); err != nil {
		return out, err
	}
	whole := time.Since(began)
	switch got, err := x.Fetch(ctx, 2*exchanged); {
	case err != nil:
		return out, err
	case len(got) != exchanged:
		return out, fmt.Errorf("%d answers of %d debits", len(got), exchanged)
	}
	copied, err := s.copyAgain(ctx, "bank_items", "bank_answers", "bank_entries")
	if err != nil {
		return out, err
	}
	return append(out, line{fmt.Sprintf("(i) %d debits: cut, written, acknowledged and answered", exchanged),
		seconds(whole),
		"COPY of the same rows into the same tables: " + seconds(copied),
		fmt.Sprintf("%.2f", whole.Seconds()/copied.Seconds()), "for comparison"}), nil
}

func benchDebits(now time.Time) []bank.Instruction {
	cal, merchant := calendar.New(), uuid.New()
	day := cal.AddBusinessDays(calendar.DateOf(now), 5)
	all := make([]bank.Instruction, exchanged)
	for n := range all {
		account := fmt.Sprintf("4%06d0000", n)
		if n%100 == 0 {
			account = fmt.Sprintf("4%06d7001", n)
		}
		all[n] = bank.Instruction{ID: uuid.New(), MerchantID: merchant, Method: bank.EFT, AmountCents: int64(10000 + n),
			Currency: "ZAR", ActionDate: day, Branch: "632005", Account: bank.AccountNumber(account), AccountType: bank.Current,
			HolderName: "Ms T Nkosi-Dlamini", StatementLine: fmt.Sprintf("BENCHGYM  DD%06d      2612", n),
			Sequence: bank.RecurringDebit, ContractReference: fmt.Sprintf("DD%06d", n), MandateDate: day.AddDays(-90),
			Creditor: bank.Creditor{Name: "Bench Gym", AbbreviatedName: "BENCHGYM", ProfileCode: "BENCH", Branch: "250655",
				Account: "62001872440"}}
	}
	return all
}

// watchHeap keeps the largest heap until it is stopped.
func watchHeap(peak *atomic.Uint64) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				if m.HeapInuse > peak.Load() {
					peak.Store(m.HeapInuse)
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}

// copyAgain reads all rows of tables, empties them, and gives how long it takes to COPY the rows in again, in one
// transaction.
func (s *server) copyAgain(ctx context.Context, tables ...string) (time.Duration, error) {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	held := make([]bytes.Buffer, len(tables))
	for i, t := range tables {
		if _, err := conn.PgConn().CopyTo(ctx, &held[i], "COPY "+t+" TO STDOUT (FORMAT binary)"); err != nil {
			return 0, err
		}
		if _, err := conn.Exec(ctx, "TRUNCATE "+t); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return 0, err
	}
	for i, t := range tables {
		if _, err := conn.PgConn().CopyFrom(ctx, &held[i], "COPY "+t+" FROM STDIN (FORMAT binary)"); err != nil {
			return 0, err
		}
	}
	err = tx.Commit(ctx)
	return time.Since(began), err
}
