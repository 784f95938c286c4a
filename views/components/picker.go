package components

import "github.com/a-h/templ"

// ClientPicker chooses one client. Without scripts it is a search field with a button (which submits the whole form
// with find=Name, so that the server renders it again with Options found for Query) and the options as radios.
// With scripts the options follow the typing, fetched from SearchURL ("/api/v1/clients/" by default).
// Options are the recent or found clients: Value id, Text name, Note e-mail.
type ClientPicker struct {
	Label, Name, Value, Query, Error, Hint string
	Options                                []Option
	SearchURL, CreateHref                  string
	// CreateName is the name of a button that sends the form along, so that it is not lost; it takes the place of
	// CreateHref.
	CreateName string
	Required   bool
}

// PickDay is one square of a DayPicker. A day with Why cannot be taken, and says the reason; Note is said of a day that
// can ("moves from Sunday 6 Dec"). An empty Number leaves the square blank.
type PickDay struct {
	Number, Value, Spoken, Why, Note string
	Today                            bool
}

// PickMonth is a month in weeks of seven days, Monday first.
type PickMonth struct {
	Label string
	Weeks [][]PickDay
}

// DayPicker chooses a calendar date and says of every other day why not. Next and Prev are addresses of other months.
type DayPicker struct {
	Label, Name, Value, Error, Hint string
	Months                          []PickMonth
	Closed                          []string // why days that are shown cannot be taken, for those who have no pointer
	Attrs                           templ.Attributes
}

func (d PickDay) class() string {
	switch {
	case d.Why != "":
		return "day no"
	case d.Today:
		return "day mark"
	}
	return "day"
}

// words is what is read out and shown when the pointer rests on a day.
func (d PickDay) words() string {
	text := or(d.Spoken, d.Number)
	for _, more := range []string{d.Why, d.Note} {
		if more != "" {
			text += ": " + more
		}
	}
	return text
}

var weekdays = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
