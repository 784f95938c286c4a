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
	p := &Pressing{now: func() time.Time { return clock }, passed: func() time.Time { return machine },
		overdue: func(context.Context) (bool, error) { asked++; return due, nil },
		next:    func(context.Context) (time.Time, bool, error) { return next, !next.IsZero(), nil }}
	for _, step := range []struct {
		what  string
		do    func()
		asks  int
		wants bool
	}{
		{"the first time", func() {}, 1, false},
		{"a look later", func() { clock, machine = clock.Add(250*time.Millisecond), machine.Add(250*time.Millisecond) }, 0, false},
		{"this process did something", p.Forget, 1, false},
		{"a look later again", func() {}, 0, false},
		{"the clock is moved to the moment", func() { clock, due = next, true }, 1, true},
		{"it is still due", func() {}, 1, true},
		{"it is done, and nothing is planned", func() { due, next = false, time.Time{} }, 1, false},
		{"a look after that", func() { machine = machine.Add(trusted - 1) }, 0, false},
		{"another process may have planned", func() { machine = machine.Add(1) }, 1, false},
	} {
		asked = 0
		step.do()
		got, err := p.Ask(t.Context())
		if err != nil || got != step.wants || asked != step.asks {
			t.Errorf("%s: %v, %v, asked %d times, want %v and %d", step.what, got, err, asked, step.wants, step.asks)
		}
	}
}
