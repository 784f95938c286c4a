package words

import (
	"time"

	"debitdesk/models/calendar"
	"debitdesk/views/components"
)

const (
	MinuteForm = "2 Jan 2006, 15:04"
	DayForm    = "2 Jan 2006"
)

// Moment writes an instant in SAST; the zero time is empty.
func Moment(at time.Time) components.Time {
	if at.IsZero() {
		return components.Time{}
	}
	at = at.In(calendar.SAST)
	return components.Time{Text: at.Format(MinuteForm), ISO: at.Format(time.RFC3339), Title: at.Format(MinuteForm+":05") +
		" SAST"}
}
