package purchase

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/token"
)

// Charge attaches a stored account to a purchase. The purchase then waits for its
// due date. The order of the checks is the API contract's (3.8).
func (s *Service) Charge(ctx context.Context, who actor.Actor, id, tokenID uuid.UUID) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		f, err := s.Forecast(ctx, Wish{Purchase: rec.Purchase, TokenID: tokenID})
		if err != nil {
			return nil, err
		}
		return s.charging(who, f), f.Err()
	})
}

// ChargeOn is Charge on a day that staff pick at the dashboard: the purchase is
// then due on that day, at the cut-off time. What stands against it comes by field.
func (s *Service) ChargeOn(ctx context.Context, who actor.Actor, id, tokenID uuid.UUID,
	day calendar.Date) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		f, err := s.Forecast(ctx, Wish{Purchase: s.On(rec.Purchase, day), TokenID: tokenID})
		if err != nil {
			return nil, err
		}
		return s.charging(who, f), f.Problems.Err()
	})
}

// holdDebits keeps other debits from beginning under a mandate with a rhythm, so
// that two of one period do not both count as its only one.
func holdDebits(tx *database.Tx, m mandate.Mandate, day mandate.Day, seen int) {
	if m.Terms != nil && !m.AllowsOneDebit() {
		collection.HoldUnder(tx, m.MerchantID, m.ID, day.Due.AddDays(-mandate.PeriodReach),
			day.Due.AddDays(mandate.PeriodReach), seen)
	}
}

// InvalidToken says why an account cannot be debited, as the API words it.
func InvalidToken(format string, args ...any) error {
	return fault.New(fault.Conflict, "invalid_recurring_token", format, args...)
}

// charging begins the debit that a forecast describes.
func (s *Service) charging(who actor.Actor, f Forecast) func(*database.Tx, *Record) error {
	return func(tx *database.Tx, rec *Record) error {
		before := rec.Status
		c, err := s.book(tx, rec, f)
		if err != nil {
			return err
		}
		s.begin(tx, who, *rec, c, f, before)
		return nil
	}
}

// begin writes a debit that was booked.
func (s *Service) begin(tx *database.Tx, who actor.Actor, rec Record, c collection.Collection, f Forecast,
	before Status) {
	collection.Insert(tx, c)
	tx.Audit(who, audit.Entry{Action: "purchase.charged", ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID,
		PurchaseID: rec.ID,
		Text: fmt.Sprintf("%s will be debited from %s on %s.", money.Format(c.AmountCents, c.Currency), f.Token.AccountMask,
			c.ActionDate.Format(calendar.DayForm)),
		Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status, "recurring_token": f.Token.ID,
			"action_date": c.ActionDate}})
}

// ChargeIssued gives an invoice that is being made the debit of a forecast, so that
// both stand or neither does. The caller writes the purchase, and then the debit by
// what comes back.
func (s *Service) ChargeIssued(tx *database.Tx, who actor.Actor, p *Purchase, b merchant.Brand,
	f Forecast) (write func(),
	err error) {
	rec, before := Record{Purchase: *p, Brand: b}, p.Status
	c, err := s.book(tx, &rec, f)
	*p = rec.Purchase
	return func() { s.begin(tx, who, rec, c, f, before) }, err
}

// book gives a purchase the debit of a forecast, if that still holds; the caller
// writes both. The transaction ends with fault.ErrLost when the account is not
// active any more, when another debit under the mandate began meanwhile, or when a
// cut-off passed since.
func (s *Service) book(tx *database.Tx, rec *Record, f Forecast) (collection.Collection, error) {
	if f.schedule.Plan(f.due, tx.Now()).ActionDate != f.Plan.ActionDate {
		return collection.Collection{}, fault.ErrLost
	}
	token.Hold(tx, f.Token.MerchantID, f.Token.ID)
	holdDebits(tx, f.Mandate, f.day(), len(f.others))
	rec.Due, rec.DueGiven = f.due, f.given
	c := s.CollectionOf(tx, rec.Purchase, f.Token.ID, f.Mandate, f.Plan)
	c.Disputable, c.DisputableBecause = len(f.Because) > 0, f.Because
	rec.TokenID = f.Token.ID
	rec.Awaits(c)
	rec.Collection = &c
	rec.Move(PendingCharge, tx.Now())
	return c, nil
}
