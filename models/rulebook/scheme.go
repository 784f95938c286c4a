package rulebook

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
	"sync"

	"debitdesk/models/calendar"
)

//go:embed scheme.csv
var schemeTable []byte

// Default is the book of a desk whose bank replaces nothing: the rules of the scheme and of the law.
var Default = sync.OnceValue(func() *Book {
	rows, err := parse(schemeTable)
	if err == nil {
		var b *Book
		if b, err = New(rows...); err == nil {
			return b
		}
	}
	panic(fmt.Errorf("the table of rules: %w", err)) // a test reads the table
})

// The columns of the table.
const (
	colKey = iota
	colStream
	colScope
	colType
	colValue
	colUnit
	colFrom
	colTo
	colJudgedBy
	colKnownFrom
	colKnownTo
	colSure
	colStatus
	colOverride
	colSite
	colTitle
	colKind
	colPublished
	colNote
)

// parse reads the table. A line that names several streams is a row for each.
func parse(table []byte) (rows []Row, err error) {
	lines, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		return nil, err
	}
	for n, line := range lines[1:] {
		value, err := parseValue(kind(line[colType]), line[colValue])
		if err != nil {
			return nil, fmt.Errorf("line %d: value: %w", n+2, err)
		}
		r := Row{Key: line[colKey], Scope: line[colScope], Value: value, Unit: line[colUnit], JudgedBy: line[colJudgedBy],
			Sure: line[colSure], Status: Status(line[colStatus]), Override: Override(line[colOverride]), Note: line[colNote],
			Source: Source{line[colSite], line[colTitle], line[colKind], line[colPublished]}}
		for col, date := range map[int]*calendar.Date{colFrom: &r.From, colTo: &r.To, colKnownFrom: &r.KnownFrom,
			colKnownTo: &r.KnownTo} {
			if err := date.UnmarshalText([]byte(line[col])); err != nil {
				return nil, fmt.Errorf("line %d: %w", n+2, err)
			}
		}
		for _, stream := range strings.Fields(line[colStream]) {
			r.Stream = stream
			rows = append(rows, r.named())
		}
	}
	return rows, nil
}

// named gives a row its id, from what tells it from all others.
func (r Row) named() Row {
	from := "always"
	if !r.From.IsZero() {
		from = r.From.String()
	}
	r.ID = strings.Join([]string{r.Key, r.Stream, r.Scope, from}, "/")
	if r.Status == Withdrawn {
		r.ID += "/withdrawn"
	}
	return r
}
