package components

import "strings"

// Selection is what can be done with ticked rows. Without a Group no row can be ticked. With an Action it is a form
// that goes there with their ids; otherwise Bar is the form.
type Selection struct {
	Group, Action string
	Buttons       []Button
	Bar           SelectionBar
}

// form is the id of the form to which the check boxes belong.
func (s Selection) form() string { return "select-" + strings.ReplaceAll(s.Group, " ", "-") }

// SelectionBar is the form over a list whose rows are chosen over its pages.
type SelectionBar struct {
	List, Of, Query string // which list, and its filters
	Columns         string // that a file of what was chosen has; empty: all
	One, Many       string // what a row is
	HasSum          bool
	ID, Text        string   // of what was chosen before; empty: nothing was
	Shown           []string // the rows of the page
	All             string   // offers all that match: "Select all 1 240 purchases that match"; empty: the page has them
	ClearHref       string
	Acts            []Button // the value of each names its act
}

// first are the acts that stand in the bar; the others are in a menu.
func (b SelectionBar) first() []Button { return b.Acts[:min(len(b.Acts), actsInBar)] }
func (b SelectionBar) more() []Button  { return b.Acts[min(len(b.Acts), actsInBar):] }

const actsInBar = 4

// named is an act of the bar as a button of its form.
func (b SelectionBar) named(act Button) Button {
	act.Name, act.Small = "act", true
	return act
}

// hint stands where the number of ticked rows comes.
func (b SelectionBar) hint() string { return "0 " + b.Many + " selected" }
