package checkout_test

import (
	"testing"

	"debitdesk/handlers/papers"
	"debitdesk/models/collection"
	"debitdesk/models/locale"
)

func TestThePageSaysWhyADebitFailedAndBlamesNobodyWrongly(t *testing.T) {
	for code, want := range map[string]string{
		"02": "Your bank says: Not enough money.",
		"18": "Your bank declined it.",
		"NR": "The bank did not run it. Nothing is wrong with your account.",
	} {
		c := collection.Collection{Result: collection.ResultOf(code)}
		if got := papers.Reason(locale.In(locale.English), &c); got != want {
			t.Errorf("%s: %q", code, got)
		}
	}
}
