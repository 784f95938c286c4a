package exchange

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/discrepancy"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Apart is one item, or one part of a file, of which a day expects another sum than the bank booked for it. What all of
// a day come to is the difference of the day.
type Apart struct {
	ItemLine            // of an item; its id is zero for a part that the bank booked in one sum
	ExpectedCents int64 // what should have moved; money out is below zero
	BookedCents   int64 // what did
}

// DayNote is why a person accepts the difference of a day.
type DayNote struct {
	Cents int64 // the difference that was accepted; another one is not
	Note  string
	By    string
	At    time.Time
}

// MostApart is how many are shown of what is in one list only (ours).
const MostApart = 200

// DayDifference is a day with what is in one of its two lists only.
type DayDifference struct {
	Day
	Apart     []Apart // the largest first
	All       int64   // how many there are
	Unmatched []EntryLine
	Causes    []discrepancy.Cause // that would explain the difference
}

// Day is one day at the bank; NotFound when nothing happened on it.
func (s *Service) Day(ctx context.Context, who actor.Actor, day calendar.Date) (d DayDifference, err error) {
	days, err := s.Days(ctx, who, day, day)
	switch {
	case err != nil:
		return d, err
	case len(days) == 0:
		return d, fault.Missing()
	}
	d.Day = days[0]
	if d.Apart, d.All, err = s.Store.apart(ctx, who.MerchantID, day); err != nil {
		return d, err
	}
	d.Unmatched, err = s.Store.BankMovements(ctx, who.MerchantID, EntryFilter{State: EntryUnmatched, From: day, To: day},
		pageOfApart)
	if err != nil {
		return d, err
	}
	d.Causes, err = s.causes(ctx, who.MerchantID, d)
	return d, err
}

// AcceptDay notes why the difference of a day is right as it is. It is asked for again when the difference changes.
func (s *Service) AcceptDay(ctx context.Context, who actor.Actor, day calendar.Date, cents int64, note string) error {
	if err := who.May(actor.Exchange); err != nil {
		return err
	}
	note = strings.TrimSpace(note)
	switch {
	case note == "":
		return fault.At("note", "required", "Say why the difference is right.")
	case len(note) > mostReason:
		return fault.At("note", "max_length", "Write at most %d characters.", mostReason)
	}
	d, err := s.Day(ctx, who, day)
	if err != nil {
		return err
	}
	switch is, told := d.Difference(); {
	case !told || is == 0:
		return fault.New(fault.Conflict, "no_difference", "This day has no difference.")
	case is != cents:
		return fault.New(fault.Conflict, "changed", "The difference is now %s. Look at it again.",
			money.Format(is, "ZAR"))
	}
	return s.Store.inTx(ctx, func(tx unit) error {
		tx.noteDay(who.MerchantID, day, DayNote{Cents: cents, Note: note, By: who.Name, At: tx.Now()})
		tx.Audit(who, dayEntry("bank.day_accepted", day, fmt.Sprintf("The difference of %s on %s was accepted.",
			money.Format(cents, "ZAR"), day.Format("2 Jan 2006")), map[string]any{"cents": cents, "note": note}))
		return nil
	})
}

// ReopenDay takes it back that the difference of a day was accepted.
func (s *Service) ReopenDay(ctx context.Context, who actor.Actor, day calendar.Date) error {
	if err := who.May(actor.Exchange); err != nil {
		return err
	}
	d, err := s.Day(ctx, who, day)
	if err != nil {
		return err
	}
	return s.Store.inTx(ctx, func(tx unit) error {
		gone, err := tx.forgetDay(who.MerchantID, day)
		switch {
		case err != nil:
			return err
		case !gone:
			return fault.New(fault.Conflict, "not_accepted", "The difference of this day is not accepted.")
		}
		entry := dayEntry("bank.day_reopened", day, "The difference on "+day.Format("2 Jan 2006")+
			" is no longer accepted.", nil)
		entry.Before = map[string]any{"cents": d.Note.Cents, "note": d.Note.Note}
		tx.Audit(who, entry)
		return nil
	})
}

func dayEntry(action string, day calendar.Date, text string, after map[string]any) audit.Entry {
	if after == nil {
		after = map[string]any{}
	}
	after["day"] = day.String()
	return audit.Entry{Action: action, ObjectType: "bank_day", ObjectID: dayID(day), Text: text, After: after}
}

// dayID names a day where ids are UUIDs.
func dayID(day calendar.Date) uuid.UUID { return uuid.NewSHA1(uuid.Nil, []byte(day.String())) }
