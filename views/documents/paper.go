// Package documents renders papers to keep, as PDF, from finished words. It knows
// layout and fonts; it must not know what the words mean.
package documents

import "time"

// Paper is a document of one or more A4 pages.
type Paper struct {
	Kind       string   // what it is, above the title: "Mandate document"
	Title      string   // "DebiCheck mandate"
	Reference  string   // printed beside the title and at the foot of each page
	IssuerName string   // whose letterhead it carries
	Address    []string // the lines below the name
	Standing   string   // how things stand, and when that was
	Test       string   // a banner on each page; empty for none
	Subject    string   // for the file's properties alone
	Made       time.Time
	Sections   []Section
}

// Section is a part under a heading: facts, then text.
type Section struct {
	Title string
	Facts []Fact
	Text  []string // a paragraph each
}

// Fact is one line: what, and its value.
type Fact struct{ Label, Value string }
