package report

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
)

// rolled tells whether the sums that are kept by day and month answer the filter: it asks for nothing that they are
// not kept by.
func (f Filter) rolled() bool {
	return len(f.Flows)+len(f.Statuses)+len(f.Totals)+len(f.Lines) == 0 && f.Query == "" && f.Paid == Period{} &&
		f.Updated == Period{}
}

// rolledFilter is what a filter asks of sums that are kept.
func rolledFilter(f Filter, of string, args pgx.NamedArgs) string {
	var where strings.Builder
	add := func(name, condition string, list []string) {
		if len(list) > 0 {
			where.WriteString(" AND " + condition)
			args[name] = list
		}
	}
	ids := make([]string, len(f.Brands))
	for i, id := range f.Brands {
		ids[i] = id.String()
	}
	add("currencies", of+".currency = ANY(@currencies::text[])", f.Currencies)
	add("brands", of+".brand_id = ANY(@brands::text[]::uuid[])", ids)
	add("kinds", of+".kind = ANY(@kinds::text[])", f.Kinds)
	add("methods", of+".method = ANY(@methods::text[])", f.Methods)
	add("products", of+".product = ANY(@products::text[])", f.Products)
	add("countries", "'ZA' = ANY(@countries::text[])", f.Countries)
	if len(f.Terminals) > 0 {
		where.WriteString(" AND false")
	}
	if f.Tokenized != nil {
		where.WriteString(" AND " + of + ".stored = @tokenized")
		args["tokenized"] = *f.Tokenized
	}
	return where.String()
}

// span is a range of days of which whole months are taken from the months, and the rest from the days. A zero date
// leaves its end open.
type span struct {
	from, to calendar.Date // of days, both included
	first    calendar.Date // the first of the first whole month; zero: open
	after    calendar.Date // the first of the month after the last whole one; zero: open
}

func spanOf(from, to calendar.Date) span {
	s := span{from: from, to: to}
	if !from.IsZero() {
		if s.first = from; from.Day > 1 {
			s.first = calendar.On(from.Year, from.Month+1, 1)
		}
	}
	if !to.IsZero() {
		next := to.AddDays(1)
		s.after = next.FirstDayOfMonth()
	}
	return s
}

// whole tells whether there is a whole month in the span.
func (s span) whole() bool { return s.first.IsZero() || s.after.IsZero() || s.first.Before(s.after) }

// between is a condition on days; zero dates leave it open.
func between(from, to calendar.Date, toIncluded bool) string {
	where := ""
	if !from.IsZero() {
		where += " AND r.day >= '" + from.String() + "'"
	}
	if !to.IsZero() {
		where += " AND r.day <" + map[bool]string{true: "=", false: ""}[toIncluded] + " '" + to.String() + "'"
	}
	return where
}

// parts are the conditions by which the span is read from the months and from the days.
func (s span) parts() (months string, days []string) {
	switch {
	case !s.whole():
		return " AND false", []string{between(s.from, s.to, true)}
	case s.first.IsZero() && s.after.IsZero():
		return "", nil
	}
	if !s.first.IsZero() && s.from.Before(s.first) {
		days = append(days, between(s.from, s.first, false))
	}
	if !s.after.IsZero() && !s.to.Before(s.after) {
		days = append(days, between(s.after, s.to, true))
	}
	return between(s.first, s.after, false), days
}

// SumsOf is a relation e of currency, sign, n and cents that the movements which a filter lets through come to.
// It takes what is kept by month and day, and goes through the movements only of a day that the filter cuts in
// two, or where it asks for more than sums are kept by.
func SumsOf(merchantID uuid.UUID, f Filter, args pgx.NamedArgs) string {
	const columns = "SELECT r.currency, r.sign, r.n, r.cents FROM "
	rows := func(of Filter, and string) string {
		return "SELECT e.currency, sign(e.amount_cents)::smallint AS sign, 1 AS n, e.amount_cents::numeric AS cents" +
			MovementsOf(merchantID, of, args) + and
	}
	if !f.rolled() {
		return "(" + rows(f, "") + ") AS e"
	}
	args["m"] = merchantID.String()
	from, to, cut := wholeDays(f)
	s := spanOf(from, to)
	months, days := s.parts()
	filter := rolledFilter(f, "r", args)
	kept := " AS r WHERE r.merchant_id = @m::uuid" + filter
	if !from.IsZero() && !to.IsZero() && to.Before(from) { // no day is whole
		return "(" + rows(f, "") + ") AS e"
	}
	parts := []string{columns + "ledger_months" + kept + months,
		columns + "ledger_day_deltas" + kept + between(from, to, true)}
	for _, d := range days {
		parts = append(parts, columns+"ledger_days"+kept+d)
	}
	if len(cut) > 0 {
		parts = append(parts, rows(f, " AND e.day IN ('"+strings.Join(cut, "', '")+"')"))
	}
	return "(" + strings.Join(parts, " UNION ALL ") + ") AS e"
}

// wholeDays are the first and the last day that a filter takes as a whole, and the days that it cuts in two.
func wholeDays(f Filter) (from, to calendar.Date, cut []string) {
	if !f.From.IsZero() {
		from = calendar.DateOf(f.From)
		if f.From.After(from.At(0, 0)) {
			cut, from = append(cut, from.String()), from.AddDays(1)
		}
	}
	if !f.To.IsZero() {
		to = calendar.DateOf(f.To)
		if f.To.Before(to.AddDays(1).At(0, 0).Add(-time.Microsecond)) {
			cut, to = append(cut, to.String()), to.AddDays(-1)
		}
	}
	return from, to, cut
}
