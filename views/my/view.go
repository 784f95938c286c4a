// Package my draws the client's own page. It gets finished words, also those of its headings, and must not
// import models.
package my

import (
	"debitdesk/views/components"
	"debitdesk/views/layout"
)

// Foot are the links below every page.
type Foot struct{ Links []components.Link }

// DoorView is what a link opens first: a button, for programs that read mail follow links.
type DoorView struct {
	Frame             layout.PayerFrame
	Icon, Kind        string
	Title, Text, Note string
	Action, Button    string // a form with a button; empty: none
	More              components.Link
	Foot              Foot
}

// AskView is where a client asks for a link.
type AskView struct {
	Frame       layout.PayerFrame
	Problems    components.ErrorSummary
	Title, Text string
	Action      string
	Contact     components.Field
	BySMS       *components.Checkbox // nil: SMS are not set up
	Button      string
	Foot        Foot
}

// PageView is the client's own page.
type PageView struct {
	Frame    layout.PayerFrame
	Title    string
	Notice   *components.Note
	Owe      Part
	Total    Sum
	Pay      *Part
	Planned  Part
	Paid     Part
	Mandates Part
	Subs     Part
	More     Part
	Keep     *Keep // nil: the language is kept already
	Until    string
	Close    components.Button // a form
	Foot     Foot
}

// Keep is a form that keeps the language of the page for the client.
type Keep struct{ Text, Action, Value, Button string }

// Sum is a label with an amount.
type Sum struct{ Label, Amount string }

// Part is a part of the page. Empty says that there is nothing in it.
type Part struct {
	ID, Title, Text, Empty, After string
	Items                         []Item
	Facts                         components.Facts
	Links                         []components.Link
}

// Item is one thing of a part.
type Item struct {
	Title, Amount string
	Reference     string // after the title, in one piece: a line does not end at its hyphen
	Pill          components.Pill
	Texts         []string
	Links         []components.Link
}

// FormView asks for what an act needs.
type FormView struct {
	Frame    layout.PayerFrame
	Problems components.ErrorSummary
	Refused  *components.Note // it cannot be done
	Title    string
	Says     []string
	Action   string
	Object   string
	Days     *components.Select
	Choices  *components.RadioCards
	Text     *components.Textarea
	Code     *components.Field
	BySMS    *components.Checkbox // nil: there is no choice
	Button   string
	Again    components.Link // where to begin anew, in place of a form; empty: nowhere
	Back     components.Link
	Foot     Foot
}

// DoneView says what came of an act.
type DoneView struct {
	Frame layout.PayerFrame
	Title string
	Says  []string
	Next  components.Link // what to do now
	Back  components.Link
	Foot  Foot
}

// TextView is a page of text.
type TextView struct {
	Frame    layout.PayerFrame
	Title    string
	Facts    components.Facts
	Sections []Section
	Files    []components.Link
	Back     components.Link
	Foot     Foot
}

// Section is a heading with what stands below it.
type Section struct {
	Title string
	Texts []string
	List  bool
	Lines bool // it is one text with lines of its own
	// Lang is the language of the texts, where it is not that of the page; Note says so above them.
	Lang, Note string
}
