package batch_test

import (
	"context"
	"fmt"
	"testing"

	"debitdesk/models/batch"
)

func line(payer string, amount string) string {
	return fmt.Sprintf("%s@example.org,%s,%s,2027-03-01,Membership\n", payer, payer, amount)
}

func TestA_batch_is_compared_with_the_last_one_to_the_same_clients(t *testing.T) {
	h := open(t)
	review := func(b batch.Batch) *batch.Likeness {
		t.Helper()
		v, err := h.batches.Review(context.Background(), h.who, b.ID, 0)
		must(t, err)
		return v.Like
	}
	first := h.checked(heading + line("same", "100") + line("more", "200") + line("gone", "300") + line("twice", "10"))
	if like := review(first); like != nil {
		t.Errorf("the first is like %+v", like)
	}
	h.work(h.start(first, order(first)))

	other := h.checked(heading + line("stranger", "100") + line("another", "100"))
	if like := review(other); like != nil {
		t.Errorf("a batch to other clients is like %+v", like)
	}
	second := h.checked(heading + line("same", "100") + line("more", "250.50") + line("fresh", "70") +
		line("twice", "4") + line("twice", "6"))
	like := review(second)
	if like == nil || like.Last.ID != first.ID || like.Same != 2 ||
		like.Counted != (batch.Counted{New: 1, Missing: 1, Changed: 1}) || like.All() != 3 || len(like.Rows) != 3 {
		t.Fatalf("%+v", like)
	}
	changed, fresh, gone := like.Rows[0], like.Rows[1], like.Rows[2]
	if changed.Name != "more" || changed.N != 3 || *changed.WasCents != 20_000 || *changed.Cents != 25_050 {
		t.Errorf("changed %+v", changed)
	}
	if fresh.Name != "fresh" || fresh.WasCents != nil || *fresh.Cents != 7_000 {
		t.Errorf("new %+v", fresh)
	}
	if gone.Name != "gone" || gone.N != 0 || gone.Cents != nil || *gone.WasCents != 30_000 {
		t.Errorf("missing %+v", gone)
	}
	o := order(second)
	o.AcceptWarnings = true
	h.work(h.start(second, o))
	third := h.checked(heading + line("same", "100"))
	if like := review(third); like == nil || like.Last.ID != second.ID || like.Missing != 3 {
		t.Errorf("the third is like %+v", like)
	}
	stranger := h.who
	stranger.MerchantID = h.store.NewID()
	if _, err := h.batches.Review(context.Background(), stranger, third.ID, 0); err == nil {
		t.Error("another business sees the batch")
	}
}
