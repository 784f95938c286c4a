package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"debitdesk/cmd/prove"
)

type proveCmd struct {
	Seed      uint64 `help:"Of the first history; the ones after it have the next numbers. Drawn and printed when left out."`
	Histories int    `default:"10" help:"How many are played, one after the other."`
	Faults    string `default:"kill,failover,delayed,doubled,reordered,lost" placeholder:"LIST" help:"Which of ${default} may happen, or none."`
}

var errProof = errors.New("something does not hold")

func (v *proveCmd) run(ctx context.Context, c Config, io streams) error {
	faults, err := prove.ParseFaults(v.Faults)
	switch {
	case err != nil:
		return usageError{err}
	case v.Histories < 1:
		return usageError{fmt.Errorf("--histories: %d is less than 1", v.Histories)}
	case v.Seed > math.MaxInt64:
		return usageError{fmt.Errorf("--seed: the greatest is %d", int64(math.MaxInt64))}
	}
	if v.Seed == 0 {
		v.Seed = 1 + rand.Uint64N(math.MaxInt32) //nolint:gosec // any number will do
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(io.out, "From seed %d, with the faults %s:\n", v.Seed, prove.Names(faults))
	failed, err := prove.Run(ctx, prove.Options{Seed: v.Seed, Histories: v.Histories, Faults: faults,
		Server: c.DatabaseURL, Program: program, Out: io.out, Open: openDesk(io)})
	if err != nil {
		return err
	}
	if failed != nil {
		failed.Tell(io.out, faults)
		return errProof
	}
	return nil
}

// openDesk opens the product for a history: in sandbox mode, on its database and folder, whatever the environment says.
func openDesk(io streams) func(context.Context, string, string) (*prove.Desk, error) {
	return func(ctx context.Context, dsn, folder string) (*prove.Desk, error) {
		c, err := ReadConfig(map[string]string{"DATABASE_URL": dsn, "DEBITDESK_DATA": folder, "DEBITDESK_LOG": "error"})
		if err != nil {
			return nil, err
		}
		a, err := Open(ctx, c, opening{log: commandLog(c, io), baseURL: c.PublicURL(c.Listen), maxConns: fewConns})
		if err != nil {
			return nil, err
		}
		return &prove.Desk{Services: a.Services, Store: a.Store, Close: a.Close}, nil
	}
}
