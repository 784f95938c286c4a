package kit

import (
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/followup"
	"debitdesk/views/components"
)

// NotesTimeline puts notes and calls into words, grouped by day, newest first.
func NotesTimeline(notes []followup.Note) (t components.Timeline) {
	for _, n := range notes {
		day := n.CreatedAt.In(calendar.SAST).Format("2 January 2006")
		if len(t.Days) == 0 || t.Days[len(t.Days)-1].Label != day {
			t.Days = append(t.Days, components.Day{Label: day})
		}
		e := components.Entry{Icon: "edit", Text: n.Text, Actor: n.Author, At: words.Moment(n.CreatedAt)}
		if n.IsCall() {
			e.Icon, e.Text = "phone", words.JoinedWords(". ", "Call: "+n.Outcome.Label(), words.PhoneWords(n.Phone), n.Text)
		}
		last := &t.Days[len(t.Days)-1]
		last.Entries = append(last.Entries, e)
	}
	return t
}
