package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print the findings as JSON."`
}

// How a finding is.
const (
	fine    = "ok"
	warning = "warn"
	bad     = "BAD"
)

// finding is one thing that was looked at.
type finding struct {
	State string `json:"state"` // ok, warn, BAD
	Name  string `json:"name"`
	What  string `json:"what"`
	Fix   string `json:"mend,omitempty"` // what to do about it
}

// examination collects findings.
type examination struct {
	c        Config
	findings []finding
	app      *App // nil when the database cannot be opened
}

func (e *examination) say(state, name, fix, what string, args ...any) {
	e.findings = append(e.findings, finding{state, name, fmt.Sprintf(what, args...), fix})
}

func (e *examination) found(state, name string) bool {
	return slices.ContainsFunc(e.findings, func(f finding) bool { return f.State == state && f.Name == name })
}

// doctorTime is how long a question to the database or the relay may take.
const doctorTime = 10 * time.Second

// errUnwell is the exit code of an examination that found something bad.
var errUnwell = errors.New("something is wrong, see above")

func (d *doctorCmd) run(ctx context.Context, c Config, io streams) (err error) {
	e := &examination{c: c}
	e.examine(ctx, io)
	if e.app != nil {
		defer func() { err = errors.Join(err, e.app.Close()) }()
	}
	if err := e.print(d.JSON, io); err != nil {
		return err
	}
	for _, f := range e.findings {
		if f.State == bad {
			return errUnwell
		}
	}
	return nil
}

// examine looks at everything. The database stays open, for the caller to close.
func (e *examination) examine(ctx context.Context, io streams) {
	e.settings()
	e.certificate()
	e.folder()
	e.programs(ctx)
	e.keyFile()
	e.database(ctx, io)
	if e.app != nil {
		e.inside(ctx)
	}
	e.mail(ctx)
	e.sms(ctx)
	e.signIn(ctx)
	e.bank()
}

func (e *examination) print(asJSON bool, io streams) error {
	if asJSON {
		return printJSON(io.out, e.findings)
	}
	for _, f := range e.findings {
		text := fmt.Sprintf("%-4s  %-14s  %s", f.State, f.Name, f.What)
		if f.Fix != "" {
			text += "\n" + strings.Repeat(" ", 22) + "→ " + f.Fix
		}
		if _, err := fmt.Fprintln(io.out, text); err != nil {
			return err
		}
	}
	return nil
}
