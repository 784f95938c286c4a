package money_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"debitdesk/models/money"
)

func TestSumsAreExactWhereInt64Ends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want := money.Sum{}, new(big.Int)
		for _, cents := range rapid.SliceOf(rapid.OneOf(rapid.Int64(),
			rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, -1, 1}))).Draw(t, "cents") {
			if rapid.Bool().Draw(t, "plus") {
				s = s.Plus(money.SumOf(cents))
				want.Add(want, big.NewInt(cents))
			} else {
				s = s.Minus(money.SumOf(cents))
				want.Sub(want, big.NewInt(cents))
			}
		}
		n, fits := s.Int64()
		if s.String() != want.String() || s.Sign() != want.Sign() || fits != want.IsInt64() || fits && n != want.Int64() {
			t.Fatalf("%s is %s", want, s)
		}
		body, err := json.Marshal(s)
		if err != nil || string(body) != want.String() {
			t.Fatalf("%s is %s in JSON, %v", want, body, err)
		}
		var again money.Sum
		if err := again.Scan(want.String()); err != nil || again != s {
			t.Fatalf("%s is read as %s, %v", want, again, err)
		}
	})
}

func TestALargeSumIsWrittenAsAnyOther(t *testing.T) {
	s := money.SumOf(math.MaxInt64, math.MaxInt64)
	if got, want := s.Format("ZAR"), strings.ReplaceAll("R 184 467 440 737 095 516,14", " ", money.NBSP); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := (money.Sum{}).Minus(s).Plain(); got != "-184467440737095516.14" {
		t.Errorf("%s", got)
	}
	if got := money.SumOf(5).Format("ZAR"); got != money.Format(5, "ZAR") {
		t.Errorf("%s", got)
	}
	if s.Near() != math.MaxInt64 || money.SumOf(7).Near() != 7 {
		t.Error("Near")
	}
}

func TestWhatIsHeldAgainstALimitNeverComesOutBelowIt(t *testing.T) {
	for _, got := range []int64{money.Plus(math.MaxInt64, 1), money.Times(9_000_000_000_000_000, 1025)} {
		if got != math.MaxInt64 {
			t.Errorf("%d", got)
		}
	}
	if money.Plus(math.MinInt64, -1) != math.MinInt64 || money.Plus(2, -3) != -1 || money.Times(3, 4) != 12 ||
		money.Times(3, 0) != 0 {
		t.Error("small sums")
	}
}
