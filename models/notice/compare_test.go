package notice

import (
	"strings"
	"testing"

	"debitdesk/models/collection"
)

func TestTheComparisonSaysNoMoreThanItShows(t *testing.T) {
	of := func(paid, failed, disputed int64) Counted {
		return Counted{collection.OutcomeCollected: paid, collection.OutcomeFailed: failed,
			collection.OutcomeDisputed: disputed}
	}
	for says, c := range map[string]struct{ with, without Counted }{
		"Too few debits":                 {of(29, 0, 0), of(300, 0, 0)},
		"may be chance":                  {of(90, 10, 0), of(91, 9, 0)},
		"More debits were disputed":      {of(880, 20, 100), of(940, 50, 10)},
		"More debits were paid":          {of(950, 50, 0), of(850, 150, 0)},
		"Fewer debits were paid":         {of(850, 150, 0), of(950, 50, 0)},
		"at least 30 debits of each are": {of(300, 0, 0), of(0, 0, 0)},
	} {
		if got := (Comparison{sideOf(c.with), sideOf(c.without)}).Tells(); !strings.Contains(got, says) {
			t.Errorf("%v: %s", c, got)
		}
	}
}
