package purchase

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
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
	rec, err := s.Load(ctx, merchantID, id)
	if err != nil {
		return DayMoves{}, err
	}
	return s.DayMovesOf(rec)
}

// DayMovesOf is DayMoves of a purchase that was read already.
func (s *Service) DayMovesOf(rec Record) (out DayMoves, err error) {
	out.Record = rec
	if err := s.movable(rec); err != nil {
		return out, err
	}
	now, days := s.Now(), s.Schedule(rec.Brand, rec.Collection.Method)
	for day := days.EarliestDue(now); !day.After(lastMove(*rec.Collection)); day = day.AddDays(1) {
		if day != rec.Collection.ActionDate && runsOn(days, day, now) {
			out.Days = append(out.Days, day)
		}
	}
	if len(out.Days) == 0 {
		return out, debitFixed("There is no other day in time to which this debit could be moved.")
	}
	return out, nil
}

// DebitMove is a debit, and why it cannot run on a day; empty: it can.
type DebitMove struct {
	Record
	Why string
}

// MovesTo tells of each of some debits whether it could run on a day instead, by the rules of DayMovesOf. Debits that
// are not there any more are left out.
func (s *Service) MovesTo(ctx context.Context, who actor.Actor, ids []uuid.UUID,
	day calendar.Date) ([]DebitMove, error) {
	recs, err := s.SeveralDebits(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	brands, err := s.Merchants().Brands(ctx, who.MerchantID)
	if err != nil {
		return nil, err
	}
	out := make([]DebitMove, len(recs))
	for i, rec := range recs {
		if at := slices.IndexFunc(brands, func(b merchant.Brand) bool { return b.ID == rec.BrandID }); at >= 0 {
			rec.Brand = brands[at]
		}
		out[i] = DebitMove{Record: rec, Why: s.whyNotOn(rec, day)}
	}
	return out, nil
}

// whyNotOn says why a debit cannot run on a day.
func (s *Service) whyNotOn(rec Record, day calendar.Date) string {
	if c := rec.Collection; c != nil && c.Method != EFT {
		return "A DebiCheck mandate names the day of its debits."
	}
	if err := s.movable(rec); err != nil {
		return err.Error()
	}
	c, now := rec.Collection, s.Now()
	days := s.Schedule(rec.Brand, c.Method)
	switch choice := days.Choose(day, now); {
	case day == c.ActionDate:
		return "It runs on that day already."
	case !choice.Possible:
		return choice.Reason
	case day.Before(days.EarliestDue(now)) || !runsOn(days, day, now):
		return "It would not run on that day."
	case day.After(lastMove(*c)):
		return fmt.Sprintf("That is more than %d days after its due day.", furthestMove)
	}
	return ""
}

func debitFixed(text string) error { return fault.New(fault.Conflict, "debit_fixed", "%s", text) }

// lastMove is the last day to which a debit can be moved.
func lastMove(c collection.Collection) calendar.Date { return c.OriginalDate.AddDays(furthestMove) }

// runsOn tells that what is due on a day runs on that very day.
func runsOn(days collection.Schedule, day calendar.Date, now time.Time) bool {
	return days.Choose(day, now).Possible && days.PlanOn(day, now).ActionDate == day
}

// movable refuses a debit that cannot be moved to any day.
func (s *Service) movable(rec Record) error {
	switch c := rec.Collection; {
	case rec.Status != PendingCharge || c == nil || c.State != collection.Scheduled:
		return debitFixed("No debit is planned that could be moved.")
	case c.Method != EFT:
		return debitFixed("The day of this debit is part of the mandate that you confirmed at your bank.")
	case !c.SubmitAt.After(s.Now()):
		return debitFixed("This debit is with the bank already: it could be moved until " +
			c.SubmitAt.In(calendar.SAST).Format("2 January 2006, 15:04") + ".")
	case c.OnHold():
		return debitFixed("This debit is on hold.")
	}
	return nil
}

// MoveDayIn moves a planned debit to another day, as its client asked, in a caller's transaction. Conflict debit_fixed
// where it cannot be moved, Invalid for a day that it cannot move to; fault.ErrLost when the bank gets it at
// this moment.
func (s *Service) MoveDayIn(tx *database.Tx, who actor.Actor, id uuid.UUID, day calendar.Date) error {
	moves, err := s.DayMoves(tx.Context(), who.MerchantID, id)
	if err != nil {
		return err
	}
	if !slices.Contains(moves.Days, day) {
		return fault.At("day", "invalid_choice", "The debit cannot run on that day. Choose one of the days.")
	}
	rec, c := moves.Record, *moves.Collection
	m, err := s.Mandates().Mandate(tx.Context(), who.MerchantID, c.MandateID)
	if err != nil {
		return err
	}
	before := c.ActionDate
	c.Schedule(s.Schedule(rec.Brand, c.Method).PlanOn(day, tx.Now()))
	c.StatementLine, c.UpdatedAt = StatementLine(m, c.ActionDate), tx.Now()
	rec.Due, rec.DueGiven, rec.ExecuteAt, rec.UpdatedAt = s.On(rec.Purchase, day).Due, true, c.ExecuteAt, tx.Now()
	Move(tx, rec.Purchase, rec.Status)
	planned, err := collection.Replan(tx, c)
	if err != nil {
		return err
	}
	if !planned {
		return fault.ErrLost
	}
	tx.Audit(who, audit.Entry{Action: "collection.moved_by_client", ObjectType: "collection", ObjectID: c.ID,
		ClientID: c.ClientID, PurchaseID: c.PurchaseID,
		Text: fmt.Sprintf("The client moved the debit from %s to %s.", before.Format(calendar.DayForm),
			c.ActionDate.Format(calendar.DayForm)),
		Before: map[string]any{"action_date": before}, After: map[string]any{"action_date": c.ActionDate}})
	return nil
}
