// Package recurring tells what subscriptions bring a month: how many subscribers pay and what they pay, month by month,
// who joined, came back, left, and whose price changed. A subscriber pays as long as the last period runs that was
// billed, so that who left is counted when the period ends and not when they said so; a trial and a period that was
// skipped or whose invoice was cancelled bill nothing. A price by the week, the day or several months counts with what
// it comes to a month. It is reckoned once a day until the end of the day before, and kept.
package recurring

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// What is how a subscriber changed what a month brings.
type What string

// The ways.
const (
	Joined  What = "joined" // never paid before
	Back    What = "back"   // paid before, but not at the end of the month before
	Gone    What = "gone"
	Changed What = "changed" // pays another price
)

// Whats are all ways, in the order of their columns.
var Whats = []What{Joined, Back, Gone, Changed}

// Month is what subscriptions come to at the end of a month. Each count and each amount is the one of the month before
// with what changed: Subscribers = Start + Joined + Back − Gone, and Cents in the same way, with Changed.
type Month struct {
	First       calendar.Date `gorm:"column:month"`
	Subscribers int64
	Cents       int64 // a month
	Joined      int64
	JoinedCents int64
	Back        int64
	BackCents   int64
	Gone        int64
	GoneCents   int64
	Changed     int64
	// ChangedCents is what other prices bring more; below zero: less.
	ChangedCents int64
}

// StartSubscribers is how many there were at the end of the month before.
func (m Month) StartSubscribers() int64 { return m.Subscribers - m.Joined - m.Back + m.Gone }

// StartCents is what they paid.
func (m Month) StartCents() int64 {
	return m.Cents - m.JoinedCents - m.BackCents + m.GoneCents - m.ChangedCents
}

// Of is how many subscribers moved in one of the ways, and what that makes more a month.
func (m Month) Of(w What) (n, cents int64) {
	switch w {
	case Joined:
		return m.Joined, m.JoinedCents
	case Back:
		return m.Back, m.BackCents
	case Gone:
		return m.Gone, -m.GoneCents
	case Changed:
		return m.Changed, m.ChangedCents
	}
	return 0, 0
}

// Report is what subscriptions brought in each month, the newest first.
type Report struct {
	Currency string
	AsOf     calendar.Date // until the end of this day; zero: nothing was reckoned yet
	Months   []Month
	Others   []string // other currencies in which subscribers pay
	// Templates are those that bring most at the end, the largest first; Named is the one that was asked for.
	Templates []TemplateMonth
	Count     int64 // of templates that bring anything
	Named     string
}

// TemplateMonth is what the subscribers of one template came to at the end of the newest month.
type TemplateMonth struct {
	TemplateID         uuid.UUID
	Title              string
	Subscribers, Cents int64
}

// mostTemplates is how many templates the report names.
const mostTemplates = 20

// Move is one subscriber who moved.
type Move struct {
	TemplateClientID, ClientID, TemplateID uuid.UUID
	Client, Template                       string
	BeforeCents, Cents                     int64
}

// shownMonths is how many months the report has.
const shownMonths = 13

// Service reckons and reports.
type Service struct {
	Store Store
	Now   func() time.Time
}

// Ask is what is asked for. Template zero: all; Currency empty: rand.
type Ask struct {
	Template uuid.UUID
	Currency string
}

// Report gives the months until now.
func (s *Service) Report(ctx context.Context, who actor.Actor, ask Ask) (r Report, err error) {
	if err := who.May(actor.Read); err != nil {
		return r, err
	}
	if r.Currency, r.Named, err = s.asked(ctx, who, &ask); err != nil {
		return r, err
	}
	if r.AsOf, err = s.Store.asOf(ctx, who.MerchantID); err != nil || r.AsOf.IsZero() {
		return r, err
	}
	since := r.AsOf.AddMonths(1-shownMonths, 1)
	if r.Months, err = s.Store.months(ctx, who.MerchantID, ask, since, r.AsOf); err != nil {
		return r, err
	}
	if r.Others, err = s.Store.currencies(ctx, who.MerchantID, ask, since); err != nil || ask.Template != uuid.Nil {
		return r, err
	}
	r.Templates, r.Count, err = s.Store.templates(ctx, who.MerchantID, ask, r.AsOf.FirstDayOfMonth())
	return r, err
}

// asked completes what is asked for, and names its template; another merchant's is not found.
func (s *Service) asked(ctx context.Context, who actor.Actor, ask *Ask) (currency, named string, err error) {
	ask.Currency = cmp.Or(ask.Currency, money.ZAR)
	if ask.Template != uuid.Nil {
		named, err = s.Store.title(ctx, who.MerchantID, ask.Template)
	}
	return ask.Currency, named, err
}

// Moves are who moved in a month in one of the ways: a page of them, and what the month came to.
type Moves struct {
	Currency, Named string // as in Report
	Month           Month  // without a first day where the month was not reckoned
	Moves           []Move
	More            bool // there are others behind the last
}

// pageOfMoves is how many subscribers one page lists.
const pageOfMoves = 50

// Moves lists who moved in a month in one of the ways, behind the one whose id is given.
func (s *Service) Moves(ctx context.Context, who actor.Actor, ask Ask, month calendar.Date, w What,
	after uuid.UUID) (m Moves, err error) {
	if err := who.May(actor.Read); err != nil {
		return m, err
	}
	if month.Day != 1 || w.Word() == "" {
		return m, fault.Missing()
	}
	if m.Currency, m.Named, err = s.asked(ctx, who, &ask); err != nil {
		return m, err
	}
	months, err := s.Store.months(ctx, who.MerchantID, ask, month, month)
	if err != nil {
		return m, err
	}
	if len(months) > 0 {
		m.Month = months[0]
	}
	m.Moves, err = s.Store.moves(ctx, who.MerchantID, ask, month, w, after, pageOfMoves+1)
	if m.More = len(m.Moves) > pageOfMoves; m.More {
		m.Moves = m.Moves[:pageOfMoves]
	}
	return m, err
}

// Word heads a column or a list.
func (w What) Word() string {
	return map[What]string{Joined: "Joined", Back: "Came back", Gone: "Left", Changed: "New price"}[w]
}

// Run reckons what is not reckoned yet, until the end of yesterday, for each merchant with subscriptions.
func (s *Service) Run(ctx context.Context) (wrong error) {
	until := calendar.DateOf(s.Now()).AddDays(-1)
	due, err := s.Store.due(ctx, until)
	if err != nil {
		return err
	}
	for _, d := range due {
		wrong = errors.Join(wrong, s.Store.reckon(ctx, d.MerchantID, firstOf(d.AsOf, until), until))
	}
	return wrong
}

// firstOf is the first month to reckon: two before that of the last time, in which an invoice may have been cancelled
// since, or the oldest that the report shows.
func firstOf(asOf, until calendar.Date) (first calendar.Date) {
	oldest := until.AddMonths(1-shownMonths, 1)
	if asOf.IsZero() {
		return oldest
	}
	if first = asOf.AddMonths(-2, 1); first.Before(oldest) {
		return oldest
	}
	return first
}
