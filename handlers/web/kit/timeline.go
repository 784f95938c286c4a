package kit

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/views/components"
)

// timelineLength is how many events a detail page shows at once.
const timelineLength = 20

// EventsAsk reads where the time line of a page begins (?events=).
func EventsAsk(c echo.Context) paging.Ask {
	ask := paging.Ask{Limit: timelineLength}
	ask.From, _ = uuid.Parse(c.QueryParam("events"))
	return ask
}

// History puts entries into words, grouped by day, newest first. href gives the
// address of the record an entry is about, or nothing.
func History(page paging.Page[audit.Entry], href func(audit.Entry) string) components.Timeline {
	var t components.Timeline
	for _, e := range page.Items {
		icon, kind := eventLook(e.Action)
		entry := components.Entry{Icon: icon, Kind: kind, Text: e.Text, Actor: ActorWords(e.Actor), At: words.Moment(e.At),
			Detail: changeWords(e)}
		if href != nil {
			entry.Href = href(e)
		}
		addEntry(&t, e.At, entry)
	}
	return t
}

// addEntry puts what happened next under its day.
func addEntry(t *components.Timeline, at time.Time, e components.Entry) {
	day := at.In(calendar.SAST).Format("2 January 2006")
	if n := len(t.Days); n == 0 || t.Days[n-1].Label != day {
		t.Days = append(t.Days, components.Day{Label: day})
	}
	last := &t.Days[len(t.Days)-1]
	last.Entries = append(last.Entries, e)
}

func ActorWords(who actor.Actor) string {
	if who.Kind == actor.Credential {
		return who.Name + " (API)"
	}
	return who.Name
}

// looks are the drawing and the colour of an event, by the beginning of its action.
var looks = []struct{ action, icon, kind string }{
	{"client.revealed", "eye", "wait"},
	{"client.deleted", "trash", "bad"},
	{"client.", "user", ""},
	{"token.deleted", "trash", "bad"},
	{"token.blocked", "alert", "bad"},
	{"token.", "key", "progress"},
	{"mandate.accepted", "done", "done"},
	{"mandate.rejected", "alert", "bad"},
	{"mandate.no_response", "alert", "bad"},
	{"mandate.failed", "alert", "bad"},
	{"mandate.suspended", "alert", "bad"},
	{"mandate.requested", "phone", "wait"},
	{"mandate.sent", "phone", "wait"},
	{"mandate.fallback", "phone", "wait"},
	{"mandate.", "bank", "progress"},
	{"purchase.paid", "done", "done"},
	{"purchase.error", "alert", "bad"},
	{"purchase.chargeback", "alert", "bad"},
	{"purchase.cancelled", "x", ""},
	{"purchase.", "receipt", "progress"},
	{"followup.called", "phone", ""},
	{"followup.promise", "calendar", "wait"},
	{"followup.", "edit", ""},
	{"invoice.", "file", ""},
	{"collection.", "bank", "progress"},
	{"refund.", "receipt", "wait"},
	{"mail.", "mail", ""},
	{"template.", "repeat", "progress"},
	{"billing_template", "repeat", "progress"},
	{"subscriber.", "repeat", "progress"},
	{"subscription.", "repeat", "progress"},
}

func eventLook(action string) (icon, kind string) {
	for _, l := range looks {
		if strings.HasPrefix(action, l.action) {
			return l.icon, l.kind
		}
	}
	return "info", ""
}
