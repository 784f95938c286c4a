package estimate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"debitdesk/models/estimate"
)

// The values were published with the formula and computed by another program.
func TestWilson_gives_the_published_values(t *testing.T) {
	for _, c := range []struct {
		k, n                   int64
		low80, high80, low, up float64
	}{
		{0, 10, 0, 0.141069, 0, 0.277533},
		{3, 10, 0.153799, 0.502628, 0.107791, 0.603222},
		{12, 30, 0.293459, 0.516922, 0.245906, 0.576796},
		{45, 100, 0.387564, 0.514052, 0.356145, 0.547554},
		{476, 1000, 0.455816, 0.496263, 0.445197, 0.506987},
	} {
		for z, want := range map[float64]estimate.Interval{estimate.Z80: {c.low80, c.high80}, estimate.Z95: {c.low, c.up}} {
			got := estimate.Wilson(c.k, c.n, z)
			if math.Abs(got.Low-want.Low) > 6e-7 || math.Abs(got.High-want.High) > 6e-7 {
				t.Errorf("%d of %d at %.3f: %.6f to %.6f, want %v", c.k, c.n, z, got.Low, got.High, want)
			}
		}
	}
	if got := estimate.Wilson(0, 0, estimate.Z80); got != (estimate.Interval{Low: 0, High: 1}) {
		t.Errorf("without a case: %v", got)
	}
	if got := estimate.PerTenThousand(0.12345); got != 1235 {
		t.Errorf("rounded to %d", got)
	}
}

func TestABandIsNoWiderThanWhatIsPlanned(t *testing.T) {
	certain := estimate.History{Paid: 1_000_000, Answered: 1_000_000}
	got := estimate.BandOf([]estimate.Part{{N: 10, Cents: 1000, History: certain}})
	if got.High > 1000 || got.Low < 990 || got.Expected != 1000 {
		t.Errorf("what was always paid: %+v", got)
	}
	unknown := estimate.BandOf([]estimate.Part{{N: 10, Cents: 1000}})
	if unknown.Expected != 500 || unknown.Low > 100 || unknown.High < 900 || unknown.High > 1000 {
		t.Errorf("without any history: %+v", unknown)
	}
	if got := estimate.BandOf(); got != (estimate.Band{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// A thousand months are made from merchants of many sizes, shares and unsteady days. The band is made from what was
// seen before the day alone, and must hold about as often as it says.
func TestTheBandHoldsAsOftenAsItSays(t *testing.T) {
	const months = 1000
	r := rand.New(rand.NewPCG(20261127, 3))
	var days, weeks [2]int // how often it held, of how many
	for range months {
		share, unsteady := 0.7+0.27*r.Float64(), 0.06*r.Float64()
		size := 20 + r.IntN(400)
		day := func() (estimate.Day, estimate.Part, int64) {
			of := min(0.995, max(0.05, share+unsteady*r.NormFloat64()))
			var d estimate.Day
			var p estimate.Part
			var came int64
			for range size/2 + r.IntN(size) {
				cents := int64(10_000 + r.IntN(90_000))
				p.N, p.Cents, p.Squares = p.N+1, p.Cents+cents, p.Squares+float64(cents)*float64(cents)
				d.Answered++
				if r.Float64() < of {
					d.Paid, came = d.Paid+1, came+cents
				}
			}
			return d, p, came
		}
		var past []estimate.Day
		var h estimate.History
		for range 60 {
			d, _, _ := day()
			past = append(past, d)
			h.Paid, h.Answered = h.Paid+d.Paid, h.Answered+d.Answered
		}
		h.Spread = estimate.SpreadOf(past)
		var week [][]estimate.Part
		var total int64
		for range 7 {
			_, p, came := day()
			p.History = h
			count(&days, estimate.BandOf([]estimate.Part{p}).Holds(came))
			week, total = append(week, []estimate.Part{p}), total+came
		}
		count(&weeks, estimate.BandOf(week...).Holds(total))
	}
	for name, c := range map[string][2]int{"days": days, "weeks": weeks} {
		if share := float64(c[0]) / float64(c[1]); share < 0.76 || share > 0.84 {
			t.Errorf("the band held for %.1f %% of %d %s", 100*share, c[1], name)
		}
	}
}

func count(held *[2]int, holds bool) {
	if held[1]++; holds {
		held[0]++
	}
}
