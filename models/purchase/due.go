package purchase

import (
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
)

func today(s *Service) calendar.Date { return calendar.DateOf(s.Now()) }

// PassDue turns a purchase whose due has passed to overdue, or to expired when
// its due is strict; false when its time has not come. The caller holds the row.
func (p *Purchase) PassDue(log audit.Log, now time.Time) bool {
	if p.PassAt.IsZero() || p.PassAt.After(now) {
		return false
	}
	before, to := p.Status, Overdue
	if p.DueStrict && p.PartPaidCents() == 0 { // what was paid of it must not drop out of sight
		to = Expired
	}
	p.Move(to, now)
	log.Audit(actor.SystemOf(p.MerchantID), audit.Entry{Action: "purchase." + string(to), ObjectType: "purchase",
		ObjectID: p.ID,
		ClientID: p.ClientID, PurchaseID: p.ID, Text: passedText(to), Before: map[string]any{"status": before},
		After: map[string]any{"status": to}})
	return true
}

func passedText(to Status) string {
	if to == Expired {
		return "The due date passed; the purchase can no longer be paid."
	}
	return "The due date passed; the purchase can still be paid."
}
