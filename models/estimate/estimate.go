// Package estimate says how sure a share is that was counted from cases, and in what range a sum will lie that is made
// of uncertain debits. It knows no debits, no database and no page. Shares are floating point, since they are no money;
// what it says about money is rounded to whole cents at the end, and is an estimate.
package estimate

import "math"

// Quantiles of the normal distribution: how many standard deviations lie on either side of the middle.
const (
	Z80 = 1.2815515655446004 // of an interval that holds 80 %
	Z95 = 1.9599639845400545 // of an interval that holds 95 %
)

// Enough is the least number of cases from which a share is told: below it, a page says that there are too few.
const Enough = 30

// Interval is a share from Low to High, each from 0 to 1.
type Interval struct{ Low, High float64 }

// Wilson is the interval, by E. B. Wilson (1927), in which the share lies of which k of n cases were seen, at z
// standard deviations. It stays within 0 and 1 and is usable for few cases. Without a case it is everything.
func Wilson(k, n int64, z float64) Interval {
	if n <= 0 {
		return Interval{0, 1}
	}
	all, p := float64(n), float64(k)/float64(n)
	scale := 1 + z*z/all
	middle := (p + z*z/(2*all)) / scale
	half := z * math.Sqrt(p*(1-p)/all+z*z/(4*all*all)) / scale
	return Interval{max(0, middle-half), min(1, middle+half)}
}

// Apart tells whether two intervals have nothing in common.
func (i Interval) Apart(other Interval) bool { return i.High < other.Low || other.High < i.Low }

// PerTenThousand is a share in hundredths of a percent, rounded half up.
func PerTenThousand(share float64) int64 { return int64(math.Floor(share*10_000 + 0.5)) }
