// Package report knows the figures that a merchant looks at first: what waits
// for somebody, what is collected today, and how the month goes. It must not
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
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook"
)

// Tally is a number of things and what they come to.
type Tally struct {
	N     int64
	Cents int64
}

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
	Days                 []Day // the last 30 days, oldest first, quiet ones included
	Today, Tomorrow      Tally // debits by debit date that the bank has not answered
	ToSubmit             Tally // debits that are handed over at NextCutOff
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

// Reader finds the figures. Everything is bounded by the merchant.
type Reader interface {
	Attention(ctx context.Context, merchantID uuid.UUID, q QueueQuery) (Attention, error)
	// AttentionItems lists up to limit of each kind: what was snoozed until today first, then the newest.
	AttentionItems(ctx context.Context, merchantID uuid.UUID, q QueueQuery, limit int) (Items, error)
	// AttentionCounts counts what each part of the queue shows.
	AttentionCounts(ctx context.Context, merchantID uuid.UUID, of ...QueueQuery) ([]int, error)
	// AttentionCount counts everything that waits, and mails since a month ago.
	AttentionCount(ctx context.Context, merchantID uuid.UUID, month time.Time) (int, error)
	// ClientPurchases are the newest purchases of a client, newest first.
	ClientPurchases(ctx context.Context, merchantID, clientID uuid.UUID, limit int) ([]ClientPurchase, error)
	// Movements sums the ledger in ZAR by day, both ends included; quiet days are left
	// out. What is stored in other currencies stands in the balance and the turnover.
	Movements(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) ([]Day, error)
	// Outcomes counts debits by action date, both ends included.
	Outcomes(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) (map[calendar.Date]Outcome, error)
	// DebitTally counts and sums debits, exactly.
	DebitTally(ctx context.Context, merchantID uuid.UUID, f purchase.DebitFilter) (Tally, error)
	Start(ctx context.Context, merchantID, userID uuid.UUID) (Start, error)
	// OwnRules are the stricter values that a merchant chose.
	OwnRules(ctx context.Context, merchantID uuid.UUID) ([]rulebook.Own, error)
}

// Service holds what the first page asks.
type Service struct {
	Read      Reader
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
	return s.Read.Start(ctx, who.MerchantID, who.ID)
}

// Figures gives the month so far, the chart and what is coming.
func (s *Service) Figures(ctx context.Context, who actor.Actor) (Figures, error) {
	if err := who.May(actor.Read); err != nil {
		return Figures{}, err
	}
	today := calendar.DateOf(s.Now())
	f := Figures{From: calendar.On(today.Year, today.Month, 1), To: today, OnDate: today, TomorrowDate: today.AddDays(1)}
	f.WasFrom = calendar.On(today.Year, today.Month-1, 1)
	f.WasTo = f.WasFrom.AddMonths(0, today.Day)
	own, err := s.Read.OwnRules(ctx, who.MerchantID)
	if err != nil {
		return f, err
	}
	f.Limits = LimitsOf(who.MerchantID, own, s.Timetable.Rules, today)
	if err := s.moved(ctx, who.MerchantID, today, &f); err != nil {
		return f, err
	}
	return f, s.coming(ctx, who.MerchantID, &f)
}

func (s *Service) moved(ctx context.Context, merchantID uuid.UUID, today calendar.Date, f *Figures) error {
	first := today.AddDays(1 - chartDays)
	from := first
	if f.WasFrom.Before(from) {
		from = f.WasFrom
	}
	days, err := s.Read.Movements(ctx, merchantID, from, today)
	if err != nil {
		return err
	}
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
	for date := first; !date.After(today); date = date.AddDays(1) {
		d := byDate[date]
		d.Date = date
		f.Days = append(f.Days, d)
	}
	outcomes, err := s.Read.Outcomes(ctx, merchantID, f.WasFrom, today)
	for date, o := range outcomes {
		switch {
		case within(date, f.From, f.To):
			f.Outcome.add(o)
		case date.Month == f.WasFrom.Month:
			f.WasOutcome.add(o)
		}
	}
	return err
}

func (s *Service) coming(ctx context.Context, merchantID uuid.UUID, f *Figures) (err error) {
	if f.Today, err = s.Read.DebitTally(ctx, merchantID, openOn(f.OnDate)); err != nil {
		return err
	}
	if f.Tomorrow, err = s.Read.DebitTally(ctx, merchantID, openOn(f.TomorrowDate)); err != nil {
		return err
	}
	f.NextCutOff = s.nextCutOff()
	f.ToSubmit, err = s.Read.DebitTally(ctx, merchantID, purchase.DebitFilter{SubmitBy: f.NextCutOff})
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
