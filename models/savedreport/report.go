// Package savedreport keeps questions about how debits went under a name, for the person who asked them, and mails the
// answer on the first business day of a month. How an answer is drawn it does not know.
package savedreport

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/analysis"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// Period is which days a report looks at, as seen from the day on which it is opened.
type Period string

// The periods.
const (
	LastMonth   Period = "month"
	LastQuarter Period = "quarter" // the last three months that are over
	LastYear    Period = "year"    // the last twelve
	SoFar       Period = "so_far"  // this month until today, and the two before
)

// Periods lists all of them.
var Periods = []Period{LastMonth, LastQuarter, LastYear, SoFar}

// Words name a period.
func (p Period) Words() string {
	return map[Period]string{LastMonth: "Last month", LastQuarter: "Last three months", LastYear: "Last twelve months",
		SoFar: "This month and the two before"}[p]
}

// Than is what the period is compared with.
type Than string

// The comparisons.
const (
	Before  Than = "before" // the days before, as many as these
	Year    Than = "year"   // the same days a year earlier
	Nothing Than = "none"
)

// Thans lists all of them.
var Thans = []Than{Before, Year, Nothing}

// Report is a question under a name.
type Report struct {
	ID         uuid.UUID
	MerchantID uuid.UUID `gorm:"not null"`
	OwnerID    uuid.UUID `gorm:"<-:create;not null"`
	Name       string
	Period     Period
	Than       Than
	Method     bank.Method // empty: any
	BrandID    uuid.UUID   // zero: any
	Monthly    bool        // it is mailed to its owner
	SettledOn  calendar.Date
	Note       string    // why nothing was mailed in the month that is settled
	CreatedAt  time.Time `gorm:"not null"`
	UpdatedAt  time.Time `gorm:"not null"`
}

// Asks is the question on a day, and the one that it is compared with, whose From is zero when there is none.
func (r Report) Asks(today calendar.Date) (q, before analysis.Question) {
	q = analysis.Question{Method: r.Method, BrandID: r.BrandID}
	months := map[Period]time.Month{LastMonth: 1, LastQuarter: 3, LastYear: 12, SoFar: 2}[r.Period]
	q.From, q.To = calendar.On(today.Year, today.Month-months, 1), today
	if r.Period != SoFar {
		q.To = today.FirstDayOfMonth().AddDays(-1)
	}
	return q, r.Than.Of(q)
}

// Of is the question that another is compared with; its From is zero when there is none.
func (t Than) Of(q analysis.Question) analysis.Question {
	switch t {
	case Before:
		return q.Earlier()
	case Year:
		return q.YearBefore()
	case Nothing:
	}
	return analysis.Question{}
}

const longName = 60

// tidy puts a report into order, and tells all that is wrong with it.
func (r *Report) tidy() error {
	var wrong fault.Problems
	r.Name = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(r.Name, "\x00", ""), "")), " ")
	switch {
	case r.Name == "":
		wrong.Add("name", "required", "Give the report a name.")
	case utf8.RuneCountInString(r.Name) > longName:
		wrong.Add("name", "max_length", "The name of a report has at most %d characters.", longName)
	}
	if r.Period.Words() == "" {
		wrong.Add("period", "invalid_choice", "Choose one of the periods.")
	}
	if r.Than != Before && r.Than != Year && r.Than != Nothing {
		wrong.Add("than", "invalid_choice", "Choose what the period is compared with.")
	}
	if r.Method != "" && r.Method != bank.EFT && r.Method != bank.DebiCheck {
		wrong.Add("method", "invalid_choice", "Choose EFT, DebiCheck or any method.")
	}
	return wrong.Err()
}

// mailDay is the first business day of a day's month.
func mailDay(c *calendar.Calendar, d calendar.Date) calendar.Date {
	return c.Shift(d.FirstDayOfMonth(), calendar.Next)
}
