package simbank

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"debitdesk/models/calendar"
)

// Settings are what a simulated bank is made of.
type Settings struct {
	Dir   string // the exchange folder, with outbox, sent and inbox in it
	State string // the folder of the bank's memory; empty: beside Dir, with .bank behind its name

	Now      func() time.Time   // the bank's clock; nil: the real one
	Calendar *calendar.Calendar // nil: the South African one

	StatusReport string  // the version of its pain.002; empty: pain.002.001.11
	Statements   string  // the version of its camt.053 and camt.054, two digits; empty: 08
	Booking      Booking // how debits are booked; empty: as each group of a message asks
	Reports      bool    // EFT debits that were paid are reported one by one in a pain.002
	Recalls      string  // answered by camt.029 or pain.002; empty: camt.029

	Misbehave []Misbehaviour
	Hasty     bool              // for tests: nothing waits for the disk, so a loss of power may cost the last files
	Log       func(line string) // nil: nothing is said
}

// Booking is how the money of debits is booked.
type Booking string

// The ways of booking.
const (
	AsAsked Booking = ""
	Single  Booking = "single" // each debit is one entry
	Batch   Booking = "batch"  // a group is one entry
)

// Versions of the answers that the bank can write.
var (
	statusReports = []string{"pain.002.001.03", "pain.002.001.10", "pain.002.001.11", "pain.002.001.12", "pain.002.001.13",
		"pain.002.001.14"}
	cashVersions = []string{"02", "04", "06", "08"}
)

// Bank is a simulated bank at work on one exchange folder.
type Bank struct {
	settings Settings
	cal      *calendar.Calendar

	mu       sync.Mutex
	told     []Misbehaviour
	memory   *memory
	files    []*file
	messages map[string]*file // by their ids
	hashes   map[string]*file
	orders   []*order // all, by number
	known    map[string]*order
	counts   map[kind]map[string]int // orders that were run, by the payer's account
	answers  []*answer
	begun    map[key]bool
	until    time.Time // the latest moment of any round
	wake     time.Time // nothing becomes due before, unless a message is taken
	broken   error     // the memory could not be written; only a new start knows what it holds
	report   *Report   // of the round that is under way
	crash    func(step string)
}

// Report says what one round did.
type Report struct {
	Taken      int // messages that were read and run
	Refused    int // as a whole
	Duplicates int // files that had been read before
	Lost       int // taken away, as told
	Written    int // answers laid out
}

// Open makes a simulated bank, or goes on with one whose memory is there.
func Open(s Settings) (*Bank, error) {
	if err := s.complete(); err != nil {
		return nil, err
	}
	b := newBank(s)
	for _, dir := range []string{b.path("outbox"), b.path("sent"), b.path("inbox")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	var err error
	if b.memory, err = openMemory(s.State, disk{s.Hasty}, b.remember); err != nil {
		return nil, err
	}
	return b, nil
}

// newBank is a bank that knows nothing yet.
func newBank(s Settings) *Bank {
	return &Bank{settings: s, cal: s.Calendar, told: s.Misbehave, messages: map[string]*file{}, hashes: map[string]*file{},
		known: map[string]*order{}, counts: map[kind]map[string]int{}, begun: map[key]bool{}, crash: func(string) {}}
}

func (s *Settings) complete() error {
	if s.Dir == "" {
		return errors.New("the simulated bank needs a folder")
	}
	if s.State == "" {
		s.State = filepath.Clean(s.Dir) + ".bank"
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Calendar == nil {
		s.Calendar = calendar.New()
	}
	if s.Log == nil {
		s.Log = func(string) {}
	}
	for _, one := range []struct {
		value *string
		name  string
		known []string
	}{
		{&s.StatusReport, "version of status reports", append([]string{"pain.002.001.11"}, statusReports...)},
		{&s.Statements, "version of statements", append([]string{"08"}, cashVersions...)},
		{(*string)(&s.Booking), "way of booking", []string{"", string(Single), string(Batch)}},
		{&s.Recalls, "answer to recalls", []string{"camt.029", "pain.002"}},
	} {
		if *one.value == "" {
			*one.value = one.known[0]
		}
		if !slices.Contains(one.known, *one.value) {
			return fmt.Errorf("%q is not a %s that the simulated bank knows: use one of %v", *one.value,
				one.name, one.known)
		}
	}
	return nil
}

// Close gives the memory free.
func (b *Bank) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.memory.close()
}

func (b *Bank) path(parts ...string) string {
	return filepath.Join(append([]string{b.settings.Dir}, parts...)...)
}

// remember takes one line of the memory.
func (b *Bank) remember(r record) error {
	switch {
	case r.File != nil:
		b.take(r.File)
		for _, o := range r.File.Orders {
			o.file = r.File
			if o.Refused == nil {
				b.known[o.key()] = o
				b.apply(o)
			}
		}
	case r.Answer != nil:
		b.answers = append(b.answers, r.Answer)
		b.begun[r.Answer.Key] = true
	case r.Laid > 0 && r.Laid <= len(b.answers):
		b.answers[r.Laid-1].laid = true
	default:
		return errors.New("a line of the memory says nothing")
	}
	return nil
}

// take notes a message under its id and its bytes.
func (b *Bank) take(f *file) {
	b.files = append(b.files, f)
	b.hashes[f.SHA256] = f
	if f.ID != "" && b.messages[f.ID] == nil {
		b.messages[f.ID] = f
	}
}

// apply counts an order that the bank runs, and ends the one that it withdraws.
func (b *Bank) apply(o *order) {
	b.orders = append(b.orders, o)
	o.number = len(b.orders)
	if b.counts[o.Kind] == nil {
		b.counts[o.Kind] = map[string]int{}
	}
	b.counts[o.Kind][o.Account]++
	if o.Done {
		b.orders[o.Target-1].ended = o.file.At
	}
}

// Round looks into the outbox once, and lays out every answer that is due.
func (b *Bank) Round(ctx context.Context) (Report, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.report = &Report{}
	if b.broken != nil {
		return Report{}, b.broken
	}
	now := b.settings.Now().UTC()
	if now.Before(b.until) {
		now = b.until // a clock that goes back takes nothing back
	}
	b.until = now
	err := b.finish()
	if err == nil {
		err = b.readOutbox(ctx, now)
	}
	if err == nil && (b.report.Taken+b.report.Refused > 0 || !now.Before(b.wake)) {
		err = b.answerAll(ctx, now)
	}
	return *b.report, err
}

func (b *Bank) answerAll(ctx context.Context, now time.Time) error {
	b.wake = time.Time{}
	if err := b.answerDue(ctx, now); err != nil {
		return err
	}
	if err := b.writeEntries(now); err != nil {
		return err
	}
	b.wake = b.next(now)
	return nil
}

// note writes to the memory. When that fails the bank stops: what it holds and what is on the disk may differ.
func (b *Bank) note(records ...record) error {
	if err := b.memory.add(records...); err != nil {
		b.broken = fmt.Errorf("the memory of the simulated bank cannot be written: %w", err)
	}
	return b.broken
}

// Run makes a round at once and then at every tick, until ctx ends.
func (b *Bank) Run(ctx context.Context, ticks <-chan time.Time) error {
	for {
		if _, err := b.Round(ctx); err != nil && ctx.Err() == nil {
			b.say("%v", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		}
	}
}

func (b *Bank) say(format string, args ...any) { b.settings.Log(fmt.Sprintf(format, args...)) }
