// Package documents renders papers to keep, as PDF, from finished words. It knows
// layout and fonts; it must not know what the words mean.
package documents

import (
	"cmp"
	"time"
)

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
	Frame      Frame
	Logo       []byte // at the right of the letterhead, as PNG; nil: none
}

// Frame is what stands around the words of a document, in the language of its reader. The zero value is English.
type Frame struct {
	Language    string // as files name it: "zu-ZA"
	Page        string // at the foot of each page: "Page {page} of {pages}"
	Unprintable string // at the foot of a page on which a character could not be drawn; {sign} stands in its place
}

// orEnglish fills what is not given.
func (f Frame) orEnglish() Frame {
	return Frame{Language: cmp.Or(f.Language, "en-ZA"), Page: cmp.Or(f.Page, "Page {page} of {pages}"),
		Unprintable: cmp.Or(f.Unprintable,
			"Characters that cannot be printed here are shown as {sign}, or without their accents.")}
}

// Section is a part under a heading: facts, then a note and text.
type Section struct {
	Title string
	Facts []Fact
	Note  string   // in small letters above the text
	Text  []string // a paragraph each
}

// Add adds a fact where it has a value.
func (s *Section) Add(label, value string) {
	if value != "" {
		s.Facts = append(s.Facts, Fact{Label: label, Value: value})
	}
}

// Fact is one line: what, and its value.
type Fact struct{ Label, Value string }
