package app

import (
	"context"
	"testing"
	"time"
)

// Between two moments at which something becomes due nothing is asked; whatever may have changed that is asked at once.
func TestNothingIsAskedWhileNothingCanBeDue(t *testing.T) {
	start := time.Date(2026, time.December, 1, 6, 0, 0, 0, time.UTC)
	clock, machine, next := start, start, start.Add(time.Hour)
	asked, due := 0, false
	written, known := int64(0), false
	p := &Pressing{
		patience: trusted,
		writes:   func() (int64, bool) { return written, known },
		now:      func() time.Time { return clock },
		passed:   func() time.Time { return machine },
		overdue:  func(context.Context) (bool, error) { asked++; return due, nil },
		next:     func(context.Context) (time.Time, bool, error) { return next, !next.IsZero(), nil },
	}
	for _, step := range []struct {
		what  string
		do    func()
		asks  int
		wants bool
	}{
		{"the first time", func() {}, 1, false},
		{"a look later", func() { clock, machine = clock.Add(250*time.Millisecond), machine.Add(250*time.Millisecond) },
			0, false},
		{"this process did something", p.Forget, 1, false},
		{"a look later again", func() {}, 0, false},
		{"the clock is moved to the moment", func() { clock, due = next, true }, 1, true},
		{"it is still due", func() {}, 1, true},
		{"it is done, and nothing is planned", func() { due, next = false, time.Time{} }, 1, false},
		{"a look after that", func() { machine = machine.Add(trusted - 1) }, 0, false},
		{"another process may have planned", func() { machine = machine.Add(1) }, 1, false},
		{"nobody wrote, and this process hears of all who do",
			func() { machine, known = machine.Add(restful-1), true }, 0, false},
		{"a note of a write may be lost", func() { machine = machine.Add(1) }, 1, false},
		{"somebody writes", func() { machine, written = machine.Add(trusted-1), written+1 }, 0, false},
		{"what was written may be due", func() { machine = machine.Add(1) }, 1, false},
		{"it wrote no more", func() { machine = machine.Add(restful - 1) }, 0, false},
	} {
		asked = 0
		step.do()
		got, err := p.Ask(t.Context())
		if err != nil || got != step.wants || asked != step.asks {
			t.Errorf("%s: %v, %v, asked %d times, want %v and %d", step.what, got, err, asked, step.wants, step.asks)
		}
	}
}

// An endpoint hears of an event with the look after it was written; while nothing is written nothing is asked.
func TestAWriteIsAskedAboutAtOnceWhereSomebodyWaits(t *testing.T) {
	start := time.Date(2026, time.December, 1, 6, 0, 0, 0, time.UTC)
	asked, written := 0, int64(0)
	p := PressingUntil(func(context.Context) (bool, error) { asked++; return false, nil },
		func() time.Time { return start }, func() (int64, bool) { return written, true })
	p.passed = func() time.Time { return start }
	for _, want := range []struct {
		write bool
		asks  int
	}{{false, 1}, {false, 0}, {true, 1}, {false, 0}} {
		if want.write {
			written++
		}
		asked = 0
		if due, err := p.Ask(t.Context()); due || err != nil || asked != want.asks {
			t.Errorf("written %v: %v, %v, asked %d times, want %d", want.write, due, err, asked, want.asks)
		}
	}
}
