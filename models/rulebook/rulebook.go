// Package rulebook knows the rules of South African debit orders as dated facts: which value of a rule holds on a day,
// who says so, how sure it is and who may replace it. It knows no debit, no database and no bank; whoever decides by a
// rule keeps the ids of the rows it used, so that the decision is never made again.
package rulebook

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"debitdesk/models/calendar"
)

// Row is one rule as it holds from one day to another. Dates are SAST; a zero date is open or unknown.
type Row struct {
	ID        string        // key/stream/scope/from; what decisions keep
	Key       string        // such as dispute.auto_days
	Stream    string        // eft, rm, debicheck, rms, naedo, payshap or any
	Scope     string        // scheme, bank:ID, provider:ID or merchant:ID
	Value     Value         // typed
	Unit      string        // of a number: days, cents, basis points
	From, To  calendar.Date // from inclusive, to exclusive
	JudgedBy  string        // which day selects the row
	KnownFrom calendar.Date // when it could be known; zero: always
	KnownTo   calendar.Date // when it was taken back; zero: it still stands
	Sure      string        // A (law) to F (an earlier reference of ours)
	Status    Status
	Override  Override
	Source    Source
	Note      string
}

// Source is who says so.
type Source struct {
	Site      string `json:"site"`
	Title     string `json:"title"`
	Kind      string `json:"kind"`
	Published string `json:"published"`
}

// Status is whether a row may decide anything.
type Status string

// The states of a row. A coming row is shown and decides nothing; a withdrawn one decides only what was judged while it
// was announced.
const (
	InForce   Status = "in_force"
	Coming    Status = "coming"
	Withdrawn Status = "withdrawn"
)

// Override is who may replace a row.
type Override string

// Who may replace a row.
const (
	ByNobody  Override = "no"      // law: nobody may loosen it
	ByBank    Override = "bank"    // the sponsor bank or its profile, with a day and a proof
	ByTighter Override = "tighter" // a merchant, by a stricter value only
	ByFree    Override = "free"    // a merchant
)

// The scopes of rows that are no bank's.
const (
	Scheme       = "scheme"
	AnyProvider  = "provider:*" // what banks and providers do unless they say otherwise
	bankScope    = "bank:"
	provider     = "provider:"
	merchantRule = "merchant:"
)

// AnyStream is the stream of rules that hold for every kind of debit.
const AnyStream = "any"

// Holds tells whether the row covers a day.
func (r Row) Holds(day calendar.Date) bool {
	return !day.Before(r.From) && (r.To.IsZero() || day.Before(r.To))
}

// known tells whether the row could be known on a day; a zero day knows all that still stands.
func (r Row) known(on calendar.Date) bool {
	if on.IsZero() {
		return r.KnownTo.IsZero()
	}
	return !on.Before(r.KnownFrom) && (r.KnownTo.IsZero() || on.Before(r.KnownTo))
}

// kind is what type a value has.
type kind string

const (
	noValue kind = "none"
	integer kind = "int"
	boolean kind = "bool"
	text    kind = "text"
	list    kind = "list"
	clock   kind = "time"
	ratio   kind = "ratio"
)

// Value is a typed value; the zero Value is none.
type Value struct {
	kind kind
	n    int64
	over int64 // of a ratio
	text string
	list []string
}

// Int is a number in the unit of its row.
func Int(n int64) Value { return Value{kind: integer, n: n} }

// Bool is yes or no.
func Bool(yes bool) Value {
	if yes {
		return Value{kind: boolean, n: 1}
	}
	return Value{kind: boolean}
}

// Text is a word or a few.
func Text(words string) Value { return Value{kind: text, text: words} }

// parseValue reads a value as the table writes it.
func parseValue(k kind, words string) (v Value, err error) {
	v.kind = k
	switch k {
	case noValue:
	case integer:
		v.n, err = strconv.ParseInt(words, 10, 64)
	case boolean:
		var yes bool
		yes, err = strconv.ParseBool(words)
		v = Bool(yes)
	case text:
		v.text = words
	case clock:
		v.text = words
		_, err = calendar.ParseTimeOfDay(words)
	case list:
		v.list = strings.Split(words, ";")
	case ratio:
		_, err = fmt.Sscanf(words, "%d/%d", &v.n, &v.over)
	default:
		err = fmt.Errorf("%q is not a type of value", k)
	}
	return v, err
}

// Int is the number; 0 where there is none.
func (v Value) Int() int64 { return v.n }

// Bool is whether the value is yes.
func (v Value) Bool() bool { return v.kind == boolean && v.n == 1 }

// Text is the words, times of day among them.
func (v Value) Text() string { return v.text }

// List is the entries.
func (v Value) List() []string { return v.list }

// Ratio is the two numbers of a ratio such as 3/2.
func (v Value) Ratio() (over, under int64) { return v.n, v.over }

// None tells that the rule says there is nothing.
func (v Value) None() bool { return v.kind == noValue || v.kind == "" }

// String writes the value for a person.
func (v Value) String() string {
	switch v.kind {
	case integer:
		return strconv.FormatInt(v.n, 10)
	case boolean:
		if v.n == 1 {
			return "yes"
		}
		return "no"
	case text, clock:
		return v.text
	case list:
		return strings.Join(v.list, ", ")
	case ratio:
		return fmt.Sprintf("%d/%d", v.n, v.over)
	case noValue:
	}
	return "none"
}

// MarshalJSON writes numbers as numbers, yes and no as such, lists as lists and none as null.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case integer:
		return json.Marshal(v.n)
	case boolean:
		return json.Marshal(v.n == 1)
	case list:
		return json.Marshal(v.list)
	case text, clock, ratio:
		return json.Marshal(v.String())
	case noValue:
	}
	return []byte("null"), nil
}

// same tells whether two values are of one type, so that one may take the place of the other.
func (v Value) same(other Value) bool {
	return v.kind == other.kind || v.None() && (other.kind == integer || other.kind == clock) ||
		v.kind == integer && other.None()
}
