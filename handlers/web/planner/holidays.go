package planner

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/planner"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const holidaysPath = path + "/holidays"

// Holidays serves GET /calendar/holidays: what a holiday would move that is proclaimed or taken back, before anybody
// does so, and what those moved that are known.
func (h *Planner) Holidays(c echo.Context) error {
	return h.holidays(c, http.StatusOK, c.QueryParam("day"), "", nil)
}

// AddHoliday serves POST /calendar/holidays: a day that was declared closes the banks from now on.
func (h *Planner) AddHoliday(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, name := c.Request().Context(), form.Get("name")
	day, err := calendar.ParseDate(form.Get("day"))
	if err != nil {
		return h.holidays(c, http.StatusUnprocessableEntity, form.Get("day"), name, nil)
	}
	planned, err := h.Days.Add(ctx, access.Actor(c), calendar.Change{Day: day, Name: name})
	if byInput, _, invalid := kit.Problems(err); invalid {
		return h.holidays(c, http.StatusUnprocessableEntity, day.String(), name, byInput)
	}
	if err != nil {
		return err
	}
	known, err := h.Proclaimed(ctx)
	if err != nil {
		return err
	}
	h.Service.Calendar.Replace(known...) // others follow within a minute
	text := day.Format("Mon 2 Jan 2006") + " is a public holiday now."
	if planned > 0 {
		text += " " + plural.Of(planned, "debit") + " planned for it " +
			plural.Pick(planned, "keeps its date", "keep their dates") + " until you move them below."
	}
	return access.RedirectWithFlash(c, "ok", text, kit.Address(holidaysPath, url.Values{"day": {day.String()}}))
}

// MoveOff serves POST /calendar/holidays/moves: planned debits that lie on a holiday move off it.
func (h *Planner) MoveOff(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	day, err := calendar.ParseDate(form.Get("day"))
	if err != nil {
		return h.holidays(c, http.StatusUnprocessableEntity, form.Get("day"), "", nil)
	}
	to := kit.Address(holidaysPath, url.Values{"day": {day.String()}})
	moved, err := h.Debits.MoveOffHoliday(c.Request().Context(), access.Actor(c), day, form.Get("seen"))
	if fault.HasCode(err, "stakes_grew") || fault.HasCode(err, "no_holiday") {
		return access.RedirectWithFlash(c, "bad", err.Error(), to)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", plural.Of(moved, "debit")+" moved. The audit lists each.", to)
}

// lying lists the debits that lie on a day, and where they would move by a calendar.
func (h *Planner) lying(c echo.Context, day calendar.Date, by *calendar.Calendar, v *pages.HolidaysView) error {
	who, now := access.Actor(c), h.Desk.Now()
	all, err := h.Debits.HolidayMoves(c.Request().Context(), who, day, by)
	if err != nil {
		return err
	}
	for _, one := range all.All {
		line := pages.LyingDebit{Name: words.JoinedWords(" · ",
			words.Reference(one.Purchase), one.Payer.Name()), Href: words.PurchasePath(one.ID),
			Sum: words.Sum(one.Collection.AmountCents, one.Collection.Currency), Why: one.Why}
		if !one.To.IsZero() {
			line.To = words.SayDay(one.To, now)
		}
		v.Lying = append(v.Lying, line)
	}
	if all.More {
		v.LyingMore = "There are more. They can be moved after these."
	}
	_, holiday := h.Service.Calendar.Holiday(day)
	if n := all.Movable(); n > 0 && holiday && who.Can(actor.Manage) {
		v.MoveDay, v.MoveSeen, v.MoveButton = day.String(), all.Digest(), "Move "+plural.Of(n, "debit")
	}
	return nil
}

// holidays shows the page for a day that was asked for, with what was typed to add it.
func (h *Planner) holidays(c echo.Context, status int, text, name string, wrong map[string]string) error {
	now := h.Desk.Now()
	today := calendar.DateOf(now)
	known, err := h.Proclaimed(c.Request().Context())
	if err != nil {
		return err
	}
	v := pages.HolidaysView{Date: components.DateField{Label: "Day", Name: "day", Value: text,
		Min: today.String(), Required: true, Hint: "A day that may become a public holiday, or that is one now."}}
	for _, k := range known {
		what := "Banks are closed"
		if k.Open {
			what = "Banks are open"
		}
		v.Known = append(v.Known, pages.KnownHoliday{Date: words.DayTime(k.Day), Name: k.Name, What: what,
			Href: kit.Address(holidaysPath, url.Values{"day": {k.Day.String()}})})
	}
	if text != "" {
		day, err := calendar.ParseDate(text)
		switch {
		case err != nil:
			v.Date.Error = "Enter a day, such as " + today.AddDays(30).String() + "."
		case day.Before(today.AddDays(-yearOf)) || day.After(today.AddDays(yearOf)):
			v.Date.Error = "Enter a day of the year before or after today."
		default:
			if err := h.effect(c, day, known, &v); err != nil {
				return err
			}
			if err := h.offer(c, day, name, wrong, &v); err != nil {
				return err
			}
		}
	}
	return h.Desk.ShowIn(c, status, "What a moved holiday changes", section,
		func(f layout.Frame) templ.Component { return pages.Holidays(f, v) })
}

const yearOf = 366

// offer lets an admin add a day that lies ahead and is no holiday yet, or says who can.
func (h *Planner) offer(c echo.Context, day calendar.Date, name string, wrong map[string]string,
	v *pages.HolidaysView) error {
	if _, holiday := h.Service.Calendar.Holiday(day); holiday || day.Before(calendar.DateOf(h.Desk.Now())) {
		return nil
	}
	switch f, refused := fault.From(h.Days.MayAdd(c.Request().Context(), access.Actor(c))); {
	case refused && f.Kind == fault.Forbidden:
		v.WhyNotAdd = f.Message
	default:
		v.AddDay = day.String()
		v.Name = components.Field{Name: "name", Label: "Name of the day", Value: name, Error: wrong["name"], Required: true,
			Hint: "As it was declared, such as Election day."}
	}
	return nil
}

// effect rehearses the change that is possible for a day: a known one is compared with the calendar without it, another
// becomes a holiday, or is one no longer.
func (h *Planner) effect(c echo.Context, day calendar.Date, known []calendar.Change, v *pages.HolidaysView) error {
	before := h.Service.Calendar
	name, holiday := before.Holiday(day)
	v.Title = "If " + day.Format("Mon 2 Jan 2006") + " becomes a public holiday"
	after := before.With(calendar.Change{Day: day, Name: "Public holiday", Open: holiday})
	if holiday {
		v.Title = "If " + day.Format("Mon 2 Jan 2006") + ", " + name + ", is not a public holiday"
	}
	for _, k := range known {
		if k.Day == day {
			before, after = before.Without(day), h.Service.Calendar
			v.Title = "Changed already: " + day.Format("Mon 2 Jan 2006") + ", " + k.Name
		}
	}
	e, err := h.Service.Effect(c.Request().Context(), access.Actor(c), day, before, after)
	if err != nil {
		return err
	}
	now := h.Desk.Now()
	v.Shown = true
	for _, by := range []*calendar.Calendar{h.Service.Calendar, after} {
		if _, closed := by.Holiday(day); closed && !day.Before(calendar.DateOf(now)) {
			if err := h.lying(c, day, by, v); err != nil {
				return err
			}
			break
		}
	}
	if e.Planned.N > 0 {
		v.Planned = kit.Opens(tallyWords(e.Planned, "debit"), scheduledHref(day, ""), e.Planned.N, e.Planned.Cents)
	}
	v.Unsure = e.BillsUnknown
	for _, m := range e.Moves {
		v.Moves = append(v.Moves, moveLine(m, now))
	}
	return nil
}

// scheduledHref is the list of the debits that are planned for a day and not with the bank yet.
func scheduledHref(day calendar.Date, method bank.Method) string {
	return purchases.DebitsOf("scheduled", method, day, day)
}

func moveLine(m planner.Move, now time.Time) pages.HolidayMove {
	method := "EFT"
	if m.Method == bank.DebiCheck {
		method = "DebiCheck"
	}
	line := pages.HolidayMove{Due: words.SayDay(m.Due, now), Method: method, Brands: strings.Join(m.Brands, ", "),
		Debit:  moved(words.SayDay(m.Was.ActionDate, now), words.SayDay(m.Is.ActionDate, now)),
		CutOff: moved(words.SayMinute(m.Was.SubmitAt, now), words.SayMinute(m.Is.SubmitAt, now)),
		Answer: moved(words.SayMinute(m.Was.ProvisionalAt, now), words.SayMinute(m.Is.ProvisionalAt, now)),
		Final:  moved(words.SayMinute(m.Was.FinalAt, now), words.SayMinute(m.Is.FinalAt, now))}
	if m.Method == bank.DebiCheck {
		line.Final = pages.Moved{Is: "no return window"}
	}
	if m.Planned.N > 0 {
		line.Planned = kit.Opens(tallyWords(m.Planned, "debit"), scheduledHref(m.Was.ActionDate, m.Method), m.Planned.N,
			m.Planned.Cents)
	}
	if m.Bills.N > 0 {
		line.Bills = plural.Of(m.Bills.N, "subscription") + " · " + words.Sum(m.Bills.Cents, money.ZAR)
	}
	return line
}

// moved is what was and what is; the first is left out where they are the same.
func moved(was, is string) pages.Moved {
	if was == is {
		was = ""
	}
	return pages.Moved{Was: was, Is: cmp.Or(is, "–")}
}
