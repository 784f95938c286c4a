package components

import "strconv"

// Bar chart geometry is whole numbers in a drawing 1 000 wide and 200 high that stretches to its place; the labels are
// text beside it, so that they keep their size on a phone.
const (
	chartWidth  = 1000
	chartHeight = 200
)

// ChartBar is one day or month. Values are stacked from the ground up, one per series; Texts say them in words,
// and Short in so few letters that they stand at the bar. Figures lead to the rows that each was made of, Href
// to those of all.
type ChartBar struct {
	Label   string // as read out and in the table: "1 Dec 2026"
	Values  []int64
	Texts   []string
	Short   []string
	Href    string
	Figures []Figure
}

// Mark is one line of the scale.
type Mark struct {
	Value int64
	Text  string
}

// BarChart is a stacked bar chart with a table twin. Ticks are the scale from zero up, evenly spaced; NiceTicks finds
// their values. XLabels (first, middle, last) are spread evenly under the bars. Series are named in the legend.
type BarChart struct {
	Title, ID, Head string // Head names the first column of the table: "Day"
	Series          []string
	Bars            []ChartBar
	Ticks           []Mark
	XLabels         []string
	Limit           Mark // a line that the bars should stay below; Value 0: none
}

// limitY is how far from the top the line of the limit lies.
func (b BarChart) limitY() int64 { return chartHeight - scaled(b.Limit.Value, b.top()) }

// NiceTicks gives zero and up to four evenly spaced round values of which the last is at least the largest value.
func NiceTicks(largest int64) []int64 {
	step := niceStep(largest)
	ticks := []int64{0}
	for v := step; ; v += step {
		ticks = append(ticks, v)
		if v >= largest {
			return ticks
		}
	}
}

// niceStep is the smallest of 1, 2, 5 times a power of ten that reaches the value in at most four steps.
func niceStep(largest int64) int64 {
	for power := int64(1); ; power *= 10 {
		for _, m := range []int64{1, 2, 5} {
			if m*power*4 >= largest {
				return m * power
			}
		}
	}
}

type rect struct {
	X, Y, W, H int64
	Series     int
}

// ID numbers of series start at one in the style sheet.
func (r rect) class() string { return "s" + strconv.Itoa(r.Series+1) }

func (b BarChart) top() int64 {
	if len(b.Ticks) == 0 || b.Ticks[len(b.Ticks)-1].Value <= 0 {
		return 1
	}
	return b.Ticks[len(b.Ticks)-1].Value
}

// slot is the place of bar i: where it begins and how wide it is, gap included.
func (b BarChart) slot(i int) (x, w int64) {
	n := int64(len(b.Bars))
	x = int64(i) * chartWidth / n
	return x, int64(i+1)*chartWidth/n - x
}

// rects stacks the values of bar i. A value that is not zero is at least two units high, so that it can be seen.
func (b BarChart) rects(i int) []rect {
	x, w := b.slot(i)
	gap := w / 4
	ground := int64(chartHeight)
	var out []rect
	for s, v := range b.Bars[i].Values {
		if v <= 0 {
			continue
		}
		h := max(scaled(v, b.top()), 2)
		ground -= h
		out = append(out, rect{X: x + gap/2, Y: max(ground, 0), W: max(w-gap, 1), H: h, Series: s})
	}
	return out
}

// scaled is v of top as a part of the height, rounded down. It divides first where the product would not fit.
func scaled(v, top int64) int64 {
	v = min(v, top)
	if top > 1<<50 {
		return v / (top / chartHeight)
	}
	return v * chartHeight / top
}

// gridY are the heights of the scale's lines but the ground.
func (b BarChart) gridY() []int64 {
	var out []int64
	for _, t := range b.Ticks {
		if t.Value > 0 {
			out = append(out, chartHeight-scaled(t.Value, b.top()))
		}
	}
	return out
}

// mark is a value that is written at a bar, upwards from its place in hundredths of the width and height.
type mark struct {
	X, Y   string
	Text   string
	Inside bool // the bar is too high for a text above it
}

// highest is how much of the height a bar may take that still has room for its value above it, in percent.
const highest = 70

// marks are the values at bar i: what all of it comes to, in short.
func (b BarChart) marks(i int) []mark {
	x, w := b.slot(i)
	total := int64(0)
	for _, v := range b.Bars[i].Values {
		total += max(v, 0)
	}
	if len(b.Bars[i].Short) == 0 || b.Bars[i].Short[0] == "" {
		return nil
	}
	top := 100 - scaled(total, b.top())*100/chartHeight
	m := mark{X: percentOf(x + w/2), Text: b.Bars[i].Short[0], Y: num(max(top-2, 2)) + "%"}
	if 100-top > highest {
		m.Inside, m.Y = true, num(top+3)+"%"
	}
	return []mark{m}
}

// percentOf is a place in the width of the drawing.
func percentOf(x int64) string { return num(x/10) + "." + num(x%10) + "%" }

// spoken says a bar in one sentence, for its tooltip.
func (b BarChart) spoken(i int) string {
	text := b.Bars[i].Label
	for s, t := range b.Bars[i].Texts {
		if s < len(b.Series) {
			text += "\n" + b.Series[s] + ": " + t
		}
	}
	return text
}

// fromTop gives the ticks in the order in which they are printed down the side.
func (b BarChart) fromTop() []Mark {
	out := make([]Mark, 0, len(b.Ticks))
	for i := len(b.Ticks) - 1; i >= 0; i-- {
		out = append(out, b.Ticks[i])
	}
	return out
}

func num(n int64) string { return strconv.FormatInt(n, 10) }
