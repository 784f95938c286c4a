package purchases

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
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

// Days knows when debits of one method and brand run, for date pickers and for the sentences beside them.
type Days struct {
	collection.Schedule
	method bank.Method
	Now    time.Time
	terms  *mandate.Mandate // of the account that is debited, where its mandate names the days
	cal    *calendar.Calendar
}

// Days are those of an account's method, and within what its mandate allows.
func (p *Purchases) Days(b merchant.Brand, from Account) Days {
	return DaysOf(p.Service, b, from.method(), p.Desk.Now()).Within(from.Mandate)
}

// anyDays are days of no account yet: enough to read one that was typed.
func (p *Purchases) anyDays() Days { return p.Days(merchant.Brand{}, Account{}) }

// String tells pickers apart that offer other days.
func (d Days) String() string {
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
func (d Days) problems(found fault.Problems, form url.Values, day calendar.Date) (out fault.Problems) {
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
func (d Days) dueWords(wrong fault.Field, day calendar.Date) string {
	if wrong.Code == "due_too_soon" && d.TooSoon(d.DueOn(day), d.Now) {
		return d.Choose(day, d.Now).Reason
	}
	return wrong.Message
}

func DaysOf(s *purchase.Service, b merchant.Brand, m bank.Method, now time.Time) Days {
	return Days{Schedule: s.Schedule(b, m), method: m, Now: now, cal: s.Calendar}
}

func (d Days) Within(m mandate.Mandate) Days {
	if m.Terms != nil && !m.Terms.AllowDateAdjustment {
		d.terms = &m
	}
	return d
}

// Account is a stored account that can be chosen, with its mandate; its zero value stands for none.
type Account struct {
	token.Token
	Mandate mandate.Mandate
}

func (a Account) method() bank.Method { return bank.Method(cmp.Or(a.Method, purchase.EFT)) }

// chosenAccount is the account that a form names, or the first.
func (p *Purchases) chosenAccount(ctx context.Context, who actor.Actor, usable []token.Token,
	form url.Values) (Account, error) {
	chosen := tokenCards(usable, form.Get("recurring_token"), "").Value
	for _, t := range usable {
		if t.ID.String() == chosen {
			m, err := p.Service.Mandates().Mandate(ctx, who.MerchantID, t.MandateID)
			return Account{t, m}, err
		}
	}
	return Account{}, nil
}

// pickerMonths is how far the picker shows; later days are typed.
const pickerMonths = 2

// Picker shows the months from the earliest possible day on. Each day that
// cannot be taken says why, the others until when the debit can be cancelled.
func (d Days) Picker(form url.Values, wrong string, attrs templ.Attributes) components.DayPicker {
	first := d.EarliestDue(d.Now)
	out := components.DayPicker{Label: "Debit on", Name: "due", Value: form.Get("due"), Error: wrong, Attrs: attrs,
		Hint: "The earliest day is " + words.SayDay(first, d.Now) + ". " + d.closedWords()}
	month := first.FirstDayOfMonth()
	for range pickerMonths {
		out.Months = append(out.Months, d.month(month))
		month = month.AddMonths(1, 1)
	}
	out.Months[0].Weeks = fromPossible(out.Months[0].Weeks)
	out.Closed = closedDays(out.Months, d.closedWeekday)
	return out
}

// fromPossible leaves out the weeks before the first day that can be taken.
func fromPossible(weeks [][]components.PickDay) [][]components.PickDay {
	first := slices.IndexFunc(weeks, func(week []components.PickDay) bool {
		return slices.ContainsFunc(week, func(day components.PickDay) bool { return day.Number != "" && day.Why == "" })
	})
	return weeks[max(first, 0):]
}

// mostClosedDays is how many days of one reason are named one by one.
const mostClosedDays = 4

// closedDays says why days of a picker cannot be taken, each reason once. Weekends have a sentence of their own.
func closedDays(months []components.PickMonth, weekend func(calendar.Date) bool) (out []string) {
	var reasons []string
	days := map[string][]string{}
	for _, m := range months {
		for _, day := range slices.Concat(m.Weeks...) {
			date, err := calendar.ParseDate(day.Value)
			if day.Number == "" || day.Why == "" || err != nil || weekend(date) {
				continue
			}
			if days[day.Why] == nil {
				reasons = append(reasons, day.Why)
			}
			days[day.Why] = append(days[day.Why], words.Glue(date.Format("Mon 2 Jan")))
		}
	}
	for _, why := range reasons {
		if len(days[why]) > mostClosedDays {
			out = append(out, why)
		} else {
			out = append(out, words.JoinedWords(", ", days[why]...)+": "+why)
		}
	}
	return out
}

// closedWeekday tells the days of every week on which nothing runs.
func (d Days) closedWeekday(day calendar.Date) bool {
	return day.Weekday() == time.Sunday || day.Weekday() == time.Saturday && d.method != bank.DebiCheck
}

// shownUntil is the last day that the picker shows.
func (d Days) shownUntil() calendar.Date {
	return d.EarliestDue(d.Now).AddMonths(pickerMonths-1, 99)
}

func (d Days) month(first calendar.Date) components.PickMonth {
	m := components.PickMonth{Label: first.Format("January 2006")}
	week := make([]components.PickDay, first.ISOWeekday()-1)
	for day := first; day.Month == first.Month; day = day.AddDays(1) {
		week = append(week, d.Square(day))
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
func (d Days) closedWords() string {
	if d.method == bank.DebiCheck {
		return "DebiCheck debits run from Monday to Saturday, not on public holidays."
	}
	return "Weekends and public holidays are closed at the banks."
}

func (d Days) Square(day calendar.Date) components.PickDay {
	choice := d.Choose(day, d.Now)
	square := components.PickDay{Number: day.Format("2"), Value: day.String(), Spoken: day.Format("Monday 2 January"),
		Why: choice.Reason, Today: day == calendar.DateOf(d.Now)}
	switch {
	case day.Before(calendar.DateOf(d.Now)):
		square.Why = "This day is over."
	case choice.Possible && d.terms != nil && !d.terms.Agreed(choice.ActionDate, d.cal):
		square.Why = "The mandate of this account allows debits " + d.terms.Days() + " only."
	case choice.Possible:
		square.Spoken += ", can be cancelled until " + words.SayMinute(choice.SubmitBy, d.Now)
	}
	return square
}

// Typed is the day that a form names: one that was typed counts more than one
// that was picked.
func (d Days) Typed(form url.Values) (calendar.Date, error) {
	for _, name := range []string{"due_other", "due"} {
		text := form.Get(name)
		if text == "" {
			continue
		}
		day, err := calendar.ParseDate(text)
		if err != nil {
			return calendar.Date{}, fault.At(name, "invalid", "Enter a date such as %s.", d.Earliest(d.Now))
		}
		return day, nil
	}
	return calendar.Date{}, nil
}

// Other is the input for days that the picker does not show.
func (d Days) Other(form url.Values, wrong string) components.DateField {
	return components.DateField{Label: "Or another day", Name: "due_other", Value: form.Get("due_other"), Error: wrong,
		Min:  d.EarliestDue(d.Now).String(),
		Hint: "For a day after the months above. A debit on a closed day moves, as the mandate says."}
}

// Forecast says in words what a debit does, and everything that stands against it. A total that is not known yet is no
// problem.
func (d Days) Forecast(f purchase.Forecast, known bool) (v pages.PlanView) {
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
	v.Note, v.Disputable = plan.Note(), disputableWords(f, d.Now)
	v.Steps = []components.Fact{
		{Label: "To the bank", Value: words.SayMinute(plan.SubmitAt, d.Now) + "; can be cancelled until then"},
		{Label: "Debit", Value: words.SayDay(plan.ActionDate, d.Now)},
		{Label: "First answer", Value: words.SayMinute(plan.ProvisionalAt, d.Now)},
	}
	if d.method != bank.DebiCheck { // there the first answer is the last
		v.Steps = append(v.Steps, components.Fact{Label: "No return after", Value: words.SayMinute(plan.FinalAt, d.Now)})
	}
	return v
}

// disputableWords warns that the client could dispute a debit, where the mandate promises otherwise.
func disputableWords(f purchase.Forecast, now time.Time) string {
	if f.Mandate.Kind != mandate.DebiCheck || len(f.Because) == 0 {
		return ""
	}
	return "The client could dispute this debit until " + words.SayDay(f.Plan.DisputeUntil, now) + ": " +
		words.AllBecause(f.Because, ", ") + "."
}

// sayFault is a refusal in words, without the names of fields.
func sayFault(err error) string {
	if f, ok := fault.From(err); ok {
		return f.Message
	}
	return err.Error()
}

// NextDue is the first day from which a debit runs on the mandate's own day.
func (d Days) NextDue(m mandate.Mandate, from calendar.Date) calendar.Date {
	return m.NextDue(from, func(day calendar.Date) calendar.Date { return d.Runs(day, d.Now) }, d.cal)
}
