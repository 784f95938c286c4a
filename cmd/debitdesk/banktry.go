package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/calendar"
	"debitdesk/models/plural"
)

type bankTryCmd struct {
	Dir      string `arg:"" help:"The directory with the profile of the bank."`
	File     string `arg:"" help:"A file from the bank."`
	Merchant string `placeholder:"SLUG" help:"Say what it would do for one business alone, as if it imported the file."`
}

func (b *bankTryCmd) run(ctx context.Context, c Config, io streams) error {
	profile, err := files.ReadProfile(b.Dir)
	if err != nil {
		return usageError{err}
	}
	content, err := readSample(b.File)
	if err != nil {
		return usageError{err}
	}
	return onApp(ctx, c, io, func(a *App) error {
		who := actor.Actor{Kind: actor.Operator, Name: "Command line"}
		if b.Merchant != "" {
			m, err := a.merchantFor(ctx, b.Merchant)
			if err != nil {
				return err
			}
			who.MerchantID = m.ID
		}
		x := exchange.Service{Store: exchange.Store{DB: a.Store.DB}, Rules: profile.Rules(), Decoder: profile.Decoder(),
			Calendar: calendar.New(), Now: a.Store.Now}
		t, err := x.Try(ctx, who, filepath.Base(b.File), content)
		if err != nil {
			return err
		}
		sayTrial(io.out, t)
		return nil
	})
}

// readSample reads a file of a size that could be imported.
func readSample(path string) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(f, exchange.MostImported+1))
	return content, errors.Join(err, f.Close())
}

// sayTrial prints what a file would do.
func sayTrial(out io.Writer, t exchange.Trial) {
	if t.Why != "" {
		_, _ = fmt.Fprintf(out, "It cannot be read: %s\n", t.Why)
		return
	}
	_, _ = fmt.Fprintf(out, "%s, %s\n", t.Name, plural.Of(len(t.Parts)+t.Left, "part"))
	for _, p := range t.Parts {
		_, _ = fmt.Fprintf(out, "\n%s  %s: %s\n", p.Path, p.Kind, p.Said)
		for _, line := range p.Lines() {
			_, _ = fmt.Fprintf(out, "    %s\n", line)
		}
	}
	if t.Left > 0 {
		_, _ = fmt.Fprintf(out, "\n%d more %s not tried.\n", t.Left, plural.Pick(t.Left, "part was", "parts were"))
	}
	_, _ = fmt.Fprintln(out, "\nNothing was changed.")
}
