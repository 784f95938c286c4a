package purchase

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
)

// MaxHolidayMoves is how many debits are moved off a holiday at once; the rest is moved after them.
const MaxHolidayMoves = 500

// HolidayMove is a debit that lies on a day on which banks are closed, and where it moves.
type HolidayMove struct {
	Record               // with the debit as it is planned
	To     calendar.Date // zero: it stays
	Why    string        // why it stays
	moved  collection.Collection
}

// HolidayMoves are the debits that lie on a day.
type HolidayMoves struct {
	Day  calendar.Date
	All  []HolidayMove // the oldest first
	More bool          // there are more than are listed
}

// Movable counts those that move.
func (m HolidayMoves) Movable() (n int) {
	for _, one := range m.All {
		if !one.To.IsZero() {
			n++
		}
	}
	return n
}

// Digest is the same as long as the same debits move to the same days.
func (m HolidayMoves) Digest() string {
	sum := sha256.New()
	for _, one := range m.All {
		fmt.Fprintln(sum, one.Collection.ID, one.To)
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// HolidayMoves lists the debits that lie on a day, and where they move by a calendar in which banks are closed on it:
// by the shift rule of their brand, and only to days that their mandate allows. What the bank has stays.
func (s *Service) HolidayMoves(ctx context.Context, who actor.Actor, day calendar.Date,
	by *calendar.Calendar) (HolidayMoves, error) {
	if err := who.May(actor.Read); err != nil {
		return HolidayMoves{}, err
	}
	on := *s
	on.Calendar = by
	return on.holidayMoves(ctx, who, day)
}

var notAnswered = []collection.State{collection.Scheduled, collection.Submitted, collection.InTracking}

func (s *Service) holidayMoves(ctx context.Context, who actor.Actor, day calendar.Date) (out HolidayMoves, err error) {
	out.Day = day
	page, err := s.Debits(ctx, who, DebitFilter{From: day, To: day, States: notAnswered},
		paging.Ask{Limit: MaxHolidayMoves})
	if err != nil {
		return out, err
	}
	out.More = page.Older
	slices.Reverse(page.Items)
	ids := make([]uuid.UUID, len(page.Items))
	for i, rec := range page.Items {
		ids[i] = rec.Collection.MandateID
	}
	mandates, err := s.Mandates().MandatesByID(ctx, who.MerchantID, distinct(ids))
	if err != nil {
		return out, err
	}
	under := mandate.ByID(mandates)
	brands, err := s.Merchants().Brands(ctx, who.MerchantID)
	if err != nil {
		return out, err
	}
	for _, rec := range page.Items {
		if i := slices.IndexFunc(brands, func(b merchant.Brand) bool { return b.ID == rec.BrandID }); i >= 0 {
			rec.Brand = brands[i]
		}
		if one, lies := s.offHoliday(rec, under[rec.Collection.MandateID], day); lies {
			out.All = append(out.All, one)
		}
	}
	return out, nil
}

// offHoliday works out where one debit moves; lies is false when banks debit it on that day all the same.
func (s *Service) offHoliday(rec Record, m mandate.Mandate, day calendar.Date) (one HolidayMove, lies bool) {
	c := *rec.Collection
	days := s.Schedule(rec.Brand, c.Method)
	if _, closed := days.Closed(day); !closed {
		return one, false
	}
	one = HolidayMove{Record: rec, moved: c}
	if c.State != collection.Scheduled {
		one.Why = "It is with the bank already, which decides what becomes of it."
		return one, true
	}
	s.PlanAgainOn(&one.moved, days, m, rec.Due, s.Now())
	if one.moved.ActionDate == day {
		one.Why = "Its mandate allows no other day. Cancel the debit, or ask the client to agree to another day."
		return one, true
	}
	one.moved.StatementLine = StatementLine(m, one.moved.ActionDate)
	one.To = one.moved.ActionDate
	return one, true
}

// MoveOffHoliday moves the planned debits that lie on a day off it, when banks are closed on that day. Seen is the
// digest of what the admin was shown. What the bank has, or gets at this moment, stays. Repeating it moves nothing.
func (s *Service) MoveOffHoliday(ctx context.Context, who actor.Actor, day calendar.Date, seen string) (moved int,
	err error) {
	if err := who.May(actor.Manage); err != nil {
		return 0, err
	}
	if _, holiday := s.Calendar.Holiday(day); !holiday {
		return 0, fault.New(fault.Conflict, "no_holiday", "%s is not a public holiday. Add it first.",
			day.Format(calendar.WeekdayForm))
	}
	err = fault.Again(Tries, "These debits are being changed at the moment. Try again.", func() error {
		return s.InTx(ctx, func(tx *database.Tx) (err error) {
			moved, err = s.moveOffIn(tx, who, day, seen)
			return err
		})
	})
	return moved, err
}

func (s *Service) moveOffIn(tx *database.Tx, who actor.Actor, day calendar.Date, seen string) (moved int, err error) {
	all, err := s.holidayMoves(tx.Context(), who, day)
	if err != nil {
		return 0, err
	}
	if all.Movable() == 0 {
		return 0, nil
	}
	if seen != all.Digest() {
		return 0, fault.New(fault.Conflict, "stakes_grew",
			"What lies on this day changed since you looked. Look at it again.")
	}
	for _, one := range all.All {
		if one.To.IsZero() {
			continue
		}
		c := one.moved
		c.UpdatedAt = tx.Now()
		planned, err := collection.Replan(tx, c)
		if err != nil {
			return 0, err
		}
		if !planned { // it goes to the bank at this moment
			continue
		}
		moved++
		tx.Audit(who, audit.Entry{Action: "collection.moved_off_holiday", ObjectType: "collection", ObjectID: c.ID,
			ClientID: c.ClientID, PurchaseID: c.PurchaseID,
			Text: fmt.Sprintf("%s is a public holiday; the debit runs on %s.", day.Format(calendar.DayForm),
				c.ActionDate.Format(calendar.DayForm)),
			Before: map[string]any{"action_date": day}, After: map[string]any{"action_date": c.ActionDate}})
	}
	return moved, nil
}
