package plural_test

import (
	"strings"
	"testing"

	"debitdesk/models/plural"
)

func TestCountsAgreeWithTheirNoun(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 rows":      plural.Of(0, "row"),
		"1 row":       plural.Of(1, "row"),
		"2 rows":      plural.Of(int64(2), "row"),
		"1 240 rows":  plural.Of(1240, "row"),
		"3 entries":   plural.Of(3, "entry"),
		"3 days":      plural.Of(3, "day"),
		"1 new entry": plural.Of(1, "new entry"),
	} {
		if got := strings.ReplaceAll(got, "\u00a0", " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestVerbsAgreeWithTheirNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "are were have go", 1: "is was has goes", 2: "are were have go"} {
		got := strings.Join([]string{plural.Is(n), plural.Was(n), plural.Has(n), plural.Pick(n, "goes", "go")}, " ")
		if got != want {
			t.Errorf("for %d: %q, want %q", n, got, want)
		}
	}
}
