package book

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/money"
)

// samples is how many different texts of a column are shown.
const samples = 3

// Survey looks at every row of a file once and remembers what tells the meaning of each column: samples, kinds of text,
// decimal marks and orders of dates. Its size does not grow with the rows.
type Survey struct{ columns []surveyed }

type surveyed struct {
	samples []string
	filled  int
	kinds   map[Field]int
	amounts int // how many read as an amount
	marks   map[money.Mark]bool
	orders  map[calendar.Order]bool
}

// NewSurvey begins with a file of so many columns.
func NewSurvey(width int) *Survey {
	s := &Survey{columns: make([]surveyed, width)}
	for i := range s.columns {
		s.columns[i] = surveyed{kinds: map[Field]int{}, marks: map[money.Mark]bool{}, orders: map[calendar.Order]bool{}}
	}
	return s
}

// See takes one row. A cell that a workbook keeps as a number does not show how the texts of its column are written.
func (s *Survey) See(cells []string, numbers ...int) {
	for i, c := range cells[:min(len(cells), len(s.columns))] {
		if c = Tidy(c); c != "" {
			s.columns[i].see(c, slices.Contains(numbers, i))
		}
	}
}

func (c *surveyed) see(text string, number bool) {
	c.filled++
	if len(c.samples) < samples && !slices.Contains(c.samples, text) {
		c.samples = append(c.samples, text)
	}
	if kind := kindOf(text); kind != "" {
		c.kinds[kind]++
	}
	if _, err := money.ParseMarked(text, money.Unmarked); err == nil || errors.Is(err, money.ErrAmbiguous) {
		c.amounts++
	}
	if order := calendar.OrderIn(text); order != calendar.Unordered {
		c.orders[order] = true
	} else if mark := money.MarkIn(text); mark != money.Unmarked && !number {
		c.marks[mark] = true
	}
}

// Samples gives up to three different texts of a column, from 0, with numbers of people masked.
func (s *Survey) Samples(column int, f Field) []string {
	out := make([]string, 0, samples)
	for _, text := range s.columns[column].samples {
		out = append(out, Masked(f, text))
	}
	return out
}

// Guess says what each column probably means, by its heading, else by its content, and how it is written.
func (s *Survey) Guess(f sheet.Format) Mapping {
	m := Mapping{Columns: make([]Target, len(s.columns))}
	take := func(i int, f Field) {
		if f != "" && !m.Has(f) {
			m.Columns[i].Field, m.Columns[i].Guessed = f, true
		}
	}
	for i := range s.columns {
		if i < len(f.Header) {
			named, _ := FieldOf(f.Header[i])
			if c := s.columns[i]; named == Template && c.mostly(c.amounts) {
				named = Amount // a "fee" can be what is paid for, or how much
			}
			take(i, named)
		}
	}
	for i := range s.columns {
		nameless := i >= len(f.Header) || Tidy(f.Header[i]) == ""
		if kind := s.columns[i].kind(); m.Columns[i].Field == "" && (nameless || slices.Contains(telling, kind)) {
			take(i, kind)
		}
	}
	return s.Written(f, m)
}

// telling are the kinds of text that nothing else looks like: they tell the column whatever its heading is.
var telling = []Field{Email, Identity, Type, CycleOf}

// Written says of each column of a mapping which decimal mark and order of dates it shows: the whole column decides,
// and where it does not, the other columns of its kind, where these agree. What a person chose stays.
func (s *Survey) Written(f sheet.Format, m Mapping) Mapping {
	m.Columns = slices.Clone(m.Columns)
	orders := map[calendar.Order]bool{}
	for i, t := range m.Columns {
		if t.Field.dated() && i < len(s.columns) {
			maps.Copy(orders, s.columns[i].orders)
		}
	}
	for i := range m.Columns {
		t := &m.Columns[i]
		if i >= len(s.columns) {
			continue
		}
		switch {
		case t.Field.amounts() && t.Decimal == money.Unmarked:
			if only, one := single(s.columns[i].marks); one && (f.Kind != sheet.XLSX || only != money.CommaMark) {
				t.Decimal = only
			}
		case t.Field.dated() && t.Dates == calendar.Unordered:
			t.Dates = orderOf(s.columns[i].orders)
			if t.Dates == calendar.Unordered && len(s.columns[i].orders) < 2 {
				t.Dates = orderOf(orders)
			}
		}
	}
	return m
}

func single[T comparable](of map[T]bool) (only T, one bool) {
	for v := range of {
		only = v
	}
	return only, len(of) == 1
}

// orderOf is the one order of a column. 2026-12-01 is clear by itself and tells nothing about 01/12/2026 beside it.
func orderOf(of map[calendar.Order]bool) calendar.Order {
	switch dayFirst, monthFirst := of[calendar.DayFirst], of[calendar.MonthFirst]; {
	case dayFirst && !monthFirst:
		return calendar.DayFirst
	case monthFirst && !dayFirst:
		return calendar.MonthFirst
	}
	return calendar.Unordered
}

// kind is what at least four in five of the texts are.
func (c surveyed) kind() Field {
	for kind, n := range c.kinds {
		if c.mostly(n) {
			return kind
		}
	}
	return ""
}

// mostly tells that so many of the filled cells decide what the column is: four fifths of them.
func (c surveyed) mostly(n int) bool { return c.filled > 0 && n*5 >= c.filled*4 }

func cycleNamed(word string) bool {
	_, named := cycles[word]
	return named
}

// kindOf is what a text is by itself; nothing where it could be several things.
func kindOf(text string) Field {
	digits, word := digitsOf(text), plainWord(text)
	switch {
	case digits == "" && accountTypes[word] != "":
		return Type
	case digits == "" && cycleNamed(word):
		return CycleOf
	case client.IsEmail(text):
		return Email
	case len(text) == 36 && uuid.Validate(text) == nil:
		return ClientID
	case len(digits) == 13 && bank.CleanID(text).Reveal() == digits:
		if _, wrong := bank.ParseIdentity(bank.CleanID(text), calendar.Date{Year: 2099, Month: 12, Day: 31}); wrong == nil {
			return Identity
		}
	case strings.ContainsAny(text, "+0") && len(digits) >= 9:
		if _, ok := bank.NormalisePhone(text); ok {
			return Phone
		}
	}
	return ""
}

// Tidy takes stray blanks, the apostrophe and the ="…" with which spreadsheets mark text from around a value.
func Tidy(cell string) string {
	cell = batch.Tidy(cell)
	if rest, found := strings.CutPrefix(cell, `="`); found {
		if inner, closed := strings.CutSuffix(rest, `"`); closed {
			cell = strings.TrimSpace(inner)
		}
	}
	return cell
}

// Masked is a text of a column as pages show it: what is, or looks like, an account or identity number is hidden.
func Masked(f Field, text string) string {
	switch {
	case f == Identity:
		return bank.CleanID(text).String()
	case f == Account:
		return bank.CleanAccount(text).String()
	case f == "" || f == Notes || f == Holder || f == FullName:
		return bank.MaskNumbers(text)
	}
	return text
}

func digitsOf(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, text)
}
