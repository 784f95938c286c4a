// Package report knows the figures that a merchant looks at first: what is
// collected today, how the month goes, and what its money comes to. It must not
// know how they are drawn.
package report

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/ownrule"
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook"
)

// Day is one day's movements of money, in cents, and how many debits came in.
type Day struct {
	Date          calendar.Date
	InCents       money.Sum // collected, won back, paid by hand
	BackCents     money.Sum // returned, disputed, refunded; not negative
	Debits        int64     // collected debits
	ReturnedLater int64     // debits returned or disputed after they were collected
}

// Outcome is how the debits of a span of days went. Each debit counts on its debit
// date, whenever the bank answered; one that was returned counts as unpaid, one that
// was disputed as disputed, however the dispute was decided.
type Outcome struct {
	Collected, Unpaid, Disputed int64
}

// Answered is how many debits the bank has answered.
func (o Outcome) Answered() int64 { return o.Collected + o.Unpaid + o.Disputed }

// PerTenThousand is a part of the answered debits, in hundredths of a percent
// and rounded half up; ok is false when nothing was answered.
func (o Outcome) PerTenThousand(part int64) (ratio int64, ok bool) {
	all := o.Answered()
	if all == 0 {
		return 0, false
	}
	return Ratio(part, all), true
}

// Ratio is a part of a number that is not zero, in hundredths of a percent and rounded half up.
func Ratio(part, of int64) int64 { return (part*20_000 + of) / (2 * of) }

// Limits are those that the clearing rules watch, in hundredths of a percent of the debits, or what a merchant chose
// that is stricter.
type Limits struct {
	Unpaid, Dispute int64
	Own             [2]bool // which of them the merchant chose
}

// LimitsOf are the limits of a day for a merchant with stricter rules of its own; the rules are the bank's, nil the
// scheme's.
func LimitsOf(merchantID uuid.UUID, own []rulebook.Own, rules *rulebook.Book, day calendar.Date) (l Limits) {
	rules = cmp.Or(rules, rulebook.Default()).ForMerchant(merchantID.String(), own)
	for i, into := range []*int64{&l.Unpaid, &l.Dispute} {
		row, _ := rules.Find(rulebook.Question{Key: ratioKeys[i], Stream: rulebook.AnyStream, Day: day})
		*into, l.Own[i] = row.Value.Int(), row.OfMerchant()
	}
	return l
}

var ratioKeys = [2]string{"ratio.unpaid", "ratio.dispute"}

// Figures compare this month so far with last month up to the same day.
type Figures struct {
	From, To           calendar.Date // this month so far
	WasFrom, WasTo     calendar.Date
	Limits             Limits    // of this month
	NetCents, WasCents money.Sum // collected less returned
	Outcome,
	WasOutcome Outcome // this month so far, and the whole of last month: limits are by the month, and answers come late
	Days                 []Day          // the last 30 days, oldest first, quiet ones included
	Today, Tomorrow      purchase.Tally // debits by debit date that the bank has not answered
	ToSubmit             purchase.Tally // debits that are handed over at NextCutOff
	NextCutOff           time.Time
	TomorrowDate, OnDate calendar.Date
}

// Start is which first steps a new merchant has taken, and the person who asks.
type Start struct {
	Client, Mandate, Batch, SecondAdmin bool // of the merchant
	TwoStep, Hidden                     bool // of the person: two-step sign-in is on; they hid the list
}

// Done tells that the first steps of a person are behind them. Those that need a permission hold the list open for
// people who have it.
func (s Start) Done(bills, manages bool) bool {
	return s.Client && s.Mandate && (s.Batch || !bills) && (s.SecondAdmin || !manages) && s.TwoStep
}

// Service holds what the first page asks.
type Service struct {
	Store     Store
	Now       func() time.Time
	Calendar  *calendar.Calendar
	Timetable collection.Timetable
}

const chartDays = 30

// Start tells which first steps are done.
func (s *Service) Start(ctx context.Context, who actor.Actor) (Start, error) {
	if err := who.May(actor.Read); err != nil {
		return Start{}, err
	}
	return s.Store.start(ctx, who.MerchantID, who.ID)
}

// Figures gives the month so far, the chart and what is coming.
func (s *Service) Figures(ctx context.Context, who actor.Actor) (Figures, error) {
	if err := who.May(actor.Read); err != nil {
		return Figures{}, err
	}
	f := monthTo(calendar.DateOf(s.Now()))
	own, err := ownrule.Store(s.Store).OwnRules(ctx, who.MerchantID)
	if err != nil {
		return f, err
	}
	f.Limits = LimitsOf(who.MerchantID, own, s.Timetable.Rules, f.To)
	days, err := s.Store.days(ctx, who.MerchantID, f.first(), f.To)
	if err != nil {
		return f, err
	}
	f.addDays(days)
	outcomes, err := s.Store.Outcomes(ctx, who.MerchantID, f.WasFrom, f.To)
	if err != nil {
		return f, err
	}
	f.addOutcomes(outcomes)
	return f, s.coming(ctx, who.MerchantID, &f)
}

// monthTo are the days that are compared on a day.
func monthTo(today calendar.Date) Figures {
	f := Figures{From: today.FirstDayOfMonth(), To: today, OnDate: today, TomorrowDate: today.AddDays(1)}
	f.WasFrom = calendar.On(today.Year, today.Month-1, 1)
	f.WasTo = f.WasFrom.AddMonths(0, today.Day)
	return f
}

// first is the earliest day that counts: of the chart, or of last month.
func (f Figures) first() calendar.Date {
	if first := f.To.AddDays(1 - chartDays); first.Before(f.WasFrom) {
		return first
	}
	return f.WasFrom
}

func (f *Figures) addDays(days []Day) {
	byDate := map[calendar.Date]Day{}
	for _, d := range days {
		byDate[d.Date] = d
		switch {
		case within(d.Date, f.From, f.To):
			f.NetCents = f.NetCents.Plus(d.InCents).Minus(d.BackCents)
		case within(d.Date, f.WasFrom, f.WasTo):
			f.WasCents = f.WasCents.Plus(d.InCents).Minus(d.BackCents)
		}
	}
	for date := f.To.AddDays(1 - chartDays); !date.After(f.To); date = date.AddDays(1) {
		d := byDate[date]
		d.Date = date
		f.Days = append(f.Days, d)
	}
}

func (f *Figures) addOutcomes(outcomes map[calendar.Date]Outcome) {
	for date, o := range outcomes {
		switch {
		case within(date, f.From, f.To):
			f.Outcome.add(o)
		case date.Month == f.WasFrom.Month:
			f.WasOutcome.add(o)
		}
	}
}

func (s *Service) coming(ctx context.Context, merchantID uuid.UUID, f *Figures) (err error) {
	debits := purchase.Store(s.Store)
	if f.Today, err = debits.TallyDebits(ctx, merchantID, openOn(f.OnDate), 0); err != nil {
		return err
	}
	if f.Tomorrow, err = debits.TallyDebits(ctx, merchantID, openOn(f.TomorrowDate), 0); err != nil {
		return err
	}
	f.NextCutOff = s.nextCutOff()
	f.ToSubmit, err = debits.TallyDebits(ctx, merchantID, purchase.DebitFilter{SubmitBy: f.NextCutOff}, 0)
	return err
}

// openOn takes what the bank is to debit on a day and has not answered.
func openOn(day calendar.Date) purchase.DebitFilter {
	return purchase.DebitFilter{Outcomes: []collection.Outcome{collection.OutcomeOpen}, From: day, To: day}
}

// nextCutOff is the next moment at which debits are handed over.
func (s *Service) nextCutOff() time.Time {
	now := s.Now()
	day := calendar.DateOf(now)
	if !s.Calendar.IsBusinessDay(day) || !now.Before(s.Timetable.CutOff.On(day)) {
		day = s.Calendar.AddBusinessDays(day, 1)
	}
	return s.Timetable.CutOff.On(day)
}

func (o *Outcome) add(more Outcome) {
	o.Collected, o.Unpaid, o.Disputed = o.Collected+more.Collected, o.Unpaid+more.Unpaid, o.Disputed+more.Disputed
}

func within(d, from, to calendar.Date) bool { return !d.Before(from) && !d.After(to) }
