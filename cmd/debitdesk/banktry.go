package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/calendar"
	"debitdesk/models/plural"
)

type bankTryCmd struct {
	Dir      string   `arg:"" help:"The directory with the profile of the bank."`
	Files    []string `arg:"" name:"file" help:"Files from the bank."`
	Merchant string   `placeholder:"SLUG" help:"Say what they would do for one business alone, as if it imported them."`
	JSON     bool     `help:"Print one line of JSON."`
}

func (b *bankTryCmd) run(ctx context.Context, c Config, io streams) error {
	profile, err := files.ReadProfile(b.Dir)
	if err != nil {
		return usageError{err}
	}
	samples := make([][]byte, len(b.Files))
	for n, path := range b.Files {
		if samples[n], err = readSample(path); err != nil {
			return err
		}
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
		x := exchange.Service{Store: exchange.Store{DB: a.Store}, Rules: profile.Rules(), Decoder: profile.Decoder(),
			Calendar: calendar.New(), Now: a.Store.Now}
		var tried []triedFile
		unread := 0
		for n, content := range samples {
			t, err := x.Try(ctx, who, filepath.Base(b.Files[n]), content)
			if err != nil {
				return err
			}
			if t.Why != "" {
				unread++
			}
			if tried = append(tried, triedOf(b.Files[n], t)); !b.JSON {
				sayTrial(io.out, b.Files[n], t)
			}
		}
		if b.JSON {
			if err := json.NewEncoder(io.out).Encode(tried); err != nil {
				return err
			}
		} else {
			_, _ = fmt.Fprintln(io.out, "Nothing was changed.")
		}
		if unread > 0 {
			return fmt.Errorf("%s cannot be read", plural.Of(unread, "file"))
		}
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

// triedFile is what a file would do, as JSON.
type triedFile struct {
	File        string      `json:"file"`
	Form        string      `json:"form"`
	Why         string      `json:"why,omitempty"`
	Contradicts []oddKey    `json:"contradicts"`
	Parts       []triedPart `json:"parts"`
	Left        int         `json:"left"`
}

type oddKey struct {
	Key   string `json:"key"`
	Path  string `json:"path"`
	Times int    `json:"times"`
	Text  string `json:"text"`
}

type triedPart struct {
	Path     string        `json:"path"`
	Kind     string        `json:"kind"`
	Said     string        `json:"said"`
	ItemID   string        `json:"item_id,omitempty"`
	State    string        `json:"state,omitempty"`
	Known    bool          `json:"known,omitempty"`
	Answers  []triedAnswer `json:"answers,omitempty"`
	Findings []string      `json:"findings,omitempty"`
	Key      string        `json:"profile,omitempty"`
}

type triedAnswer struct {
	Kind bank.MessageKind `json:"kind"`
	Code string           `json:"code,omitempty"`
}

func triedOf(file string, t exchange.Trial) triedFile {
	f := triedFile{File: file, Form: t.Name, Why: t.Why, Left: t.Left, Contradicts: []oddKey{}, Parts: []triedPart{}}
	for _, o := range t.Odd {
		f.Contradicts = append(f.Contradicts, oddKey(o))
	}
	for _, p := range t.Parts {
		one := triedPart{Path: p.Path, Kind: string(p.Kind), Said: p.Said, State: string(p.State), Known: p.Known,
			Findings: p.Findings, Key: p.Hint}
		if p.ItemID != uuid.Nil {
			one.ItemID = p.ItemID.String()
		}
		for _, a := range p.Answers {
			one.Answers = append(one.Answers, triedAnswer{a.Kind, a.Code})
		}
		f.Parts = append(f.Parts, one)
	}
	return f
}

// sayTrial prints what a file would do.
func sayTrial(out io.Writer, file string, t exchange.Trial) {
	if t.Why != "" {
		_, _ = fmt.Fprintf(out, "%s cannot be read: %s\n\n", file, t.Why)
		return
	}
	_, _ = fmt.Fprintf(out, "%s: %s, %s\n", file, t.Name, plural.Of(len(t.Parts)+t.Left, "part"))
	sayOdd(out, t.Odd)
	for _, p := range t.Parts {
		_, _ = fmt.Fprintf(out, "\n%s  %s: %s\n", p.Path, p.Kind, p.Said)
		for _, line := range p.Lines() {
			_, _ = fmt.Fprintf(out, "    %s\n", line)
		}
	}
	if t.Left > 0 {
		_, _ = fmt.Fprintf(out, "\n%d more %s not tried.\n", t.Left, plural.Pick(t.Left, "part was", "parts were"))
	}
	_, _ = fmt.Fprintln(out)
}

// sayOdd prints which keys of the profile a file contradicts.
func sayOdd(out io.Writer, odd []exchange.Contradiction) {
	for _, o := range odd {
		_, _ = fmt.Fprintf(out, "  - %s.\n", o.Line())
	}
}
