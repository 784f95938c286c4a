package words

import (
	"slices"

	"debitdesk/models/bank"
	"debitdesk/models/estimate"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

// Method names how an account is debited.
func Method(m bank.Method) string { return KindWords[mandate.Kind(m)] }

// Share writes hundredths of a percent as a figure to look at: "96,4 %". Small ones keep both decimals.
func Share(hundredths int64) string {
	tenths := (hundredths + 5) / 10
	if hundredths < 100 && hundredths%10 != 0 {
		return money.Amount(hundredths) + money.NBSP + "%"
	}
	return Grouped(tenths/10) + "," + string(rune('0'+tenths%10)) + money.NBSP + "%"
}

// Short writes cents in so few letters that they stand at a bar: "950", "1,2k", "34k", "1,2m"; nothing for nothing.
func Short(cents int64) string {
	rand := (cents + 50) / 100
	switch {
	case cents == 0:
		return ""
	case rand < 1000:
		return Grouped(rand)
	case rand < 1_000_000:
		return tenthsOf(rand, 1000) + "k"
	}
	return tenthsOf(rand, 1_000_000) + "m"
}

// tenthsOf writes n in units, with one decimal below ten of them.
func tenthsOf(n, unit int64) string {
	if tenth := (n*10 + unit/2) / unit; tenth < 100 {
		return Grouped(tenth/10) + "," + Grouped(tenth%10)
	}
	return Grouped((n + unit/2) / unit)
}

// Range writes where a share lies: "87,3 % to 97,7 %".
func Range(of estimate.Interval) string {
	return Share(estimate.PerTenThousand(of.Low)) + " to " + Share(estimate.PerTenThousand(of.High))
}

// RandTicks is the scale of a chart whose bars are cents, in whole rand.
func RandTicks(largest int64) (ticks []components.Mark) {
	for _, tick := range components.NiceTicks((largest + 99) / 100) {
		ticks = append(ticks, components.Mark{Value: tick * 100, Text: "R" + money.NBSP + Grouped(tick)})
	}
	return ticks
}

// Ends are the labels of the first, the middle and the last of n bars; there is at least one.
func Ends(n int, label func(i int) string) (out []string) {
	for _, i := range slices.Compact([]int{0, n / 2, n - 1}) {
		out = append(out, Glue(label(i)))
	}
	return out
}
