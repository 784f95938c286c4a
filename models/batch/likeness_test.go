package batch_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/batch"
	"debitdesk/models/calendar"
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

// The comparison names who made an amount what it is: who fixed the row here, or who brought the rows; and whose change
// of a template's price went from the same amount to the same.
func TestADifferenceSaysWhoChangedThePrice(t *testing.T) {
	h := open(t)
	first := h.checked(heading + line("fixed", "100") + line("sheet", "200") + line("again", "300"))
	h.work(h.start(first, order(first)))
	second := h.checked(heading + line("fixed", "1oo") + line("sheet", "250") + line("again", "350"))
	edit := func(n int, text string, by string) {
		t.Helper()
		who := h.who
		who.Name = by
		b, _, err := h.batches.EditCell(context.Background(), who, second.ID, batch.Edit{N: n, Column: 2, Text: text})
		must(t, err)
		second = b
	}
	edit(2, "120", "Sipho")
	edit(4, "350.00", "Zanele") // the same amount
	v, err := h.batches.Review(context.Background(), h.who, second.ID, 0)
	must(t, err)
	by := map[string]batch.Priced{}
	for _, d := range v.Like.Rows {
		by[d.Name] = d.Priced
		if d.Template != nil {
			t.Errorf("%s has the price of a template: %+v", d.Name, d.Template)
		}
	}
	if p := by["fixed"]; p.By != "Sipho" || p.How != "Row 2, amount: changed." || p.At.IsZero() {
		t.Errorf("the row that was fixed: %+v of %+v", p, v.Like.Rows)
	}
	for _, name := range []string{"sheet", "again"} {
		if p := by[name]; p.By != h.who.Name || p.How != "" || !p.At.Equal(second.CreatedAt) {
			t.Errorf("%s: %+v", name, p)
		}
	}

	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := h.store.Pool.Exec(context.Background(), sql, args...)
		must(t, err)
	}
	template, merchant := h.store.NewID(), h.who.MerchantID
	exec(`INSERT INTO billing_templates (id, merchant_id, brand_id, is_test, title, is_subscription, currency, total_cents,
			due_strict, details, options, period, period_units, due_period, due_units, charge_at_end, trial_periods, paused,
			created_at, updated_at)
		VALUES ($1, $2, $3, true, 'Gym', true, 'ZAR', 25000, false, '{}', '{}', 1, 'months', 7, 'days', false, 0, false,
			now(), now())`, template, merchant, second.BrandID)
	subscriber := h.store.NewID()
	exec(`INSERT INTO template_clients (id, merchant_id, template_id, client_id, status, switches, created_at, updated_at)
		SELECT $1, $2, $3, client_id, 'active', '{}', now(), now() FROM batch_rows
		WHERE merchant_id = $2 AND batch_id = $4 AND n = 3`, subscriber, merchant, template, second.ID)
	for _, a := range []struct {
		by       string
		was, is  int
		merchant uuid.UUID
	}{{"Thandi", 20_000, 25_000, merchant}, {"Lerato", 25_000, 20_000, merchant},
		{"Stranger", 20_000, 25_000, uuid.New()}} {
		exec(`INSERT INTO audit_entries (id, merchant_id, at, actor_kind, actor_name, action, object_type, object_id, text,
				before, after)
			VALUES ($1, $2, now(), 'user', $3, 'template.price_planned', 'template', $4, '',
				jsonb_build_object('total_cents', $5::int), jsonb_build_object('total_cents', $6::int, 'from', '2027-03-01'))`,
			h.store.NewID(), a.merchant, a.by, template, a.was, a.is)
	}
	v, err = h.batches.Review(context.Background(), h.who, second.ID, 0)
	must(t, err)
	for _, d := range v.Like.Rows {
		if p := d.Template; (d.Name == "sheet") != (p != nil) || p != nil && (p.By != "Thandi" || p.How != "Gym" ||
			p.Own || p.From != calendar.On(2027, 3, 1)) {
			t.Errorf("%s: %+v", d.Name, p)
		}
	}
	exec(`INSERT INTO audit_entries (id, merchant_id, at, actor_kind, actor_name, action, object_type, object_id,
			client_id, text, before, after)
		SELECT $1, $2, now(), 'user', 'Zinhle', 'subscriber.changed', 'subscriber', $3, client_id, '',
			'{"total_cents": 20000}', '{"total_cents": 25000}' FROM template_clients WHERE id = $3`, h.store.NewID(), merchant,
		subscriber)
	v, err = h.batches.Review(context.Background(), h.who, second.ID, 0)
	must(t, err)
	for _, d := range v.Like.Rows {
		if p := d.Template; d.Name == "sheet" && (p == nil || p.By != "Zinhle" || !p.Own || !p.From.IsZero()) {
			t.Errorf("the price of this client alone: %+v", p)
		}
	}
}
