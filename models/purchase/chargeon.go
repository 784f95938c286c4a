package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// ChargeOn is Charge on a day that staff pick at the dashboard: the purchase is
// then due on that day, at the cut-off time. Everything else is Charge's.
func (s *Service) ChargeOn(ctx context.Context, who actor.Actor, id, tokenID uuid.UUID, day calendar.Date) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	due := s.Timetable.DueOn(day).UTC()
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(Tx, *Record) error, error) {
		t, m, err := s.chargeable(ctx, rec.Purchase, tokenID)
		if err != nil {
			return nil, err
		}
		if !rec.Payable(s.Now()) {
			return nil, fault.New(fault.Conflict, "purchase_charge_wrong_status", "Only a purchase that is not paid yet can be charged; this one is %s.", rec.Status)
		}
		on := rec.Purchase
		on.Due, on.DueGiven = due, true
		if err := s.mayCharge(on); err != nil {
			return nil, err
		}
		because, err := s.judge(on, m)
		if err != nil {
			return nil, err
		}
		return func(tx Tx, rec *Record) error {
			rec.Due, rec.DueGiven = due, true
			return s.charging(who, t, m, because)(tx, rec)
		}, nil
	})
}
