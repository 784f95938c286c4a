package rulebook

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"debitdesk/models/calendar"
)

// Book holds rows and answers which of them decides. It does not change; any number of goroutines may ask it.
type Book struct {
	rows   []Row
	byKey  map[string][]Row
	scopes []string // of the bank that collects, the nearest first

	merchant string           // whose stricter values count
	own      map[string][]Row // these values
}

// New is a book of these rows. It refuses two rows of one key, stream and scope that hold on one day, and ids that
// are used twice.
func New(rows ...Row) (*Book, error) {
	b := &Book{rows: slices.Clone(rows), byKey: map[string][]Row{}, scopes: []string{AnyProvider}}
	var wrong []error
	ids := map[string]bool{}
	for _, r := range rows {
		if ids[r.ID] {
			wrong = append(wrong, fmt.Errorf("two rows have the id %s", r.ID))
		}
		ids[r.ID] = true
		for _, other := range b.byKey[r.Key] {
			if r.overlaps(other) {
				wrong = append(wrong, fmt.Errorf("%s and %s hold on the same day", other.ID, r.ID))
			}
		}
		b.byKey[r.Key] = append(b.byKey[r.Key], r)
	}
	return b, errors.Join(wrong...)
}

// overlaps: what was announced and withdrawn, or is yet to come, stands beside what holds.
func (r Row) overlaps(other Row) bool {
	return r.Stream == other.Stream && r.Scope == other.Scope && r.Status == other.Status &&
		(r.To.IsZero() || other.From.Before(r.To)) && (other.To.IsZero() || r.From.Before(other.To))
}

// Rows are all rows, in the order of the table; those of the merchant come last.
func (b *Book) Rows() []Row {
	rows := slices.Clone(b.rows)
	for _, rule := range OwnRules {
		rows = append(rows, b.own[rule.Key]...)
	}
	return rows
}

// of are the rows of a key.
func (b *Book) of(key string) []Row {
	if own := b.own[key]; len(own) > 0 {
		return append(slices.Clone(b.byKey[key]), own...)
	}
	return b.byKey[key]
}

// Row finds a row by the id that a decision kept.
func (b *Book) Row(id string) (Row, bool) {
	key, _, _ := strings.Cut(id, "/")
	rows := b.of(key)
	i := slices.IndexFunc(rows, func(r Row) bool { return r.ID == id })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// NoEnd is a day after all others: the rows that hold on it have no end.
var NoEnd = calendar.On(9999, 12, 31)

// Question asks which row decides.
type Question struct {
	Key, Stream string
	Day         calendar.Date // that selects the row, as its JudgedBy says
	Known       calendar.Date // when the decision is made; zero: with all that is known
	Scopes      []string      // beside those of the bank that collects, the nearest first
	Merchant    string        // whose stricter value counts
}

// Find gives the row that decides: the law, then the bank's, then its provider's, then the scheme's; a merchant's
// row is applied last and only where it is stricter. found is false when no row holds: then choose cautiously.
func (b *Book) Find(q Question) (row Row, found bool) {
	held := b.held(q)
	row, found = pick(held, Scheme)
	if found && row.Override == ByNobody {
		return row, true
	}
	for _, scope := range append(slices.Clone(q.Scopes), b.scopes...) {
		if nearer, ok := pick(held, scope); ok {
			row, found = nearer, true
			break
		}
	}
	if own, ok := pick(held, merchantRule+cmp.Or(q.Merchant, b.merchant)); ok && found && own.stricter(row) {
		row = own
	}
	return row, found
}

// held are the rows that may answer a question. A row that ended on a day which nobody knew of yet still holds.
func (b *Book) held(q Question) (held []Row) {
	for _, r := range b.of(q.Key) {
		if r.Stream != q.Stream && r.Stream != AnyStream || r.Status == Coming || !r.known(q.Known) {
			continue
		}
		if r.Holds(q.Day) || !r.To.IsZero() && !q.Day.Before(r.To) && b.endUnknown(r, q.Known) {
			held = append(held, r)
		}
	}
	return held
}

func (b *Book) endUnknown(r Row, known calendar.Date) bool {
	next := false
	for _, after := range b.of(r.Key) {
		if after.Scope == r.Scope && after.From == r.To && after.Status == InForce &&
			(after.Stream == r.Stream || after.Stream == AnyStream) {
			if after.known(known) {
				return false
			}
			next = true
		}
	}
	return next
}

// pick takes the row of a scope: one of the very stream before one of any, and what was announced last.
func pick(held []Row, scope string) (row Row, found bool) {
	for _, r := range held {
		if r.Scope == scope && (!found || nearer(r, row) > 0) {
			row, found = r, true
		}
	}
	return row, found
}

func nearer(a, b Row) int {
	narrow := func(r Row) int {
		if r.Stream == AnyStream {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(narrow(a), narrow(b)), a.From.Compare(b.From), a.KnownFrom.Compare(b.KnownFrom))
}

// larger are the keys whose larger value is the stricter one; of all others it is the smaller.
var larger = []string{"retention.mandate"}

func (r Row) stricter(than Row) bool {
	switch {
	case than.Override == ByFree:
		return true
	case than.Override != ByTighter || r.Value.kind != integer || than.Value.kind != integer:
		return false
	case slices.Contains(larger, r.Key):
		return r.Value.n > than.Value.n
	}
	return r.Value.n < than.Value.n
}

// cautious is what promises a merchant least, for days on which no row holds: the longest time in which money can go
// back, the earliest end of a request, the lowest limit.
var cautious = map[string]Value{
	"dispute.auto_days":        Int(365),
	"dispute.defence":          Bool(false),
	"dispute.transition":       Text("by_lodging_date"),
	"rms.allowed":              Bool(false),
	"rm.allowed":               Bool(false),
	"cma.debit_allowed":        Bool(false),
	"payshap.request_live":     Bool(false),
	"payshap.request_max":      Int(50000),
	"payshap.requests_per_day": Int(1),
	"rm.same_day_cutoff":       {kind: clock, text: "12:00"},
}

// Value is the value that decides, and the id of its row; without a row it is the cautious choice, and the id says so.
func (b *Book) Value(q Question) (Value, string) {
	if row, found := b.Find(q); found {
		return row.Value, row.ID
	}
	return cautious[q.Key], q.Key + "/" + q.Stream + "/cautious"
}

// On is the value of a rule for a stream on a day, with all that is known.
func (b *Book) On(key, stream string, day calendar.Date) Value {
	v, _ := b.Value(Question{Key: key, Stream: stream, Day: day})
	return v
}
