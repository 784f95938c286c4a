// Package emails draws the mails to a client, once for people who read HTML and
// once as plain text. It gets finished words and knows neither purchases nor how
// a mail is sent.
package emails

import (
	"cmp"
	"slices"
	"strings"

	"debitdesk/views/components"
)

// View is one mail. Everything in it is ready to show.
type View struct {
	Title      string // the subject
	Preview    string // what a mailbox shows beside the subject
	Brand      string
	Sandbox    bool // a test: no money moves
	Greeting   string
	Opening    []string // the merchant's own words for this kind of mail, before the text
	Paragraphs []string
	Message    string   // the merchant's own words
	Lines      []Line   // what is paid for
	Items      []Item   // several things, each with a link of its own
	Facts      []Line   // amount, dates, reference
	Button     Button   // none when its URL is empty
	Closing    []string // and after it
	After      []string
	Sender     []string        // who writes: name, registration, address, contact
	Logo       components.Logo // in the place of the brand's name, which it tells where pictures are not shown
	Tones      Tones           // in the place of the house's
	Lang       string          // the language of the mail, as HTML names it; empty: English
	// The words of the frame; empty: the English ones.
	SandboxNote string
	NoButton    string // before the address of the button
}

// Line is a label and its value, side by side.
type Line struct {
	Label, Value string
	Strong       bool
}

// Item is one of several things that the mail is about.
type Item struct{ Title, Text, Amount, Label, URL string }

// Button leads to the hosted page.
type Button struct{ Label, URL string }

// SandboxNote stands on top of every test mail.
const SandboxNote = "Sandbox: this mail is a test. No bank is contacted and no money moves."

func (v View) lang() string { return cmp.Or(v.Lang, "en-ZA") }

func (v View) sandboxNote() string { return cmp.Or(v.SandboxNote, SandboxNote) }

func (v View) noButton() string {
	return cmp.Or(v.NoButton, "If the button does not work, open this address: ")
}

// Text is the mail without markup.
func (v View) Text() string {
	var b strings.Builder
	part := func(lines ...string) {
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
		if len(lines) > 0 {
			b.WriteString("\n")
		}
	}
	if v.Sandbox {
		part(v.sandboxNote())
	}
	part(v.Greeting)
	for _, p := range slices.Concat(v.Opening, v.Paragraphs) {
		part(p)
	}
	if v.Message != "" {
		part(v.Message)
	}
	part(sideBySide(v.Lines)...)
	for _, i := range v.Items {
		part(i.Title+": "+i.Amount, i.Text, i.Label+":", i.URL)
	}
	part(sideBySide(v.Facts)...)
	if v.Button.URL != "" {
		part(v.Button.Label+":", v.Button.URL)
	}
	for _, p := range slices.Concat(v.Closing, v.After) {
		part(p)
	}
	part(append([]string{"-- "}, v.Sender...)...)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func sideBySide(lines []Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Label + ": " + l.Value
	}
	return out
}
