package imports

import (
	"debitdesk/models/book"
	"debitdesk/models/book/source"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// notes say what reading the file found: all of it beside the columns, and further on what a person has to know.
func notes(i book.Import, at string) (out []components.Note) {
	if at == "groups" {
		return nil
	}
	all := func(r source.Report) {
		if r.Known() && at == "map" {
			out = append(out, components.Note{Kind: "ok", Text: r.Words()})
		}
		if sums := r.SumWords(); sums != "" {
			kind := "ok"
			if !r.Agree() {
				kind = "warn"
			}
			out = append(out, components.Note{Kind: kind, Text: sums})
		}
		for _, w := range r.Warnings {
			out = append(out, components.Note{Kind: "warn", Text: w})
		}
		if at != "map" {
			return
		}
		for _, l := range r.Limits {
			out = append(out, components.Note{Kind: "info", Text: l})
		}
	}
	all(i.Source)
	for _, w := range i.Source.With {
		kind := "info"
		if w.Alone > 0 {
			kind = "warn"
		}
		out = append(out, components.Note{Kind: kind, Text: w.Words()})
		all(w.Report)
	}
	return out
}

func digitsOf(all []book.TypeExample) (out []pages.TypeDigit) {
	for _, one := range all {
		out = append(out, pages.TypeDigit{Digit: one.Digit, Means: one.Means, Examples: one.Examples})
	}
	return out
}
