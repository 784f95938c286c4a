// Command withpg runs a command beside a throw-away PostgreSQL that all test
// binaries share, and keeps its exit code. With -check it only tells whether a
// PostgreSQL server is installed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"debitdesk/models/database/dbtest"
	"debitdesk/models/database/postgres"
)

func main() {
	check := flag.Bool("check", false, "tell whether a PostgreSQL server is installed")
	data := flag.String("data", "data", "data folder, which may hold a server of its own")
	flag.Parse()
	if err := run(*check, *data, flag.Args()); err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() > 0 {
			os.Exit(exit.ExitCode())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(check bool, data string, args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if check {
		_, err := postgres.FindBinaries(ctx, data)
		return err
	}
	if len(args) == 0 {
		return errors.New("withpg: no command")
	}
	cluster, err := postgres.Throwaway(ctx)
	if err != nil {
		return err
	}
	defer cluster.Stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), dbtest.EnvDSN+"="+cluster.DSN("postgres"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // so that it can clean up
	return cmd.Run()
}
