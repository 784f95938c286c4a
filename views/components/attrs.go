package components

import (
	"strconv"

	"github.com/a-h/templ"
)

// swap makes a link or form fetch href and replace target with the same box out of the answer, keeping the URL true.
// Without a target it adds nothing, and the browser follows the link as usual.
func swap(target, href string) templ.Attributes {
	if target == "" {
		return nil
	}
	return templ.Attributes{
		"hx-get":      href,
		"hx-target":   target,
		"hx-select":   target,
		"hx-swap":     "outerHTML show:none",
		"hx-push-url": "true",
		"hx-sync":     target + ":replace",
	}
}

// or answers the first text that is not empty.
func or(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// when answers text if the condition holds, for optional classes and attributes.
func when(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// radioID gives the first choice of a group the group's own name, the others a number.
func radioID(name string, i int) string {
	if i == 0 {
		return name
	}
	return name + "-" + strconv.Itoa(i+1)
}

func summaryTitle(n int) string {
	if n == 1 {
		return "There is a problem"
	}
	return "There are " + strconv.Itoa(n) + " problems"
}

// live lets the filter form fetch while a person types, dropping answers that came too late.
func (f FilterBar) live() templ.Attributes {
	a := swap(f.Target, f.Action)
	if a != nil {
		a["hx-trigger"] = "input changed delay:250ms from:find .q, search from:find .q, submit"
	}
	return a
}
