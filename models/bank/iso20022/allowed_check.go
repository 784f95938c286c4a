package iso20022

import (
	"fmt"
	"slices"
	"strings"

	"debitdesk/models/bank/exchange"
)

// mostDisallowed is how many things are said of one message (ours).
const mostDisallowed = 5

// allowed follows a message as it is written and collects what its form does not allow.
type allowed struct {
	form  string
	at    []within
	wrong []string
}

// within is an element that is being written.
type within struct {
	rule  *rule
	child int // the last of its children; -1: none yet
	times int // how often that one stands
}

func allowedBy(form string) *allowed {
	top := &rule{name: "Document", children: []*rule{rulesOf(form)}}
	top.at = map[string]int{top.children[0].name: 0}
	return &allowed{form: form, at: []within{{top, -1, 0}}}
}

// start begins an element.
func (a *allowed) start(name string) {
	in := &a.at[len(a.at)-1]
	if in.rule == nil {
		a.at = append(a.at, within{}) // nothing is known of what is in it
		return
	}
	n, known := in.rule.at[name]
	if !known {
		a.add(name, "does not exist there")
		a.at = append(a.at, within{})
		return
	}
	rule := in.rule.children[n]
	switch {
	case n == in.child:
		if in.times++; rule.most > 0 && in.times > rule.most {
			a.add(name, fmt.Sprintf("stands there more than %s", times(rule.most)))
		}
	case in.child >= 0 && in.rule.choice:
		a.add(name, "stands beside "+in.rule.children[in.child].name+", and only one of them may")
	case n < in.child:
		a.add(name, "comes after "+in.rule.children[in.child].name+" and has to come before it")
	default:
		a.missing(in, n)
		in.child, in.times = n, 1
	}
	a.at = append(a.at, within{rule, -1, 0})
}

// missing says which children have to stand before the next one.
func (a *allowed) missing(in *within, next int) {
	if in.rule.choice {
		return
	}
	for n := in.child + 1; n < next; n++ {
		if child := in.rule.children[n]; child.least > 0 {
			a.add(child.name, "is missing")
		}
	}
}

// text is the text of the element that was begun last.
func (a *allowed) text(text, currency string) {
	in := a.at[len(a.at)-1]
	if in.rule == nil || in.rule.text == nil {
		return
	}
	if why := in.rule.text.takes(text, currency); why != "" {
		a.add("", why)
	}
}

// end ends the element that was begun last.
func (a *allowed) end() {
	in := &a.at[len(a.at)-1]
	switch {
	case in.rule == nil:
	case in.rule.choice && in.child < 0:
		a.add("", "has none of "+strings.Join(nameList(in.rule), ", "))
	default:
		a.missing(in, len(in.rule.children))
	}
	a.at = a.at[:len(a.at)-1]
}

func nameList(r *rule) (all []string) {
	for _, c := range r.children {
		all = append(all, c.name)
	}
	return all
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// add notes what is wrong with an element within the one that is being written, or with that one itself.
func (a *allowed) add(name, why string) {
	var path []string
	for _, in := range a.at[1:] {
		if in.rule != nil {
			path = append(path, in.rule.name)
		}
	}
	if name != "" {
		path = append(path, name)
	}
	text := strings.Join(path, "/") + " " + why
	if len(a.wrong) < mostDisallowed && !slices.Contains(a.wrong, text) {
		a.wrong = append(a.wrong, text)
	}
}

// err says what the form does not allow.
func (a *allowed) err() error {
	if len(a.wrong) == 0 {
		return nil
	}
	return &exchange.Disallowed{Form: a.form, Why: a.wrong}
}
