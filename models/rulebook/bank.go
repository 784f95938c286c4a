package rulebook

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/calendar"
)

// Instead is a value that a sponsor bank or its profile puts in the place of the scheme's, with its proof.
type Instead struct {
	Key    string `json:"key"`
	Stream string `json:"stream"`
	Value  any    `json:"value"` // a number, true or false, words, a list or null
	From   string `json:"from"`
	To     string `json:"to"`
	Proof  string `json:"proof"` // who at the bank wrote it, and when
}

// ForBank is the book of a desk that collects through a bank: with the bank's own values, and with the readings of the
// provider that the bank's profile names. It refuses, all at once, what the bank may not replace.
func (b *Book) ForBank(bank, providerName string, instead []Instead) (*Book, error) {
	rows := b.Rows()
	var wrong []error
	if providerName != "" && !slices.ContainsFunc(rows, func(r Row) bool { return r.Scope == provider+providerName }) {
		wrong = append(wrong, fmt.Errorf("no rule has a reading of %q", providerName))
	}
	for n, one := range instead {
		row, err := b.instead(bank, one)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("rule %d (%s): %w", n+1, one.Key, err))
			continue
		}
		rows = append(rows, row)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	out, err := New(rows...)
	if err != nil {
		return nil, err
	}
	out.scopes = nil
	if bank != "" {
		out.scopes = append(out.scopes, bankScope+bank)
	}
	if providerName != "" {
		out.scopes = append(out.scopes, provider+providerName)
	}
	out.scopes = append(out.scopes, AnyProvider)
	return out, nil
}

func (b *Book) instead(bank string, one Instead) (r Row, err error) {
	from, dayErr := calendar.ParseDate(one.From)
	of := b.replaced(one, from)
	value, valueErr := jsonValue(one.Value, of.Value.kind)
	switch {
	case of.Key == "":
		return r, errors.New("there is no such rule")
	case of.Override != ByBank && of.Override != ByFree:
		return r, errors.New("a bank may not replace it")
	case strings.TrimSpace(one.Proof) == "":
		return r, errors.New("name the proof: who at the bank wrote it, and when")
	case valueErr != nil:
		return r, valueErr
	case !value.same(of.Value):
		return r, fmt.Errorf("its value is not of the kind of %s", of.Value)
	}
	if err := shaped(one.Key, value); err != nil {
		return r, err
	}
	r = of
	r.Scope, r.Value, r.Status, r.KnownFrom, r.Note = bankScope+bank, value, InForce, calendar.Date{}, ""
	r.Stream = cmp.Or(one.Stream, AnyStream)
	r.Sure, r.Source = "C", Source{Site: bank, Title: one.Proof, Kind: "the bank's word"}
	if dayErr != nil {
		return r, fmt.Errorf("from: %w", dayErr)
	}
	r.From, r.To = from, calendar.Date{}
	if one.To != "" {
		if r.To, err = calendar.ParseDate(one.To); err != nil {
			return r, fmt.Errorf("to: %w", err)
		}
		if !r.To.After(r.From) {
			return r, errors.New("it ends before it begins")
		}
	}
	return r.named(), nil
}

// replaced is the scheme's row that a bank's takes the place of: the one of its first day, or else the last.
func (b *Book) replaced(one Instead, from calendar.Date) (of Row) {
	for _, row := range b.byKey[one.Key] {
		if row.Scope != Scheme || row.Status != InForce || row.Stream != one.Stream && row.Stream != AnyStream &&
			one.Stream != "" && one.Stream != AnyStream {
			continue
		}
		if of = row; row.Holds(from) {
			return row
		}
	}
	return of
}

// shaped refuses words that nobody could read a rule from.
func shaped(key string, v Value) error {
	switch key {
	case "eft.cutoff.two_day", "eft.cutoff.same_day", "dc.cutoff":
		days, at, _ := strings.Cut(v.text, " ")
		n, err := strconv.Atoi(days)
		if _, wrong := calendar.ParseTimeOfDay(at); err != nil || wrong != nil || n < 0 || n > 60 {
			return fmt.Errorf("%q is not a cut-off such as \"2 12:00\"", v.text)
		}
	case "dc.request_hours":
		from, to, _ := strings.Cut(v.text, "-")
		_, err := calendar.ParseTimeOfDay(from)
		if _, wrong := calendar.ParseTimeOfDay(to); err != nil || wrong != nil {
			return fmt.Errorf("%q is not a span such as \"03:00-20:30\"", v.text)
		}
	}
	if v.kind == integer && v.n < 0 {
		return fmt.Errorf("%d is below 0", v.n)
	}
	return nil
}

// jsonValue reads a value as JSON gave it.
func jsonValue(v any, as kind) (Value, error) {
	switch v := v.(type) {
	case nil:
		return Value{kind: noValue}, nil
	case bool:
		return Bool(v), nil
	case float64:
		n := int64(v)
		if float64(n) != v {
			return Value{}, fmt.Errorf("%v is not a whole number", v)
		}
		return Int(n), nil
	case string:
		if as == noValue || as == "" {
			as = text
		}
		return parseValue(as, v)
	case []any:
		out := Value{kind: list}
		for _, entry := range v {
			out.list = append(out.list, fmt.Sprint(entry))
		}
		return out, nil
	}
	return Value{}, fmt.Errorf("%v is not a value", v)
}

// Enact is what a row that was to come becomes when its day is known. The day must lie ahead: a rule is not changed
// backwards.
func (r Row) Enact(from, today calendar.Date) (Row, error) {
	switch {
	case r.Status != Coming:
		return r, fmt.Errorf("%s is not a rule that is to come", r.ID)
	case !from.After(today):
		return r, fmt.Errorf("%s cannot begin on %s: that is not ahead of %s", r.ID, from, today)
	}
	r.Status, r.From, r.KnownFrom = InForce, from, today
	return r.named(), nil
}
