package calendar

import "time"

// How days read in sentences.
const (
	DayForm     = "2 Jan 2006"
	WeekdayForm = "Mon 2 Jan 2006"
)

// SayInstant writes a moment as sentences do, to the minute.
func SayInstant(at time.Time) string { return at.In(SAST).Format(DayForm+" 15:04") + " SAST" }
