package components

// MandateLive is the panel that shows how the client's answer to a mandate request is coming on. Stream is the address
// that sends the inside again at each change; empty when nothing more will come. ID is unique on the page.
type MandateLive struct {
	ID, Stream string
	Now        LivePanel
}

// LivePanel is the inside of a MandateLive. Headline says where it stands, Detail what that means. Reload is the
// page's own address, for browsers without scripts; it is empty when nothing more will come.
type LivePanel struct {
	State            Pill
	Headline, Detail string
	Ring             *Ring // nil when no time runs
	Steps            []LiveStep
	Next             []LiveAct
	NextTitle        string
	Reload           string
}

// LiveStep is one station of the request. State is past, now, next, good, wait or bad; At may be empty.
type LiveStep struct {
	Label, Note, State string
	At                 Time
}

// LiveAct is one thing that can be done next: a form with a button, or with Href a link.
type LiveAct struct {
	Button Button
	Post   string // address
	Fields []Pair
	Hint   string
}

// Ring is a time limit that runs out. The instants are milliseconds since 1970 by the server's clock, which the
// browser's own clock may differ from; Seconds is the whole limit. Big and Small stand inside the ring ("1:43",
// "left"), Words say the same in full. Gap is how much of the ring is empty, of 100.
type Ring struct {
	NowMS, ExpiresMS, Seconds string
	Big, Small, Words, Gap    string
}

var stepIcons = map[string]string{"past": "check", "good": "done", "bad": "x", "wait": "clock", "now": "progress"}

// icon draws the state, so that colour is never alone.
func (s LiveStep) icon() string { return or(stepIcons[s.State], "draft") }

// spoken is the state of a step for those who do not see it.
func (s LiveStep) spoken() string {
	switch s.State {
	case "past":
		return "Done: "
	case "now":
		return "Under way: "
	case "next":
		return "Still to come: "
	}
	return ""
}
