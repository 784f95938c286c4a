package bank

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"

	"debitdesk/models/calendar"
)

//go:embed return_codes.csv
var codeTable []byte

// Clearing is today's table of the clearing house, whose codes are ours: what a debit keeps is a code of this table, so
// that its meaning stays whatever a table says later.
const Clearing = "clearing"

// TableCode is what a table of return codes means by one of them, from one day to another. A zero day is open or
// unknown.
type TableCode struct {
	Table, Code, Meaning string
	Class                Class
	As                   string // our code of that meaning
	From, To             calendar.Date
	Source               string
}

// Codes are how the codes of one bank are read: what it maps to ours, its table, and the day of its answer.
type Codes struct {
	Own   map[string]string
	Table string // empty: the clearing house's
	Day   calendar.Date
}

var tableCodes = readCodeTable()

// CodeTables are the names of all tables.
func CodeTables() (names []string) {
	for _, c := range tableCodes {
		if !slices.Contains(names, c.Table) {
			names = append(names, c.Table)
		}
	}
	return names
}

// ReadCode finds what a table means by a code on a day; a zero day asks for today's meaning. A code that is in no row
// is Unknown, and stays as it is.
func ReadCode(table, code string, day calendar.Date) TableCode {
	if table == "" {
		table = Clearing
	}
	for _, c := range tableCodes {
		if c.Table == table && c.Code == code && (day.IsZero() && c.To.IsZero() ||
			!day.IsZero() && !day.Before(c.From) && (c.To.IsZero() || day.Before(c.To))) {
			return c
		}
	}
	return TableCode{Table: table, Code: code, Meaning: notInList, Class: Unknown, As: code}
}

// notInList is what is said of a code that no table has.
const notInList = "The bank gave a reason that is not in our list"

func readCodeTable() (codes []TableCode) {
	lines, err := csv.NewReader(bytes.NewReader(codeTable)).ReadAll()
	if err != nil {
		panic(fmt.Errorf("the table of return codes: %w", err)) // a test reads the table
	}
	for _, l := range lines[1:] {
		c := TableCode{Table: l[0], Code: l[1], Meaning: l[2], Class: Class(l[3]), As: l[4], Source: l[7]}
		for i, into := range []*calendar.Date{&c.From, &c.To} {
			if err := into.UnmarshalText([]byte(l[5+i])); err != nil {
				panic(fmt.Errorf("the table of return codes: %s %s: %w", c.Table, c.Code, err))
			}
		}
		codes = append(codes, c)
	}
	return codes
}
