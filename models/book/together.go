package book

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/book/source"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// mostSharing is how many clients of a file may share a value; what more of them share is nobody's.
const mostSharing = 3

// Together is what the rows of a file say with each other: who stands in it twice, which values several share, and what
// the amounts add up to. It keeps no value, only where it was first seen and how often.
type Together struct {
	seed   maphash.Seed
	values map[uint64]seen
	sum    money.Sum
	totals []total
	plans  map[uint64][]Day // of debits that the old system is to make
}

type seen struct{ n, first int32 }

// total is a line of totals: what it says, and what the rows above it add up to.
type total struct {
	row   int
	cents int64
	above money.Sum
}

// NewTogether begins with a file.
func NewTogether() *Together { return &Together{seed: maphash.MakeSeed(), values: map[uint64]seen{}} }

func (t *Together) key(f Field, value string) uint64 {
	return maphash.String(t.seed, string(f)+"\x1f"+value)
}

func (t *Together) note(f Field, value string, row int) {
	if value == "" {
		return
	}
	k := t.key(f, value)
	s, known := t.values[k]
	if !known {
		s.first = int32(row) //nolint:gosec // a spreadsheet has a million rows
	}
	s.n++
	t.values[k] = s
}

// Settle ends the looking: what stands in one row alone says nothing, and is forgotten.
func (t *Together) Settle() {
	told := map[uint64]seen{}
	for k, s := range t.values {
		if s.n > 1 {
			told[k] = s
		}
	}
	t.values = told
}

// Add takes one row, read alone. Rows come in the order of the file.
func (t *Together) Add(m Mapping, row Row, l Line) {
	if l.Values.Aside {
		t.plan(l.Values.Plan)
		return
	}
	if l.Values.Totals {
		t.totals = append(t.totals, total{row.N, l.Values.Cents, t.sum})
		return
	}
	key, account := l.Values.key(), accountKey(l.Values)
	again := key != "" && t.values[t.key(keyField, key)].n > 0
	for _, f := range []Field{Identity, Email, Phone} {
		if again {
			break // several rows of one client are not several clients
		}
		if at := m.Column(f); at >= 0 && at < len(row.Cells) {
			t.note(f, alike(f, Tidy(row.Cells[at])), row.N)
		}
	}
	if of := key + "\x1f" + account; key == "" || account == "" || t.values[t.key(accountOf, of)].n == 0 {
		t.note(Account, account, row.N) // what several rows of one client say counts once
	}
	if key != "" && account != "" {
		t.note(accountOf, key+"\x1f"+account, row.N)
	}
	t.note(keyField, key, row.N)
	t.count(l)
}

// count adds the amount of a row, as the file says it, to what its lines of totals are held against.
func (t *Together) count(l Line) {
	if !l.Values.Aside && !l.Values.Totals {
		t.sum = t.sum.Plus(money.SumOf(l.Values.Told))
	}
}

// told is the amount of a row as the file has it: an amount that a person typed again changes nothing about the file,
// unless what it has there is no amount.
func (c Checker) told(row Row, now int64) int64 {
	at := c.Mapping.Column(Amount)
	first, typed := row.First[at+1]
	if !typed || at >= len(row.Cells) {
		return now
	}
	row.Cells = slices.Clone(row.Cells)
	row.Cells[at] = first
	if was := c.Check(row).Values.Told; was != 0 {
		return was
	}
	return now
}

// alike is a value as values are compared.
func alike(f Field, text string) string {
	switch f {
	case Identity:
		return bank.CleanID(text).Reveal()
	case Phone:
		return strings.TrimLeft(strings.TrimPrefix(digitsOf(text), "27"), "0")
	default:
		return strings.ToLower(text)
	}
}

// shared tells how many rows have a value.
func (t *Together) shared(f Field, text string) int {
	if t == nil {
		return 0
	}
	return int(t.values[t.key(f, alike(f, text))].n)
}

func accountKey(v Values) string {
	if v.Details.BankAccount == "" {
		return ""
	}
	return v.Details.BankCode + "/" + v.Details.BankAccount.Key()
}

// keyField is where the keys of rows are kept, beside the fields.
const (
	keyField  Field = "key"
	accountOf Field = "account_of" // the account of a client
)

// key names the client that a row means, as the row says it: people who share an address are told apart by their names.
func (v Values) key() string {
	switch {
	case v.ClientID != uuid.Nil:
		return "id " + v.ClientID.String()
	case v.Reference != "":
		return "reference " + v.Reference
	case v.Details.PersonalCode != "":
		return "identity " + v.Details.PersonalCode.Reveal()
	case v.Details.Email != "":
		return "email " + strings.ToLower(v.Details.Email) + "\x1f" + batch.NameKey(v.Details.FullName)
	}
	return ""
}

// together reports what only the other rows of the file show.
func (r *reading) together() {
	if r.Together == nil {
		return
	}
	r.line.Values.Planned = r.Together.plansOf(r.line.Values)
	v := r.line.Values
	if r.more() {
		return
	}
	if key := v.key(); key != "" {
		if s := r.Together.values[r.Together.key(keyField, key)]; s.n > 1 && int(s.first) != r.line.N {
			if r.chose(CauseTwice) == choiceSkip {
				r.say(Note, "", CauseTwice, "row %d is the same client", s.first)
			} else {
				r.wrong("", CauseTwice, "row %d is the same client already", s.first)
			}
		}
	}
	if key := accountKey(v); key != "" {
		if n := int(r.Together.values[r.Together.key(Account, key)].n); n > 1 {
			r.say(Warning, Account, CauseShared, "%s have this account: one payer is debited for each of them",
				plural.Of(n, "row"))
		}
	}
}

// more reads a row that adds an account or a subscription to the client of an earlier row.
func (r *reading) more() bool {
	v, key := &r.line.Values, r.line.Values.key()
	first := r.Together.values[r.Together.key(keyField, key)]
	if key == "" || first.n < 2 || int(first.first) >= r.line.N {
		if r.row.is(source.More) {
			r.wrong("", CauseFirstRow, "the row of its client was left out, so that it adds to no client")
			return true
		}
		return false
	}
	if !r.row.is(source.More) && r.chose(CauseTwice) != choiceMore {
		return false
	}
	v.More = int(first.first)
	if account := accountKey(*v); account != "" {
		of := r.Together.values[r.Together.key(accountOf, key+"\x1f"+account)]
		if of.n > 1 && int(of.first) < r.line.N {
			v.AccountOf = int(of.first)
		}
	}
	return true
}

// CheckSum says whether the lines of totals agree with the rows.
func (t *Together) CheckSum() string {
	var said []string
	for _, one := range t.totals {
		switch {
		case one.cents == 0:
		case one.above.String() == money.SumOf(one.cents).String():
			said = append(said, fmt.Sprintf("The line of totals in row %d agrees with the rows: %s.", one.row,
				money.Format(one.cents, money.ZAR)))
		default:
			said = append(said, fmt.Sprintf("The line of totals in row %d says %s, but the rows above it add up to %s.", one.row,
				money.Format(one.cents, money.ZAR), one.above.Format(money.ZAR)))
		}
	}
	return strings.Join(said, " ")
}
