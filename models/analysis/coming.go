package analysis

import (
	"context"
	"math"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
	"debitdesk/models/purchase"
)

const (
	// ComingDays is how far the outlook looks.
	ComingDays = 60
	// pastDays is how much of the merchant's own history an outlook is made from, and lagDays how many of the newest
	// days are left out, since their returns are still on the way.
	pastDays, lagDays = 180, 10
	// testedDays is for how many days it is tried afterwards whether the band held.
	testedDays = 60
)

// ComingDay is what one day is expected to bring.
type ComingDay struct {
	Date    calendar.Date
	Planned purchase.Tally // debits that are scheduled or at the bank
	Bills   purchase.Tally // what subscriptions will still bill by then, as things stand
	Band    estimate.Band  // of both together
	Known   bool           // false: there are too few debits in the past to judge by
	parts   []estimate.Part
}

// Kind is the history of one method, or of all together.
type Kind struct {
	Method bank.Method // empty: all
	estimate.History
	// Shape is by how much the amounts differ: the number of debits times the sum of the squares of their amounts,
	// by the square of their sum. One when all are equal.
	Shape float64
}

// Enough tells that the history has enough debits to judge by.
func (k Kind) Enough() bool { return k.Answered >= estimate.Enough }

// Outlook is what is coming, and how well it could be foretold before.
type Outlook struct {
	Days         []ComingDay // from today on
	Kinds        []Kind
	Held, Tested int           // on how many days with debits the band held, of how many
	From, To     calendar.Date // the days that the history was taken from
	MoreFrom     calendar.Date // from here on there may be more subscriptions than were looked at; zero: none
}

// Sum is what the first days of the outlook come to: those of which nothing can be said count as nothing.
func (o Outlook) Sum(days int) (planned, bills purchase.Tally, band estimate.Band) {
	var parts [][]estimate.Part
	for _, d := range o.Days[:min(days, len(o.Days))] {
		planned, bills = plus(planned, d.Planned), plus(bills, d.Bills)
		if d.Known {
			parts = append(parts, d.parts)
		}
	}
	return planned, bills, estimate.BandOf(parts...)
}

// Coming looks ahead. Each debit is taken to be paid as often as debits by the same method were in the last half year;
// a period that a subscription has yet to bill as often as all debits were, on the day on which it will be due.
func (s *Service) Coming(ctx context.Context, who actor.Actor) (o Outlook, err error) {
	if err := who.May(actor.Read); err != nil {
		return o, err
	}
	today := calendar.DateOf(s.Now())
	last := today.AddDays(ComingDays - 1)
	sums, err := s.Store.sums(ctx, who.MerchantID, Question{
		From: today.AddDays(-lagDays - pastDays - testedDays), To: last})
	if err != nil {
		return o, err
	}
	shapes, err := s.Store.shapes(ctx, who.MerchantID, today)
	if err != nil {
		return o, err
	}
	bills, err := s.Bills(ctx, who, today, last)
	if err != nil {
		return o, err
	}
	o.From, o.To = today.AddDays(-lagDays-pastDays), today.AddDays(-lagDays-1)
	o.Kinds = kindsOf(sums, o.From, o.To, shapes)
	o.MoreFrom = bills.MoreFrom
	open := map[calendar.Date]map[bank.Method]purchase.Tally{}
	for _, one := range sums {
		if one.State.Outcome() == collection.OutcomeOpen && !one.Day.Before(today) {
			note(open, one)
		}
	}
	billed := map[calendar.Date]purchase.Tally{}
	for _, t := range bills.Turns {
		day := t.BilledOn
		if t.DueOn.After(day) {
			day = t.DueOn
		}
		billed[day] = plus(billed[day], purchase.Tally{N: t.N, Cents: t.N * t.Cents})
	}
	for day := today; !day.After(last); day = day.AddDays(1) {
		d := ComingDay{Date: day, Bills: billed[day]}
		for _, t := range open[day] {
			d.Planned = plus(d.Planned, t)
		}
		if d.Bills.N > 0 {
			if open[day] == nil {
				open[day] = map[bank.Method]purchase.Tally{}
			}
			open[day][""] = d.Bills
		}
		if d.parts, d.Known = partsOf(open[day], o.Kinds); d.Known {
			d.Band = estimate.BandOf(d.parts)
		}
		o.Days = append(o.Days, d)
	}
	o.Held, o.Tested = tried(sums, today.AddDays(-lagDays-1), shapes)
	return o, nil
}

func note(into map[calendar.Date]map[bank.Method]purchase.Tally, s sum) {
	if into[s.Day] == nil {
		into[s.Day] = map[bank.Method]purchase.Tally{}
	}
	into[s.Day][s.Method] = plus(into[s.Day][s.Method], purchase.Tally{N: s.N, Cents: s.Cents})
}

// partsOf are debits by some methods with what is known about each. A method with too little history is judged by that
// of all; known is false where even that is too little.
func partsOf(debits map[bank.Method]purchase.Tally, kinds []Kind) (parts []estimate.Part, known bool) {
	of := func(method bank.Method) (k Kind) {
		for _, one := range kinds {
			if one.Method == method {
				k = one
			}
		}
		return k
	}
	for method, t := range debits {
		k := of(method)
		if !k.Enough() {
			k = of("")
		}
		if !k.Enough() {
			return nil, false
		}
		cents := float64(t.Cents)
		parts = append(parts, estimate.Part{N: t.N, Cents: t.Cents, History: k.History,
			Squares: cents * cents / float64(t.N) * math.Min(math.Max(k.Shape, 1), float64(t.N))})
	}
	return parts, true
}

// kindsOf is the history of each method, and of all, on some days. The sums come in the order of their days.
func kindsOf(sums []sum, from, to calendar.Date, shapes map[bank.Method]float64) (out []Kind) {
	for _, method := range []bank.Method{bank.EFT, bank.DebiCheck, ""} {
		k := Kind{Method: method, Shape: shapes[method]}
		var days []estimate.Day
		var day calendar.Date
		for _, s := range sums {
			if method != "" && s.Method != method || s.Day.Before(from) || s.Day.After(to) {
				continue
			}
			if s.Day != day {
				days, day = append(days, estimate.Day{}), s.Day
			}
			var r Result
			r.add(s)
			d := &days[len(days)-1]
			d.Paid, d.Answered = d.Paid+r.Collected().N, d.Answered+r.Answered().N
		}
		for _, d := range days {
			k.Paid, k.Answered = k.Paid+d.Paid, k.Answered+d.Answered
		}
		k.Spread = estimate.SpreadOf(days)
		out = append(out, k)
	}
	return out
}

// tried makes the band of each of the last days that are decided, from the days before it alone, and counts how often
// what came in lay within. Days without a debit and days that could not be judged do not count.
func tried(sums []sum, last calendar.Date, shapes map[bank.Method]float64) (held, tested int) {
	answered, came := map[calendar.Date]map[bank.Method]purchase.Tally{}, map[calendar.Date]int64{}
	first := last.AddDays(1 - testedDays)
	for _, s := range sums {
		if s.Day.Before(first) || s.Day.After(last) || s.State.Outcome() == collection.OutcomeOpen {
			continue
		}
		note(answered, s)
		if s.State.Outcome() == collection.OutcomeCollected {
			came[s.Day] += s.Cents
		}
	}
	for day, debits := range answered {
		to := day.AddDays(-lagDays - 1)
		parts, known := partsOf(debits, kindsOf(sums, to.AddDays(1-pastDays), to, shapes))
		if !known {
			continue
		}
		tested++
		if estimate.BandOf(parts).Holds(came[day]) {
			held++
		}
	}
	return held, tested
}
