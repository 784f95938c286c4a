package components

import "github.com/a-h/templ"

// Button is something that acts. Kind is primary, danger, quiet or empty for plain. With Href (LinkButton) it is a
// link that looks alike. A Disabled button says why beside itself.
type Button struct {
	Label, Kind, Icon      string
	Type                   string // submit by default
	Name, Value, Form      string
	FormAction, ID         string
	Href                   string
	Disabled, Small, Block bool
	IconOnly               bool // Label becomes the accessible name
	Changes                bool // leads to a change: left out for whom LookOnly is said
	Why                    string
	Attrs                  templ.Attributes
}

// Pill is a state: an icon and a word. Kind is draft (grey), progress (blue), wait (amber), done (green) or bad (red).
// Title says what happens next and when.
type Pill struct{ Kind, Word, Title string }

// Time is an instant: Text as shown ("12 Nov 2026, 09:14"), ISO with zone, Title in full ("… SAST, 3 days ago").
type Time struct{ Text, ISO, Title string }

// IDChip is an id shown short, with a button that copies it whole. What names it: "purchase", "client", "token".
type IDChip struct{ ID, Short, What, Href string }

// Head is the head of a table column. SortHref makes it a link; Sort is ascending, descending or empty.
// Zone is printed small behind the label, as "SAST". Hidden keeps the label for screen readers alone.
type Head struct {
	Label, Class, SortHref, Sort, Zone, Target string
	SortID                                     string // of the link, so that it keeps the focus
	Why                                        string // the list cannot be sorted so yet, in a sentence
	Num, Hidden                                bool
}

// TableWrap names a table for screen readers and lets it scroll sideways.
type TableWrap struct{ Label, ID string }

// Avatar is a person's initials in a disc. Size is small, large or empty.
type Avatar struct{ Initials, Size string }

// CopyButton copies Text. Label is read out ("Copy link"); with Shown it is printed too.
type CopyButton struct {
	Text, Label string
	Shown       bool
}

// Note is a message in the page. Kind is ok, info, warn, bad or empty.
type Note struct{ Kind, Title, Text string }

var pillIcons = map[string]string{"draft": "draft", "progress": "progress", "wait": "clock", "done": "done",
	"bad": "alert"}

// pillIcon answers the drawing that goes with a kind of state.
func pillIcon(kind string) string { return or(pillIcons[kind], "draft") }

var noteIcons = map[string]string{"ok": "done", "info": "info", "warn": "alert", "bad": "alert"}

func noteIcon(kind string) string { return or(noteIcons[kind], "info") }

// short shows the beginning and the last six characters, where UUIDv7 ids differ.
func (c IDChip) short() string {
	if c.Short != "" || len(c.ID) <= 14 {
		return or(c.Short, c.ID)
	}
	return c.ID[:4] + "…" + c.ID[len(c.ID)-6:]
}

// tint picks one of five quiet colours, the same for the same initials.
func (a Avatar) tint() string {
	sum := 0
	for _, r := range a.Initials {
		sum += int(r)
	}
	return [...]string{"a0", "a1", "a2", "a3", "a4"}[sum%5]
}

func (b Button) class() string {
	class := "btn"
	for _, part := range []string{b.Kind, when(b.Small, "small"), when(b.Block, "block"), when(b.IconOnly, "square")} {
		if part != "" {
			class += " " + part
		}
	}
	return class
}

func (b Button) extras() templ.Attributes {
	a := templ.Attributes{}
	for name, value := range map[string]string{"name": b.Name, "form": b.Form, "formaction": b.FormAction, "id": b.ID} {
		if value != "" {
			a[name] = value
		}
	}
	if b.Name != "" {
		a["value"] = b.Value
	}
	if b.IconOnly {
		a["aria-label"] = b.Label
	}
	if b.download() {
		a["data-download"] = true
	}
	return a
}

// download tells that a file comes and the page stays: its forms can be sent again.
func (b Button) download() bool { return b.Icon == "download" }

func (h Head) class() string {
	return or(h.Class, when(h.Num, "num"))
}

// arrow is the drawing beside a sorted head.
func (h Head) arrow() string {
	if h.Sort == "ascending" {
		return "chevron-up"
	}
	return "chevron-down"
}
