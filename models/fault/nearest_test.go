package fault_test

import (
	"testing"

	"debitdesk/models/fault"
)

func TestOnlyAWordThatIsLikeItIsOffered(t *testing.T) {
	t.Parallel()
	known := []string{"lead_days", "local_instrument", "success", "eft"}
	for word, want := range map[string]string{"lead": ` Did you mean "lead_days"?`, "sucess": ` Did you mean "success"?`,
		"local_instruments": ` Did you mean "local_instrument"?`, "etf": ` Did you mean "eft"?`,
		"colour": "", "of": "", "x": "", "": ""} {
		if got := fault.DidYouMean(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
