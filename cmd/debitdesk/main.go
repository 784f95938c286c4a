// Command debitdesk is the whole product in one program: the server, its
// workers and the commands beside it. It knows how the parts are put together;
// it must not know rules.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Exit codes of every command.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}, nil)
	stop()
	os.Exit(code)
}

type streams struct {
	in       io.Reader
	out, err io.Writer
}

type commands struct {
	Serve    serveCmd    `cmd:"" help:"Serve the dashboard, the API and the clients' pages, and do the background work."`
	Work     workCmd     `cmd:"" help:"Only do the background work."`
	Migrate  migrateCmds `cmd:"" help:"Manage the schema of the database."`
	Demo     demoCmd     `cmd:"" help:"Fill an empty database with a demo merchant and print how to sign in."`
	Merchant merchantCmd `cmd:"" help:"Manage merchants."`
	User     userCmd     `cmd:"" help:"Manage the people who sign in to the dashboard."`
	Apikey   apikeyCmd   `cmd:"" help:"Manage the credentials of programs."`
	Keys     keysCmd     `cmd:"" help:"Manage the keys that seal account and identity numbers."`
	Holiday  holidayCmd  `cmd:"" help:"Manage public holidays that were proclaimed."`
	Rules    rulesCmd    `cmd:"" help:"List the rules of debit orders that are in force, with their dates and sources."`
	SMS      smsCmd      `cmd:"" name:"sms" help:"The provider of short messages."`
	Audit    auditCmd    `cmd:"" help:"The audit: the record of all changes."`
	Backup   backupCmd   `cmd:"" help:"Write a consistent, checked copy of the database to a file, while servers run."`
	Restore  restoreCmd  `cmd:"" help:"Read a backup into an empty database and check it."`
	Export   exportCmds  `cmd:"" help:"Take out what a merchant owns."`
	Books    booksCmd    `cmd:"" help:"The journal of a merchant: files for accounting packages, closing months, checks."`
	Figures  figuresCmds `cmd:"" help:"The sums and counts that pages show."`
	Doctor   doctorCmd   `cmd:"" help:"Check everything that the product needs; exit code 1 if something is wrong."`
	Support  supportCmd  `cmd:"" help:"What the people who help you need to know."`
	Courier  courierCmd  `cmd:"" help:"Carry files between the exchange folder and the bank."`
	Import   importCmd   `cmd:"" help:"Bring in the clients, accounts, mandates and subscriptions of a business."`
	Bank     bankCmd     `cmd:"" help:"The connection to a bank by files."`
	Simulate simulateCmd `cmd:"" help:"Counterparts to try the product with."`
	Prove    proveCmd    `cmd:"" help:"Play seeded histories of the whole product, with faults, in databases of their own, and check them."`
	Version  versionCmd  `cmd:"" help:"Print the version."`

	Man        manCmd        `cmd:"" help:"Print the manual page debitdesk(1)."`
	Completion completionCmd `cmd:"" help:"Print what a shell needs to complete commands and options."`
}

// command is one sub-command.
type command interface {
	run(ctx context.Context, c Config, io streams) error
}

// leave is what kong's exit turns into, so that run can return.
type leave int

// run does one command line. The variables are the environment unless given.
func run(ctx context.Context, args []string, io streams, variables map[string]string) (code int) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case leave:
			code = int(p)
		default:
			panic(p)
		}
	}()
	said := &spoken{Writer: io.out}
	io.out = said
	if len(args) > 0 && args[0] == "help" { // debitdesk help serve is debitdesk serve --help
		args = append(slices.Clone(args[1:]), "--help")
	}
	var all commands
	parser, err := kong.New(&all, kong.Name("debitdesk"), kong.Description(program),
		kong.Writers(io.out, io.err), kong.Exit(func(code int) { panic(leave(code)) }))
	if err != nil {
		return complain(io, err, exitFailed)
	}
	chosen, err := parser.Parse(args)
	switch lost := said.lost(); {
	case lost != nil: // help that could not be written
		return complain(io, lost, exitFailed)
	case err != nil:
		return misused(io, err)
	}
	config, err := ReadConfig(variables)
	if err != nil {
		return complain(io, err, exitUsage)
	}
	if variables == nil {
		for _, said := range strangers(os.Environ()) {
			_, _ = fmt.Fprintln(io.err, "debitdesk:", said)
		}
	}
	cmd, ok := chosen.Selected().Target.Addr().Interface().(command)
	if !ok {
		return complain(io, fmt.Errorf("%s is not a command", chosen.Command()), exitFailed)
	}
	switch err := cmd.run(ctx, config, io); {
	case err == nil && !serves(cmd) && said.lost() != nil:
		return complain(io, said.lost(), exitFailed)
	case err == nil:
		return exitOK
	case errors.As(err, new(usageError)):
		return complain(io, err, exitUsage)
	case database.ReadOnly(err):
		return complain(io, errReadOnly, exitFailed)
	default:
		return complain(io, err, exitFailed)
	}
}

var errReadOnly = errors.New("the database takes no writes: it is a standby, or set read-only. " +
	"Name the primary in DATABASE_URL, or let it take writes")

// usageError is a command that was asked for wrongly.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func misused(io streams, err error) int {
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		parse.Context.Stdout = io.err
		_ = parse.Context.PrintUsage(true)
	}
	return complain(io, err, exitUsage)
}

// complain writes the error, with all problems of a refusal, one a line.
func complain(io streams, err error, code int) int {
	f, refused := fault.From(err)
	if !refused || len(f.Fields) == 0 {
		for _, line := range strings.Split(err.Error(), "\n") {
			_, _ = fmt.Fprintf(io.err, "debitdesk: %s\n", line)
		}
		return code
	}
	for _, problem := range f.Fields {
		_, _ = fmt.Fprintf(io.err, "debitdesk: %s: %s\n", problem.Path, problem.Message)
	}
	return code
}
