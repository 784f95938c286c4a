package web

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// days knows when debits of one method and brand run, for date pickers and for the sentences beside them.
type days struct {
	collection.Schedule
	method bank.Method
	now    time.Time
	terms  *mandate.Mandate // of the account that is debited, where its mandate names the days
	cal    *calendar.Calendar
}

// days are those of an account's method, and within what its mandate allows.
func (p *Purchases) days(b merchant.Brand, from account) days {
	return daysOf(p.Service, b, from.method(), p.Desk.Now()).within(from.Mandate)
}

// anyDays are days of no account yet: enough to read one that was typed.
func (p *Purchases) anyDays() days { return p.days(merchant.Brand{}, account{}) }

// String tells pickers apart that offer other days.
func (d days) String() string {
	if d.terms != nil {
		return string(d.method) + " " + d.terms.Days()
	}
	return string(d.method)
}

// dueInput is the input that a problem with the day belongs to.
func dueInput(form url.Values) string {
	if form.Get("due_other") != "" {
		return "due_other"
	}
	return "due"
}

// problems are those of a forecast at the inputs of a form.
func (d days) problems(found fault.Problems, form url.Values, day calendar.Date) (out fault.Problems) {
	for _, p := range found {
		switch p.Path {
		case purchase.AtDue:
			p.Path = dueInput(form)
			p.Message = d.dueWords(p, day)
		case purchase.AtAmount:
			p.Path = fault.All
		}
		out = append(out, p)
	}
	return out
}

// dueWords is a problem with the day; of one that lies within the lead it names the earliest day.
func (d days) dueWords(wrong fault.Field, day calendar.Date) string {
	if wrong.Code == "due_too_soon" && d.TooSoon(d.DueOn(day), d.now) {
		return d.Choose(day, d.now).Reason
	}
	return wrong.Message
}

func daysOf(s *purchase.Service, b merchant.Brand, m bank.Method, now time.Time) days {
	return days{Schedule: s.Schedule(b, m), method: m, now: now, cal: s.Calendar}
}

func (d days) within(m mandate.Mandate) days {
	if m.Terms != nil && !m.Terms.AllowDateAdjustment {
		d.terms = &m
	}
	return d
}

// account is a stored account that can be chosen, with its mandate; its zero value stands for none.
type account struct {
	token.Token
	Mandate mandate.Mandate
}

func (a account) method() bank.Method { return bank.Method(cmp.Or(a.Method, purchase.EFT)) }

// chosenAccount is the account that a form names, or the first.
func (p *Purchases) chosenAccount(ctx context.Context, who actor.Actor, usable []token.Token, form url.Values) (account, error) {
	chosen := tokenCards(usable, form.Get("recurring_token"), "").Value
	for _, t := range usable {
		if t.ID.String() == chosen {
			m, err := p.Service.Read.Mandate(ctx, who.MerchantID, t.MandateID)
			return account{t, m}, err
		}
	}
	return account{}, nil
}

// pickerMonths is how far the picker shows; later days are typed.
const pickerMonths = 2

// picker shows the months from the earliest possible day on. Each day that
// cannot be taken says why, the others until when the debit can be cancelled.
func (d days) picker(form url.Values, wrong string, attrs templ.Attributes) components.DayPicker {
	first := d.EarliestDue(d.now)
	out := components.DayPicker{Label: "Debit on", Name: "due", Value: form.Get("due"), Error: wrong, Attrs: attrs,
		Hint: "The earliest day is " + sayDay(first, d.now) + ". " + d.closedWords()}
	month := calendar.On(first.Year, first.Month, 1)
	for range pickerMonths {
		out.Months = append(out.Months, d.month(month))
		month = month.AddMonths(1, 1)
	}
	return out
}

// shownUntil is the last day that the picker shows.
func (d days) shownUntil() calendar.Date {
	return d.EarliestDue(d.now).AddMonths(pickerMonths-1, 99)
}

func (d days) month(first calendar.Date) components.PickMonth {
	m := components.PickMonth{Label: first.Format("January 2006")}
	week := make([]components.PickDay, (int(first.Weekday())+6)%7)
	for day := first; day.Month == first.Month; day = day.AddDays(1) {
		week = append(week, d.square(day))
		if len(week) == 7 {
			m.Weeks, week = append(m.Weeks, week), nil
		}
	}
	if len(week) > 0 {
		m.Weeks = append(m.Weeks, append(week, make([]components.PickDay, 7-len(week))...))
	}
	return m
}

// closedWords says on which days nothing runs.
func (d days) closedWords() string {
	if d.method == bank.DebiCheck {
		return "DebiCheck debits run from Monday to Saturday, not on public holidays."
	}
	return "Weekends and public holidays are closed at the banks."
}

func (d days) square(day calendar.Date) components.PickDay {
	choice := d.Choose(day, d.now)
	square := components.PickDay{Number: day.Format("2"), Value: day.String(), Spoken: day.Format("Monday 2 January"), Why: choice.Reason, Today: day == dateOf(d.now)}
	switch {
	case day.Before(dateOf(d.now)):
		square.Why = "This day is over."
	case choice.Possible && d.terms != nil && !d.terms.Agreed(choice.ActionDate, d.cal):
		square.Why = "The mandate of this account allows debits " + d.terms.Days() + " only."
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
			return calendar.Date{}, fault.At(name, "invalid", "Give a date such as %s.", d.Earliest(d.now))
		}
		return day, nil
	}
	return calendar.Date{}, nil
}

// other is the input for days that the picker does not show.
func (d days) other(form url.Values, wrong string) components.DateField {
	return components.DateField{Label: "Or another day", Name: "due_other", Value: form.Get("due_other"), Error: wrong,
		Min: d.EarliestDue(d.now).String(), Hint: "For a day after the months above. A debit on a closed day moves, as the mandate says."}
}

// forecast says in words what a debit does, and everything that stands against it. A total that is not known yet is no
// problem.
func (d days) forecast(f purchase.Forecast, known bool) (v pages.PlanView) {
	for _, wrong := range f.Problems {
		switch {
		case wrong.Path == purchase.AtDue:
			v.Problems = append(v.Problems, d.dueWords(wrong, f.Plan.OriginalDate))
		case known || wrong.Path != purchase.AtAmount:
			v.Problems = append(v.Problems, wrong.Message)
		}
	}
	if f.Token.ID == uuid.Nil || f.Problems.Has(purchase.AtDue) {
		return v
	}
	plan := f.Plan
	v.Note, v.Disputable = plan.Note(), disputableWords(f, d.now)
	v.Steps = []components.Fact{
		{Label: "To the bank", Value: sayMinute(plan.SubmitAt, d.now) + "; can be cancelled until then"},
		{Label: "Debit", Value: sayDay(plan.ActionDate, d.now)},
		{Label: "First answer", Value: sayMinute(plan.ProvisionalAt, d.now)},
	}
	if d.method != bank.DebiCheck { // there the first answer is the last
		v.Steps = append(v.Steps, components.Fact{Label: "No return after", Value: sayMinute(plan.FinalAt, d.now)})
	}
	return v
}

// disputableWords warns that the payer could dispute a debit, where the mandate promises otherwise.
func disputableWords(f purchase.Forecast, now time.Time) string {
	if f.Mandate.Kind != mandate.DebiCheck || len(f.Because) == 0 {
		return ""
	}
	words := make([]string, len(f.Because))
	for i, b := range f.Because {
		words[i] = becauseWords[b]
	}
	return "The client could dispute this debit until " + sayDay(f.Plan.DisputeDeadline, now) + ": " + strings.Join(words, ", ") + "."
}

// sayFault is a refusal in words, without the names of fields.
func sayFault(err error) string {
	if f, ok := fault.From(err); ok {
		return f.Message
	}
	return err.Error()
}

func dateOf(at time.Time) calendar.Date { return calendar.DateOf(at) }
