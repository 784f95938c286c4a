package words

import (
	"time"

	"debitdesk/models/calendar"
)

// SayMoment writes an instant with its year for a sentence: "Fri 4 Dec 2026, 09:00 SAST".
func SayMoment(at time.Time) string { return at.In(calendar.SAST).Format("Mon 2 Jan 2006, 15:04 SAST") }
