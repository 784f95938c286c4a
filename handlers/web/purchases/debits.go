package purchases

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

const debitsPath = "/purchases/debits"

// debitOutcomes are the outcomes by their names in the address.
var debitOutcomes = map[string][]collection.Outcome{
	"open":      {collection.OutcomeOpen},
	"answered":  collection.Answered,
	"collected": {collection.OutcomeCollected},
	"failed":    {collection.OutcomeFailed},
	"disputed":  {collection.OutcomeDisputed},
}

var debitViews = []kit.View{{Label: "Not answered", Key: "outcome", Value: "open"},
	{Label: "Answered", Key: "outcome", Value: "answered"},
	{Label: "Collected", Key: "outcome", Value: "collected"}, {Label: "Failed", Key: "outcome", Value: "failed"},
	{Label: "Disputed", Key: "outcome", Value: "disputed"}}

// submitForm is how an address names the moment of a cut-off.
const submitForm = "2006-01-02T15:04"

// DebitsHref is the list of the debits of some days that went so.
func DebitsHref(outcome string, from, to calendar.Date) string {
	q := url.Values{"debit_from": {from.String()}, "debit_to": {to.String()}}
	if outcome != "" {
		q.Set("outcome", outcome)
	}
	return kit.Address(debitsPath, q)
}

// DebitsUntilHref is the list of the debits that go to the bank by a cut-off.
func DebitsUntilHref(cutOff time.Time) string {
	return kit.Address(debitsPath, url.Values{"submit_by": {cutOff.In(calendar.SAST).Format(submitForm)}})
}

// debits are every attempt to collect. Without any filter of days the list shows this month.
func (p *Purchases) debits() kit.Shown {
	return &kit.List[purchase.Record, purchase.DebitFilter]{
		Desk: p.Desk, Exports: p.Exports, Path: debitsPath, Active: words.Purchases, One: "debit",
		Head: components.PageHead{Title: "Debits", Back: components.Link{Text: "Purchases", Href: "/purchases"},
			Sub: "Every debit, by its debit date. The status belongs to the purchase, the result to the debit."},
		Query: p.Service.Debits, ID: func(rec purchase.Record) uuid.UUID { return rec.Collection.ID },
		Count: p.debitCounts,
		Found: func(ctx context.Context, who actor.Actor, f purchase.DebitFilter) (kit.RowsFound, error) {
			t, err := p.Service.TallyDebits(ctx, who, f)
			return kit.FoundUpTo(t.N, purchase.CountLimit), err
		},
		By: "outcome", Views: debitViews,
		Filters: []kit.Filter[purchase.DebitFilter]{
			kit.DatePeriodFilter("debit", "Debit date", func(f *purchase.DebitFilter) *calendar.Date { return &f.From },
				func(f *purchase.DebitFilter) *calendar.Date { return &f.To }),
			kit.FromDate("debit_from", "Debit date from", func(f *purchase.DebitFilter) *calendar.Date { return &f.From }),
			kit.ToDate("debit_to", "Debit date to", func(f *purchase.DebitFilter) *calendar.Date { return &f.To }),
			{Key: "outcome", View: true, Read: readOutcome,
				Chip: func(_ *kit.Listing, text string) string { return debitStates[text].words }},
			kit.MethodFilter(func(f *purchase.DebitFilter) *bank.Method { return &f.Method }),
			kit.IdFilter("brand", "One brand", func(f *purchase.DebitFilter) *uuid.UUID { return &f.BrandID }),
			numberFilter("weekday", 7, weekdayChip, func(f *purchase.DebitFilter) *int { return &f.Weekday }),
			numberFilter("month_day", 31, monthDayChip, func(f *purchase.DebitFilter) *int { return &f.MonthDay }),
			debitBankFilter(), debitTemplateFilter(p.Desk.Facets), debitAgeFilter(),
			reasonFilter,
			submitAtFilter,
			{Key: "submit_by", Read: p.readSubmitBy, Chip: func(_ *kit.Listing, text string) string {
				at, _ := time.ParseInLocation(submitForm, text, calendar.SAST) // it was read before
				return "To the bank by " + words.Moment(at).Text
			}},
		},
		Columns: debitColumns(p.Service, p.Desk.Now()),
		Choose:  p.chooseDebits(), Peeks: true,
		NoMatch: components.Empty{Title: "No debit here", Text: "No debit has such an outcome on these days."},
	}
}

// debitColumns are those of purchases; when a purchase was due stands in the file alone.
func debitColumns(s *purchase.Service, now time.Time) []kit.Column[purchase.Record] {
	columns := PurchaseColumns(s, now, true)
	for n, c := range columns {
		if c.Head.Label == "Due" {
			columns[n].Cell = nil
		}
	}
	return columns
}

func (p *Purchases) readSubmitBy(l *kit.Listing, f *purchase.DebitFilter) {
	if text := l.Query.Get("submit_by"); text != "" {
		at, err := time.ParseInLocation(submitForm, text, calendar.SAST)
		if err != nil {
			l.Unknown("submit_by", "the time of a cut-off")
		}
		f.SubmitBy = at
	}
	if f.From.IsZero() && f.To.IsZero() && f.SubmitBy.IsZero() && f.SubmitAt.IsZero() {
		today := calendar.DateOf(p.Desk.Now())
		f.From, f.To = today.FirstDayOfMonth(), today.LastDayOfMonth()
		l.Query.Set("debit", "this-month")
	}
}

func (p *Purchases) debitCounts(ctx context.Context, who actor.Actor, f purchase.DebitFilter) (kit.Tally, error) {
	counts := map[string]kit.RowsFound{}
	t := kit.Tally{Of: func(v kit.View) kit.RowsFound { return counts[v.Value] }}
	views := slices.Concat([]kit.View{{}}, debitViews)
	asked := make([]purchase.DebitFilter, len(views), len(views)+1)
	for n, v := range views {
		asked[n] = f
		asked[n].Outcomes, asked[n].States = debitOutcomes[v.Value], nil
	}
	if f.States != nil {
		asked = append(asked, f)
	}
	tallies, err := database.EachAtOnce(ctx, asked, func(ctx context.Context,
		of purchase.DebitFilter) (purchase.Tally, error) {
		return p.Service.TallyDebits(ctx, who, of)
	})
	if err != nil {
		return t, err
	}
	for n, of := range asked {
		found := kit.FoundUpTo(tallies[n].N, purchase.CountLimit)
		if of.States == nil {
			counts[views[n].Value] = found
		}
		if slices.Equal(of.States, f.States) && slices.Equal(of.Outcomes, f.Outcomes) {
			t.Found, t.Sum, t.Cents = found, sumFound(tallies[n]), kit.Rands(tallies[n].Cents)
		}
	}
	return t, nil
}

// Debits serves GET /purchases/debits: every attempt to collect is a row.
func (p *Purchases) Debits(c echo.Context) error { return p.debits().Show(c) }

// ExportDebits serves GET /purchases/debits/export.
func (p *Purchases) ExportDebits(c echo.Context) error { return p.debits().Export(c) }

// ExportedDebits is the list for exports in the background.
func (p *Purchases) ExportedDebits() kit.Exportable { return p.debits() }
