package iso20022

import (
	"fmt"
	"slices"
	"strings"
)

// Allowed is one line of what a form allows: an element by its path, how often it stands, and what its text is.
type Allowed struct {
	Path  string
	Times string // such as 0..1; within a choice always 1..1
	Text  string // empty: it has elements in it
}

func (a Allowed) String() string { return strings.TrimSpace(a.Path + " " + a.Times + " " + a.Text) }

// AllowedBy lists what a form allows, in the order in which it may stand.
func AllowedBy(form string) []Allowed { return listed(rulesOf(form), "", false) }

func listed(r *rule, within string, choice bool) []Allowed {
	a := Allowed{Path: within + r.name, Times: fmt.Sprintf("%d..%d", r.least, r.most)}
	if choice {
		a.Times = "choice"
	}
	if r.text != nil {
		a.Text = r.text.name
		if r.text.codes != nil {
			a.Text = strings.Join(slices.Sorted(slices.Values(codesOf(r.text.name))), "|")
		}
	}
	all := []Allowed{a}
	for _, c := range r.children {
		all = append(all, listed(c, a.Path+"/", r.choice)...)
	}
	return all
}
