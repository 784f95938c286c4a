package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"debitdesk/models/bank/files"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/rulebook"
)

type rulesCmd struct {
	On     string `placeholder:"DATE" help:"The rules in force on a day, YYYY-MM-DD; today when left out."`
	Key    string `placeholder:"KEY" help:"One rule only, such as dispute.auto_days."`
	Stream string `placeholder:"STREAM" help:"For one kind of debit: eft, debicheck, rm, rms, naedo or payshap."`
	All    bool   `help:"Those that are over, coming or withdrawn, too."`
	JSON   bool   `name:"json" help:"Print the rows as JSON."`
}

// ruleLine is a row as programs read it.
type ruleLine struct {
	ID        string          `json:"id"`
	Key       string          `json:"key"`
	Stream    string          `json:"stream"`
	Scope     string          `json:"scope"`
	Value     rulebook.Value  `json:"value"`
	Unit      string          `json:"unit"`
	From      *calendar.Date  `json:"from"`
	To        *calendar.Date  `json:"to"`
	JudgedBy  string          `json:"judged_by"`
	Source    rulebook.Source `json:"source"`
	Sure      string          `json:"sure"`
	Status    rulebook.Status `json:"status"`
	Override  string          `json:"override"`
	KnownFrom *calendar.Date  `json:"known_from"`
	KnownTo   *calendar.Date  `json:"known_to"`
	Note      string          `json:"note"`
}

func (r *rulesCmd) run(ctx context.Context, c Config, io streams) error {
	f := rulebook.Filter{Key: r.Key, Stream: r.Stream, All: r.All}
	if r.On != "" {
		on, err := calendar.ParseDate(r.On)
		if err != nil {
			return usageError{fmt.Errorf("--on: %w", err)}
		}
		f.On = on
	}
	book, err := bookOf(c)
	if err != nil {
		return usageError{err}
	}
	if keys := book.Keys(); r.Key != "" && !slices.Contains(keys, r.Key) {
		return usageError{fmt.Errorf("--key: there is no rule %q.%s", r.Key, fault.DidYouMean(r.Key, keys))}
	}
	if !slices.Contains(ruleStreams, cmp.Or(r.Stream, rulebook.AnyStream)) {
		return usageError{errors.New("--stream: use eft, debicheck, rm, rms, naedo, payshap or any")}
	}
	return onApp(ctx, c, io, func(a *App) error {
		if f.On.IsZero() {
			f.On = calendar.DateOf(a.Store.Now())
		}
		rows := rulebook.List(book, a.Services.Purchases.Calendar, f)
		if r.JSON {
			lines := make([]ruleLine, len(rows))
			for i, row := range rows {
				lines[i] = lineOf(row)
			}
			return printJSON(io.out, lines)
		}
		for _, row := range rows {
			_, _ = fmt.Fprintf(io.out, "%-26s %-9s %-18s %s  %s to %s  %s  [%s] %s\n", row.Key, row.Stream, row.Scope,
				valued(row), isOver(row.From), isOver(row.To), row.Stands(f.On), row.Sure, row.Source.Site)
		}
		if len(rows) == 0 {
			_, _ = fmt.Fprintln(io.out, "no rule holds")
		}
		return nil
	})
}

var ruleStreams = []string{rulebook.AnyStream, rulebook.EFT, rulebook.DebiCheck, rulebook.RM, rulebook.RMS, "naedo",
	rulebook.PayShap}

// bookOf is the rulebook of the bank that is connected.
func bookOf(c Config) (*rulebook.Book, error) {
	dir := c.bankDirectory()
	if dir == "" {
		return rulebook.Default(), nil
	}
	profile, err := files.ReadProfile(dir)
	if err != nil {
		return nil, err
	}
	return cmp.Or(profile.Rules().Book, rulebook.Default()), nil
}

func lineOf(r rulebook.Row) ruleLine {
	open := func(d calendar.Date) *calendar.Date {
		if d.IsZero() {
			return nil
		}
		return &d
	}
	return ruleLine{ID: r.ID, Key: r.Key, Stream: r.Stream, Scope: r.Scope, Value: r.Value, Unit: r.Unit,
		From: open(r.From), To: open(r.To), JudgedBy: r.JudgedBy, Source: r.Source, Sure: r.Sure, Status: r.Status,
		Override: string(r.Override), KnownFrom: open(r.KnownFrom), KnownTo: open(r.KnownTo), Note: r.Note}
}

func valued(r rulebook.Row) string {
	if r.Unit == "" {
		return r.Value.String()
	}
	return r.Value.String() + " " + r.Unit
}

func isOver(d calendar.Date) string {
	if d.IsZero() {
		return "…"
	}
	return d.String()
}
