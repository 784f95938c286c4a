package web

import (
	"debitdesk/models/bank"
	"debitdesk/models/fault"
)

// readDays finds the day of the first debit. atOnce: the payer answers within
// seconds, if at all.
func (s *mandateSetup) readDays(d days, atOnce bool) {
	earliest := d.rules.EarliestActionDate(d.cal, d.now)
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
		s.firstDay = s.draft().NextDay(earliest)
		if soon = atOnce && s.firstDay == earliest; !soon { // an answer within seconds keeps the earliest day
			s.firstDay = s.draft().NextDay(d.rules.EarliestDue(d.cal, d.now))
		}
	}
	if s.firstDay.IsZero() || soon {
		return // without a due the rules take the earliest day
	}
	due := d.rules.DueOn(s.firstDay).UTC()
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
	case d.rules.TooSoon(d.rules.DueOn(day), d.now):
		s.shape.Add(name, "due_too_soon", "%s", d.rules.Choose(d.cal, day, shiftOf(s.brand), d.now).Reason)
	default:
		s.firstDay = day
	}
}

// days is the timetable of DebiCheck debits.
func (h *MandateForms) days() days {
	return days{h.Purchases.Timetable.For(bank.DebiCheck), h.Purchases.Calendar, h.Desk.Now()}
}
