package layout

import "slices"

// goKeys are the second keys of those that lead to a section: "g" and then this one.
var goKeys = map[string]string{
	"home": "h", "attention": "a", "clients": "c", "tokens": "t", "mandates": "m", "purchases": "p", "invoices": "i",
	"templates": "e", "batches": "b", "bank": "f", "calendar": "l", "reports": "r", "developers": "d", "settings": "s",
	"sandbox": "x", "imports": "o", "books": "k",
}

// alsoCalled are other words for a section.
var alsoCalled = map[string]string{
	"imports": "import moving in move migrate migration upload clients book spreadsheet csv netcash stitch switch on undo",
}

// Place is where a person can go. Also are other words for it.
type Place struct{ Label, Icon, Href, Also string }

// Sections are the parts of the dashboard but those that are hidden, by their keys.
func Sections(hidden ...string) (out []Place) {
	for _, s := range sections {
		if !slices.Contains(hidden, s.Key) {
			out = append(out, Place{s.Label, s.Icon, s.Href, alsoCalled[s.Key]})
		}
	}
	return out
}

// NewThings are what can be added.
func NewThings() (out []Place) {
	for _, t := range newThings {
		out = append(out, Place{t.Label, t.Icon, t.Href, "add create"})
	}
	return out
}
