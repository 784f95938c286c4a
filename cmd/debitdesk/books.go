package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
	"debitdesk/models/plural"
)

type booksCmd struct {
	Export booksExportCmd `cmd:"" help:"Write the journal of some days as a file for an accounting package."`
	Close  booksCloseCmd  `cmd:"" help:"Close a month, and all before it: what becomes known later is posted after it."`
	Check  booksCheckCmd  `cmd:"" help:"Compare the journal with what it is of; exit code 1 if anything differs."`
}

type booksExportCmd struct {
	File     string `arg:"" help:"Where to write it; it must not exist yet. - is standard output."`
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
	From     string `required:"" placeholder:"DATE" help:"The first day, YYYY-MM-DD."`
	To       string `required:"" placeholder:"DATE" help:"The last day, YYYY-MM-DD."`
	Format   string `required:"" placeholder:"F" enum:"ledger,hledger,beancount,csv,ofx,xero-journal,xero-invoices,quickbooks,pastel" help:"One of ${enum}."`
	By       string `default:"entry" enum:"entry,day" help:"One entry for each movement and document (entry), or for each day, kind and brand (day)."`
	Currency string `default:"ZAR" help:"The currency of the entries."`
}

func (v *booksExportCmd) run(ctx context.Context, c Config, io streams) error {
	ask := journal.Ask{Currency: v.Currency, ByDay: v.By == "day", Format: v.Format}
	var wrong [2]error
	ask.From, wrong[0] = calendar.ParseDate(v.From)
	ask.To, wrong[1] = calendar.ParseDate(v.To)
	if err := errors.Join(wrong[:]...); err != nil {
		return usageError{err}
	}
	format, err := files.Of(v.Format)
	if err != nil {
		return usageError{err}
	}
	if wrong := ask.Problems(); len(wrong) > 0 {
		return usageError{wrong.Err()}
	}
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantFor(ctx, v.Merchant)
		if err != nil {
			return err
		}
		if _, err := os.Lstat(v.File); v.File != "-" && err == nil {
			return fmt.Errorf("%s already exists: choose another name", v.File)
		}
		out := &bookFiles{name: v.File, out: io.out}
		if err = out.export(ctx, a.Services.Journal, actor.OperatorOf(m.ID), ask, format); err != nil {
			return errors.Join(err, out.remove())
		}
		return out.say()
	})
}

// bookFiles are the files of an export: several have a number behind their name, since a package takes one by one.
type bookFiles struct {
	name    string
	out     io.Writer
	written []string
	counts  []string
}

func (f *bookFiles) export(ctx context.Context, of *journal.Service, who actor.Actor, ask journal.Ask,
	format files.Format) error {
	wrong := format.Takes(ask)
	if err := wrong.Err(); err != nil {
		return err
	}
	if !format.Documents() {
		return of.ExportParts(ctx, who, ask, format.Check, func(b *journal.Book, parts int) error {
			to, err := f.create(parts > 1)
			if err != nil {
				return err
			}
			f.counts = append(f.counts, plural.Of(len(b.Entries), "entry"))
			return f.close(to, format.Write(to, b))
		})
	}
	d, err := of.Documents(ctx, who, ask)
	if err != nil {
		return err
	}
	var to io.WriteCloser
	sheets := format.SheetsOf(d, nil)
	sheets.Create = func(string) (_ io.Writer, err error) {
		to, err = f.create(sheets.Several())
		return to, err
	}
	add := func(b *journal.Book) error {
		to = nil
		err := sheets.Add(b)
		if to != nil {
			f.counts = append(f.counts, plural.Of(len(b.Documents), "document"))
			err = f.close(to, err)
		}
		return err
	}
	if err := of.ExportDocuments(ctx, who, d, format.MostDocuments(), add, sheets.Err); err != nil || len(f.counts) > 0 {
		return err
	}
	return add(&d.Book)
}

// create begins the next file.
func (f *bookFiles) create(several bool) (io.WriteCloser, error) {
	if f.name == "-" {
		if several {
			return nil, errors.New("these are several files: give them a name in place of -")
		}
		return buffered{bufio.NewWriter(f.out), nil}, nil
	}
	name := f.name
	if several {
		name = files.PartName(name, len(f.written)+1)
	}
	to, err := newFile(name)
	if err != nil {
		return nil, err
	}
	f.written = append(f.written, name)
	return buffered{bufio.NewWriter(to), to}, nil
}

func (f *bookFiles) close(to io.Closer, err error) error { return errors.Join(err, to.Close()) }

// remove deletes what was written of an export that failed.
func (f *bookFiles) remove() (err error) {
	for _, name := range f.written {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

func (f *bookFiles) say() error {
	for i, name := range f.written {
		if _, err := fmt.Fprintf(f.out, "%s\n%s\n", name, f.counts[i]); err != nil {
			return err
		}
	}
	return nil
}

// buffered writes in larger pieces.
type buffered struct {
	*bufio.Writer
	file *os.File // nil: standard output, which stays open
}

// Close implements io.Closer.
func (b buffered) Close() error {
	err := b.Flush()
	if b.file != nil {
		err = errors.Join(err, b.file.Close())
	}
	return err
}

// writeNew writes a file that is not there yet, all of it or none.
func writeNew(name string, from io.WriterTo) (err error) {
	file, err := newFile(name)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	_, err = from.WriteTo(file)
	return err
}

// newFile opens a file that is not there yet, for its owner alone.
func newFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names it
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s already exists: choose another name", name)
	}
	return file, err
}

type booksCloseCmd struct {
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
	Month    string `required:"" placeholder:"YYYY-MM" help:"The month to close; it must be over."`
}

func (v *booksCloseCmd) run(ctx context.Context, c Config, io streams) error {
	month, err := journal.ParseMonth(v.Month)
	if err != nil {
		return usageError{err}
	}
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantFor(ctx, v.Merchant)
		if err != nil {
			return err
		}
		who := actor.OperatorOf(m.ID)
		p, err := a.Services.Journal.Preview(ctx, who, month)
		if err != nil {
			return err
		}
		for _, o := range p.Open {
			_, _ = fmt.Fprintf(io.err, "debitdesk: still open: %s\n", o.Say())
		}
		if _, err := a.Services.Journal.Close(ctx, who, month); err != nil {
			return err
		}
		_, err = fmt.Fprintf(io.out, "%s: closed until %s, %s locked\n", m.Slug, month.Last(), plural.Of(p.Entries, "entry"))
		return err
	})
}

type booksCheckCmd struct {
	Merchant string `placeholder:"SLUG" help:"Only this merchant; all of them when left out."`
}

func (v *booksCheckCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		of, err := a.merchantsNamed(ctx, v.Merchant)
		if err != nil {
			return err
		}
		wrong := 0
		for _, m := range of {
			found, err := a.Services.Journal.Check(ctx, actor.OperatorOf(m.ID))
			if err != nil {
				return err
			}
			for _, d := range found {
				_, _ = fmt.Fprintf(io.out, "%s: %s %s: the journal has %s, the facts are %s\n", m.Slug, d.Figure, d.What, d.Kept,
					d.Facts)
			}
			if wrong += len(found); len(found) == 0 {
				_, _ = fmt.Fprintf(io.out, "%s: every entry comes to zero, money in transit agrees, closed months are unchanged\n",
					m.Slug)
			}
		}
		if wrong > 0 {
			return fmt.Errorf("%s from the facts", differing(wrong))
		}
		return nil
	})
}
