// Package plural writes numbers together with what they count, so that the words agree with the number.
package plural

import (
	"strings"

	"debitdesk/models/money"
)

type integer interface{ ~int | ~int64 }

// Of writes a number with its noun: "1 row", "1 240 rows". The noun is given in the singular.
func Of[N integer](n N, noun string) string {
	return Number(n) + " " + Pick(n, noun, many(noun))
}

// Pick chooses the words that agree with a number: "is" for 1, "are" for others.
func Pick[N integer](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Is is "is" for 1, and "are" for others.
func Is[N integer](n N) string { return Pick(n, "is", "are") }

// Was is "was" for 1, and "were" for others.
func Was[N integer](n N) string { return Pick(n, "was", "were") }

// Has is "has" for 1, and "have" for others.
func Has[N integer](n N) string { return Pick(n, "has", "have") }

// Number writes a whole number in groups of three: "1 240".
func Number[N integer](n N) string {
	return strings.TrimSuffix(money.Amount(int64(n)*100), ",00")
}

func many(noun string) string {
	before, ending := noun[:len(noun)-1], noun[len(noun)-1:]
	if ending == "y" && !strings.ContainsAny(before[len(before)-1:], "aeou") {
		return before + "ies"
	}
	return noun + "s"
}
