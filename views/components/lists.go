package components

import (
	"strings"

	"github.com/a-h/templ"
)

// Link is a word with an address.
type Link struct{ Text, Href string }

// PageHead is the head of a page. Primary is its one primary button, Menu the secondary acts behind "…".
// Children of the component stand beside the title (a Pill, an IDChip).
type PageHead struct {
	Title, Count, Sub string
	Back              Link
	Secondary         []Button
	Primary           Button
	Menu              []MenuItem
}

// Tab is one status view with its count, as "1 240".
type Tab struct {
	Label, Count, Href string
	Active             bool
	Saved, Shared      bool // by a person, and with the team
}

// Tabs are the status views of a list, or the parts of a detail page.
type Tabs struct {
	Label  string
	Items  []Tab
	Target string // "#list" to swap it, empty for plain links
	Export Export // stands beside them
	Manual string // where the manual explains what is shown; stands beside them
}

// Export is a menu that offers a list as a file. Text says what it will hold; the
// zero value shows nothing.
type Export struct {
	Text, CSVHref, XLSXHref          string
	AllText, AllCSVHref, AllXLSXHref string // with columns that the list does not show
}

// Display is the menu in which a person arranges a list: which columns in which order, how close its rows stand and
// how many are on a page. Sorts lead to the orders of the list, for where its heads are not shown.
type Display struct {
	Action, List, Back string
	Open               bool
	Columns            []DisplayColumn
	Sizes              []Option
	Sorts              []Tab
	Compact, Changed   bool
	InView             bool // columns are chosen for the saved view that is looked at
}

// DisplayColumn is a column that can be shown or hidden.
type DisplayColumn struct {
	Key, Label string
	Shown      bool
}

// SaveView saves what a list shows as a view, and changes the view that is looked at.
type SaveView struct {
	Action, List, Query, Back string
	Offer                     bool   // what is shown is no view yet
	FormKey                   string // makes the form that saves count once
	ID, Name, Owner           string // of the view that is looked at
	Mine, Shared, Pinned      bool
	OwnerLeft                 bool // whoever saved it has left the team
	MayShare, MayChange       bool
}

// Pair is a hidden form value.
type Pair struct{ Name, Value string }

// Chip is an active filter in words, with the address of the list without it.
type Chip struct{ Label, RemoveHref string }

// FilterBar searches and filters a list by GET, so that the URL keeps the state. Its children are further inputs,
// shown in a menu named Filter; with none the menu is left out when Plain is set.
type FilterBar struct {
	Action, Target              string
	Search, SearchLabel, Holder string // value, accessible name, placeholder
	SearchName                  string // q by default
	Keep                        []Pair // what else the URL holds: status, sort
	Chips                       []Chip
	ClearHref                   string
	Found                       string // "12 clients"
	Export                      Export // stands at the end
	Plain                       bool
}

// WithoutExport leaves the file to the tools of the list, where it has any.
func (f FilterBar) WithoutExport(d Display) FilterBar {
	if d.List != "" {
		f.Export = Export{}
	}
	return f
}

// Pager leads to newer and older rows. Text says what is shown: "50 of about 12 000".
type Pager struct {
	NewerHref, OlderHref, Text, Target string
	Searched                           string // how far a search has looked that has not looked at everything
	SearchedNewer                      bool   // it looked towards the newer records
	Sorted                             bool   // in another order than the newest first
}

func (p Pager) text() string {
	switch {
	case p.Searched == "":
		return p.Text
	case p.Sorted:
		return "Searched " + p.Searched + ", not all of it"
	case p.SearchedNewer:
		return "Searched up to " + p.Searched + ", not further"
	}
	return "Searched back to " + p.Searched + ", not further"
}

// label of a link: where the search has stopped, the link goes on with it.
func (p Pager) label(side string, newer bool) string {
	if p.Sorted {
		if side = "Next"; newer {
			side = "Previous"
		}
	}
	if p.Searched != "" && newer == p.SearchedNewer {
		return "Search " + strings.ToLower(side)
	}
	return side
}

// EmptyKind says why there is nothing to show.
type EmptyKind int

// There is nothing yet, nothing matches the filters, or the person may not see it.
const (
	NothingYet EmptyKind = iota
	NothingMatches
	NotAllowed
)

// Empty stands where rows would be. Clear is for NothingMatches; Text says who can grant it for NotAllowed.
type Empty struct {
	Kind              EmptyKind
	Icon, Title, Text string
	Action            Button
	More              Link
	Filters           []string // the active filters, in words
	ClearHref         string
}

func (e Empty) icon() string {
	switch e.Kind {
	case NothingMatches:
		return "search"
	case NotAllowed:
		return "lock"
	case NothingYet:
		return or(e.Icon, "plus")
	}
	return "info"
}

func (e Empty) title() string {
	switch e.Kind {
	case NothingMatches:
		return or(e.Title, "Nothing matches")
	case NotAllowed:
		return or(e.Title, "You do not have access to this")
	case NothingYet:
		return or(e.Title, "Nothing here yet")
	}
	return e.Title
}

// action is the button of an empty list, primary unless the caller says otherwise.
func (e Empty) action() Button {
	b := e.Action
	b.Kind = or(b.Kind, "primary")
	return b
}

// asPrimary is the one button of a page that matters most. Where it makes a new thing, the key n presses it.
func asPrimary(b Button) Button {
	b.Kind = or(b.Kind, "primary")
	if path, _, _ := strings.Cut(b.Href, "?"); b.Attrs == nil && strings.HasSuffix(path, "/new") {
		b.Attrs = templ.Attributes{"data-key": "n"}
	}
	return b
}
