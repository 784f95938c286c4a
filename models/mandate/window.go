package mandate

import (
	"fmt"
	"time"

	"debitdesk/models/calendar"
)

// Window is when a payer can be asked in real time: from Opens until just before
// Closes, SAST (source: 03:00 to 20:30).
type Window struct {
	Opens, Closes calendar.TimeOfDay
}

// DefaultWindow is the source document's.
func DefaultWindow() Window {
	return Window{Opens: calendar.TimeOfDay{Hour: 3}, Closes: calendar.TimeOfDay{Hour: 20, Minute: 30}}
}

// Open tells whether a payer can be asked in real time now.
func (w Window) Open(now time.Time) bool {
	d := calendar.DateOf(now)
	return !now.Before(d.At(w.Opens.Hour, w.Opens.Minute)) && now.Before(w.ClosesAt(now))
}

// ClosesAt is when today's window ends.
func (w Window) ClosesAt(now time.Time) time.Time {
	return calendar.DateOf(now).At(w.Closes.Hour, w.Closes.Minute)
}

// OpensAt is when the next window begins.
func (w Window) OpensAt(now time.Time) time.Time {
	d := calendar.DateOf(now)
	if at := d.At(w.Opens.Hour, w.Opens.Minute); now.Before(at) {
		return at
	}
	return d.AddDays(1).At(w.Opens.Hour, w.Opens.Minute)
}

// Refusal says why a payer cannot be asked in real time now.
func (w Window) Refusal(now time.Time) string {
	return fmt.Sprintf("Real-time DebiCheck runs from %02d:%02d to %02d:%02d SAST; it is now %s SAST. Use authentication_type DELAYED.",
		w.Opens.Hour, w.Opens.Minute, w.Closes.Hour, w.Closes.Minute, now.In(calendar.SAST).Format("15:04"))
}
