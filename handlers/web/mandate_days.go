package web

import (
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
)

// readDays finds the day of the first debit. atOnce: the payer answers within
// seconds, if at all.
func (s *mandateSetup) readDays(d days, atOnce bool) {
	earliest := d.Earliest(d.now)
	soon := s.form.Get("first") == firstSoon
	switch s.form.Get("first") {
	case firstNone:
		due := d.now.AddDate(0, 0, linkDays) // nothing runs then: until that day the payer may take
		s.in.Due = &due
	case firstSoon:
		s.firstDay = earliest
	case firstOther:
		s.readOther(d)
	default:
		s.firstDay = d.nextDue(s.draft(), earliest)
		if soon = atOnce && s.firstDay == earliest; !soon { // an answer within seconds keeps the earliest day
			s.firstDay = d.nextDue(s.draft(), d.EarliestDue(d.now))
		}
	}
	if s.firstDay.IsZero() || soon {
		return // without a due the rules take the earliest day
	}
	due := d.DueOn(s.firstDay).UTC()
	s.in.Due = &due
}

func (s *mandateSetup) readOther(d days) {
	day, err := d.typed(s.form)
	name := "due"
	if s.form.Get("due_other") != "" {
		name = "due_other"
	}
	switch f, ok := fault.From(err); {
	case ok:
		s.shape = append(s.shape, f.Fields...)
	case day.IsZero():
		s.shape.Add("due", "required", "Choose the day of the first debit.")
	case d.TooSoon(d.DueOn(day), d.now):
		s.shape.Add(name, "due_too_soon", "%s", d.Choose(day, d.now).Reason)
	default:
		s.firstDay = day
	}
}

// nextDue is the first day from which a debit runs on the mandate's own day.
func (d days) nextDue(m mandate.Mandate, from calendar.Date) calendar.Date {
	return m.NextDue(from, func(day calendar.Date) calendar.Date { return d.Runs(day, d.now) }, d.cal)
}

// days are those of DebiCheck debits.
func (h *MandateForms) days(b merchant.Brand) days {
	return daysOf(h.Purchases, b, bank.DebiCheck, h.Desk.Now())
}
