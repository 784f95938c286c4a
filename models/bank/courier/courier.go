package courier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Courier is at work between one exchange folder and one server.
type Courier struct {
	settings Settings
	hostKeys hostKeys
	unlock   func() error
	step     func(string) // tests break the connection here

	mu       sync.Mutex
	state    *state
	started  time.Time
	problems []string
}

// Report says what one round did.
type Report struct {
	Delivered int
	Fetched   int
	Problems  []string // what a person must look at; it stays until it is put right
}

// Open checks the settings and reads what is remembered. It does not connect.
func Open(s Settings) (*Courier, error) {
	if err := s.complete(); err != nil {
		return nil, err
	}
	keys, err := parseHostKeys(s.HostKey)
	if err != nil {
		return nil, err
	}
	if _, err := readKey(s.KeyFile, s.Passphrase); err != nil {
		return nil, err
	}
	for _, dir := range []string{"outbox", "sent", "inbox"} {
		if err := os.MkdirAll(filepath.Join(s.Dir, dir), 0o700); err != nil {
			return nil, err
		}
	}
	remembered, unlock, err := openState(s.State)
	if err != nil {
		return nil, err
	}
	return &Courier{settings: s, hostKeys: keys, unlock: unlock, step: func(string) {}, state: remembered,
		started: s.Now()}, nil
}

// Close gives the state folder free.
func (c *Courier) Close() error { return c.unlock() }

func (c *Courier) path(parts ...string) string {
	return filepath.Join(append([]string{c.settings.Dir}, parts...)...)
}

// Round carries everything once, both ways. An error means that the connection or a folder failed; what was carried
// before stays carried.
func (c *Courier) Round(ctx context.Context) (Report, error) {
	r := &Report{}
	l, err := c.connect(ctx)
	if err != nil {
		return *r, err
	}
	defer l.close()
	// What cannot be delivered keeps no answer from being fetched, nor the other way round.
	failed := c.deliverAll(ctx, l, r)
	begun := c.settings.Now().UTC()
	all, err := c.fetchAll(ctx, l, r)
	if failed = errors.Join(failed, err); all && err == nil {
		failed = errors.Join(failed, c.sayFetched(begun))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	failed = errors.Join(failed, c.tidySent())
	c.tellNew(r.Problems)
	if failed != nil {
		return *r, failed
	}
	c.state.LastSuccess = c.settings.Now().UTC()
	return *r, c.save()
}

// fetchedName is where the product looks when the last round began that brought every answer: a bank whose answers are
// not all here says nothing by its silence.
const fetchedName = "fetched"

func (c *Courier) sayFetched(begun time.Time) error {
	return lay(c.settings.Dir, fetchedName, []byte(begun.Format(time.RFC3339Nano)+"\n"))
}

// lost tells that the connection itself failed, and not only what was done with one file.
func (c *Courier) lost(ctx context.Context, l *link) bool {
	if ctx.Err() != nil {
		return true
	}
	_, err := l.RealPath(".")
	return err != nil
}

func (c *Courier) save() error { return c.state.save(c.settings.State) }

func (c *Courier) say(format string, args ...any) { c.settings.Log(fmt.Sprintf(format, args...)) }

// tellNew says a problem once, not in every round.
func (c *Courier) tellNew(problems []string) {
	before := "\n" + strings.Join(c.problems, "\n") + "\n"
	for _, p := range problems {
		if !strings.Contains(before, "\n"+p+"\n") {
			c.say("a person must look at this: %s", p)
		}
	}
	c.problems = problems
}

// SinceSuccess is how long ago the last whole round was, or the start when there was none.
func (c *Courier) SinceSuccess() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.state.LastSuccess
	if last.IsZero() {
		last = c.started
	}
	return c.settings.Now().Sub(last)
}

// Problems counts what a person must look at.
func (c *Courier) Problems() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.problems)
}

// Waiting gives how long to wait before the next round: every after a good one, and after failures twice as long
// each time, up to a quarter of an hour, so that a server that is in trouble is left alone. A quarter more or less
// keeps several couriers from coming at the same moment; chance is from 0 to 1.
func Waiting(every time.Duration, failures int, chance float64) time.Duration {
	const longest = 15 * time.Minute
	wait := every
	for range min(failures, 10) {
		wait = min(2*wait, max(longest, every))
	}
	if failures == 0 {
		return wait
	}
	return wait + time.Duration((chance-0.5)/2*float64(wait))
}

// Run makes rounds until ctx ends. wait gives what fires when the time has passed.
func (c *Courier) Run(ctx context.Context, every time.Duration, wait func(time.Duration) <-chan time.Time) error {
	failures := 0
	for ctx.Err() == nil {
		_, err := c.Round(ctx)
		if isSetting(err) {
			return err
		}
		failures++
		if err == nil {
			failures = 0
		} else if ctx.Err() == nil { // else it failed because it was to end
			c.say("the round failed, %s in a row: %v", times(failures), err)
		}
		select {
		case <-ctx.Done():
		case <-wait(Waiting(every, failures, rand.Float64())): //nolint:gosec // no secret
		}
	}
	return nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func isSetting(err error) bool { return errors.As(err, new(*Problem)) }
