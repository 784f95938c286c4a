package leaving

import (
	"errors"
	"strconv"

	"debitdesk/models/bank"
	"debitdesk/models/celltext"
	"debitdesk/models/money"
)

// Kind is how the values of a column are written.
type Kind string

// The kinds of columns.
const (
	Text   Kind = "text"   // what begins like a formula has an apostrophe in front
	Word   Kind = "word"   // an id, a code or a state
	Amount Kind = "amount" // with two decimals
	Count  Kind = "count"  // a whole number
	Day    Kind = "day"    // 2026-11-23
	Moment Kind = "moment" // 2026-11-23 09:00:00, in South Africa
	YesNo  Kind = "yes/no"
	List   Kind = "list" // separated by blanks
	JSON   Kind = "json"
	Number Kind = "number" // of an account or a person; masked unless the manifest says full
)

// column is a column of a file, and where its values are.
type column struct {
	Column
	from string // where the value is
	seal *sealed
	own  bool // a number of the merchant’s own, which is not sealed
}

// sealed is where a number is kept in full. It is bound to the row whose id is the first column of the file.
type sealed struct {
	from          string
	table, column string
	part          string // of several numbers that are sealed together; empty: the whole
}

func text(name, from, meaning string) column   { return of(Text, name, from, meaning) }
func word(name, from, meaning string) column   { return of(Word, name, from, meaning) }
func amount(name, from, meaning string) column { return of(Amount, name, from, meaning) }
func count(name, from, meaning string) column  { return of(Count, name, from, meaning) }
func day(name, from, meaning string) column    { return of(Day, name, from, meaning) }
func moment(name, from, meaning string) column { return of(Moment, name, from, meaning) }
func yesNo(name, from, meaning string) column  { return of(YesNo, name, from, meaning) }
func list(name, from, meaning string) column   { return of(List, name, from, meaning) }
func document(name, from, meaning string) column {
	return of(JSON, name, from, meaning)
}

func of(k Kind, name, from, meaning string) column {
	return column{Column: Column{Name: name, Kind: k, Meaning: meaning}, from: from}
}

// number is a column of numbers whose masks are at mask.
func number(name, mask, meaning string, in sealed) column {
	c := of(Number, name, mask, meaning)
	c.seal = &in
	return c
}

// ownNumber is a column of numbers of the merchant’s own accounts.
func ownNumber(name, from, meaning string) column {
	c := of(Number, name, from, meaning)
	c.own = true
	return c
}

// file is one CSV file of a book.
type file struct {
	name, holds string
	tables      []string // whose rows it holds
	from        string   // the table, as x, and what is joined to it
	where       string   // beside the merchant; empty: all rows
	order       string   // the same rows in the same order each time
	columns     []column
	lines       bool // its rows are parts of rows of another file
}

// sealed tells whether rows of the file may be damaged.
func (f file) sealed() bool {
	for _, c := range f.columns {
		if c.seal != nil {
			return true
		}
	}
	return false
}

var errNotAnAmount = errors.New("is no amount in cents")

// written is a value as it stands in the file; nothing is empty.
func (c column) written(stored []byte, whole bool) (string, error) {
	s := string(stored)
	switch {
	case c.own && !whole:
		return bank.AccountNumber(s).String(), nil
	case c.Kind == Text:
		return celltext.Guard(s), nil
	case c.Kind == Amount && s != "":
		cents, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return "", errNotAnAmount
		}
		return money.Plain(cents), nil
	}
	return s, nil
}
