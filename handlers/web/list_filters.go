package web

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

// Filter is one key of the address that narrows a list. A value that it cannot read it leaves out with a notice, so
// that what is left in the address is understood.
type Filter[F any] struct {
	Key  string
	Read func(l *listing, f *F)
	// Find is Read where it has to look something up.
	Find  func(ctx context.Context, who actor.Actor, l *listing, f *F) error
	Chip  func(l *listing, text string) string // what the list is narrowed to, in words; "" says nothing
	Input func(text string) templ.Component    // in the menu of filters; nil: only links set it
	// View is for what tabs go by, and WithView for what belongs to a view: another view takes both away.
	View, WithView bool
}

// statesFilter is by several states at once, such as "active,blocked". word says what one of them is called.
func statesFilter[F any, S ~string](key, what string, known []S, word func(S) string, into func(*F) *[]S) Filter[F] {
	return Filter[F]{Key: key, View: true, Read: func(l *listing, f *F) {
		var chosen []S
		for _, s := range split[S](l.query.Get(key)) {
			if slices.Contains(known, s) {
				chosen = append(chosen, s)
			} else {
				l.query.Set(key, string(s))
				l.unknown(key, what)
			}
		}
		if *into(f) = chosen; len(chosen) > 0 {
			l.query.Set(key, joined(chosen))
		} else {
			l.query.Del(key)
		}
	}, Chip: func(_ *listing, text string) string {
		var words []string
		for _, s := range split[S](text) {
			words = append(words, strings.ToLower(word(s)))
		}
		return capital(key) + " is " + strings.Join(words, ", ")
	}}
}

// stateFilter is by one of some states, which the tabs set.
func stateFilter[F any, S ~string](key, what string, known []S, into func(*F) *S) Filter[F] {
	return Filter[F]{Key: key, View: true, Chip: sameChip(""), Read: readOne(key, what, known, into)}
}

// choiceFilter is by one of the options of a select in the menu. Its chip is prefix and the option.
func choiceFilter[F any, S ~string](key, what, prefix string, s components.Select, into func(*F) *S) Filter[F] {
	known := make([]S, len(s.Options))
	for i, o := range s.Options {
		known[i] = S(o.Value)
	}
	return Filter[F]{Key: key, Read: readOne(key, what, known, into), Chip: func(_ *listing, text string) string {
		return prefix + s.Options[slices.Index(known, S(text))].Text
	}, Input: chooseFrom(key, s)}
}

// chooseFrom is the select of a filter in the menu.
func chooseFrom(key string, s components.Select) func(string) templ.Component {
	return func(text string) templ.Component {
		s.Name, s.Options = key, slices.Clone(s.Options)
		for i := range s.Options {
			s.Options[i].Selected = s.Options[i].Value == text
		}
		return components.Choose(s)
	}
}

// options are values that say what they are.
func options(values ...string) (out []components.Option) {
	for _, v := range values {
		out = append(out, components.Option{Value: v, Text: v})
	}
	return out
}

// tickFilter is a check box in the menu.
func tickFilter[F any](key, label, chip string, into func(*F) *bool) Filter[F] {
	return Filter[F]{Key: key, Chip: sameChip(chip), Read: func(l *listing, f *F) { *into(f) = l.query.Has(key) },
		Input: func(text string) templ.Component {
			return components.Tick(components.Checkbox{Label: label, Name: key, Checked: text != ""})
		}}
}

func readOne[F any, S ~string](key, what string, known []S, into func(*F) *S) func(*listing, *F) {
	return func(l *listing, f *F) {
		switch s := S(l.query.Get(key)); {
		case s == "":
		case slices.Contains(known, s):
			*into(f) = s
		default:
			l.unknown(key, what)
		}
	}
}

// sameChip always says the same.
func sameChip(words string) func(*listing, string) string {
	return func(*listing, string) string { return words }
}

// onlyFilter is on or off: value turns it on.
func onlyFilter[F any](key, value, what, chip string, into func(*F) *bool) Filter[F] {
	return Filter[F]{Key: key, Chip: sameChip(chip), Read: func(l *listing, f *F) {
		switch l.query.Get(key) {
		case "":
		case value:
			*into(f) = true
		default:
			l.unknown(key, what)
		}
	}}
}

// idFilter narrows a list to what belongs to one record.
func idFilter[F any](key, chip string, into func(*F) *uuid.UUID) Filter[F] {
	return Filter[F]{Key: key, Chip: sameChip(chip), Read: func(l *listing, f *F) { *into(f) = l.id(key) }}
}

// dayFilter is by a date that is chosen in the menu.
func dayFilter[F any](key, label string, into func(*F, calendar.Date)) Filter[F] {
	return Filter[F]{
		Key: key,
		Read: func(l *listing, f *F) {
			if day := l.date(key); !day.IsZero() {
				into(f, day)
			}
		},
		Chip: dayChip(label),
		Input: func(text string) templ.Component {
			return components.Date(components.DateField{Label: label, Name: key, Value: text})
		},
	}
}

func dayChip(label string) func(*listing, string) string {
	return func(_ *listing, text string) string {
		day, _ := calendar.ParseDate(text) // it was read before
		return label + " " + glue(day.Format(dayForm))
	}
}

// fromDay is by the first instant of a day in SAST, and toDay by the last.
func fromDay[F any](key, label string, into func(*F) *time.Time) Filter[F] {
	return dayFilter(key, label, func(f *F, day calendar.Date) { *into(f) = day.At(0, 0) })
}

func toDay[F any](key, label string, into func(*F) *time.Time) Filter[F] {
	return dayFilter(key, label, func(f *F, day calendar.Date) {
		*into(f) = day.AddDays(1).At(0, 0).Add(-time.Microsecond)
	})
}

// amountFilter is by an amount in rand.
func amountFilter[F any](key, label, sign string, into func(*F) *int64) Filter[F] {
	return Filter[F]{
		Key: key,
		Read: func(l *listing, f *F) {
			if *into(f) = l.cents(key); *into(f) == 0 {
				l.query.Del(key)
			}
		},
		Chip: func(l *listing, _ string) string { return "Amount " + sign + " " + sum(l.cents(key), money.ZAR) },
		Input: func(text string) templ.Component {
			return components.Amount(components.MoneyField{Label: label, Name: key, Value: text, Width: "whole"})
		},
	}
}

// batchFilter narrows a list to what one batch made.
func batchFilter[F any](find FindBatch, into func(*F) *uuid.UUID) Filter[F] {
	return Filter[F]{
		Key: "batch", Chip: func(l *listing, _ string) string { return "Batch " + l.batch },
		Find: func(ctx context.Context, who actor.Actor, l *listing, f *F) (err error) {
			*into(f), err = l.narrowToBatch(ctx, who, find)
			return err
		},
	}
}
