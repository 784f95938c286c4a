package kit

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

// Filter is one key of the address that narrows a list. A value that it cannot read it leaves out with a notice, so
// that what is left in the address is understood.
type Filter[F any] struct {
	Key  string
	Read func(l *Listing, f *F)
	// Find is Read where it has to look something up.
	Find  func(ctx context.Context, who actor.Actor, l *Listing, f *F) error
	Chip  func(l *Listing, text string) string // what the list is narrowed to, in words; "" says nothing
	Input func(text string) templ.Component    // in the menu of filters; nil: only links set it
	// Offer reads what the Select of the filter offers, instead of an Input.
	Offer  func(ctx context.Context, who actor.Actor) ([]components.Option, error)
	Select components.Select
	// View is for what tabs go by, and WithView for what belongs to a view: another view takes both away.
	View, WithView bool
}

// StatesFilter is by several states at once, such as "active,blocked". word says what one of them is called.
func StatesFilter[F any, S ~string](key, what string, known []S, word func(S) string, into func(*F) *[]S) Filter[F] {
	return Filter[F]{Key: key, View: true, Read: func(l *Listing, f *F) {
		var chosen []S
		for _, s := range Split[S](l.Query.Get(key)) {
			if slices.Contains(known, s) {
				chosen = append(chosen, s)
			} else {
				l.Query.Set(key, string(s))
				l.Unknown(key, what)
			}
		}
		if *into(f) = chosen; len(chosen) > 0 {
			l.Query.Set(key, joined(chosen))
		} else {
			l.Query.Del(key)
		}
	}, Chip: func(_ *Listing, text string) string {
		var parts []string
		for _, s := range Split[S](text) {
			parts = append(parts, strings.ToLower(word(s)))
		}
		return words.Capital(key) + " is " + strings.Join(parts, ", ")
	}}
}

// StateFilter is by one of some states, which the tabs set.
func StateFilter[F any, S ~string](key, what string, known []S, into func(*F) *S) Filter[F] {
	return Filter[F]{Key: key, View: true, Chip: SameChip(""), Read: ReadOne(key, what, known, into)}
}

// ChoiceFilter is by one of the options of a select in the menu. Its chip is prefix and the option.
func ChoiceFilter[F any, S ~string](key, what, prefix string, s components.Select, into func(*F) *S) Filter[F] {
	known := make([]S, len(s.Options))
	for i, o := range s.Options {
		known[i] = S(o.Value)
	}
	return Filter[F]{Key: key, Read: ReadOne(key, what, known, into), Chip: func(_ *Listing, text string) string {
		return prefix + s.Options[slices.Index(known, S(text))].Text
	}, Input: ChooseFrom(key, s)}
}

// ChooseFrom is the select of a filter in the menu.
func ChooseFrom(key string, s components.Select) func(string) templ.Component {
	return func(text string) templ.Component {
		s.Name, s.Options = key, slices.Clone(s.Options)
		for i := range s.Options {
			s.Options[i].Selected = s.Options[i].Value == text
		}
		return components.Choose(s)
	}
}

// Options are values that say what they are.
func Options(values ...string) (out []components.Option) {
	for _, v := range values {
		out = append(out, components.Option{Value: v, Text: v})
	}
	return out
}

// TickFilter is a check box in the menu.
func TickFilter[F any](key, label, chip string, into func(*F) *bool) Filter[F] {
	return Filter[F]{Key: key, Chip: SameChip(chip), Read: func(l *Listing, f *F) { *into(f) = l.Query.Has(key) },
		Input: func(text string) templ.Component {
			return components.Tick(components.Checkbox{Label: label, Name: key, Checked: text != ""})
		}}
}

func ReadOne[F any, S ~string](key, what string, known []S, into func(*F) *S) func(*Listing, *F) {
	return func(l *Listing, f *F) {
		switch s := S(l.Query.Get(key)); {
		case s == "":
		case slices.Contains(known, s):
			*into(f) = s
		default:
			l.Unknown(key, what)
		}
	}
}

// SameChip always says the same.
func SameChip(words string) func(*Listing, string) string {
	return func(*Listing, string) string { return words }
}

// AttentionFilter is by why a record needs attention; chips says each reason in words. Only links set it.
func AttentionFilter[F any, S ~string](chips map[S]string, into func(*F) *S) Filter[F] {
	known := slices.Collect(maps.Keys(chips))
	return Filter[F]{Key: "attention", Read: ReadOne("attention", "on the attention list", known, into),
		Chip: func(_ *Listing, text string) string { return chips[S(text)] }}
}

// OnlyFilter is on or off: value turns it on.
func OnlyFilter[F any](key, value, what, chip string, into func(*F) *bool) Filter[F] {
	return Filter[F]{Key: key, Chip: SameChip(chip), Read: func(l *Listing, f *F) {
		switch l.Query.Get(key) {
		case "":
		case value:
			*into(f) = true
		default:
			l.Unknown(key, what)
		}
	}}
}

// IdFilter narrows a list to what belongs to one record.
func IdFilter[F any](key, chip string, into func(*F) *uuid.UUID) Filter[F] {
	return Filter[F]{Key: key, Chip: SameChip(chip), Read: func(l *Listing, f *F) { *into(f) = l.id(key) }}
}

// DayFilter is by a date that is chosen in the menu.
func DayFilter[F any](key, label string, into func(*F, calendar.Date)) Filter[F] {
	return Filter[F]{
		Key: key,
		Read: func(l *Listing, f *F) {
			if day := l.Date(key); !day.IsZero() {
				into(f, day)
			}
		},
		Chip: DayChip(label),
		Input: func(text string) templ.Component {
			return components.Date(components.DateField{Label: label, Name: key, Value: text})
		},
	}
}

// FromDate is by the first of some calendar dates, and ToDate by the last.
func FromDate[F any](key, label string, into func(*F) *calendar.Date) Filter[F] {
	return DayFilter(key, label, func(f *F, day calendar.Date) {
		if into(f).IsZero() || into(f).Before(day) {
			*into(f) = day
		}
	})
}

func ToDate[F any](key, label string, into func(*F) *calendar.Date) Filter[F] {
	return DayFilter(key, label, func(f *F, day calendar.Date) {
		if into(f).IsZero() || day.Before(*into(f)) {
			*into(f) = day
		}
	})
}

func DayChip(label string) func(*Listing, string) string {
	return func(_ *Listing, text string) string {
		day, _ := calendar.ParseDate(text) // it was read before
		return label + " " + words.Glue(day.Format(words.DayForm))
	}
}

// FromDay is by the first instant of a day in SAST, and toDay by the last.
func FromDay[F any](key, label string, into func(*F) *time.Time) Filter[F] {
	return DayFilter(key, label, func(f *F, day calendar.Date) {
		if at := day.At(0, 0); at.After(*into(f)) { // a period may have narrowed it before
			*into(f) = at
		}
	})
}

func ToDay[F any](key, label string, into func(*F) *time.Time) Filter[F] {
	return DayFilter(key, label, func(f *F, day calendar.Date) {
		if at := day.AddDays(1).At(0, 0).Add(-time.Microsecond); into(f).IsZero() || at.Before(*into(f)) {
			*into(f) = at
		}
	})
}

// AmountFilter is by an amount in rand.
func AmountFilter[F any](key, label, sign string, into func(*F) *int64) Filter[F] {
	return Filter[F]{
		Key: key,
		Read: func(l *Listing, f *F) {
			if *into(f) = l.cents(key); *into(f) == 0 {
				l.Query.Del(key)
			}
		},
		Chip: func(l *Listing, _ string) string { return "Amount " + sign + " " + words.Sum(l.cents(key), money.ZAR) },
		Input: func(text string) templ.Component {
			return components.Amount(components.MoneyField{Label: label, Name: key, Value: text, Width: "whole"})
		},
	}
}
