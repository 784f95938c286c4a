package purchase

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
)

func today(s *Service) calendar.Date { return calendar.DateOf(s.Now()) }

// PassDue turns a purchase whose due has passed to overdue, or to expired when
// its due is strict. Another change that came first wins.
func (s *Service) PassDue(ctx context.Context, p Purchase) error {
	_, err := s.change(ctx, p.MerchantID, p.ID, func(rec Record) (func(Tx, *Record) error, error) {
		if rec.PassAt.IsZero() || rec.PassAt.After(s.Now()) {
			return nil, nil
		}
		return func(tx Tx, rec *Record) error {
			before, to := rec.Status, Overdue
			if rec.DueStrict {
				to = Expired
			}
			rec.move(to, tx.Now())
			tx.Audit(actor.SystemOf(rec.MerchantID), audit.Entry{Action: "purchase." + string(to), ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID, Text: passedText(to), Before: map[string]any{"status": before}, After: map[string]any{"status": to}})
			return nil
		}, nil
	})
	return err
}

func passedText(to Status) string {
	if to == Expired {
		return "The due date passed; the purchase can no longer be paid."
	}
	return "The due date passed; the purchase can still be paid."
}
