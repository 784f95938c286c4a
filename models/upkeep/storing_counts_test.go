package upkeep_test

import (
	"maps"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
	"debitdesk/models/storetest"
	"debitdesk/models/upkeep"
)

func TestPurchasesThatOnlyStoreAreCountedBesideAll(t *testing.T) {
	s := storetest.Open(t)
	m := uuid.New()
	s.Run(`INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
		VALUES ($1, 'preauthorized', 3, 0), ($1, 'paid', 2, 64900)`, m)
	s.Run(`INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES ($1, 'preauthorized', 3), ($1, 'paid', 1),
		($1, 'paid', -1)`, m)
	check := func(when string) {
		t.Helper()
		for kind, want := range map[purchase.Kind]map[string]int64{
			"":                   {"preauthorized": 3, "paid": 2},
			purchase.WithAmount:  {"paid": 2},
			purchase.OnlyStoring: {"preauthorized": 3},
		} {
			totals, err := purchase.Store{DB: s.DB}.PurchaseTotals(t.Context(), m)
			if got := totals[kind].Counts(); err != nil || !maps.Equal(got, want) {
				t.Errorf("%s, %q: %v, %v", when, kind, got, err)
			}
			if got := totals[kind].Cents(purchase.Paid); got != int64(64900*want["paid"]/2) && kind == "" ||
				kind == purchase.OnlyStoring && got != 0 {
				t.Errorf("%s, %q: %d cents", when, kind, got)
			}
		}
	}
	check("before folding")
	if n, err := (upkeep.Store{DB: s.DB}).FoldCounts(t.Context()); n != 5 || err != nil {
		t.Errorf("folded %d, %v", n, err)
	}
	check("after")
}
