// Package ownrule keeps the stricter values that a business chose in the place of the scheme's. Which rules there are,
// and what is stricter, is the rulebook's to know; it must not know what the rules decide.
package ownrule

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/rulebook"
)

// Rule is a stricter value from one day to another. Dates are SAST.
type Rule struct {
	ID, MerchantID uuid.UUID
	Key            string
	Value          int64         // in the unit of the rule
	FromDay        calendar.Date // inclusive
	ToDay          calendar.Date `gorm:"default:null"` // exclusive; zero: until further notice
	CreatedAt      time.Time     // since when it is known
	CreatedBy      string
	EndedAt        time.Time // when somebody ended it, or chose another value
	EndedBy        string
	Replaced       bool // another value takes its place
}

// Void tells of a rule that it never held: it was replaced or taken back before its first day.
func (r Rule) Void() bool { return r.ToDay == r.FromDay }

// Over tells whether the rule no longer holds on a day.
func (r Rule) Over(today calendar.Date) bool { return !r.ToDay.IsZero() && !today.Before(r.ToDay) }

// Row is the rule as the rulebook takes it.
func (r Rule) Row() rulebook.Own {
	return rulebook.Own{ID: r.ID.String(), Key: r.Key, Value: r.Value, From: r.FromDay, To: r.ToDay,
		KnownFrom: calendar.DateOf(r.CreatedAt), By: r.CreatedBy}
}

// Service keeps the rules of businesses.
type Service struct {
	Store Store
	Book  *rulebook.Book // of the scheme and the bank
}

// Input is a stricter value that an admin wants.
type Input struct {
	Key   string
	Value int64
	From  calendar.Date
	// Wrong are problems of the texts that were typed; they are told with those of the rule.
	Wrong fault.Problems
}

// Set chooses a stricter value from a day on, until further notice; what was chosen for that day and later ones makes
// room. A rule is not changed backwards: the first day is tomorrow, so that what was decided today stays as it is.
func (s *Service) Set(ctx context.Context, who actor.Actor, in Input) (r Rule, err error) {
	if err := who.May(actor.Manage); err != nil {
		return r, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		wrong := s.check(in, calendar.DateOf(tx.Now()))
		if err := wrong.Err(); err != nil {
			return err
		}
		standing, err := lockRules(tx, who.MerchantID, in.Key)
		if err != nil {
			return err
		}
		r = Rule{ID: tx.NewID(), MerchantID: who.MerchantID, Key: in.Key, Value: in.Value, FromDay: in.From,
			CreatedAt: tx.Now(), CreatedBy: who.Name}
		var before []map[string]any
		for _, old := range standing {
			if old.FromDay.Before(in.From) && !old.ToDay.IsZero() && !in.From.Before(old.ToDay) {
				continue // it is over by then
			}
			if old.FromDay == in.From && old.Value == in.Value && old.ToDay.IsZero() {
				return fault.At("value", "unchanged", "Your business has this value from that day on already.")
			}
			before = append(before, told(old))
			old.EndedAt, old.EndedBy, old.Replaced = tx.Now(), who.Name, true
			old.ToDay = in.From
			if in.From.Before(old.FromDay) {
				old.ToDay = old.FromDay
			}
			if err := endRule(tx, old); err != nil {
				return err
			}
		}
		tx.Create(&r)
		e := entry(r, "rule.set", "A stricter value was chosen: "+r.Key+" is "+fmt.Sprint(r.Value)+" from "+
			r.FromDay.Format("2 January 2006")+".")
		e.After = told(r)
		if len(before) > 0 {
			e.Before = map[string]any{"replaced": before}
		}
		tx.Audit(who, e)
		return nil
	})
	s.Store.forget(who.MerchantID)
	return r, err
}

const farthest = 3653 // days ahead that a rule may begin

// check finds all that is wrong with a value at once.
func (s *Service) check(in Input, today calendar.Date) fault.Problems {
	wrong := in.Wrong
	limits, offered := Offered(in.Key)
	switch {
	case !offered:
		wrong.Add("key", "invalid", "There is no rule of that name that a business can make stricter.")
	case wrong.Has("from"):
	case in.From.IsZero():
		wrong.Add("from", "required", "Enter the day from which the value holds.")
	case in.From.DaysSince(today) > farthest:
		wrong.Add("from", "invalid", "Enter a day of the next ten years.")
	case !in.From.After(today):
		wrong.Add("from", "too_soon", "A rule cannot change backwards: the first day is %s at the earliest.",
			today.AddDays(1))
	}
	if !offered || wrong.Has("value") {
		return wrong
	}
	day := in.From
	if day.IsZero() {
		day = today.AddDays(1)
	}
	theirs, found := s.Book.Find(rulebook.Question{Key: in.Key, Stream: limits.Stream, Day: day})
	switch most := limits.Most; {
	case !found:
		wrong.Add("key", "invalid", "This rule does not hold on that day.")
	case in.Value < 0:
		wrong.Add("value", "invalid", "Enter a number of 0 or more.")
	case most > 0 && in.Value > most:
		wrong.Add("value", "invalid", "Enter a number of at most %d.", most)
	case !theirs.Stricter(in.Value):
		word := "less"
		if rulebook.LargerIsStricter(in.Key) {
			word = "more"
		}
		wrong.Add("value", "not_stricter", "Only a stricter value can be chosen: %s than the %s in force.", word,
			Said(theirs))
	}
	return wrong
}

// Said is the value of a rule as errors name it.
func Said(r rulebook.Row) string {
	n := r.Value.Int()
	if r.Unit == "basis points" {
		whole, rest := n/100, n%100
		if rest == 0 {
			return fmt.Sprintf("%d %%", whole)
		}
		return fmt.Sprintf("%d,%02d %%", whole, rest)
	}
	return fmt.Sprintf("%d %s", n, r.Unit)
}

// Offered tells whether a business can choose a stricter value of a rule.
func Offered(key string) (rulebook.Ownable, bool) {
	for _, one := range rulebook.OwnRules {
		if one.Key == key {
			return one, true
		}
	}
	return rulebook.Ownable{}, false
}

// End lets a rule end: it holds for the last time today, and one that has not begun never does.
func (s *Service) End(ctx context.Context, who actor.Actor, id uuid.UUID) (r Rule, err error) {
	if err := who.May(actor.Manage); err != nil {
		return r, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if r, err = lockRule(tx, who.MerchantID, id); err != nil {
			return err
		}
		tomorrow := calendar.DateOf(tx.Now()).AddDays(1)
		if !r.ToDay.IsZero() && (r.Void() || !r.ToDay.After(tomorrow)) {
			return fault.New(fault.Conflict, "rule_ended", "This rule has ended already.")
		}
		before := told(r)
		r.ToDay, r.EndedAt, r.EndedBy = tomorrow, tx.Now(), who.Name
		if r.FromDay.After(tomorrow) {
			r.ToDay = r.FromDay
		}
		if err := endRule(tx, r); err != nil {
			return err
		}
		e := entry(r, "rule.ended", "A stricter value ends: "+r.Key+" is "+fmt.Sprint(r.Value)+"; its last day is "+
			r.ToDay.AddDays(-1).Format("2 January 2006")+".")
		e.Before, e.After = before, told(r)
		tx.Audit(who, e)
		return nil
	})
	s.Store.forget(who.MerchantID)
	return r, err
}

func entry(r Rule, action, text string) audit.Entry {
	return audit.Entry{Action: action, ObjectType: "merchant", ObjectID: r.MerchantID, Text: text}
}

func told(r Rule) map[string]any {
	m := map[string]any{"key": r.Key, "value": r.Value, "from": r.FromDay.String()}
	if !r.ToDay.IsZero() {
		m["to"] = r.ToDay.String()
	}
	return m
}
