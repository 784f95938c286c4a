package web

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// days knows the timetable of debits, for date pickers.
type days struct {
	rules collection.Timetable
	cal   *calendar.Calendar
	now   time.Time
}

func (p *Purchases) days() days {
	return days{p.Service.Timetable, p.Service.Calendar, p.Desk.Now()}
}

// pickerMonths is how far the picker shows; later days are typed.
const pickerMonths = 2

// picker shows the months from the earliest possible day on. Each day that
// cannot be taken says why, the others until when the debit can be cancelled.
func (d days) picker(form url.Values, wrong string, shift calendar.Shift, attrs templ.Attributes) components.DayPicker {
	first := d.rules.EarliestDue(d.cal, d.now)
	out := components.DayPicker{Label: "Debit on", Name: "due", Value: form.Get("due"), Error: wrong, Attrs: attrs,
		Hint: "The earliest day is " + sayDay(first, d.now) + ". Weekends and public holidays are closed at the banks."}
	month := calendar.On(first.Year, first.Month, 1)
	for range pickerMonths {
		out.Months = append(out.Months, d.month(month, shift))
		month = month.AddMonths(1, 1)
	}
	return out
}

// shownUntil is the last day that the picker shows.
func (d days) shownUntil() calendar.Date {
	return d.rules.EarliestDue(d.cal, d.now).AddMonths(pickerMonths-1, 99)
}

func (d days) month(first calendar.Date, shift calendar.Shift) components.PickMonth {
	m := components.PickMonth{Label: first.Format("January 2006")}
	week := make([]components.PickDay, (int(first.Weekday())+6)%7)
	for day := first; day.Month == first.Month; day = day.AddDays(1) {
		week = append(week, d.square(day, shift))
		if len(week) == 7 {
			m.Weeks, week = append(m.Weeks, week), nil
		}
	}
	if len(week) > 0 {
		m.Weeks = append(m.Weeks, append(week, make([]components.PickDay, 7-len(week))...))
	}
	return m
}

func (d days) square(day calendar.Date, shift calendar.Shift) components.PickDay {
	choice := d.rules.Choose(d.cal, day, shift, d.now)
	square := components.PickDay{Number: day.Format("2"), Value: day.String(), Spoken: day.Format("Monday 2 January"), Why: choice.Reason, Today: day == dateOf(d.now)}
	switch {
	case day.Before(dateOf(d.now)):
		square.Why = "This day is over."
	case choice.Possible:
		square.Spoken += ", can be cancelled until " + sayMinute(choice.SubmitBy, d.now)
	}
	return square
}

// typed is the day that a form names: one that was typed counts more than one
// that was picked.
func (d days) typed(form url.Values) (calendar.Date, error) {
	for _, name := range []string{"due_other", "due"} {
		text := form.Get(name)
		if text == "" {
			continue
		}
		day, err := calendar.ParseDate(text)
		if err != nil {
			return calendar.Date{}, fault.At(name, "invalid", "Give a date such as %s.", d.rules.EarliestActionDate(d.cal, d.now))
		}
		return day, nil
	}
	return calendar.Date{}, nil
}

// other is the input for days that the picker does not show.
func (d days) other(form url.Values, wrong string) components.DateField {
	return components.DateField{Label: "Or another day", Name: "due_other", Value: form.Get("due_other"), Error: wrong,
		Min: d.rules.EarliestDue(d.cal, d.now).String(), Hint: "Later than the months above. A closed day moves, as the mandate says."}
}

// plan says in words when everything about a debit on that day happens.
func (d days) plan(day calendar.Date, shift calendar.Shift) pages.PlanView {
	if day.IsZero() {
		return pages.PlanView{}
	}
	due := d.rules.DueOn(day)
	if d.rules.TooSoon(due, d.now) {
		return pages.PlanView{Problem: d.rules.Choose(d.cal, day, shift, d.now).Reason}
	}
	plan := d.rules.Plan(d.cal, due, shift, d.now)
	return pages.PlanView{Note: plan.Note(), Steps: []components.Fact{
		{Label: "To the bank", Value: sayMinute(plan.SubmitAt, d.now) + "; can be cancelled until then"},
		{Label: "Debit", Value: sayDay(plan.ActionDate, d.now)},
		{Label: "First answer", Value: sayMinute(plan.ProvisionalAt, d.now)},
		{Label: "Final", Value: sayMinute(plan.FinalAt, d.now)},
	}}
}

func dateOf(at time.Time) calendar.Date { return calendar.DateOf(at) }
