package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
)

type importCmd struct {
	File     importFileCmd   `cmd:"" default:"withargs" hidden:"" help:"Rehearse, or with --apply do, a book."`
	Undo     importUndoCmd   `cmd:"" help:"Take an import back, until its first debit was handed to the bank."`
	SwitchOn importSwitchCmd `cmd:"" name:"switch-on" help:"Let a group of an import be debited."`
	List     importListCmd   `cmd:"" help:"List the imports of a business, the newest first, one JSON object a line."`
}

type importFileCmd struct {
	Merchant string   `placeholder:"SLUG" help:"Short name of the business; not needed where there is only one."`
	Mapping  string   `placeholder:"FILE" help:"JSON: what the columns mean, by heading, and choices by cause."`
	CutOver  string   `placeholder:"DATE" help:"The first day on which debits come from here; today when left out."`
	With     []string `placeholder:"FILE" help:"Further columns of the same clients, joined by a key."`
	Planned  []string `placeholder:"FILE" help:"Debits that the old system still plans."`
	Evidence []string `placeholder:"FILE.zip" help:"Scans of mandates, called like the reference of their row."`
	Apply    bool     `help:"Do it; without this it is rehearsed and nothing is written to the book."`
	Files    []string `arg:"" name:"file" help:"Spreadsheets, CSV or known layouts; each is an import of its own."`
}

// importMapping is the file that --mapping names.
type importMapping struct {
	Columns map[string]book.Field `json:"columns"` // by heading, or by the letter of the column
	Choices book.Choices          `json:"choices"` // by cause
}

// importSaid is what an import came to, on one line.
type importSaid struct {
	ImportID  uuid.UUID     `json:"import_id"`
	Read      int           `json:"read"`
	Created   int           `json:"created"`
	Updated   int           `json:"updated"`
	Unchanged int           `json:"unchanged"`
	Skipped   int           `json:"skipped"`
	Refused   int           `json:"refused"`
	Held      int           `json:"held"`
	Causes    []importCause `json:"causes"`
	Scans     *importScans  `json:"scans,omitempty"`
	Verdicts  string        `json:"verdicts"`
	Source    *importSource `json:"source,omitempty"` // of a file whose layout is known
}

// importScans is what became of the scans of --evidence.
type importScans struct {
	Sent      int      `json:"sent"`
	Matched   int      `json:"matched"`
	Unmatched []string `json:"unmatched"` // names: without a row, or with several
	Without   int      `json:"without"`   // rows that make a mandate and have none
}

// addScans adds the scans of a ZIP file to an import.
func addScans(ctx context.Context, s *book.Service, who actor.Actor, i book.Import, path string) error {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	about, err := f.Stat()
	if err == nil {
		_, err = s.AddScans(ctx, who, i.ID, f, about.Size())
	}
	return err
}

type importCause struct {
	Code string `json:"code"`
	Rows int    `json:"rows"`
}

func (m *importFileCmd) run(ctx context.Context, c Config, io streams) error {
	mapping, err := readMapping(m.Mapping)
	if err != nil {
		return usageError{err}
	}
	if len(m.Files) > 1 && len(m.With)+len(m.Planned) > 0 {
		return usageError{errors.New("--with and --planned belong to one file: name only one")}
	}
	var cutOver calendar.Date
	if m.CutOver != "" {
		if cutOver, err = calendar.ParseDate(m.CutOver); err != nil {
			return usageError{fmt.Errorf("--cut-over: write the date as 2026-12-01")}
		}
	}
	return onApp(ctx, c, io, func(a *App) error {
		who, err := a.operatorFor(ctx, m.Merchant)
		if err != nil {
			return err
		}
		refused := 0
		for _, path := range m.Files {
			said, err := m.one(ctx, a, who, path, mapping, cutOver)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := printJSON(io.out, said); err != nil {
				return err
			}
			refused += said.Refused
		}
		if refused > 0 {
			return fmt.Errorf("%s %s refused; the file with the verdicts says why", plural.Of(refused, "row"),
				plural.Was(refused))
		}
		return nil
	})
}

// one imports one file.
func (m *importFileCmd) one(ctx context.Context, a *App, who actor.Actor, path string, mapping importMapping,
	cutOver calendar.Date) (said importSaid, err error) {
	s := a.Services.Imports
	i, err := m.upload(ctx, s, who, path, cutOver)
	if err != nil {
		return said, err
	}
	chosen, err := mapping.over(ctx, s, who, i)
	if err != nil {
		return said, err
	}
	for _, path := range m.Evidence {
		if err := addScans(ctx, s, who, i, path); err != nil {
			return said, fmt.Errorf("%s: %w", path, err)
		}
	}
	if _, err = s.Map(ctx, who, i.ID, chosen, i.CutOver); err == nil {
		i, err = s.Work(ctx, who, i.ID)
	}
	if err != nil {
		return said, err
	}
	if m.Apply && i.Counts.Created+i.Counts.Updated > 0 {
		if _, err = s.Start(ctx, who, i.ID, i.Seal()); err == nil {
			i, err = s.Work(ctx, who, i.ID)
		}
		if err != nil {
			return said, err
		}
	}
	return m.say(ctx, s, who, i, path)
}

// say writes the file with the verdicts beside the file that was read, and sums up.
func (m *importFileCmd) say(ctx context.Context, s *book.Service, who actor.Actor, i book.Import,
	path string) (said importSaid, err error) {
	n := i.Counts
	said = importSaid{ImportID: i.ID, Read: i.Rows, Created: n.Created, Updated: n.Updated, Unchanged: n.Unchanged,
		Skipped: n.Skipped, Refused: n.Refused, Held: n.Held, Causes: []importCause{},
		Source:   sourceOf(i.Source),
		Verdicts: strings.TrimSuffix(path, filepath.Ext(path)) + "-verdicts.csv"}
	causes, err := s.Causes(ctx, who, i.ID)
	if err != nil {
		return said, err
	}
	for _, one := range causes {
		if one.Keeps {
			said.Causes = append(said.Causes, importCause{one.Cause, one.Rows})
		}
	}
	scans, err := s.Scans(ctx, who, i.ID)
	if err != nil {
		return said, err
	}
	if scans.Sent > 0 {
		said.Scans = &importScans{scans.Sent, scans.Matched, append(append([]string{}, scans.Unmatched...), scans.Shared...),
			scans.Without}
	}
	to, err := os.OpenFile(said.Verdicts, os.O_CREATE|os.O_WRONLY|os.O_TRUNC,
		0o600) //nolint:gosec // beside the operator's
	if err != nil {
		return said, err
	}
	return said, errors.Join(s.Verdicts(ctx, who, i.ID, true, to), to.Close())
}

func readMapping(path string) (m importMapping, err error) {
	if path == "" {
		return m, nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// over puts what the operator said over what was guessed.
func (m importMapping) over(ctx context.Context, s *book.Service, who actor.Actor, i book.Import) (book.Mapping,
	error) {
	out := i.Mapping
	if m.Choices != nil {
		out.Choices = m.Choices
	}
	if m.Columns == nil {
		return out, nil
	}
	out.Columns = make([]book.Target, len(i.Format.Header))
	left := map[string]bool{}
	for name := range m.Columns {
		left[name] = true
	}
	for n := range i.Format.Header {
		for _, name := range []string{i.ColumnName(n), book.LetterOf(n)} {
			if f, said := m.Columns[name]; said && left[name] {
				out.Columns[n].Field = f
				delete(left, name)
				break
			}
		}
	}
	for name := range left {
		return out, fmt.Errorf("the file has no column %q; it has: %s", name, strings.Join(i.Format.Header, ", "))
	}
	survey, err := s.Survey(ctx, who, i)
	if err != nil {
		return out, err
	}
	return survey.Written(i.Format, out), nil
}

// operatorFor acts for the command line within a business; without a name, within the only one.
func (a *App) operatorFor(ctx context.Context, slug string) (actor.Actor, error) {
	if slug == "" {
		all, err := merchant.Store{DB: a.Store}.Merchants(ctx)
		if err != nil {
			return actor.Actor{}, err
		}
		if len(all) != 1 {
			slugs := make([]string, len(all))
			for n, m := range all {
				slugs[n] = m.Slug
			}
			slices.Sort(slugs)
			return actor.Actor{}, usageError{fmt.Errorf("say which business: --merchant SLUG, one of: %s",
				strings.Join(slugs, ", "))}
		}
		return actor.OperatorOf(all[0].ID), nil
	}
	m, err := a.merchantFor(ctx, slug)
	return actor.OperatorOf(m.ID), err
}

// operatorOf acts for the command line within the business of an import.
func (a *App) operatorOf(ctx context.Context, text string) (actor.Actor, uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return actor.Actor{}, id, usageError{fmt.Errorf("%q is not the id of an import", text)}
	}
	owner, err := a.Services.Imports.Store.OwnerOf(ctx, id)
	if fault.Is(err, fault.NotFound) {
		err = fmt.Errorf("there is no import %s; debitdesk import list shows those there are", id)
	}
	return actor.OperatorOf(owner), id, err
}

type importUndoCmd struct {
	ID string `arg:"" help:"The import_id that was printed."`
}

func (u *importUndoCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		who, id, err := a.operatorOf(ctx, u.ID)
		if err != nil {
			return err
		}
		s := a.Services.Imports
		if _, err := s.Undo(ctx, who, id); err != nil {
			return err
		}
		i, err := s.Work(ctx, who, id)
		if err != nil {
			return err
		}
		return printJSON(io.out, struct {
			ImportID uuid.UUID   `json:"import_id"`
			Undone   int         `json:"undone"`
			Left     []book.Kept `json:"left"`
		}{i.ID, i.Counts.Undone - len(i.Kept), i.Kept})
	})
}

type importSwitchCmd struct {
	ID    string `arg:"" help:"The import_id that was printed."`
	Group string `required:"" help:"The name of the group; All where the file has none."`
}

func (s *importSwitchCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		who, id, err := a.operatorOf(ctx, s.ID)
		if err != nil {
			return err
		}
		i, err := a.Services.Imports.SwitchOn(ctx, who, id, s.Group)
		if err != nil {
			return err
		}
		return printJSON(io.out, struct {
			ImportID uuid.UUID        `json:"import_id"`
			Live     []book.LiveGroup `json:"live"`
		}{i.ID, i.Live})
	})
}

type importListCmd struct {
	Merchant string `placeholder:"SLUG" help:"Short name of the business; not needed where there is only one."`
}

func (l *importListCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		who, err := a.operatorFor(ctx, l.Merchant)
		if err != nil {
			return err
		}
		ask := paging.Ask{Limit: 100}
		for {
			found, err := a.Services.Imports.List(ctx, who, book.Filter{}, ask)
			if err != nil {
				return err
			}
			for _, i := range found.Items {
				if err := sayImport(io, i); err != nil {
					return err
				}
				ask.From = i.ID
			}
			if len(found.Items) < ask.Limit {
				return nil
			}
		}
	})
}

func sayImport(io streams, i book.Import) error {
	return printJSON(io.out, struct {
		ImportID uuid.UUID        `json:"import_id"`
		Name     string           `json:"name"`
		State    book.State       `json:"state"`
		Read     int              `json:"read"`
		Live     []book.LiveGroup `json:"live"`
	}{i.ID, i.Name, i.State, i.Rows, i.Live})
}
