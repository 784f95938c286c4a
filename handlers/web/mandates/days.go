package mandates

import (
	"debitdesk/handlers/web/purchases"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

// readDays finds the day of the first debit. atOnce: the client answers within
// seconds, if at all.
func (s *mandateSetup) readDays(d purchases.Days, atOnce bool) {
	earliest := d.Earliest(d.Now)
	soon := s.form.Get("first") == firstSoon
	switch s.form.Get("first") {
	case firstNone:
		due := d.Now.AddDate(0, 0, linkDays) // nothing runs then: until that day the client may take
		s.in.Due = &due
	case firstSoon:
		s.firstDay = earliest
	case firstOther:
		s.readOther(d)
	default:
		s.firstDay = d.NextDue(s.draft(), earliest)
		if soon = atOnce && s.firstDay == earliest; !soon { // an answer within seconds keeps the earliest day
			s.firstDay = d.NextDue(s.draft(), d.EarliestDue(d.Now))
		}
	}
	if s.firstDay.IsZero() || soon {
		return // without a due the rules take the earliest day
	}
	due := d.DueOn(s.firstDay).UTC()
	s.in.Due = &due
}

func (s *mandateSetup) readOther(d purchases.Days) {
	day, err := d.Typed(s.form)
	name := "due"
	if s.form.Get("due_other") != "" {
		name = "due_other"
	}
	switch f, ok := fault.From(err); {
	case ok:
		s.shape = append(s.shape, f.Fields...)
	case day.IsZero():
		s.shape.Add("due", "required", "Choose the day of the first debit.")
	case d.TooSoon(d.DueOn(day), d.Now):
		s.shape.Add(name, "due_too_soon", "%s", d.Choose(day, d.Now).Reason)
	default:
		s.firstDay = day
	}
}

// days are those of DebiCheck debits.
func (h *MandateForms) days(b merchant.Brand) purchases.Days {
	return purchases.DaysOf(h.Purchases, b, bank.DebiCheck, h.Desk.Now())
}
