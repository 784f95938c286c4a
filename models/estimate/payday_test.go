package estimate_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/estimate"
)

var open = calendar.New()

// on is a day of 2026. The example below takes months in which its pay days fall on business days, so that only the day
// of the month counts.
func on(month time.Month, day int) calendar.Date { return calendar.On(2026, month, day) }

// The example was published with the formula and computed by another program.
func TestPayDaysWeighAsPublished(t *testing.T) {
	tries := []estimate.Try{{On: on(3, 25), Paid: true}, {On: on(5, 25), Paid: true}, {On: on(6, 26), Paid: true},
		{On: on(7, 1)}, {On: on(7, 3)}, {On: on(8, 25), Paid: true}, {On: on(7, 15)}}
	w := estimate.Weights(tries, open)
	var days float64
	for day, weight := range w {
		if day > 0 {
			days += weight
		}
	}
	for day, want := range map[int]float64{25: 0.9919, 2: 0.0035, 15: 0.0035, 1: 0.0005, estimate.LastDay: 0.0005} {
		if got := w[day] / days; math.Abs(got-want) > 5e-5 {
			t.Errorf("day %d: %.4f, want %.4f", day, got, want)
		}
	}
	if got, sure := estimate.PayDayOf(tries, open); !sure || got != (estimate.PayDay{Day: 25, Tries: 7}) {
		t.Errorf("%+v, %v", got, sure)
	}
	if got, sure := estimate.PayDayOf(tries[:5], open); sure || got.Tries != 5 {
		t.Errorf("five debits say %+v", got)
	}
}

// What falls on a closed day is paid before it: 25 October 2026 is a Sunday, 1 November too, 25 December a holiday.
func TestADebitBeforeAClosedPayDayRunsOnThePayDay(t *testing.T) {
	base := []estimate.Try{{On: on(9, 9)}, {On: on(9, 11)}, {On: on(10, 8)}, {On: on(3, 25), Paid: true},
		{On: on(5, 25), Paid: true}}
	with := func(d calendar.Date) float64 {
		w := estimate.Weights(append(base[:5:5], estimate.Try{On: d, Paid: true}), open)
		return w[25] / w[0]
	}
	if friday, thursday := with(on(10, 23)), with(on(10, 22)); friday <= thursday {
		t.Errorf("the Friday before a Sunday weighs %g, the Thursday %g", friday, thursday)
	}
	if eve, before := with(on(12, 24)), with(on(12, 23)); eve <= before {
		t.Errorf("Christmas Eve weighs %g, the day before %g", eve, before)
	}
	first := func(d calendar.Date) float64 {
		w := estimate.Weights(append(base[:5:5], estimate.Try{On: d, Paid: true}), open)
		return w[1] / w[0]
	}
	if friday, before := first(on(10, 30)), first(on(10, 28)); friday <= before {
		t.Errorf("the last Friday before the 1st weighs %g, the Wednesday %g", friday, before)
	}
}

func TestOnlyDebitsOnOneDayDoNotShowAPayDay(t *testing.T) {
	var tries []estimate.Try
	for month := time.January; month <= time.December; month++ {
		tries = append(tries, estimate.Try{On: open.Shift(on(month, 25), calendar.Next), Paid: true})
	}
	if got, sure := estimate.PayDayOf(tries, open); sure {
		t.Errorf("a client who always paid, always debited on one day, is said to be paid on %+v", got)
	}
}

var candidates = []int{1, 2, 15, 25, estimate.LastDay}

// Of 1 000 clients with a pay day, who pay within three days after it and seldom else, six debits on both kinds of days
// find nine in ten. Of 1 000 who pay by chance, on any day, at most one in twenty is said to have one.
func TestSixDebitsFindPayDaysAndNoOthers(t *testing.T) {
	const clients = 1000
	r := rand.New(rand.NewPCG(20261128, 32))
	found, wrong := 0, 0
	for range clients {
		day := candidates[r.IntN(len(candidates))]
		var tries []estimate.Try
		for n := range estimate.FewestTries {
			month := calendar.On(2026, time.Month(1+r.IntN(12)), 1)
			on := open.PayDay(day, month).AddDays(r.IntN(4))
			try := estimate.Try{On: on, Paid: r.Float64() < 0.98}
			if n%2 == 1 { // on any other day
				try = estimate.Try{On: on.AddDays(7 + r.IntN(18)), Paid: r.Float64() < 0.02}
			}
			tries = append(tries, try)
		}
		if got, sure := estimate.PayDayOf(tries, open); sure && near(got, day) {
			found++
		} else if sure {
			wrong++
		}
	}
	said := [3]int{}
	for range clients {
		share, one := r.Float64(), r.IntN(365)
		var clients [3][]estimate.Try
		for range estimate.FewestTries {
			paid := r.Float64() < share
			clients[0] = append(clients[0], estimate.Try{On: on(1, 1).AddDays(r.IntN(365)), Paid: paid}) // on any day
			clients[1] = append(clients[1], estimate.Try{On: on(1, 1).AddDays(r.IntN(365)), Paid: r.Float64() < 0.7})
			clients[2] = append(clients[2], estimate.Try{On: on(1, 1).AddDays(one).AddMonths(r.IntN(24),
				on(1, 1).AddDays(one).Day), Paid: paid}) // always on one
		}
		for i, tries := range clients {
			if _, sure := estimate.PayDayOf(tries, open); sure {
				said[i]++
			}
		}
	}
	t.Logf("found %d of %d, %d wrong; said of %v of as many without", found, clients, wrong, said)
	if found < clients*90/100 || wrong > clients/100 {
		t.Errorf("%d of %d pay days were found, and %d wrong ones", found, clients, wrong)
	}
	for i, n := range said {
		if n > clients*5/100 {
			t.Errorf("%d of %d clients who pay by chance are said to have a pay day (%d)", n, clients, i)
		}
	}
}

// near tells whether a pay day is the planted one, or about it.
func near(got estimate.PayDay, planted int) bool {
	turn := map[int]bool{1: true, 2: true, estimate.LastDay: true}
	return got.Day == planted || turn[got.Day] && turn[planted]
}
