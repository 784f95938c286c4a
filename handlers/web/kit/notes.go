package kit

import (
	"context"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/followup"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// NotesPanel draws the box of notes and calls on the page of a thing, and gives the promises of its client, which
// stand in it.
type NotesPanel func(ctx context.Context, who actor.Actor, o followup.Object) (
	box templ.Component, promises []followup.Promise, err error)

// NotesTimeline puts notes and calls into words, grouped by day, newest first. Those about another thing than the page
// is of say about what, and lead there.
func NotesTimeline(notes []followup.Note, here followup.Object) (t components.Timeline) {
	for _, n := range notes {
		e := components.Entry{Icon: "edit", Text: NoteText(n), Actor: n.Author, At: words.Moment(n.CreatedAt)}
		if n.IsCall() {
			e.Icon = "phone"
		}
		if about := (followup.Object{Type: n.ObjectType, ID: n.ObjectID}); about != here {
			if of := aboutWords[about.Type]; of != "" {
				e.Actor, e.Href = words.JoinedWords(", ", e.Actor, of), ThingPath(about)
			}
		}
		addEntry(&t, n.CreatedAt, e)
	}
	return t
}

// NoteText is what a note or a call says.
func NoteText(n followup.Note) string {
	if n.IsCall() {
		return words.JoinedWords(". ", "Call: "+n.Outcome.Label(), words.PhoneWords(n.Phone), n.Text)
	}
	return n.Text
}

// aboutWords say about what a note is that was written on the page of another thing.
var aboutWords = map[followup.ObjectType]string{followup.Client: "about the client",
	followup.Purchase: "about a purchase", followup.Mandate: "about a mandate", followup.Token: "about a token"}

// ThingPath is the page of a thing that has a box of notes.
func ThingPath(o followup.Object) string {
	switch o.Type {
	case followup.Client:
		return words.ClientHref(o.ID)
	case followup.Mandate:
		return words.MandatePath(o.ID)
	case followup.Token:
		return words.TokenPath(o.ID)
	default:
		return words.PurchasePath(o.ID)
	}
}

// promiseWords are where a promise stands.
var promiseWords = map[followup.PromiseState]string{followup.Open: "open", followup.Kept: "kept",
	followup.Broken: "broken", followup.Withdrawn: "withdrawn"}

// PromiseWord is where a promise stands.
func PromiseWord(state followup.PromiseState) string { return promiseWords[state] }

// PromiseLine puts a promise into words.
func PromiseLine(p followup.Promise, now time.Time) pages.NextLine {
	line := pages.NextLine{Text: "Promised for " + words.SayDay(p.DueOn, now), Sum: words.Sum(p.AmountCents, p.Currency),
		Reference: promiseWords[p.Standing(calendar.DateOf(now))]}
	if p.PurchaseID != uuid.Nil {
		line.Href = words.PurchasePath(p.PurchaseID)
	}
	return line
}
