package settings

import (
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Rules are the days and times by which debits run, the very ones that the use
// cases obey.
type Rules struct {
	Calendar  *calendar.Calendar
	Timetable collection.Timetable
	Window    mandate.Window
}

const (
	yearAhead   = 365 // days that the page shows
	weekdayForm = "Monday 2 January 2006"
)

var methodsShown = []struct {
	method bank.Method
	word   string
}{{bank.EFT, "EFT debit orders"}, {bank.DebiCheck, "DebiCheck"}}

// Calendar serves GET /settings/calendar: the closed days ahead, and what a day
// becomes.
func (h *Settings) Calendar(c echo.Context) error {
	who := access.Actor(c)
	brands, err := h.Brands.Store.Brands(c.Request().Context(), who.MerchantID)
	if err != nil {
		return err
	}
	now := h.Desk.Now()
	today := calendar.DateOf(now)
	v := pages.CalendarView{}
	for day, left := today, yearAhead; left > 0; day, left = day.AddDays(1), left-1 {
		if name, holiday := h.Rules.Calendar.Holiday(day); holiday {
			v.Days = append(v.Days, pages.ClosedDay{Date: words.DayTime(day), Weekday: day.Format("Monday"), Name: name})
		}
	}
	for _, m := range methodsShown {
		v.Methods = append(v.Methods, pages.MethodTimes{Name: m.word, Lines: h.Rules.words(m.method, now)})
	}
	asked := hardDay(h.Rules.Calendar, today)
	text := c.QueryParam("day")
	v.Try = components.DateField{Label: "Debit due on", Name: "day", Value: asked.String(), Min: today.String(),
		Required: true}
	if text != "" {
		day, err := calendar.ParseDate(text)
		switch {
		case err != nil:
			v.Try.Value, v.Try.Error = text, "Enter a date, such as "+asked.String()+"."
		case day.Before(today) || day.DaysSince(today) > 10*yearAhead:
			v.Try.Value, v.Try.Error = text, "Enter a day of the next ten years."
		default:
			asked, v.Try.Value = day, text
		}
	}
	for _, b := range brands {
		v.Examples = append(v.Examples, h.Rules.example(b, asked, now)...)
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Calendar", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Calendar(f, v) })
}

// words say when debits of a method go out and come back.
func (r Rules) words(m bank.Method, now time.Time) []string {
	t := r.Timetable.For(m)
	out := []string{
		"A debit goes to the bank " + t.SubmitWords() + ".",
	}
	if least := t.MinimumWords(); least != "" {
		out = append(out, "A debit must be due at least "+least+" ahead.")
	}
	if m == bank.DebiCheck {
		return append(out,
			"Banks debit early in the morning, from Monday to Saturday. They are closed on Sundays and public holidays.",
			fmt.Sprintf(
				"The answer comes at %s SAST on the debit day, and on later days while the debit is tracked. "+
					"A debit that is collected is not returned unpaid; it can be disputed only where it differs from the mandate.",
				t.ProvisionalAt,
			),
			fmt.Sprintf(
				"Clients can be asked in real time from %s to %s SAST, every day of the year; "+
					"outside these hours they get a delayed request.",
				r.Window.Opens,
				r.Window.Closes,
			))
	}
	return append(out,
		"Banks debit from Monday to Friday. They are closed on Saturdays, Sundays and public holidays.",
		fmt.Sprintf(
			"A provisional answer comes at %s SAST on the debit day; debits can be returned at %s SAST of the %s that follow, "+
				"and can no longer be returned after that.",
			t.ProvisionalAt,
			t.ReturnsAt,
			plural.Of(t.ReturnDays(calendar.DateOf(now)), "business day"),
		),
		words.DisputeWords(t.Disputes(calendar.DateOf(now), now)))
}

// hardDay is the next Sunday beside a public holiday, on which it shows best what
// closed days do.
func hardDay(cal *calendar.Calendar, today calendar.Date) calendar.Date {
	plain := calendar.Date{}
	for n := 7; n < yearAhead; n++ {
		day := today.AddDays(n)
		if day.Weekday() != time.Sunday {
			continue
		}
		_, before := cal.Holiday(day.AddDays(-2))
		_, after := cal.Holiday(day.AddDays(1))
		if before || after {
			return day
		}
		if plain.IsZero() {
			plain = day
		}
	}
	return plain
}

// example says for each method of a brand where a debit due on a day goes.
func (r Rules) example(b merchant.Brand, due calendar.Date, now time.Time) (out []string) {
	for _, m := range methodsShown {
		t := r.Timetable.For(m.method)
		p := t.Plan(r.Calendar, t.DueOn(due), b.ShiftFor(m.method), now)
		text := fmt.Sprintf("%s, %s: a debit due on %s goes to the bank by %s, %s SAST, and is debited on %s", b.Name, m.word,
			due.Format(weekdayForm),
			calendar.DateOf(p.SubmitAt).Format(weekdayForm), p.SubmitAt.In(calendar.SAST).Format("15:04"),
			p.ActionDate.Format(weekdayForm))
		switch {
		case p.Late:
			text += ", since the cut-off for that day has passed."
		case p.Moved():
			text += ", since banks are closed (" + p.Closed + ")."
		default:
			text += "."
		}
		out = append(out, text)
	}
	return out
}
