package calendar

import (
	"fmt"
	"time"
)

// TimeOfDay is a SAST time of day to the minute, such as a cut-off.
type TimeOfDay struct{ Hour, Minute int }

// ParseTimeOfDay reads HH:MM from 00:00 to 23:59.
func ParseTimeOfDay(text string) (TimeOfDay, error) {
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != 5 {
		return TimeOfDay{}, fmt.Errorf("%q is not a time of the form HH:MM", text)
	}
	return TimeOfDay{t.Hour(), t.Minute()}, nil
}

// String is HH:MM.
func (c TimeOfDay) String() string { return fmt.Sprintf("%02d:%02d", c.Hour, c.Minute) }

// On is the instant of this time of day on a date, in SAST.
func (c TimeOfDay) On(d Date) time.Time { return d.At(c.Hour, c.Minute) }

// MarshalText writes HH:MM.
func (c TimeOfDay) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads HH:MM.
func (c *TimeOfDay) UnmarshalText(text []byte) error {
	parsed, err := ParseTimeOfDay(string(text))
	if err == nil {
		*c = parsed
	}
	return err
}
