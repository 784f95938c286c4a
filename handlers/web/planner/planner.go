// Package planner serves the calendar: what each day of a month or a week brings.
package planner

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/holiday"
	"debitdesk/models/planner"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Planner serves the calendar.
type Planner struct {
	Desk    *kit.Desk
	Service *planner.Service
	Exports *kit.Exports
	// Subscriptions tells which periods will be billed.
	Subscriptions *subscription.Service
	// Days adds days, and Debits moves what lies on them.
	Days   *holiday.Service
	Debits *purchase.Service
	// Proclaimed are the days that were changed for the whole installation.
	Proclaimed func(context.Context) ([]calendar.Change, error)
}

const (
	path    = "/calendar"
	section = "calendar"
	// firstYear and lastYear bound the days that can be asked for.
	firstYear, lastYear = 2000, 2100
)

// span is the days that a page shows.
type span struct {
	view           string // month, week or day
	at             calendar.Date
	from, to       calendar.Date
	earlier, later calendar.Date
}

var views = []string{"month", "week", "day"}

// spanOf reads which days a page shows: the month of today unless the address says otherwise.
func spanOf(c echo.Context, today calendar.Date) (s span, notices []string) {
	s.view, s.at = cmp.Or(c.QueryParam("view"), "month"), today
	if !slices.Contains(views, s.view) {
		notices = append(notices, "‘"+s.view+"’ is not a view of the calendar. Showing the month.")
		s.view = "month"
	}
	if text := c.QueryParam("day"); text != "" {
		day, err := calendar.ParseDate(text)
		if err != nil || day.Year < firstYear || day.Year > lastYear {
			notices = append(notices, "‘"+text+"’ is not a day of the calendar. Showing today.")
		} else {
			s.at = day
		}
	}
	switch s.view {
	case "day":
		s.from, s.to = s.at, s.at
		s.earlier, s.later = s.at.AddDays(-1), s.at.AddDays(1)
	case "week":
		s.from = monday(s.at)
		s.to = s.from.AddDays(6)
		s.earlier, s.later = s.from.AddDays(-7), s.from.AddDays(7)
	default:
		first := s.at.FirstDayOfMonth()
		s.from, s.to = monday(first), monday(first.LastDayOfMonth()).AddDays(6)
		s.earlier, s.later = calendar.On(first.Year, first.Month-1, 1), calendar.On(first.Year, first.Month+1, 1)
	}
	return s, notices
}

func monday(d calendar.Date) calendar.Date { return d.AddDays(1 - d.ISOWeekday()) }

func (s span) title() string {
	switch s.view {
	case "day":
		return s.at.Format("Monday, 2 January 2006")
	case "week":
		from := "2 January"
		switch {
		case s.from.Year != s.to.Year:
			from = "2 January 2006"
		case s.from.Month == s.to.Month:
			from = "2"
		}
		return s.from.Format(from) + " to " + s.to.Format("2 January 2006")
	}
	return s.at.Format("January 2006")
}

// href is the calendar at a day in a view.
func href(view string, day calendar.Date) string {
	q := url.Values{"day": {day.String()}}
	if view != "month" {
		q.Set("view", view)
	}
	return kit.Address(path, q)
}

// Show serves GET /calendar.
func (h *Planner) Show(c echo.Context) error {
	now := h.Desk.Now()
	today := calendar.DateOf(now)
	s, notices := spanOf(c, today)
	days, err := h.Service.Days(c.Request().Context(), access.Actor(c), s.from, s.to)
	if err != nil {
		return err
	}
	v := pages.PlannerView{Title: s.title(), View: s.view, Notices: notices, Today: href(s.view, today),
		Earlier: href(s.view, s.earlier), Later: href(s.view, s.later), AsOf: now.In(calendar.SAST).Format(words.MinuteForm),
		Window: h.windowWords(), HolidaysHref: holidaysPath}
	for _, view := range views {
		v.Views = append(v.Views, components.Tab{Label: words.Capital(view), Href: href(view, s.at), Active: view == s.view})
	}
	all := planner.Debits{}
	for i, d := range days {
		day := h.dayView(d, now)
		day.Today, day.Outside = d.Date == today, s.view == "month" && d.Date.Month != s.at.Month
		if i%7 == 0 {
			v.Weeks = append(v.Weeks, nil)
		}
		week := &v.Weeks[len(v.Weeks)-1]
		*week = append(*week, day)
		if !day.Outside {
			all.All.N, all.All.Cents = all.All.N+d.Debits.All.N, all.All.Cents+d.Debits.All.Cents
		}
	}
	v.Total = h.total(s, all)
	return h.Desk.ShowIn(c, http.StatusOK, "Calendar", section,
		func(f layout.Frame) templ.Component { return pages.Planner(f, v) })
}

func (h *Planner) windowWords() string {
	w := h.Service.Window
	return "Clients can be asked to confirm DebiCheck mandates in real time from " + w.Opens.String() + " to " +
		w.Closes.String() + " SAST, every day of the year."
}

// total is what the debits of all days come to that the page is about.
func (h *Planner) total(s span, all planner.Debits) components.Figure {
	from, to := s.from, s.to
	if s.view == "month" {
		from = s.at.FirstDayOfMonth()
		to = from.LastDayOfMonth()
	}
	if all.All.N == 0 {
		return components.Figure{}
	}
	return debitsFigure("debit", all.All, "standing", from, to)
}

// at writes the time of day of a line.
func at(moment time.Time) string { return moment.In(calendar.SAST).Format("15:04") }
