package report

import (
	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

// Age is a class of what is owed, by how long ago it was to be paid.
type Age int

// The ages in which accountants count arrears, in days after the day on which payment was due.
const (
	NotDue   Age = iota // due today or later
	To30                // 1 to 30 days
	To60                // 31 to 60 days
	To90                // 61 to 90 days
	Over90              // more than 90 days
	ageCount            // how many there are
)

// Ages are all of them, the youngest first.
var Ages = []Age{NotDue, To30, To60, To90, Over90}

var ageWords = [ageCount]string{"Not yet due", "1–30 days", "31–60 days", "61–90 days", "Over 90 days"}

// Words names the age in a heading.
func (a Age) Words() string { return ageWords[a] }

// lastDays are the last days of the ages, after the due day.
var lastDays = [...]int{To30: 30, To60: 60, To90: 90}

// AgeOf is the age, at the end of a day, of what was to be paid by another.
func AgeOf(due, day calendar.Date) Age {
	for age, last := range lastDays {
		if !day.After(due.AddDays(last)) {
			return Age(age)
		}
	}
	return Over90
}

// Due is from when to when, both included, payment was due of what has the age at the end of a day. A day that is zero
// leaves its end open.
func (a Age) Due(day calendar.Date) (from, to calendar.Date) {
	if a > NotDue {
		to = day.AddDays(-lastDays[a-1] - 1)
	}
	switch {
	case a == NotDue:
		from = day
	case int(a) < len(lastDays):
		from = day.AddDays(-lastDays[a])
	}
	return from, to
}

// Ageing is what is owed, by age. What is owed to the client counts against the age of its purchase.
type Ageing [ageCount]money.Sum

// Ageing divides what the account owes.
func (a Account) Ageing() (out Ageing) {
	for _, l := range a.Lines {
		age := AgeOf(l.DueOn(), a.AsOf)
		out[age] = out[age].Plus(money.SumOf(l.OwedCents()))
	}
	return out
}

// DueOn is the day by which a purchase is to be paid: the day on which it was made, unless it says another.
func (l AccountLine) DueOn() calendar.Date {
	if l.Due.IsZero() {
		return calendar.DateOf(l.MadeAt)
	}
	return calendar.DateOf(l.Due)
}
