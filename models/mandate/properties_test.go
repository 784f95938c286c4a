package mandate_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
)

var (
	anyCents = rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(0, 2_000_000), rapid.Int64(),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, money.MaxCents, money.MaxCents + 1}))
	realCents = rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(0, 2_000_000), rapid.Int64Range(0, money.MaxCents))
)

func word(of ...string) *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(of), rapid.SampledFrom(of), rapid.StringN(0, 50, 200))
}

// anyAsk draws requests that are often sound, often close to it, and sometimes wild.
func anyAsk(t *rapid.T) mandate.Ask {
	a := mandate.Ask{
		ValueType:           word("FIXED", "VARIABLE", "USAGEBASED").Draw(t, "value"),
		AuthenticationType:  word("REALTIME", "DELAYED").Draw(t, "auth"),
		DebitSequence:       word("RCUR", "OOFF").Draw(t, "sequence"),
		AdjustmentCategory:  word("NEVER", "NEVER", "QUARTERLY", "ANNUALLY", "ANNUAL").Draw(t, "category"),
		AllowDateAdjustment: rapid.Bool().Draw(t, "date"),
	}
	if rapid.Bool().Draw(t, "has max") || rapid.Bool().Draw(t, "has max after all") {
		a.MaxAmountCents = ref(anyCents.Draw(t, "max"))
	}
	if rapid.Bool().Draw(t, "has rate") {
		a.AdjustmentRate = ref(decimal.New(rapid.OneOf(rapid.Int64Range(-20000, 20000), rapid.Int64()).Draw(t, "rate"),
			rapid.OneOf(rapid.Int32Range(-7, 2), rapid.Int32()).Draw(t, "exponent")))
	}
	if rapid.Bool().Draw(t, "has amount") {
		a.AdjustmentAmountCents = ref(anyCents.Draw(t, "amount"))
	}
	return a
}

// keepsTheRules says again, in big numbers, what the source document says.
func keepsTheRules(g mandate.Terms, price, total int64) error {
	big3, big2 := new(big.Int).Mul(big.NewInt(3), big.NewInt(price)),
		new(big.Int).Mul(big.NewInt(2), big.NewInt(g.MaxAmountCents))
	adjusted := g.AdjustmentRate != nil || g.AdjustmentAmountCents != nil
	switch {
	case !slices.Contains(mandate.ValueTypes, g.ValueType), !slices.Contains(mandate.Methods, g.Authentication),
		!slices.Contains(mandate.Sequences, g.DebitSequence),
		!slices.Contains(mandate.Categories, g.AdjustmentCategory):
		return errors.New("an unknown word")
	case g.MaxAmountCents < 1 || g.MaxAmountCents < total || g.MaxAmountCents > money.MaxCents:
		return errors.New("a maximum below the total or out of range")
	case g.ValueType == mandate.Fixed && (g.MaxAmountCents > price || adjusted || g.AdjustmentCategory != mandate.Never):
		return errors.New("FIXED above the price or adjusted")
	case g.ValueType == mandate.Variable && big2.Cmp(big3) > 0:
		return errors.New("VARIABLE above 1.5 times the price")
	case adjusted == (g.AdjustmentCategory == mandate.Never) || g.AdjustmentRate != nil && g.AdjustmentAmountCents != nil:
		return errors.New("not exactly one adjustment")
	case g.PriceCents != price:
		return errors.New("another price")
	}
	return nil
}

func TestAcceptedTermsKeepEveryRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, price, total := anyAsk(t), realCents.Draw(t, "price"), realCents.Draw(t, "total")
		if rapid.Bool().Draw(t, "sensible") {
			total = rapid.Int64Range(0, price).Draw(t, "total below the price")
			a.MaxAmountCents = ref(rapid.Int64Range(total, min(2*price+2, money.MaxCents)).Draw(t, "max near the limit"))
		}
		var w fault.Problems
		if terms := a.Check(&w, "dd", price, total); len(w) == 0 {
			if err := keepsTheRules(terms, price, total); err != nil {
				t.Fatalf("%v: %+v, price %d, total %d", err, terms, price, total)
			}
		}
	})
}

func TestNoRequestPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w fault.Problems
		g := anyAsk(t).Check(&w, "dd", anyCents.Draw(t, "price"), anyCents.Draw(t, "total"))
		g.Explain(mandate.Mandate{PeriodUnits: word("months", "weeks", "days").Draw(t, "units"),
			DeductionDay: rapid.Int().Draw(t, "day"), Terms: &g}, "ZAR")
		g.On(calendar.On(2020, 1, 31), calendar.On(2060, 1, 31))
	})
}

// acceptable draws terms that Check accepted.
func acceptable(t *rapid.T) mandate.Terms {
	price := rapid.Int64Range(1, 5_000_000).Draw(t, "price")
	limit := map[string]int64{"FIXED": price, "VARIABLE": 3 * price / 2, "USAGEBASED": 10 * price}
	a := mandate.Ask{ValueType: rapid.SampledFrom([]string{"FIXED", "VARIABLE", "USAGEBASED"}).Draw(t, "value"),
		AuthenticationType: "DELAYED", DebitSequence: "RCUR",
		AdjustmentCategory: "NEVER", AllowDateAdjustment: rapid.Bool().Draw(t, "date")}
	a.MaxAmountCents = ref(rapid.Int64Range(price, limit[a.ValueType]).Draw(t, "max"))
	if a.ValueType != "FIXED" {
		a.AdjustmentCategory = rapid.SampledFrom([]string{"NEVER", "QUARTERLY", "BIANNUALLY", "ANNUALLY", "REPO"}).Draw(t,
			"category")
	}
	switch byRate := rapid.Bool().Draw(t, "by rate"); {
	case a.AdjustmentCategory == "NEVER":
	case byRate:
		a.AdjustmentRate = ref(decimal.New(rapid.Int64Range(-10_000_000, 10_000_000).Draw(t, "rate"), -5))
	default:
		a.AdjustmentAmountCents = ref(rapid.Int64Range(-2*price, 2*price).Draw(t, "amount"))
	}
	var w fault.Problems
	terms := a.Check(&w, "dd", price, price)
	if len(w) > 0 {
		t.Fatalf("sound terms are refused: %v", w)
	}
	return terms
}

func TestAdjustmentsOnlyGoTheirWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := acceptable(t)
		from := calendar.On(2026, 1, rapid.IntRange(1, 366).Draw(t, "accepted"))
		first := from.AddDays(rapid.IntRange(-100, 4000).Draw(t, "first"))
		later := first.AddDays(rapid.IntRange(0, 4000).Draw(t, "later"))
		sign := 0
		if g.AdjustmentRate != nil {
			sign = g.AdjustmentRate.Sign()
		} else if g.AdjustmentAmountCents != nil {
			sign = big.NewInt(*g.AdjustmentAmountCents).Sign()
		}
		p1, m1 := g.On(from, first)
		p2, m2 := g.On(from, later)
		if sign >= 0 && (p2 < p1 || m2 < m1) || sign <= 0 && (p2 > p1 || m2 > m1) {
			t.Fatalf("%+v from %s: %d and %d on %s, %d and %d on %s", g, from, p1, m1, first, p2, m2, later)
		}
		if p2 < 0 || m2 < 1 || p2 > money.MaxCents || m2 > money.MaxCents {
			t.Fatalf("%d and %d are out of bounds", p2, m2)
		}
	})
}

func TestNoDebitPassesAboveTheTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := acceptable(t)
		m := mandate.Mandate{Kind: mandate.DebiCheck, Terms: &g,
			PeriodUnits:  rapid.SampledFrom([]string{"months", "weeks", "days"}).Draw(t, "units"),
			DeductionDay: rapid.IntRange(1, 30).Draw(t, "day"), Fallback: rapid.Bool().Draw(t, "fallback"),
			AcceptedAt: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
		due := calendar.On(2026, 2, rapid.IntRange(1, 1500).Draw(t, "due"))
		price, most := g.On(calendar.On(2026, 1, 31), due)
		cents := rapid.OneOf(rapid.Int64Range(most-2, most+2), rapid.Int64Range(price-1, price+1),
			rapid.Int64Range(1, 20_000_000)).Draw(t, "cents")
		because, against := m.Judge(mandate.Debit{AmountCents: cents, Currency: "ZAR", Due: due}, holidays)
		if len(against) > 0 {
			return
		}
		if cents > most || g.ValueType == mandate.Fixed && cents != price {
			t.Fatalf("%d passed: price %d, maximum %d, %+v", cents, price, most, g)
		}
		if slices.Contains(because, mandate.BecauseFallback) != m.Fallback ||
			slices.Contains(because, mandate.BecauseAmountDiffers) != (cents != price) ||
			slices.Contains(because, mandate.BecauseDateDiffers) && !g.AllowDateAdjustment {
			t.Fatalf("disputable because %v", because)
		}
	})
}
