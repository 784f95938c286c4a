package mytext

import "debitdesk/models/locale"

// Section is a heading with what stands below it.
type Section struct {
	Title string
	Texts []string
	List  bool
}

// Accessibility is the statement of accessibility of the pages for clients. Known faults are named (source: follow-up,
// section 12).
func Accessibility(w locale.Words) []Section {
	return []Section{
		{"", []string{w.Say("my.a11y.intro")}, false},
		{w.Say("my.a11y.expect"), []string{w.Say("my.a11y.expect.1"), w.Say("my.a11y.expect.2"), w.Say("my.a11y.expect.3"),
			w.Say("my.a11y.expect.4"), w.Say("my.a11y.expect.5"), w.Say("my.a11y.expect.6")}, true},
		{w.Say("my.a11y.faults"), []string{w.Say("my.a11y.faults.1"), w.Say("my.a11y.faults.2"), w.Say("my.a11y.faults.3"),
			w.Say("my.a11y.faults.4")}, true},
		{w.Say("my.a11y.tell"), []string{w.Say("my.a11y.tell.1")}, false},
	}
}
