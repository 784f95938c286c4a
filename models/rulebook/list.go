package rulebook

import (
	"cmp"
	"slices"

	"debitdesk/models/calendar"
)

// Standing is where a row stands on a day.
type Standing string

// Where a row can stand.
const (
	Holding  Standing = "in_force"
	Ahead    Standing = "coming"
	Over     Standing = "over"
	TakenOff Standing = "withdrawn"
)

// Stands tells where the row stands on a day.
func (r Row) Stands(on calendar.Date) Standing {
	switch {
	case r.Status == Withdrawn:
		return TakenOff
	case r.Status == Coming || on.Before(r.From):
		return Ahead
	case !r.Holds(on):
		return Over
	}
	return Holding
}

// Filter says which rows are listed.
type Filter struct {
	On          calendar.Date
	Key, Stream string // empty: all
	All         bool   // those that do not hold, too
}

// List gives the rows of a book and the declared holidays of a calendar that a filter asks for, by key and day.
func List(b *Book, cal *calendar.Calendar, f Filter) (out []Row) {
	for _, r := range append(b.Rows(), Holidays(cal)...) {
		if (f.Key == "" || r.Key == f.Key) && (f.Stream == "" || r.Stream == f.Stream || r.Stream == AnyStream) &&
			(f.All || r.Stands(f.On) == Holding) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), a.From.Compare(b.From), cmp.Compare(a.Stream, b.Stream))
	})
	return out
}

// Keys are all keys of a book and that of the declared holidays, in order.
func (b *Book) Keys() []string {
	keys := []string{HolidayKey}
	for _, r := range b.rows {
		keys = append(keys, r.Key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
