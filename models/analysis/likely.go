package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
	"debitdesk/models/purchase"
)

const (
	// rememberedDays is how far back the debits before one are looked for: six of a month fit in.
	rememberedDays = 200
	// RememberedDebits is how many debit days of an account, before a debit, tell how it went lately.
	RememberedDebits = 6
	// failuresLooked is after about how many failures the cases are taken. Of more, as many are drawn.
	failuresLooked = 3000
	// likelyFrom is the share of failures from which on a debit is called likely to fail: more than half.
	likelyFrom = 0.5
)

// Record is what is known before a debit: how the debits before it from the same account went, and what the debit is.
// Disputed ones count as failed.
type Record struct {
	Code   string // the bank's code of the last debit, which failed
	Failed int    // how many of the debits of the last debit days failed
	Of     int    // of how many
	Age    collection.Age
	Bank   string // universal branch code
	Day    int    // of the month
}

// Depth is how much of a record cases have in common with a debit; each has all that is before it.
type Depth int

// The depths, from what says most to what says least.
const (
	byCode Depth = iota + 1
	ByFailures
	ByAge
	ByBank
	ByDay
)

// upTo is what of a record is looked at.
func (r Record) upTo(d Depth) Record {
	if d < ByDay {
		r.Day = 0
	}
	if d < ByBank {
		r.Bank = ""
	}
	if d < ByAge {
		r.Age = ""
	}
	if d < ByFailures {
		r.Failed, r.Of = 0, 0
	}
	return r
}

// Cases are the debits that had a record like that of another: how many, and how many of them failed.
type Cases struct {
	Depth     Depth // what they have in common; zero: there are too few whatever is left out
	Failed, N int64
}

// Range is where the share of failures lies in 80 of 100 cases.
func (c Cases) Range() estimate.Interval { return estimate.Wilson(c.Failed, c.N, estimate.Z80) }

// Likely tells that more than half of such debits fail, by more than chance explains.
func (c Cases) Likely() bool { return c.Depth > 0 && c.Range().Low > likelyFrom }

// cases are counts of debits by all that can be left out of their records.
type cases map[Depth]map[Record]Cases

func (all cases) add(r Record, failed, n int64) {
	for d := byCode; d <= ByDay; d++ {
		if all[d] == nil {
			all[d] = map[Record]Cases{}
		}
		c := all[d][r.upTo(d)]
		all[d][r.upTo(d)] = Cases{d, c.Failed + failed, c.N + n}
	}
}

// like are the cases that have most in common with a record and are enough to judge by.
func (all cases) like(r Record) Cases {
	for d := ByDay; d >= byCode; d-- {
		if c := all[d][r.upTo(d)]; c.N >= estimate.Enough {
			return c
		}
	}
	return Cases{}
}

// AtRisk is a planned debit that is likely to fail, and why.
type AtRisk struct {
	ID         uuid.UUID
	PurchaseID uuid.UUID
	On         calendar.Date
	Cents      int64
	Record     Record `gorm:"embedded"`
	Like       Cases  `gorm:"-"`
}

// stake is what will probably not come in of it.
func (a AtRisk) stake() float64 {
	return float64(a.Cents) * estimate.History{Paid: a.Like.Failed,
		Answered: a.Like.N}.Share()
}

// Risks are the planned debits that are likely to fail.
type Risks struct {
	Debits  []AtRisk // those with the most at stake first
	All     purchase.Tally
	Failing estimate.Band  // cents of them that will not come in
	Judged  purchase.Tally // debits after a failure that there are enough cases for, the likely ones too
	Unknown purchase.Tally // those that there are too few cases for
	// Tested is how many debits of the last days would have been called likely to fail, by the debits before those days
	// alone, and Failed how many of them did.
	Tested, Failed int64
	From, To       calendar.Date // the days that the cases were taken from
}

// Backtest is how many of the debits called likely to fail did, with its range; false where too few were.
func (r Risks) Backtest() (Cases, bool) {
	return Cases{Failed: r.Failed, N: r.Tested}, r.Tested >= estimate.Enough
}

// Risks finds the debits of the next 60 days that are likely to fail. Judged are those from accounts whose last
// debit failed, and of each account those of its next debit day: what comes after depends on how that goes.
func (s *Service) Risks(ctx context.Context, who actor.Actor) (r Risks, err error) {
	if err := who.May(actor.Read); err != nil {
		return r, err
	}
	today := calendar.DateOf(s.Now())
	r.From, r.To = casesFrom(today)
	known, err := s.casesOf(ctx, who.MerchantID, today)
	if err != nil {
		return r, err
	}
	planned, err := s.Store.plannedAfterFailures(ctx, who.MerchantID, today, uuid.Nil)
	if err != nil {
		return r, err
	}
	r.judge(known, planned)
	return r, nil
}

// Risk tells whether a planned debit is likely to fail, and why; false where it is not, or cannot be said.
func (s *Service) Risk(ctx context.Context, who actor.Actor, c collection.Collection) (AtRisk, bool, error) {
	if err := who.May(actor.Read); err != nil {
		return AtRisk{}, false, err
	}
	today := calendar.DateOf(s.Now())
	planned, err := s.Store.plannedAfterFailures(ctx, who.MerchantID, today, c.TokenID)
	if err != nil {
		return AtRisk{}, false, err
	}
	i := slices.IndexFunc(planned, func(a AtRisk) bool { return a.ID == c.ID })
	if i < 0 {
		return AtRisk{}, false, nil
	}
	known, err := s.casesOf(ctx, who.MerchantID, today)
	if err != nil {
		return AtRisk{}, false, err
	}
	planned[i].Like = known.all.like(planned[i].Record)
	return planned[i], planned[i].Like.Likely(), nil
}

// mostKnown is of how many businesses the cases are remembered.
const mostKnown = 200

// knownCases are the debits of a business to judge by, one by one and counted.
type knownCases struct {
	rows []caseRow
	all  cases
}

// casesOf are those of a business. They are read and counted once a day, for they are of days that ended long before,
// and reading them takes longer than a page may.
func (s *Service) casesOf(ctx context.Context, merchantID uuid.UUID, today calendar.Date) (knownCases, error) {
	s.knownMu.Lock()
	known, found := s.known[merchantID]
	if found = found && s.knownOn == today; s.knownOn != today || len(s.known) >= mostKnown {
		s.known, s.knownOn = map[uuid.UUID]knownCases{}, today
	}
	s.knownMu.Unlock()
	if found {
		return known, nil
	}
	rows, err := s.caseRows(ctx, merchantID, today)
	if err != nil {
		return knownCases{}, err
	}
	known = knownCases{rows, cases{}}
	for _, k := range rows {
		known.all.add(k.Record, k.Lost, k.N)
	}
	s.knownMu.Lock()
	defer s.knownMu.Unlock()
	if s.knownOn == today {
		s.known[merchantID] = known
	}
	return known, nil
}

// casesFrom are the days that cases are taken from.
func casesFrom(today calendar.Date) (from, to calendar.Date) {
	return today.AddDays(-lagDays - pastDays - testedDays), today.AddDays(-lagDays - 1)
}

// caseRows reads them.
func (s *Service) caseRows(ctx context.Context, merchantID uuid.UUID, today calendar.Date) ([]caseRow, error) {
	from, to := casesFrom(today)
	first := from.AddDays(-rememberedDays)
	sums, err := s.Store.sums(ctx, merchantID, Question{From: first, To: to})
	if err != nil {
		return nil, err
	}
	failures := int64(0)
	for _, one := range sums {
		if o := one.State.Outcome(); o == collection.OutcomeFailed || o == collection.OutcomeDisputed {
			failures += one.N
		}
	}
	return s.Store.afterFailures(ctx, merchantID, first, from, to, 1+failures/failuresLooked)
}

// judge finds what is likely, and tries it on the days that are tested.
func (r *Risks) judge(known knownCases, planned []AtRisk) {
	before := cases{}
	for _, k := range known.rows {
		if k.Part == partBefore {
			before.add(k.Record, k.Lost, k.N)
		}
	}
	for _, k := range known.rows {
		if k.Part == partTested && before.like(k.Record).Likely() {
			r.Tested, r.Failed = r.Tested+k.N, r.Failed+k.Lost
		}
	}
	var parts []estimate.Part
	for _, p := range planned {
		p.Like = known.all.like(p.Record)
		one := purchase.Tally{N: 1, Cents: p.Cents}
		switch {
		case p.Like.Depth == 0:
			r.Unknown = plus(r.Unknown, one)
			continue
		case p.Like.Likely():
			r.All, r.Debits = plus(r.All, one), append(r.Debits, p)
			cents := float64(p.Cents)
			parts = append(parts, estimate.Part{N: 1, Cents: p.Cents, Squares: cents * cents,
				History: estimate.History{Paid: p.Like.Failed, Answered: p.Like.N}}) // of what fails, not of what is paid
		}
		r.Judged = plus(r.Judged, one)
	}
	r.Failing = estimate.BandOf(parts)
	slices.SortFunc(r.Debits, func(a, b AtRisk) int {
		return cmp.Or(cmp.Compare(b.stake(), a.stake()), a.On.Compare(b.On), slices.Compare(a.ID[:], b.ID[:]))
	})
}
