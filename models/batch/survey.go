package batch

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/money"
)

// Survey looks at every row of a table once and remembers, for each column, what tells its meaning: samples, kinds of text,
// decimal marks and orders of dates. Its size does not grow with the rows.
type Survey struct{ columns []surveyed }

type surveyed struct {
	samples []string
	filled  int
	kinds   map[Field]int
	marks   map[money.Mark]bool
	orders  map[calendar.Order]bool
}

const samples = 3

// NewSurvey begins with a table of so many columns.
func NewSurvey(width int) *Survey {
	s := &Survey{columns: make([]surveyed, width)}
	for i := range s.columns {
		s.columns[i] = surveyed{kinds: map[Field]int{}, marks: map[money.Mark]bool{}, orders: map[calendar.Order]bool{}}
	}
	return s
}

// See takes one row; cells beyond the columns are left out.
func (s *Survey) See(cells []string) {
	for i, c := range cells[:min(len(cells), len(s.columns))] {
		if c = Tidy(c); c != "" {
			s.columns[i].see(c)
		}
	}
}

func (c *surveyed) see(text string) {
	c.filled++
	if len(c.samples) < samples && !slices.Contains(c.samples, text) {
		c.samples = append(c.samples, text)
	}
	if kind := kindOf(text); kind != "" {
		c.kinds[kind]++
	}
	if order := calendar.OrderIn(text); order != calendar.Unordered {
		c.orders[order] = true
	} else if mark := money.MarkIn(text); mark != money.Unmarked {
		c.marks[mark] = true
	}
}

// Samples gives up to three different texts of a column, from 0.
func (s *Survey) Samples(column int) []string { return s.columns[column].samples }

// Filled is how many rows say something in a column, from 0.
func (s *Survey) Filled(column int) int { return s.columns[column].filled }

// Guess says what each column probably means, by its heading, else by its content. A column that shows no decimal mark or
// order of dates takes that of the whole file, where there is one.
func (s *Survey) Guess(header []string, decimal money.Mark, dates calendar.Order) Mapping {
	m := Mapping{Columns: make([]Target, len(s.columns))}
	take := func(i int, f Field) {
		if f != "" && !m.has(f) {
			m.Columns[i].Field, m.Columns[i].Guessed = f, true
		}
	}
	for i := range s.columns {
		if i < len(header) {
			f, _ := fieldOf(header[i])
			take(i, f)
		}
	}
	for i := range s.columns {
		kind := s.columns[i].kind()
		nameless := i >= len(header) || Tidy(header[i]) == ""
		if m.Columns[i].Field == "" && (nameless || kind == Email) {
			take(i, kind)
		}
	}
	for i := range m.Columns {
		m.Columns[i] = s.Written(i, m.Columns[i], decimal, dates)
	}
	return m
}

// Written fills in how the texts of a column are written, once its field is chosen.
func (s *Survey) Written(column int, t Target, decimal money.Mark, dates calendar.Order) Target {
	c := s.columns[column]
	t.Decimal, t.Dates = money.Unmarked, calendar.Unordered
	if t.Field.number() {
		t.Decimal = markOf(c.marks, decimal)
	}
	if t.Field == Due {
		t.Dates = c.order(dates)
	}
	return t
}

func markOf(seen map[money.Mark]bool, otherwise money.Mark) money.Mark {
	switch {
	case len(seen) == 0:
		return otherwise
	case len(seen) > 1:
		return money.Unmarked
	case seen[money.CommaMark]:
		return money.CommaMark
	}
	return money.PointMark
}

// order is that of the column's clear dates. 2026-12-01 is clear by itself and tells nothing about 01/12/2026 beside it.
func (c surveyed) order(otherwise calendar.Order) calendar.Order {
	switch {
	case c.orders[calendar.DayFirst] && c.orders[calendar.MonthFirst]:
		return calendar.Unordered
	case c.orders[calendar.DayFirst]:
		return calendar.DayFirst
	case c.orders[calendar.MonthFirst]:
		return calendar.MonthFirst
	case c.orders[calendar.YearFirst], otherwise == calendar.YearFirst:
		return calendar.Unordered
	}
	return otherwise
}

// kind is what at least four in five of the texts are.
func (c surveyed) kind() Field {
	for kind, n := range c.kinds {
		if n*5 >= c.filled*4 {
			return kind
		}
	}
	return ""
}

var (
	localPhone = regexp.MustCompile(`^(?:\+|0)[\d ()-]+$`)
	plainName  = regexp.MustCompile(`^\pL[\pL'.-]*(?: [\pL'.-]+){1,4}$`)
	clearMoney = regexp.MustCompile(`^-?(?i:R|ZAR) ?\d|[.,]\d\d$`)
)

// kindOf is what a text is by itself; nothing where it could be several things.
func kindOf(text string) Field {
	digits := digitsOf(text)
	switch {
	case client.IsEmail(text):
		return Email
	case len(text) == 36 && uuid.Validate(text) == nil:
		return ClientID
	case len(digits) == 13 && bank.CleanID(text).Reveal() == digits && validID(digits):
		return PersonalCode
	case isBranch(text):
		return BankCode
	case digits != "" && len(digits) < len(text) && len(text) < 40 && isDate(text):
		return Due
	}
	if localPhone.MatchString(text) {
		if _, ok := bank.NormalisePhone(text); ok {
			return Phone
		}
	}
	if clearMoney.MatchString(text) {
		if _, err := money.Parse(text); err == nil {
			return Amount
		}
	}
	if plainName.MatchString(text) {
		return FullName
	}
	return ""
}

func validID(digits string) bool {
	_, problems := bank.ParseIdentity(bank.IDNumber(digits), calendar.Date{Year: 2099, Month: 12, Day: 31})
	return strings.Trim(digits, "0123456789") == "" && problems == nil
}

func isBranch(text string) bool {
	if len(text) != 6 {
		return false
	}
	_, universal, found := bank.FindBranch(text)
	return found && universal
}

func isDate(text string) bool {
	_, err := calendar.ParseWritten(text, calendar.Unordered)
	if err == nil {
		return money.MarkIn(text) == money.Unmarked
	}
	_, err = calendar.ParseWritten(text, calendar.DayFirst)
	return err == nil
}
