package batch_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/fault"
)

func TestA_file_becomes_invoices_in_its_order(t *testing.T) {
	h := open(t)
	b := h.checked(file(12))
	if b.State != batch.Checked || b.Counts.Ready != 12 {
		t.Fatalf("checked: %s %+v", b.State, b.Counts)
	}
	b = h.work(h.start(b, order(b)))
	if b.State != batch.Done || b.Counts.Sent != 12 || b.Counts.SentCents != 12*10_050+66*100 {
		t.Fatalf("done: %s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 12)
	for i, r := range h.rows(b) {
		if want := fmt.Sprintf("INV-2027-%06d", i+1); r.Number != want {
			t.Errorf("row %d has number %s, want %s", r.N, r.Number, want)
		}
	}
	b = h.work(b)
	h.isWhole(b, 12)
}

func TestTwo_processes_at_one_batch_make_every_invoice_once(t *testing.T) {
	h := open(t)
	b := h.checked(file(1200))
	b = h.start(b, order(b))
	var both sync.WaitGroup
	for range 2 {
		engine := h.engine()
		both.Go(func() {
			if err := engine.Work(context.Background(), b.ID); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if b = h.get(b); b.State != batch.Done || b.Counts.Sent != 1200 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 1200)
}

func TestA_crash_between_chunks_loses_and_doubles_nothing(t *testing.T) {
	h := open(t)
	b := h.checked(file(1200))
	b = h.start(b, order(b))
	// The first chunk is written; from then on each transaction ends before it is, as with a killed process.
	h.exec(`ALTER TABLE batches ADD CONSTRAINT the_process_is_gone
		CHECK ((counts ->> 'sent')::int <= 500 AND (counts ->> 'failed')::int = 0) NOT VALID`)
	if err := h.batches.Work(context.Background(), b.ID); err == nil ||
		!strings.Contains(err.Error(), "the_process_is_gone") {
		t.Fatalf("work ended with %v", err)
	}
	if b = h.get(b); b.State != batch.Running || b.Counts.Sent != 500 {
		t.Fatalf("after the crash: %s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 500)
	h.exec(`ALTER TABLE batches DROP CONSTRAINT the_process_is_gone`)
	h.exec(`UPDATE batches SET worked_at = now() - interval '1 minute'`)
	must(t, h.batches.TakeUp(context.Background()))
	b = h.get(b)
	if b.State != batch.Done {
		t.Fatalf("taken up: %s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 1200)
}

func TestA_row_that_cannot_be_made_stops_no_other(t *testing.T) {
	h := open(t)
	b := h.checked(file(5))
	b = h.start(b, order(b))
	h.exec(`ALTER TABLE purchases ADD CONSTRAINT unlucky CHECK (payer_email <> 'payer2@example.org')`)
	b = h.work(b)
	if b.State != batch.Done || b.Counts.Sent != 4 || b.Counts.Failed != 1 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 4)
	failed := h.rows(b, batch.Failed)
	if len(failed) != 1 || failed[0].N != 4 || !strings.Contains(failed[0].Error, "Fix rows") {
		t.Fatalf("%+v", failed)
	}
	h.exec(`ALTER TABLE purchases DROP CONSTRAINT unlucky`)
	b, err := h.batches.Repair(context.Background(), h.who, b.ID)
	must(t, err)
	if b.State != batch.Checked || b.Counts.Ready != 1 {
		t.Fatalf("repaired: %s %+v", b.State, b.Counts)
	}
	b = h.work(h.start(b, order(b)))
	if b.State != batch.Done || b.Counts.Sent != 5 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 5)
}

func TestRows_that_all_fail_make_the_batch_wait(t *testing.T) {
	h := open(t)
	b := h.checked(file(20))
	b = h.start(b, order(b))
	h.exec(`ALTER TABLE purchases ADD CONSTRAINT none CHECK (payer_email = '')`)
	if b = h.work(b); b.State != batch.Paused || b.Counts.Failed != 5 || b.Counts.Ready != 15 || b.Note == "" {
		t.Fatalf("%s %q %+v", b.State, b.Note, b.Counts)
	}
	h.isWhole(b, 0)
}

func TestThe_first_three_go_and_the_rest_waits_for_a_person(t *testing.T) {
	h := open(t)
	b := h.checked(file(10))
	o := order(b)
	o.FirstFew = true
	b = h.work(h.start(b, o))
	if b.State != batch.Paused || b.Counts.Sent != 3 || b.Counts.Ready != 7 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	b, err := h.batches.Resume(context.Background(), h.who, b.ID)
	must(t, err)
	b = h.work(b)
	if b.State != batch.Done {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 10)
}

func TestA_held_batch_sends_nothing_before_its_time_and_can_be_stopped(t *testing.T) {
	h := open(t)
	b := h.checked(file(3))
	o := order(b)
	o.Hold = 10 * time.Minute
	b = h.work(h.start(b, o))
	if b.State != batch.Running || b.Counts.Sent != 0 || !b.Held(h.store.Now()) {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	h.exec(`UPDATE batches SET worked_at = now() - interval '1 minute'`)
	must(t, h.batches.TakeUp(context.Background()))
	h.isWhole(h.get(b), 0)
	must(t, h.store.Clock.MoveTo(context.Background(), start.Add(11*time.Minute)))
	must(t, h.batches.TakeUp(context.Background()))
	h.isWhole(h.get(b), 3)
}

func TestWhat_was_stopped_stays_stopped(t *testing.T) {
	h := open(t)
	b := h.checked(file(3))
	o := order(b)
	o.Hold = time.Minute
	b = h.start(b, o)
	b, err := h.batches.Stop(context.Background(), h.who, b.ID)
	must(t, err)
	must(t, h.store.Clock.MoveTo(context.Background(), start.Add(time.Hour)))
	if b = h.work(b); b.State != batch.Stopped || b.Counts.Sent != 0 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	if _, err := h.batches.Resume(context.Background(), h.who, b.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("a stopped batch went on: %v", err)
	}
}

func TestVoiding_cancels_what_is_not_paid(t *testing.T) {
	h := open(t)
	b := h.checked(file(4))
	b = h.work(h.start(b, order(b)))
	paid := h.rows(b)[1]
	_, err := h.batches.Purchases.MarkAsPaid(context.Background(), h.who, paid.PurchaseID, nil)
	must(t, err)
	b, err = h.batches.Void(context.Background(), h.who, b.ID)
	must(t, err)
	b = h.work(b)
	if b.State != batch.Done || b.Counts.Voided != 3 || b.Counts.Sent != 1 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	if n := h.count(`SELECT count(*) FROM purchases WHERE status = 'cancelled'`); n != 3 {
		t.Errorf("%d purchases are cancelled", n)
	}
	if n := h.count(`SELECT count(*) FROM invoices WHERE kind = 'credit_note' AND serial BETWEEN 1 AND 3`); n != 3 {
		t.Errorf("%d credit notes, want 3 without gaps", n)
	}
	left := h.rows(b, batch.Sent)
	if len(left) != 1 || left[0].N != paid.N || !strings.Contains(left[0].Error, "Not voided") {
		t.Errorf("%+v", left)
	}
	if !b.Counts.AddUp(b.Rows) {
		t.Errorf("does not add up: %+v", b.Counts)
	}
}

func TestVoiding_leaves_what_the_bank_has_and_cannot_give_back(t *testing.T) {
	h := open(t)
	b := h.checked(file(3))
	b = h.work(h.start(b, order(b)))
	atBank := h.rows(b)[1].PurchaseID
	for _, sql := range []string{
		`UPDATE purchases SET status = 'pending_charge', collection_count = 1 WHERE id = $1`,
		`INSERT INTO mandates (id, merchant_id, brand_id, kind, state, contract_reference, profile_code, abbreviated_name,
			clearing_account, period_units, deduction_day, amount_cents, holder_name, account_mask, bank_code, account_type,
			consent_text, consent_at, consent_channel, created_at, updated_at)
		SELECT id, merchant_id, brand_id, 'eft', 'active', 'X', '', '', '', 'months', 1, 0, '', '',
		'', 'CURRENT', '', now(), 'api',
			now(), now() FROM purchases WHERE id = $1`,
		`INSERT INTO collections (id, merchant_id, brand_id, purchase_id, attempt, token_id, mandate_id, method, state,
			amount_cents, currency, action_date, original_date, submit_at, execute_at, service,
			statement_line, created_at, updated_at)
		SELECT id, merchant_id, brand_id, id, 1, id, id, 'eft', 'submitted', 100, 'ZAR', now(),
		now(), now(), now(), 'two_day', '',
			now(), now() FROM purchases WHERE id = $1`} {
		h.exec(sql, atBank)
	}
	for _, c := range []struct {
		able bank.Capabilities
		want int
	}{{bank.Everything(), 3}, {bank.Capabilities{}, 2}} {
		h.batches.Purchases.Bank = c.able
		if v, err := h.batches.Voidable(context.Background(), h.who, b); err != nil || v.Invoices != c.want {
			t.Errorf("%d invoices can be voided, want %d: %v", v.Invoices, c.want, err)
		}
	}
	b, err := h.batches.Void(context.Background(), h.who, b.ID)
	must(t, err)
	b = h.work(b)
	left := h.rows(b, batch.Sent)
	if b.Counts.Voided != 2 || len(left) != 1 || !strings.Contains(left[0].Error, "can no longer withdraw it") {
		t.Errorf("%+v %+v", b.Counts, left)
	}
}

func TestA_changed_batch_is_not_sent_by_an_old_button(t *testing.T) {
	h := open(t)
	b := h.checked(file(3))
	o := order(b)
	o.Rows--
	if _, err := h.batches.Start(context.Background(), h.who, b.ID, o); !fault.HasCode(err, "batch_changed") {
		t.Errorf("started: %v", err)
	}
}

func TestStaff_and_strangers_send_nothing(t *testing.T) {
	h := open(t)
	b := h.checked(file(1))
	staff := h.who
	staff.Role = "staff"
	if _, err := h.batches.Start(context.Background(), staff, b.ID, order(b)); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff: %v", err)
	}
	stranger, _ := h.merchant("other")
	if _, err := h.batches.Start(context.Background(), stranger, b.ID, order(b)); !fault.Is(err, fault.NotFound) {
		t.Errorf("stranger: %v", err)
	}
	if _, err := h.batches.Get(context.Background(), stranger, b.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("stranger reads: %v", err)
	}
}
