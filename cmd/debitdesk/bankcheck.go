package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/calendar"
	"debitdesk/models/plural"
)

type bankCmd struct {
	Findings bankFindingsCmd `cmd:"" help:"List what is the matter with the bank's files and concerns no single business, and settle it."`
	Try      bankTryCmd      `cmd:"" help:"Say what a file from the bank would do, part by part; nothing is changed."`
	Check    bankCheckCmd    `cmd:"" help:"Read the profile of a bank and say what would be written and when; exit code 2 when the profile is wrong."`
}

type bankCheckCmd struct {
	Dir      string   `arg:"" optional:"" help:"The directory of the exchange; that of DEBITDESK_BANK when left out."`
	Answers  []string `arg:"" optional:"" name:"answer" help:"Files from the bank: which keys of the profile do they contradict?"`
	Init     string   `placeholder:"NAME" help:"First write a profile that comes with Debitdesk: generic or simulator. One that is there is left as it is."`
	Sample   string   `placeholder:"FILE" help:"Write a sample: a debit of R 1,00 from your own account to itself."`
	ToOutbox bool     `help:"Lay the sample out for the bank, in its outbox. A bank that takes it runs it."`
	Name     string   `help:"Of your business, for the sample."`
	Branch   string   `help:"Branch code of your own account, for the sample."`
	Account  string   `help:"Number of your own account, for the sample."`
	UserCode string   `help:"Your user code at the bank, for the sample."`
	Short    string   `name:"abbreviated-name" help:"Your abbreviated name, for the sample."`
}

func (b *bankCheckCmd) run(ctx context.Context, c Config, io streams) error {
	dir, err := b.dir(c)
	if err != nil {
		return err
	}
	if b.Init != "" {
		path, err := files.InitProfile(dir, b.Init)
		if err != nil {
			return usageError{err}
		}
		_, _ = fmt.Fprintf(io.out, "%s was written. Change in it what your bank wants differently, and check it "+
			"again.\n\n", path)
	}
	profile, err := files.ReadProfile(dir)
	if err != nil {
		return usageError{err}
	}
	if err := b.say(ctx, profile, dir, io.out); err != nil {
		return usageError{err}
	}
	if err := b.compare(profile, io.out); err != nil {
		return err
	}
	if b.Sample == "" && !b.ToOutbox {
		return nil
	}
	return b.sample(ctx, profile, dir, io.out)
}

// compare says which keys of the profile files of the bank contradict. It reads them alone, without the database.
func (b *bankCheckCmd) compare(p files.Profile, out io.Writer) error {
	unread := 0
	for _, path := range b.Answers {
		content, err := readSample(path)
		if err != nil {
			return usageError{err}
		}
		var events []exchange.Event
		a, err := files.Decoder{}.Decode(bytes.NewReader(content), func(e exchange.Event) error {
			events = append(events, e)
			return nil
		})
		if err != nil {
			unread++
			_, _ = fmt.Fprintf(out, "\n%s cannot be read: %s\n", path, err)
			continue
		}
		odd := p.Rules().Habits.Against(events)
		if len(odd) == 0 {
			_, _ = fmt.Fprintf(out, "\n%s (%s) contradicts no key of the profile.\n", path, a.Name)
			continue
		}
		_, _ = fmt.Fprintf(out, "\n%s (%s) contradicts the profile\n", path, a.Name)
		sayOdd(out, odd)
	}
	if unread > 0 {
		return fmt.Errorf("%s cannot be read", plural.Of(unread, "file"))
	}
	return nil
}

func (b *bankCheckCmd) dir(c Config) (string, error) {
	if b.Dir != "" {
		return b.Dir, nil
	}
	if dir, is := strings.CutPrefix(c.Bank, "files:"); is {
		return dir, nil
	}
	return "", usageError{errors.New("name the directory of the exchange: debitdesk bank check DIR, or set " +
		"DEBITDESK_BANK=files:DIR")}
}

// say prints the profile in words, what becomes of examples of its files, and what is the matter with the folders.
func (b *bankCheckCmd) say(ctx context.Context, p files.Profile, dir string, out io.Writer) error {
	_, _ = fmt.Fprintf(out, "%s: %s\n", filepath.Join(dir, files.ProfileName), p.Name)
	for _, w := range p.Words() {
		_, _ = fmt.Fprintf(out, "\n%s\n", w.Title)
		for _, line := range w.Lines {
			_, _ = fmt.Fprintf(out, "  - %s\n", line)
		}
	}
	judged, wrong := p.Judge(ctx, dir)
	_, _ = fmt.Fprintf(out, "\nWhether its files are as they have to be\n")
	for _, line := range judged {
		_, _ = fmt.Fprintf(out, "  - %s\n", line)
	}
	_, _ = fmt.Fprintf(out, "\nThe directory\n")
	for _, seen := range files.Inspect(dir) {
		_, _ = fmt.Fprintf(out, "  - %s\n", seen.What)
		if seen.Do != "" {
			_, _ = fmt.Fprintf(out, "    → %s\n", seen.Do)
		}
	}
	_, _ = fmt.Fprintf(out, "\nThese files follow the published schemas. No bank has taken one written with this "+
		"profile until yours has: "+
		"begin with a sample of R 1,00.\n")
	return wrong
}

// sample writes a debit of R 1,00 to a file, or lays it out for the bank when that was asked for.
func (b *bankCheckCmd) sample(ctx context.Context, p files.Profile, dir string, out io.Writer) error {
	own := bank.Creditor{Name: b.Name, AbbreviatedName: b.Short, ProfileCode: b.UserCode, Branch: b.Branch,
		Account: b.Account}
	var missing []string
	for flag, value := range map[string]string{"--name": b.Name, "--branch": b.Branch, "--account": b.Account} {
		if value == "" {
			missing = append(missing, flag)
		}
	}
	if missing != nil {
		return usageError{errors.New("the sample debits your own account: give --name, --branch and --account")}
	}
	if b.Sample != "" && b.ToOutbox {
		return usageError{errors.New("give either --sample FILE or --to-outbox")}
	}
	if in, err := filepath.Abs(filepath.Join(dir, "outbox")); err == nil && b.Sample != "" {
		if at, err := filepath.Abs(filepath.Dir(b.Sample)); err == nil && at == in {
			return usageError{errors.New("the outbox is where the bank takes files from: to send it a sample, use " +
				"--to-outbox instead of --sample")}
		}
	}
	now := time.Now()
	m := p.Sample(now, sampleDay(p, now), own)
	if why := p.Encoder().Check(m.Groups[0].Items[0].Order); why != "" {
		return usageError{errors.New(why)}
	}
	var content bytes.Buffer
	if err := p.Encoder().Encode(&content, m); err != nil {
		return err
	}
	count := func(r io.Reader) error { return p.Encoder().Tally(r, m) }
	if err := count(bytes.NewReader(content.Bytes())); err != nil {
		return err
	}
	if b.ToOutbox {
		return b.layOut(ctx, p, dir, m, content.Bytes(), count, out)
	}
	f, err := os.OpenFile(b.Sample, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return usageError{fmt.Errorf("write the sample: %w", err)}
	}
	_, err = f.Write(content.Bytes())
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\n%s holds one debit of R 1,00 for %s, written as %s.\n", b.Sample, m.Groups[0].ActionDate,
		m.Name)
	return nil
}

func (b *bankCheckCmd) layOut(ctx context.Context, p files.Profile, dir string, m exchange.Outgoing, content []byte,
	count func(io.Reader) error, out io.Writer) error {
	box, err := files.OpenBox(dir, p.BoxSettings())
	if err != nil {
		return err
	}
	defer func() { _ = box.Close() }()
	hash := sha256.Sum256(content)
	if err := box.Place(ctx, m.FileName, hash[:], bytes.NewReader(content), count); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\n%s is waiting for the bank with one debit of R 1,00 for %s. Debitdesk keeps no record of "+
		"it: the bank's "+
		"answers about it will be shown as answers about an unknown file.\n", filepath.Join(dir, "outbox", m.FileName),
		m.Groups[0].ActionDate)
	return nil
}

// sampleDay is the first business day that the bank can still be asked for.
func sampleDay(p files.Profile, now time.Time) calendar.Date {
	days, rules := calendar.New(), p.Rules()
	day := days.AddBusinessDays(calendar.DateOf(now), 1)
	for _, method := range []bank.Method{bank.EFT, bank.DebiCheck} {
		if _, offered := rules.LeadDays[method]; !offered {
			continue
		}
		for !rules.DeadlineFor(days, method, day).After(now) {
			day = days.AddBusinessDays(day, 1)
		}
		break
	}
	return day
}
