package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"debitdesk/models/bank/simbank"
)

type simulateCmd struct {
	Bank simulateBankCmd `cmd:"" help:"A bank that takes messages from an exchange folder and answers them there."`
}

type simulateBankCmd struct {
	Dir          string `arg:"" help:"The exchange folder, with outbox, sent and inbox in it."`
	State        string `placeholder:"FOLDER" help:"Where the bank keeps its memory and its ledger; beside DIR when left out."`
	Clock        string `default:"real" placeholder:"FILE" help:"The bank's clock: real, or a file that holds one moment such as 2026-11-23T06:00:00+02:00."`
	Once         bool   `help:"Look once, and end."`
	Misbehave    string `placeholder:"LIST" help:"What the bank does wrong, such as twice,crlf; the manual has the list."`
	Booking      string `default:"asked" enum:"asked,single,batch" help:"How debits are booked: as the message asks, each alone, or a group as a whole."`
	Reports      bool   `help:"Report each EFT debit that was paid in a pain.002."`
	StatusReport string `default:"pain.002.001.11" placeholder:"NAME" help:"The version of its status reports, pain.002.001.03 to .14."`
	Statements   string `default:"08" placeholder:"NN" help:"The version of its camt.053 and camt.054: 02, 04, 06 or 08."`
	Recalls      string `default:"camt.029" enum:"camt.029,pain.002" help:"How it answers recalls."`
}

// lookEvery is how often the simulated bank looks into its folder.
const lookEvery = time.Second

func (s *simulateBankCmd) run(ctx context.Context, _ Config, io streams) (err error) {
	told, err := simbank.ParseMisbehaviours(s.Misbehave)
	if err != nil {
		return usageError{err}
	}
	settings := simbank.Settings{Dir: s.Dir, State: s.State, Now: time.Now, StatusReport: s.StatusReport,
		Statements: s.Statements,
		Reports:    s.Reports, Recalls: s.Recalls, Misbehave: told,
		Log: func(line string) { _, _ = fmt.Fprintln(io.out, line) }}
	if s.Booking != "asked" {
		settings.Booking = simbank.Booking(s.Booking)
	}
	if s.Clock != "real" {
		clock := &fileClock{path: s.Clock}
		if err := clock.read(); err != nil {
			return err
		}
		settings.Now = clock.now
	}
	if _, err := os.Stat(s.Dir); errors.Is(err, os.ErrNotExist) {
		_, _ = fmt.Fprintf(io.err, "debitdesk: there was no folder %s: it is made. Give the exchange folder of the product\n",
			s.Dir)
	}
	bank, err := simbank.Open(settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bank.Close()) }()
	if s.Once {
		_, err := bank.Round(ctx)
		return err
	}
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	_, _ = fmt.Fprintf(io.out, "the simulated bank looks into %s\n", s.Dir)
	return bank.Run(ctx, ticks.C)
}

// fileClock is a clock that somebody else moves: a file with one moment in it.
type fileClock struct {
	path string
	last time.Time
}

// now is the moment in the file, or the last one that could be read.
func (c *fileClock) now() time.Time {
	_ = c.read()
	return c.last
}

func (c *fileClock) read() error {
	text, err := os.ReadFile(c.path)
	if err != nil {
		return fmt.Errorf("the clock cannot be read: %w", err)
	}
	at, err := time.Parse(time.RFC3339Nano, string(bytes.TrimSpace(text)))
	if err != nil {
		return fmt.Errorf("%s does not hold one moment such as 2026-11-23T06:00:00+02:00", c.path)
	}
	c.last = at
	return nil
}
