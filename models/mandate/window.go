package mandate

import (
	"time"

	"debitdesk/models/calendar"
)

// Window is a stand-in.
type Window struct{ Opens, Closes calendar.TimeOfDay }

// Open is a stand-in.
func (w Window) Open(time.Time) bool { return true }

// Refusal is a stand-in.
func (w Window) Refusal(time.Time) string { return "" }
