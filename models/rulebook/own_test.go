package rulebook_test

import (
	"testing"

	"debitdesk/models/rulebook"
)

func TestAMerchantsBookCountsItsValuesEverywhere(t *testing.T) {
	from := day(t, "2026-12-01")
	own := []rulebook.Own{{ID: "1", Key: "retention.mandate", Value: 10, From: from},
		{ID: "2", Key: "ratio.unpaid", Value: 500, From: from, To: day(t, "2027-01-01")},
		{ID: "3", Key: "dc.tracking_days", Value: 12, From: from}} // the scheme became stricter meanwhile
	scheme := rulebook.Default()
	b := scheme.ForMerchant("m", own)
	if got := b.KeptUntil(day(t, "2026-12-01")); got != day(t, "2036-12-01") {
		t.Errorf("kept until %s", got)
	}
	if got := b.KeptUntil(day(t, "2026-11-30")); got != day(t, "2033-11-30") {
		t.Errorf("a debit of the day before is kept until %s", got)
	}
	for on, over := range map[string]bool{"2026-11-30": false, "2026-12-01": true, "2026-12-31": true, "2027-01-01": false} {
		if got := b.OverRatio("ratio.unpaid", 51, 1000, day(t, on)); got != over {
			t.Errorf("51 of 1000 on %s: %v", on, got)
		}
	}
	if got := b.On("dc.tracking_days", rulebook.DebiCheck, from).Int(); got != 10 {
		t.Errorf("a looser value counts: %d", got)
	}
	if scheme.On("ratio.unpaid", rulebook.AnyStream, from).Int() != 1000 {
		t.Error("the scheme's own book was changed")
	}
	row, found := b.Find(rulebook.Question{Key: "ratio.unpaid", Stream: rulebook.AnyStream, Day: from})
	if kept, known := b.Row(row.ID); !found || !row.OfMerchant() || !known || kept.Value.Int() != 500 {
		t.Errorf("the row of a decision is not found again: %+v", row)
	}
	if len(b.Rows()) != len(scheme.Rows())+3 {
		t.Error("the page does not list the merchant's rows")
	}
}

func TestEachRuleThatCanBeStricterIsOneOfTheScheme(t *testing.T) {
	for _, one := range rulebook.OwnRules {
		row, found := rulebook.Default().Scheme(one.Key, day(t, "2026-11-24"))
		if !found || row.Stream != one.Stream || row.Override != rulebook.ByTighter {
			t.Errorf("%s: %+v", one.Key, row)
		}
	}
}
