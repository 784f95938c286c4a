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

// NotesPanel draws the box of notes and calls on the page of a thing.
type NotesPanel func(ctx context.Context, who actor.Actor, o followup.Object) (templ.Component, error)

// NotesTimeline puts notes and calls into words, grouped by day, newest first. Those about another thing than the page
// is of say about what, and lead there.
func NotesTimeline(notes []followup.Note, here followup.Object) (t components.Timeline) {
	for _, n := range notes {
		day := n.CreatedAt.In(calendar.SAST).Format("2 January 2006")
		if len(t.Days) == 0 || t.Days[len(t.Days)-1].Label != day {
			t.Days = append(t.Days, components.Day{Label: day})
		}
		e := components.Entry{Icon: "edit", Text: NoteText(n), Actor: n.Author, At: words.Moment(n.CreatedAt)}
		if n.IsCall() {
			e.Icon = "phone"
		}
		if about := (followup.Object{Type: n.ObjectType, ID: n.ObjectID}); about != here {
			if of, href := noteAbout(about); of != "" {
				e.Actor, e.Href = words.JoinedWords(", ", e.Actor, of), href
			}
		}
		last := &t.Days[len(t.Days)-1]
		last.Entries = append(last.Entries, e)
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

// noteAbout says about what a note is, with the page of that.
func noteAbout(o followup.Object) (of, href string) {
	switch o.Type {
	case followup.Client:
		return "about the client", words.ClientHref(o.ID)
	case followup.Purchase:
		return "about a purchase", words.PurchasePath(o.ID)
	case followup.Mandate:
		return "about a mandate", words.MandatePath(o.ID)
	case followup.Token:
		return "about a token", words.TokenPath(o.ID)
	case followup.Debit, followup.Invoice, followup.Subscriber, followup.Mail, followup.Promised:
	}
	return "", ""
}

// promiseWords are where a promise stands.
var promiseWords = map[followup.PromiseState]string{followup.Open: "open", followup.Kept: "kept",
	followup.Broken: "broken", followup.Withdrawn: "withdrawn"}

// PromiseLine puts a promise into words.
func PromiseLine(p followup.Promise, now time.Time) pages.NextLine {
	line := pages.NextLine{Text: "Promised for " + words.SayDay(p.DueOn, now), Sum: words.Sum(p.AmountCents, p.Currency),
		Reference: promiseWords[p.Standing(calendar.DateOf(now))]}
	if p.PurchaseID != uuid.Nil {
		line.Href = words.PurchasePath(p.PurchaseID)
	}
	return line
}
