// Package holiday knows the days that were proclaimed after the product was made,
// for the whole installation: who runs it adds and removes them. It must not know
// what a closed day moves.
package holiday

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

// Service keeps proclaimed days.
type Service struct {
	Store Store
}

const longestName = 80 // characters

// Add keeps a day on which banks are closed, or, with Open, one on which they are
// not closed after all. planned is how many debits are planned for that day: they
// keep their dates.
func (s *Service) Add(ctx context.Context, who actor.Actor, c calendar.Change) (planned int64, err error) {
	if err := s.MayAdd(ctx, who); err != nil {
		return 0, err
	}
	c.Name = strings.Join(strings.Fields(c.Name), " ")
	if n := utf8.RuneCountInString(c.Name); n == 0 || n > longestName {
		return 0, fault.At("name", "invalid", "A day needs a name of at most %d characters, such as Election day.",
			longestName)
	}
	word := " was proclaimed a public holiday: "
	if c.Open {
		word = " is not a public holiday after all: "
	}
	return s.change(ctx, who, c.Day, audit.Entry{Action: "calendar.day_added",
		Text: c.Day.Format("2 January 2006") + word +
			c.Name + ".",
		After: map[string]any{"day": c.Day.String(), "name": c.Name, "open": c.Open}},
		func(tx *database.Tx) error { return putDay(tx, c) })
}

// Remove forgets a day that was kept; NotFound when it was not.
func (s *Service) Remove(ctx context.Context, who actor.Actor, day calendar.Date) (planned int64, err error) {
	if err := byOperator(who); err != nil {
		return 0, err
	}
	return s.change(ctx, who, day, audit.Entry{Action: "calendar.day_removed", Text: "What was proclaimed for " +
		day.Format("2 January 2006") + " was removed.",
		Before: map[string]any{"day": day.String()}}, func(tx *database.Tx) error {
		known, err := dropDay(tx, day)
		if err == nil && !known {
			err = fault.New(fault.NotFound, "not_found", "No day was proclaimed for %s.", day)
		}
		return err
	})
}

// change writes the day and, for it concerns them all, an entry for each merchant.
func (s *Service) change(ctx context.Context, who actor.Actor, day calendar.Date, e audit.Entry,
	write func(*database.Tx) error) (planned int64, err error) {
	all, err := merchant.Store(s.Store).Merchants(ctx)
	if err != nil {
		return 0, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := write(tx); err != nil {
			return err
		}
		for _, m := range all {
			e.ObjectType, e.ObjectID = "merchant", m.ID
			by := who
			if by.MerchantID != m.ID {
				by = actor.OperatorOf(m.ID)
			}
			tx.Audit(by, e)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return s.Store.PlannedOn(ctx, day)
}

// MayAdd tells whether somebody may add a day: the operator, and an admin of the only business on the installation,
// since the days hold for every business on it.
func (s *Service) MayAdd(ctx context.Context, who actor.Actor) error {
	if byOperator(who) == nil {
		return nil
	}
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	all, err := merchant.Store(s.Store).Merchants(ctx)
	if err != nil {
		return err
	}
	if len(all) != 1 || all[0].ID != who.MerchantID {
		return fault.New(fault.Forbidden, "permission_denied",
			"Several businesses use this installation, and a public holiday holds for all of them: its operator adds the day.")
	}
	return nil
}

// byOperator: the days hold for every merchant, so no merchant may change them.
func byOperator(who actor.Actor) error {
	if who.Kind == actor.Operator && who.MerchantID == uuid.Nil {
		return nil
	}
	return fault.New(fault.Forbidden, "permission_denied",
		"Only the operator of this installation can change its calendar.")
}
