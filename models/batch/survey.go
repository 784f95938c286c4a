package batch

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/money"
)

// Survey looks at every row of a table once and remembers, for each column, what tells its meaning: samples, kinds of
// text, decimal marks and orders of dates. Its size does not grow with the rows.
type Survey struct{ columns []surveyed }

type surveyed struct {
	masked  bool // it holds numbers of which only the end is shown
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

// See takes one row; cells beyond the columns are left out. A cell that a workbook keeps as a number, of whose columns
// numbers tells, does not show how the texts of its column are written.
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
	c.masked = c.masked || bank.IsMasked(text)
	if kind := kindOf(text); kind != "" {
		c.kinds[kind]++
	}
	if order := calendar.OrderIn(text); order != calendar.Unordered {
		c.orders[order] = true
	} else if mark := money.MarkIn(text); mark != money.Unmarked && !number {
		c.marks[mark] = true
	}
}

// Samples gives up to three different texts of a column, from 0.
func (s *Survey) Samples(column int) []string { return s.columns[column].samples }

// Guess says what each column probably means, by its heading, else by its content, and how it is written.
func (s *Survey) Guess(f sheet.Format) Mapping {
	m := Mapping{Columns: make([]Target, len(s.columns))}
	take := func(i int, f Field) {
		if f != "" && !m.has(f) {
			m.Columns[i].Field, m.Columns[i].Guessed = f, true
		}
	}
	for i := range s.columns {
		if i < len(f.Header) && !s.columns[i].masked { // •••• 3456 is nobody's account
			named, _ := FieldOf(f.Header[i])
			take(i, named)
		}
	}
	for i := range s.columns {
		kind := s.columns[i].kind()
		nameless := i >= len(f.Header) || Tidy(f.Header[i]) == ""
		if m.Columns[i].Field == "" && (nameless || kind == Email) {
			take(i, kind)
		}
	}
	return s.Written(f, m)
}

// Written says of each column of a mapping which decimal mark and order of dates it shows; call it again after a person
// chose other fields. A column of numbers that shows no mark has that of the other columns of numbers, and a due date
// the order of the other dates, where these agree.
func (s *Survey) Written(f sheet.Format, m Mapping) Mapping {
	m.Columns = slices.Clone(m.Columns)
	marks, orders := map[money.Mark]bool{}, map[calendar.Order]bool{}
	for i, t := range m.Columns {
		if t.Field.number() {
			maps.Copy(marks, s.columns[i].marks)
		}
		maps.Copy(orders, s.columns[i].orders)
	}
	for i := range m.Columns {
		t := &m.Columns[i]
		t.Decimal, t.Dates = money.Unmarked, calendar.Unordered
		if t.Field.number() {
			t.Decimal = markOf(s.columns[i].marks, marks)
		}
		// A workbook stores numbers with a point whatever its texts show: beside "12,50" a stored 1.234 is not 1234.
		if f.Kind == sheet.XLSX && t.Decimal == money.CommaMark {
			t.Decimal = money.Unmarked
		}
		if t.Field == Due {
			t.Dates = orderOf(s.columns[i].orders, orders)
		}
	}
	return m
}

// markOf is the one mark of a column, or else the one of all columns; where a column shows both, nobody knows.
func markOf(own, all map[money.Mark]bool) money.Mark {
	if len(own) == 0 {
		own = all
	}
	if len(own) == 1 {
		for mark := range own {
			return mark
		}
	}
	return money.Unmarked
}

// orderOf does the same for dates. 2026-12-01 is clear by itself and tells nothing about 01/12/2026 beside it.
func orderOf(own, all map[calendar.Order]bool) calendar.Order {
	if len(own) == 0 {
		own = all
	}
	switch dayFirst, monthFirst := own[calendar.DayFirst], own[calendar.MonthFirst]; {
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
