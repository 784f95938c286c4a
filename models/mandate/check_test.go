package mandate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
)

func ref[T any](v T) *T { return &v }

func rate(text string) *decimal.Decimal { return ref(decimal.RequireFromString(text)) }

// ask is sound: VARIABLE without adjustments for a price of R 100,00.
func ask(change func(*mandate.Ask)) mandate.Ask {
	a := mandate.Ask{ValueType: "VARIABLE", AuthenticationType: "REALTIME", DebitSequence: "RCUR",
		AdjustmentCategory: "NEVER", MaxAmountCents: ref(int64(15000))}
	if change != nil {
		change(&a)
	}
	return a
}

// problems are "field=code", sorted.
func problems(a mandate.Ask, price, total int64) string {
	var w fault.Problems
	a.Check(&w, "dd", price, total)
	out := make([]string, len(w))
	for i, f := range w {
		out[i] = strings.TrimPrefix(f.Path, "dd.") + "=" + f.Code
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func message(a mandate.Ask, price, total int64, field string) string {
	var w fault.Problems
	a.Check(&w, "dd", price, total)
	for _, f := range w {
		if f.Path == "dd."+field {
			return f.Message
		}
	}
	return ""
}

// The whole matrix: value type × category × what is adjusted.
func TestEveryPairOfTypeAndAdjustmentIsJudged(t *testing.T) {
	const none, byRate, byAmount, both = "none", "rate", "amount", "both"
	for _, value := range mandate.ValueTypes {
		for _, category := range mandate.Categories {
			for _, given := range []string{none, byRate, byAmount, both} {
				a := ask(func(a *mandate.Ask) {
					a.ValueType, a.AdjustmentCategory, a.MaxAmountCents = string(value), string(category), ref(int64(10000))
					if given == byRate || given == both {
						a.AdjustmentRate = rate("6")
					}
					if given == byAmount || given == both {
						a.AdjustmentAmountCents = ref(int64(500))
					}
				})
				var want []string
				if given == both {
					want = append(want, "__all__=adjustment_exclusive")
				}
				if nothing := value == mandate.Fixed || category == mandate.Never; nothing {
					if given == byAmount || given == both {
						want = append(want, "adjustment_amount_cents=invalid")
					}
					if value == mandate.Fixed && category != mandate.Never {
						want = append(want, "adjustment_category=invalid")
					}
					if given == byRate || given == both {
						want = append(want, "adjustment_rate=invalid")
					}
				} else if given == none {
					want = append(want, "__all__=required")
				}
				if got := problems(a, 10000, 10000); got != strings.Join(want, " ") {
					t.Errorf("%s %s %s: %q, want %q", value, category, given, got, want)
				}
			}
		}
	}
}

// Both sides of each limit, odd cents too.
func TestTheMaximumHasItsLimitByValueType(t *testing.T) {
	for _, c := range []struct {
		value             string
		price, total, max int64
		code              string
	}{
		{"FIXED", 10000, 10000, 10000, ""}, {"FIXED", 10000, 10000, 10001, "max_value"},
		{"FIXED", 10000, 10000, 9999, "min_value"},
		{"FIXED", 1, 1, 1, ""}, {"FIXED", 1, 1, 2, "max_value"}, {"FIXED", 9999, 9999, 9999, ""},
		{"FIXED", 10000, 4000, 4000, ""}, {"FIXED", 10000, 4000, 7000, ""}, {"FIXED", 10000, 4000, 3999, "min_value"},
		{"FIXED", 10000, 4000, 10001, "max_value"},
		{"FIXED", 10000, 0, 1, ""}, {"FIXED", 10000, 0, 0, "min_value"}, {"FIXED", 10000, 0, -1, "min_value"},
		{"FIXED", 0, 0, 1, "max_value"}, {"FIXED", 10000, 10001, 10001, "max_value"},
		{"VARIABLE", 10000, 10000, 15000, ""}, {"VARIABLE", 10000, 10000, 15001, "max_value"},
		{"VARIABLE", 10000, 10000, 10000, ""},
		{"VARIABLE", 10000, 10000, 9999, "min_value"}, {"VARIABLE", 10001, 10001, 15001, ""},
		{"VARIABLE", 10001, 10001, 15002, "max_value"},
		{"VARIABLE", 1, 1, 1, ""}, {"VARIABLE", 1, 1, 2, "max_value"}, {"VARIABLE", 2, 2, 3, ""},
		{"VARIABLE", 2, 2, 4, "max_value"},
		{"VARIABLE", 3, 3, 4, ""}, {"VARIABLE", 3, 3, 5, "max_value"}, {"VARIABLE", 333, 333, 499, ""},
		{"VARIABLE", 333, 333, 500, "max_value"},
		{"VARIABLE", 0, 0, 1, "max_value"}, {"VARIABLE", 10000, 0, 15000, ""}, {"VARIABLE", 10000, 0, 15001, "max_value"},
		{"VARIABLE", 10000, 16000, 16000, "max_value"},
		{"VARIABLE", money.MaxCents, money.MaxCents, money.MaxCents, ""},
		{"VARIABLE", money.MaxCents, 0, math.MaxInt64, "max_value"},
		{"USAGEBASED", 10000, 10000, 10000, ""}, {"USAGEBASED", 10000, 10000, 9999, "min_value"},
		{"USAGEBASED", 10000, 10000, 50000001, ""},
		{"USAGEBASED", 0, 0, 1, ""}, {"USAGEBASED", 0, 0, 0, "min_value"}, {"USAGEBASED", 0, 0, money.MaxCents, ""},
		{"USAGEBASED", 0, 0, money.MaxCents + 1, "max_value"},
		{"USAGEBASED", 10000, 10000, math.MinInt64, "min_value"}, {"VARIABLE", math.MaxInt64, 0, money.MaxCents, ""},
	} {
		want := ""
		if c.code != "" {
			want = "max_amount_cents=" + c.code
		}
		a := ask(func(a *mandate.Ask) { a.ValueType, a.MaxAmountCents = c.value, &c.max })
		if got := problems(a, c.price, c.total); got != want {
			t.Errorf("%s, price %d, total %d, max %d: %q, want %q", c.value, c.price, c.total, c.max, got, want)
		}
	}
}

func TestEveryProblemIsReportedAtOnce(t *testing.T) {
	if got, want := problems(mandate.Ask{}, 10000, 10000),
		"adjustment_category=required authentication_type=required debit_sequence=required max_amount_cents=required "+
			"value_type=required"; got != want {
		t.Errorf("nothing given: %q", got)
	}
	a := ask(func(a *mandate.Ask) {
		a.ValueType, a.AuthenticationType, a.DebitSequence, a.AdjustmentCategory = "FIXED", "FALLBACK", "FRST", "ANNUAL"
		a.AdjustmentRate, a.AdjustmentAmountCents, a.MaxAmountCents = rate("101"), ref(int64(math.MaxInt64)),
			ref(int64(10001))
	})
	if got, want := problems(a, 10000, 10000),
		"__all__=adjustment_exclusive adjustment_amount_cents=invalid adjustment_category=invalid_choice "+
			"adjustment_rate=invalid "+
			"authentication_type=invalid_choice debit_sequence=invalid_choice max_amount_cents=max_value"; got != want {
		t.Errorf("all wrong: %q", got)
	}
}

func TestAnAdjustmentHasSaneLimits(t *testing.T) {
	for text, code := range map[string]string{
		"6": "", "0": "", "-6.5": "", "4.75": "", "100": "", "-100": "", "0.00001": "", "6.000000000": "",
		"100.00001": "max_value", "-100.00001": "min_value", "0.000001": "max_decimal_places",
		"1e99": "max_digits", "1e-99": "max_digits", "1e9999": "max_digits", "-1e9999": "max_digits", "1e-9999": "max_digits",
		strings.Repeat("9", 900): "max_digits",
	} {
		a := ask(func(a *mandate.Ask) { a.AdjustmentCategory, a.AdjustmentRate = "ANNUALLY", rate(text) })
		want := ""
		if code != "" {
			want = "adjustment_rate=" + code
		}
		if got := problems(a, 10000, 10000); got != want {
			t.Errorf("rate %.30s: %q, want %q", text, got, want)
		}
	}
	for cents, code := range map[int64]string{0: "", -500: "", money.MaxCents: "", -money.MaxCents: "",
		money.MaxCents + 1: "=max_value", -money.MaxCents - 1: "=min_value",
		math.MinInt64: "=min_value"} {
		a := ask(func(a *mandate.Ask) { a.AdjustmentCategory, a.AdjustmentAmountCents = "REPO", &cents })
		if got := problems(a, 10000, 10000); strings.TrimPrefix(got, "adjustment_amount_cents") != code {
			t.Errorf("amount %d: %q, want %q", cents, got, code)
		}
	}
}

func TestMessagesNameTheLimitAndWhatHelps(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*mandate.Ask)
		price  int64
		total  int64
		field  string
		want   string
	}{
		"one and a half times": {func(a *mandate.Ask) { a.MaxAmountCents = ref(int64(15001)) }, 10000, 10000,
			"max_amount_cents",
			"For VARIABLE this may be at most 1.5 times the price (15000)."},
		"an odd price": {func(a *mandate.Ask) { a.MaxAmountCents = ref(int64(500)) }, 333, 333, "max_amount_cents",
			"For VARIABLE this may be at most 1.5 times the price (499)."},
		"fixed": {func(a *mandate.Ask) { a.ValueType = "FIXED" }, 10000, 10000, "max_amount_cents",
			"For FIXED this may be at most the price (10000)."},
		"nothing to pay": {nil, 0, 0, "max_amount_cents",
			"For VARIABLE this may be at most 1.5 times the price (0). To store a mandate without collecting now, " +
				"give the real price and total_override 0."},
		"a total above the limit": {func(a *mandate.Ask) { a.MaxAmountCents = ref(int64(20000)) }, 10000, 20000,
			"max_amount_cents",
			"For VARIABLE this may be at most 1.5 times the price (15000), and the total (20000) is above that."},
		"below the total": {func(a *mandate.Ask) { a.MaxAmountCents = ref(int64(9999)) }, 10000, 10000, "max_amount_cents",
			"This may not be below the purchase’s total (10000)."},
		"the sample of the source document": {func(a *mandate.Ask) { a.AdjustmentCategory = "ANNUAL" }, 10000, 10000,
			"adjustment_category",
			`"ANNUAL" is not a valid choice. Choose one of: NEVER, QUARTERLY, BIANNUALLY, ANNUALLY, REPO.`},
		"lower case": {func(a *mandate.Ask) { a.ValueType = "fixed" }, 10000, 10000, "value_type",
			`"fixed" is not a valid choice. Choose one of: FIXED, VARIABLE, USAGEBASED.`},
		"both": {func(a *mandate.Ask) { a.AdjustmentRate, a.AdjustmentAmountCents = rate("1"), ref(int64(1)) }, 10000,
			10000, "__all__", "Give adjustment_rate or adjustment_amount_cents, not both."},
		"neither": {func(a *mandate.Ask) { a.AdjustmentCategory = "QUARTERLY" }, 10000, 10000, "__all__",
			"For QUARTERLY give adjustment_rate or adjustment_amount_cents."},
	} {
		if got := message(ask(c.change), c.price, c.total, c.field); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	long := message(ask(func(a *mandate.Ask) { a.DebitSequence = strings.Repeat("\xff", 5000) }), 10000, 10000,
		"debit_sequence")
	if len(long) > 200 {
		t.Errorf("a long value is repeated in full: %d bytes", len(long))
	}
}

func TestTermsHoldWhatWasAskedFor(t *testing.T) {
	a := ask(func(a *mandate.Ask) {
		a.AdjustmentCategory, a.AdjustmentRate, a.DelayedOnFailure, a.AllowDateAdjustment, a.VerifyAccount = "ANNUALLY",
			rate("6.00"), true, true, true
	})
	var w fault.Problems
	got := a.Check(&w, "dd", 10000, 9000)
	if len(w) > 0 || got.ValueType != mandate.Variable || got.Authentication != mandate.RealTime ||
		got.DebitSequence != mandate.Recurring || got.AdjustmentCategory != mandate.Annually ||
		!got.DelayedOnFailure || !got.AllowDateAdjustment || !got.VerifyAccount || got.MaxAmountCents != 15000 ||
		got.PriceCents != 10000 ||
		fmt.Sprint(got.AdjustmentRate) != "6" || got.AdjustmentAmountCents != nil {
		t.Errorf("got %+v, %v", got, w)
	}
}

func TestALimitCanBeAskedFor(t *testing.T) {
	for _, c := range []struct {
		value       mandate.ValueType
		price, want int64
		unlimited   bool
	}{{mandate.Fixed, 333, 333, false}, {mandate.Variable, 333, 499, false},
		{mandate.UsageBased, 333, money.MaxCents, true}, {mandate.Variable, -1, 0, false}} {
		if got, unlimited := c.value.LimitCents(c.price); got != c.want || unlimited != c.unlimited {
			t.Errorf("%s of %d: %d, %v", c.value, c.price, got, unlimited)
		}
	}
}
