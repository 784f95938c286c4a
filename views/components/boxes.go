package components

import "github.com/a-h/templ"

// Card is a box with a head; without Title the head is left out. Actions is drawn at the right of the head.
type Card struct {
	Title, Sub, ID string
	More           Link
	Actions        templ.Component
}

// Stat is one figure with its comparison. Trend is up or down where that is good or bad; TrendText says it in words.
// Href leads to the rows that the figure was made of, and Total says how many they are.
type Stat struct {
	Label, Value, Note, Trend, TrendText, Href string
	Total                                      Total
}

// Fact is one line of a description list. Value is finished words; Part, when set, is drawn in its place.
type Fact struct {
	Label, Value, Href string
	Mono               bool
	Copy               string // text of a copy button, named after the label
	Part               templ.Component
}

// Facts is a description list. Wide lays it in two columns.
type Facts struct {
	Items []Fact
	Wide  bool
}

// Entry is one event of a time line. Kind colours its disc as it does a Pill. Detail is opened on request.
type Entry struct {
	Icon, Kind, Text, Actor string
	At                      Time
	Href                    string // of the related object
	Planned                 bool
	Detail                  string
	Part                    templ.Component // more to open, in place of Detail
}

// Day is the entries of one day, newest first. Label is "12 November 2026", or "Planned".
type Day struct {
	Label   string
	Entries []Entry
}

// Timeline is what happened to a thing and what is planned, newest first.
type Timeline struct{ Days []Day }

// MenuItem is one act in a menu: a link (Href), a form post (Post), or off with the reason (Why).
type MenuItem struct {
	Label, Icon, Href, Post, Why string
	Fields                       []Pair
	Changes                      bool // leads to a change: off for whom LookOnly is said
	Danger                       bool
	Divider                      bool // a line above it
}

// Menu is what opens behind a button. Label names the button; Button draws it in words in place of "…".
type Menu struct {
	Label  string
	Items  []MenuItem
	Button Button
	Small  bool
}

// Confirm asks before an act that cannot be undone. Breaks lists what it will break. With Type the person types
// TypeAnswer (a count, the last four digits) into a field named confirm; the server must check it.
type Confirm struct {
	ID, Title, Text      string
	Breaks               []string
	Action               string // posted to
	Fields               []Pair
	Button               string // verb and object: "Delete token ••1234"
	CancelHref           string
	Keep                 string // the button that does nothing: "Keep purchase"; "Go back" by default
	TypeLabel, TypeError string
	Safe                 bool // the act is not destructive: a primary button in place of red
}

// typeID is the id of the input in which the person types.
func (c Confirm) typeID() string { return c.ID + "-confirm" }

// problems is the summary above the question where something else was typed.
func (c Confirm) problems() ErrorSummary {
	if c.TypeError == "" {
		return ErrorSummary{}
	}
	return ErrorSummary{Items: []ErrorItem{{Field: c.typeID(), Text: c.TypeError}}}
}

// Step is one station of a Stepper. State is past, now or next.
type Step struct{ Label, Href, State string }

// Stepper shows how far a person has come.
type Stepper struct {
	Label string
	Steps []Step
}

// Progress is a bar with its words: "340 of 1 000", "2 minutes left".
type Progress struct {
	Label, Text string
	Value, Max  int
}

// Code is a block of code or data with a copy button. Wrap breaks long lines.
type Code struct {
	Label, Text string
	Wrap        bool
}

// Flash is a message that is shown once after an act. Kind is ok, info, warn or bad; bad stays until it is closed.
type Flash struct {
	Kind, Text string
	Undo       string // address to post to
}

func (s Stat) arrow() string {
	switch s.Trend {
	case "up":
		return "▲ "
	case "down":
		return "▼ "
	}
	return ""
}
