package mandate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

// Window is when clients can be asked in real time, every day of the year (source: mandate-verified tokenisation).
// It is a setting: SAST times of day, open from Opens on and closed from Closes on.
type Window struct {
	Opens  calendar.TimeOfDay `json:"opens"`
	Closes calendar.TimeOfDay `json:"closes"`
}

// DefaultWindow is the source document's: [03:00, 20:30) SAST.
func DefaultWindow() Window { return WindowBy(rulebook.Default()) }

// WindowBy is that of a book of rules, such as "03:00-20:30".
func WindowBy(rules *rulebook.Book) Window {
	opens, closes, _ := strings.Cut(rules.On("dc.request_hours", rulebook.DebiCheck, rulebook.NoEnd).Text(), "-")
	var w Window
	if err := errors.Join(w.Opens.UnmarshalText([]byte(opens)), w.Closes.UnmarshalText([]byte(closes))); err != nil {
		panic(err) // rulebook.New and ForBank take no such value
	}
	return w
}

// Open tells whether a client can be asked in real time now. A request made while the window is open keeps its full
// time.
func (w Window) Open(now time.Time) bool {
	return !now.Before(w.Opens.On(calendar.DateOf(now))) && now.Before(w.ClosesAt(now))
}

// ClosesAt is when the window closes on the SAST day of now.
func (w Window) ClosesAt(now time.Time) time.Time { return w.Closes.On(calendar.DateOf(now)) }

// OpensAt is the next opening after now; at the very opening it is tomorrow's.
func (w Window) OpensAt(now time.Time) time.Time {
	today := calendar.DateOf(now)
	if at := w.Opens.On(today); at.After(now) {
		return at
	}
	return w.Opens.On(today.AddDays(1))
}

// Refusal says why nobody can be asked in real time now, and what to use instead.
func (w Window) Refusal(now time.Time) string {
	return fmt.Sprintf("Real-time DebiCheck runs from %s to %s SAST; it is now %s SAST. Use authentication_type DELAYED.",
		w.Opens, w.Closes, now.In(calendar.SAST).Format("15:04"))
}
