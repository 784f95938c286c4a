package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/rulebook"
)

// clockName is the file in the exchange directory by which a simulated bank follows the sandbox clock.
const clockName = "clock"

// bankDirectory is where messages are exchanged with the bank; empty for the sandbox bank.
func (c Config) bankDirectory() string {
	dir, _ := strings.CutPrefix(c.Bank, "files:")
	if dir == c.Bank {
		return ""
	}
	return dir
}

// connectBank opens the exchange directory that DEBITDESK_BANK names; nil: there is none.
func (a *App) connectBank() (*exchange.Service, error) {
	dir := a.Config.bankDirectory()
	if dir == "" {
		return nil, nil
	}
	profile, err := files.ReadProfile(dir)
	if err != nil {
		return nil, err
	}
	box, err := files.OpenBox(dir, profile.BoxSettings())
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, box.Close)
	x := &exchange.Service{Store: exchange.Store{DB: a.Store}, Rules: profile.Rules(),
		Encoder: profile.Encoder(), Spellings: profile.Spellings(), Decoder: profile.Decoder(),
		Box: box, Calendar: calendar.New(), Now: a.Store.Now}
	if a.Config.Sandbox() {
		x.ShowClock = showClock(dir)
		return x, x.ShowClock(a.Store.Now())
	}
	return x, nil
}

// timetableOf is when debits must be handed over for the cuts of a bank: at its last cut, with its lead days.
func timetableOf(r exchange.Rules) collection.Timetable {
	t := collection.TimetableBy(cmp.Or(r.Book, rulebook.Default()))
	eft, offersEFT := r.LeadDays[bank.EFT]
	debiCheck, offersDebiCheck := r.LeadDays[bank.DebiCheck]
	switch {
	case !offersEFT && offersDebiCheck:
		eft = debiCheck
	case !offersEFT:
		eft = t.LeadBusinessDays
	}
	if !offersDebiCheck {
		debiCheck = t.EarlyLeadBusinessDays
	}
	t = t.WithLead(eft, debiCheck)
	t.CutOff = r.LastCut()
	return t
}

// showClock writes the sandbox clock down for a simulated bank that looks into the same directory.
func showClock(dir string) func(time.Time) error {
	path := filepath.Join(dir, clockName)
	return func(now time.Time) error {
		part := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
		if err := os.WriteFile(part, []byte(now.Format(time.RFC3339Nano)+"\n"), 0o600); err != nil {
			return err
		}
		return os.Rename(part, path)
	}
}
