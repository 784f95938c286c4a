package webhook

import (
	"net/url"
	"slices"
	"strings"

	"debitdesk/models/weblink"
)

// Limits of a webhook (source: webhook record), in characters.
const (
	MaxTitle    = 100
	MaxCallback = 500
)

// checked reports every problem at once. The address that a webhook has already may stay as it is; a new one has none.
// Where money is real, a new address begins with https.
func (in Input) checked(address string, live bool) (Input, error) {
	problems := in.Problems
	in.Title, in.Callback = strings.TrimSpace(in.Title), strings.TrimSpace(in.Callback)
	if !problems.Has("title") {
		switch n := len([]rune(in.Title)); {
		case n == 0:
			problems.Add("title", "required", "This field is required.")
		case n > MaxTitle:
			problems.Add("title", "max_length", "Ensure this field has no more than %d characters.", MaxTitle)
		}
		problems.OneLine("title", in.Title)
	}
	if !problems.Has("callback") {
		switch n := len([]rune(in.Callback)); {
		case n == 0:
			problems.Add("callback", "required", "This field is required.")
		case n > MaxCallback:
			problems.Add("callback", "max_length", "Ensure this field has no more than %d characters.", MaxCallback)
		case weblink.HasLogin(in.Callback) && in.Callback != address:
			problems.Add("callback", "invalid", "%s", weblink.NoLogin)
		case live && Open(in.Callback) && in.Callback != address:
			problems.Add("callback", "invalid", "This address must begin with https://: events of real payments are not sent "+
				"unencrypted.")
		case !isAddress(in.Callback):
			problems.Add("callback", "invalid", "Enter a valid URL that begins with https:// or http://.")
		}
	}
	if in.AllEvents {
		in.Events = nil
	}
	for _, name := range in.Events {
		if !slices.Contains(Names, name) {
			problems.Add("events", "invalid_choice", "%q is not a valid choice.", name)
		}
	}
	if !in.AllEvents && len(in.Events) == 0 && !problems.Has("events") && !problems.Has("all_events") {
		problems.Add("events", "required", "Choose at least one event, or all events.")
	}
	in.Events = inOrder(in.Events)
	return in, problems.Err()
}

// Open tells whether what is sent to an address travels unencrypted.
func Open(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "http"
}

// isAddress tells whether a text is an address that can be called.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.Opaque == "" &&
		!strings.ContainsAny(text, " \t\r\n")
}

// inOrder names each known event once.
func inOrder(events []string) []string {
	out := []string{}
	for _, name := range Names {
		if slices.Contains(events, name) {
			out = append(out, name)
		}
	}
	return out
}

func (in Input) into(w *Webhook) {
	w.Title, w.Callback, w.AllEvents, w.Events = in.Title, in.Callback, in.AllEvents, in.Events
}
