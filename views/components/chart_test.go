package components

import (
	"math"
	"slices"
	"testing"
)

func TestScalesAreRoundAndReachTheLargest(t *testing.T) {
	for largest, want := range map[int64][]int64{
		0:   {0, 1},
		1:   {0, 1},
		4:   {0, 1, 2, 3, 4},
		5:   {0, 2, 4, 6},
		8:   {0, 2, 4, 6, 8},
		9:   {0, 5, 10},
		100: {0, 50, 100},
		101: {0, 50, 100, 150},
	} {
		if got := NiceTicks(largest); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", largest, got, want)
		}
	}
}

func TestBarsStayInsideTheDrawing(t *testing.T) {
	for _, v := range []int64{0, 1, 999, math.MaxInt64 / 2} {
		ticks := []Mark{{Value: 0}, {Value: max(v, 1)}}
		c := BarChart{Bars: make([]ChartBar, 31), Ticks: ticks}
		for i := range c.Bars {
			c.Bars[i].Values = []int64{v, v}
		}
		for i := range c.Bars {
			for _, r := range c.rects(i) {
				if r.X < 0 || r.X+r.W > chartWidth || r.Y < 0 || r.H > chartHeight || r.H < 2 || r.W < 1 {
					t.Fatalf("value %d, bar %d: %+v", v, i, r)
				}
			}
		}
	}
}

func TestBarsShareTheWidthWithoutGapsBetweenSlots(t *testing.T) {
	c := BarChart{Bars: make([]ChartBar, 7)}
	end := int64(0)
	for i := range c.Bars {
		x, w := c.slot(i)
		if x != end {
			t.Fatalf("bar %d begins at %d, the one before ends at %d", i, x, end)
		}
		end = x + w
	}
	if end != chartWidth {
		t.Errorf("the last bar ends at %d", end)
	}
}
