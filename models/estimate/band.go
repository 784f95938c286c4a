package estimate

import "math"

// History is how often debits of one kind were paid before.
type History struct {
	Paid, Answered int64
	// Spread is the variance of the share from day to day beyond what chance alone makes of it, as SpreadOf finds it.
	Spread float64
}

// Share is the share that will be paid: that of the history, drawn a little towards half, as by Jeffreys' prior, so
// that nothing is ever certain.
func (h History) Share() float64 { return (float64(h.Paid) + 0.5) / (float64(h.Answered) + 1) }

// Range is where the share lies in 80 of 100 cases.
func (h History) Range() Interval { return Wilson(h.Paid, h.Answered, Z80) }

// doubt is the variance of the share itself, for a history is only so long.
func (h History) doubt() float64 {
	p := h.Share()
	return p * (1 - p) / (float64(h.Answered) + 2)
}

// Day is one day of a history.
type Day struct{ Paid, Answered int64 }

// SpreadOf finds by how much the share varies from day to day beyond chance: by the method of moments, in which days
// weigh by their debits. It is never below zero.
func SpreadOf(days []Day) float64 {
	var paid, all, squares float64
	used := 0
	for _, d := range days {
		if d.Answered > 0 {
			paid, all = paid+float64(d.Paid), all+float64(d.Answered)
			squares += float64(d.Answered) * float64(d.Answered)
			used++
		}
	}
	if used < 2 {
		return 0
	}
	p := paid / all
	var seen float64
	for _, d := range days {
		if d.Answered > 0 {
			off := float64(d.Paid)/float64(d.Answered) - p
			seen += float64(d.Answered) * off * off
		}
	}
	byChance := p * (1 - p) * float64(used-1)
	weight := all - squares/all
	if weight <= 0 {
		return 0
	}
	return max(0, (seen-byChance)/weight)
}

// Part is a number of debits of one kind on one day. Squares is the sum of the squares of their amounts, where it is
// known; else as if all were equal.
type Part struct {
	N       int64
	Cents   int64
	Squares float64 // square cents; 0: not known
	History History
}

// Band is what is expected in cents, and the range in which it lies in 80 of 100 cases.
type Band struct{ Low, Expected, High int64 }

// BandOf is the band of what some days bring in together; each day has parts. Three things make it wide: each debit is
// paid or is not; each day differs from the others; and a history is only so long, which is the same on every day.
func BandOf(days ...[]Part) Band {
	var mean, variance, most float64
	under := map[History]float64{} // cents that are judged by one history
	for _, parts := range days {
		for _, p := range parts {
			if p.N <= 0 {
				continue
			}
			share, cents := p.History.Share(), float64(p.Cents)
			squares := p.Squares
			if squares <= 0 {
				squares = cents * cents / float64(p.N)
			}
			mean += cents * share
			most += cents
			variance += squares*share*(1-share) + cents*cents*p.History.Spread
			under[p.History] += cents
		}
	}
	for h, cents := range under {
		variance += cents * cents * h.doubt()
	}
	half := Z80 * math.Sqrt(variance)
	return Band{Low: whole(max(0, mean-half)), Expected: whole(mean), High: whole(min(most, mean+half))}
}

func whole(cents float64) int64 { return int64(math.Floor(cents + 0.5)) }

// Holds tells whether what came in lies within the band.
func (b Band) Holds(cents int64) bool { return b.Low <= cents && cents <= b.High }

// Apart tells whether two bands have nothing in common.
func (b Band) Apart(other Band) bool { return b.High < other.Low || other.High < b.Low }
