package kit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
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

// changeWords lists what an entry changed: "city: Durban → Cape Town".
func changeWords(e audit.Entry) string {
	names := make([]string, 0, len(e.After))
	for name := range e.After {
		names = append(names, name)
	}
	slices.Sort(names)
	lines := make([]string, len(names))
	for i, name := range names {
		if before, changed := e.Before[name]; changed {
			lines[i] = fmt.Sprintf("%s: %s → %s", FieldWords(name), FactWords(name, before), FactWords(name, e.After[name]))
		} else {
			lines[i] = fmt.Sprintf("%s: %s", FieldWords(name), FactWords(name, e.After[name]))
		}
	}
	return strings.Join(lines, " · ")
}

func FieldWords(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(name, "_cents"), "_", " ")
}

// FactWords writes a value as an audit entry keeps it: cents under names that say so, moments as Unix seconds.
func FactWords(name string, fact any) string {
	switch v := fact.(type) {
	case nil:
		return "nothing"
	case string:
		if v == "" {
			return "nothing"
		}
		return v
	case float64:
		switch {
		case strings.HasSuffix(name, "_cents"):
			return money.Format(int64(v), "ZAR")
		case v > 1e9 && (name == "due" || strings.HasSuffix(name, "_on") || strings.HasSuffix(name, "_at")):
			return words.Moment(time.Unix(int64(v), 0)).Text
		}
		return strings.Replace(strconv.FormatFloat(v, 'f', -1, 64), ".", ",", 1)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		words := make([]string, len(v))
		for i, one := range v {
			words[i] = FactWords(name, one)
		}
		return strings.Join(words, ", ")
	case map[string]any:
		return groupWords(v)
	}
	return fmt.Sprint(fact)
}

// groupWords writes what stands together: "max amount R 225,00, value type FIXED". What was left out is not said.
func groupWords(group map[string]any) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(group)) {
		if group[name] != nil {
			out = append(out, FieldWords(name)+" "+FactWords(name, group[name]))
		}
	}
	return strings.Join(out, ", ")
}
