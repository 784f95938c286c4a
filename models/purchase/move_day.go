package purchase

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
)

// furthestMove is how many days after its due day a debit can run that its client moves (ours: within the next cycle
// of a monthly debit it would be the second of that month).
const furthestMove = 21

// DayMoves are the days to which a client can move a planned debit.
type DayMoves struct {
	Record
	Days []calendar.Date
}

// DayMoves finds the days on which a planned debit of a client could run instead. Conflict with the reason where it
// cannot be moved. Only EFT debits can: a DebiCheck mandate names its day, and the client confirmed that at the bank.
func (s *Service) DayMoves(ctx context.Context, merchantID, id uuid.UUID) (DayMoves, error) {
	rec, err := s.load(ctx, merchantID, id)
	if err != nil {
		return DayMoves{}, err
	}
	return s.DayMovesOf(rec)
}

// DayMovesOf is DayMoves of a purchase that was read already.
func (s *Service) DayMovesOf(rec Record) (out DayMoves, err error) {
	out.Record = rec
	c, now := rec.Collection, s.Now()
	refused := func(text string) error { return fault.New(fault.Conflict, "debit_fixed", "%s", text) }
	switch {
	case rec.Status != PendingCharge || c == nil || c.State != collection.Scheduled:
		return out, refused("No debit is planned that could be moved.")
	case c.Method != EFT:
		return out, refused("The day of this debit is part of the mandate that you confirmed at your bank.")
	case !c.SubmitAt.After(now):
		return out, refused("This debit is with the bank already: it could be moved until " +
			c.SubmitAt.In(calendar.SAST).Format("2 January 2006, 15:04") + ".")
	case c.OnHold():
		return out, refused("This debit is on hold.")
	}
	days := s.Schedule(rec.Brand, c.Method)
	for day := days.EarliestDue(now); !day.After(c.OriginalDate.AddDays(furthestMove)); day = day.AddDays(1) {
		if day != c.ActionDate && days.Choose(day, now).Possible && days.PlanOn(day, now).ActionDate == day {
			out.Days = append(out.Days, day)
		}
	}
	if len(out.Days) == 0 {
		return out, refused("There is no other day in time to which this debit could be moved.")
	}
	return out, nil
}

// MoveDayIn moves a planned debit to another day, as its client asked, in a caller's transaction. Conflict debit_fixed
// where it cannot be moved, Invalid for a day that it cannot move to; fault.ErrLost when the bank gets it at
// this moment.
func (s *Service) MoveDayIn(tx Tx, who actor.Actor, id uuid.UUID, day calendar.Date) error {
	moves, err := s.DayMoves(tx.Context(), who.MerchantID, id)
	if err != nil {
		return err
	}
	if !slices.Contains(moves.Days, day) {
		return fault.At("day", "invalid_choice", "The debit cannot run on that day. Choose one of the days.")
	}
	rec, c := moves.Record, *moves.Collection
	m, err := s.Read.Mandate(tx.Context(), who.MerchantID, c.MandateID)
	if err != nil {
		return err
	}
	before := c.ActionDate
	c.Schedule(s.Schedule(rec.Brand, c.Method).PlanOn(day, tx.Now()))
	c.StatementLine, c.UpdatedAt = statementLine(m, c.ActionDate), tx.Now()
	rec.Due, rec.DueGiven, rec.ExecuteAt, rec.UpdatedAt = s.On(rec.Purchase, day).Due, true, c.ExecuteAt, tx.Now()
	tx.MovePurchase(rec.Purchase, rec.Status)
	planned, err := tx.PlanCollection(c)
	if err != nil {
		return err
	}
	if !planned {
		return fault.ErrLost
	}
	tx.Audit(who, audit.Entry{Action: "collection.moved_by_client", ObjectType: "collection", ObjectID: c.ID,
		ClientID: c.ClientID, PurchaseID: c.PurchaseID,
		Text: fmt.Sprintf("The client moved the debit from %s to %s.", before.Format(dayForm),
			c.ActionDate.Format(dayForm)),
		Before: map[string]any{"action_date": before}, After: map[string]any{"action_date": c.ActionDate}})
	return nil
}

// AmendByClient begins to replace an EFT account as its client asked: the client gives the new one on the page of the
// new purchase. Where a replacement is open already, it is that one.
func (s *Service) AmendByClient(ctx context.Context, who actor.Actor, tokenID uuid.UUID) (Amendment, error) {
	open, err := s.Read.AmendmentOf(ctx, who.MerchantID, tokenID)
	if err == nil && open.State == AmendmentOpen {
		return open, nil
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return Amendment{}, err
	}
	m, err := s.Read.Mandate(ctx, who.MerchantID, tokenID)
	if err != nil {
		return Amendment{}, err
	}
	in := Revision{Method: EFT, DirectDebit: DirectDebitInput{PeriodUnits: m.PeriodUnits}}
	if m.PeriodUnits != "days" {
		in.DirectDebit.DeductionDay = &m.DeductionDay
	}
	a, err := s.amend(ctx, who, tokenID, in)
	if fault.HasCode(err, "amendment_open") { // another began in the same moment
		return s.Read.AmendmentOf(ctx, who.MerchantID, tokenID)
	}
	return a, err
}
