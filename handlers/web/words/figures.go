package words

import (
	"debitdesk/models/bank"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
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
