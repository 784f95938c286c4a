package clientpage

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// Offer is what a client can choose of an act, as it stands.
type Offer struct {
	Named string          // what it is about
	Asks  bool            // staff decide
	Days  []calendar.Date // that can be chosen
	// Disputes is for how many days after a debit of today the client's bank gives its money back without a question
	// (source: rulebook, dispute.auto_days); DebiCheck that the bank asked the client for the mandate.
	Disputes  int
	DebiCheck bool
}

// errLooked ends a transaction that only looked.
var errLooked = errors.New("looked")

// Offer tells what can be chosen, by the checks that an act goes through. Conflict where it cannot be done.
func (s *Service) Offer(ctx context.Context, v Visit, kind Kind, object uuid.UUID) (o Offer, err error) {
	a := Act{MerchantID: v.Client.MerchantID, ClientID: v.Client.ID, BrandID: v.Brand.ID, Kind: kind, ObjectID: object}
	today := calendar.DateOf(s.Now())
	err = s.InTx(ctx, func(tx *database.Tx) error {
		switch kind {
		case Promise:
			a.Wish.Day = today
			for d := today; !d.After(PromiseTo(today)); d = d.AddDays(1) {
				o.Days = append(o.Days, d)
			}
		case Day:
			if _, err := s.purchaseOf(tx, &a); err != nil {
				return err
			}
			moves, err := s.Purchases.DayMoves(tx.Context(), a.MerchantID, object)
			if err != nil {
				return err
			}
			o.Days, a.Wish.Day = moves.Days, moves.Days[0]
		case Details, Privacy:
			a.Wish.Text, a.Wish.Request = "-", Access
		default: // there is nothing to choose
		}
		if err := s.check(tx, &a); err != nil {
			return err
		}
		if kind == Objected {
			t, err := s.tokenOf(tx, &a)
			if err != nil {
				return err
			}
			o.DebiCheck = t.Method == purchase.DebiCheck
			o.Disputes = s.Purchases.Timetable.Rules.Disputes(string(t.Method), today, today).AutoDays
		}
		o.Named, o.Asks = a.Wish.Named, a.Wish.Asks
		return errLooked // nothing was written
	})
	if errors.Is(err, errLooked) {
		err = nil
	}
	return o, err
}

// Mandate finds a mandate of the client; NotFound for any other's.
func (s *Service) Mandate(ctx context.Context, in mandate.Store, v Visit, id uuid.UUID) (mandate.Mandate, error) {
	m, err := in.Mandate(ctx, v.Client.MerchantID, id)
	if err == nil && m.ClientID != v.Client.ID {
		return mandate.Mandate{}, fault.Missing()
	}
	return m, err
}
