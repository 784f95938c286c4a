package debit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook/rulebooktest"
	"debitdesk/models/simulation"
	"debitdesk/models/token"
)

var ctx = context.Background()

func day(n int) calendar.Date { return calendar.On(2027, time.February, n) }

func TestAChargeWalksFromPendingChargeToFinal(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.tokenise("4000000000", 0)
	p := h.mustCharge(k.ID, 25000, day(10))
	for _, c := range []struct {
		at         time.Time
		status     purchase.Status
		state      collection.State
		settlement string
	}{
		{day(8).At(11, 59), purchase.PendingCharge, collection.Scheduled, ""},
		{day(8).At(12, 0), purchase.PendingCharge, collection.Submitted, ""},
		{day(9).At(23, 59), purchase.PendingCharge, collection.Submitted, ""},
		{day(10).At(0, 0), purchase.PendingExecute, collection.Submitted, ""},
		{day(10).At(16, 59), purchase.PendingExecute, collection.Submitted, ""},
		{day(10).At(17, 0), purchase.Paid, collection.Provisional, "provisional"},
		{day(17).At(5, 59), purchase.Paid, collection.Provisional, "provisional"},
		{day(17).At(6, 0), purchase.Paid, collection.Final, "final"},
	} {
		h.to(c.at)
		rec := h.get(p.ID)
		if rec.Status != c.status || rec.Collection.State != c.state || rec.Collection.State.Settlement() != c.settlement {
			t.Errorf("%s: %s and %s, want %s and %s", c.at, rec.Status, rec.Collection.State, c.status, c.state)
		}
	}
	rec := h.get(p.ID)
	if rec.Payment == nil || rec.Payment.Type != "purchase_charge" || rec.Payment.AmountCents != 25000 ||
		!rec.Payment.PaidOn.Equal(day(10).At(17, 0)) {
		t.Errorf("payment %+v", rec.Payment)
	}
	if len(rec.Attempts) != 1 || rec.Attempts[0].Type != "recurring_execute" || !rec.Attempts[0].Successful {
		t.Errorf("attempts %+v", rec.Attempts)
	}
	var walked []string
	for _, c := range rec.History {
		walked = append(walked, string(c.Status))
	}
	if got := strings.Join(walked, " "); got != "created pending_charge pending_execute paid" {
		t.Errorf("history: %s", got)
	}
	if n := h.number(
		`SELECT count(*) FROM audit_entries WHERE purchase_id = $1
			AND action IN ('collection.submitted', 'purchase.pending_execute', 'collection.provisional', 'collection.settled')`,
		p.ID,
	); n != 4 {
		t.Errorf("%d entries on the time line, want 4", n)
	}
}

func TestAReturnAfterProvisionalSuccessTakesThePaymentBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.tokenise("4000009500", 10000)
	h.to(day(10).At(6, 0))
	rec := h.get(p.ID)
	if rec.Status != purchase.Failed || rec.Payment != nil || rec.Attempts[0].Error == nil ||
		rec.Attempts[0].Error.Code != bank.ErrorInsufficientFunds {
		t.Errorf("%s, payment %+v, attempt %+v", rec.Status, rec.Payment, rec.Attempts[0])
	}
	if n := h.number(
		`SELECT count(*) FROM ledger_entries WHERE purchase_id = $1
			AND (kind = 'collected' AND amount_cents = 10000 OR kind = 'returned' AND amount_cents = -10000 AND code = '02')`,
		p.ID,
	); n != 2 {
		t.Errorf("%d movements, want the collection and its reversal", n)
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE purchase_id = $1 AND kind = 'receipt'`, p.ID); n != 1 {
		t.Errorf("%d receipts", n)
	}
}

func TestTwoUnpaidsInARowBlockTheTokenAndStopWhatIsScheduled(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.tokenise("4000009002", 0)
	first, second, third := h.mustCharge(k.ID, 100, day(8)), h.mustCharge(k.ID, 200, day(15)),
		h.mustCharge(k.ID, 300, day(26))
	h.to(day(9).At(6, 0))
	if got := h.token(k.ID); got.State != token.Active || got.SoftFailures != 1 {
		t.Errorf("after one: %s with %d", got.State, got.SoftFailures)
	}
	h.to(day(16).At(6, 0))
	if got := h.token(k.ID); got.State != token.Blocked || got.SoftFailures != 2 {
		t.Errorf("after two: %s with %d", got.State, got.SoftFailures)
	}
	if _, err := h.charge(k.ID, 400, day(26)); !fault.HasCode(err, "invalid_recurring_token") {
		t.Errorf("a blocked token was charged: %v", err)
	}
	h.to(day(25).At(12, 0))
	for _, p := range []purchase.Record{first, second, third} {
		if rec := h.get(p.ID); rec.Status != purchase.Failed {
			t.Errorf("%s", rec.Status)
		}
	}
	rec := h.get(third.ID)
	if rec.Collection.Result.Code != bank.CodeBlocked || rec.Attempts[0].Error.Code != bank.ErrorFrequency {
		t.Errorf("the scheduled charge ended with %+v, %+v", rec.Collection.Result, rec.Attempts[0].Error)
	}
	if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE id = $1`, rec.Collection.ID); n != 0 {
		t.Error("a debit of a blocked token went to the bank")
	}
}

func TestASuccessBetweenTwoUnpaidsStartsTheCountAnew(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.tokenise("4000009002", 0)
	h.mustCharge(k.ID, 100, day(8))
	paid := h.mustCharge(k.ID, 200, day(10))
	h.mustCharge(k.ID, 300, day(16))
	h.to(day(9).At(12, 0))
	if _, err := h.controls.Force(ctx, h.who, paid.ID, simulation.BankAnswer{Code: "00"}); err != nil {
		t.Fatal(err)
	}
	h.to(day(17).At(12, 0))
	if got := h.token(k.ID); got.State != token.Active || got.SoftFailures != 1 {
		t.Errorf("%s with %d", got.State, got.SoftFailures)
	}
}

func TestReturnsOfTwoProvisionalSuccessesAreTwoUnpaidsInARow(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.tokenise("4000009500", 0)
	h.mustCharge(k.ID, 100, day(8))
	h.mustCharge(k.ID, 200, day(16))
	h.to(day(23).At(12, 0))
	if got := h.token(k.ID); got.State != token.Blocked || got.SoftFailures != 2 {
		t.Errorf("%s with %d", got.State, got.SoftFailures)
	}
}

func TestTheSecondDebitOfAnAccountThatFailsFirstIsPaid(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.tokenise("4000009102", 0)
	first, second := h.mustCharge(k.ID, 100, day(8)), h.mustCharge(k.ID, 200, day(15))
	h.to(day(16).At(12, 0))
	if a, b := h.get(first.ID).Status, h.get(second.ID).Status; a != purchase.Failed || b != purchase.Paid {
		t.Errorf("%s and %s", a, b)
	}
	if got := h.token(k.ID); got.SoftFailures != 0 || !got.LastSuccessAt.Equal(day(15).At(17, 0)) {
		t.Errorf("%d failures, success at %s", got.SoftFailures, got.LastSuccessAt)
	}
}

func TestARecordedMandateWinsALateDispute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		give string
	}{
		{"consent on the hosted page", `UPDATE mandates SET consent_channel = 'pay_page'`},
		{"a scan of the signed form",
			`INSERT INTO mandate_evidence (id, merchant_id, mandate_id, name, content_type,
				size_bytes, sha256, content, created_at)
			SELECT gen_random_uuid(), merchant_id, id, 'form.pdf', 'application/pdf', 0, '', '', created_at FROM mandates`},
	} {
		h := openBy(t, collection.TimetableBy(rulebooktest.WithProof()))
		p := h.tokenise("4000009430", 10000)
		h.exec(c.give)
		h.to(day(3).AddDays(43).At(12, 0))
		rec := h.get(p.ID)
		if rec.Status != purchase.Paid || rec.Collection.State != collection.DisputeWon || h.ledger(p.ID) != 10000 ||
			shown(rec.Purchase) != 10000 {
			t.Errorf("%s: %s, %s, ledger %d", c.name, rec.Status, rec.Collection.State, h.ledger(p.ID))
		}
		h.to(day(3).AddDays(80).At(12, 0))
		if rec := h.get(p.ID); rec.Status != purchase.Paid {
			t.Errorf("%s: later %s", c.name, rec.Status)
		}
	}
}

func TestACancelledChargeIsRecalledOrNeverSent(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.tokenise("4000000000", 0)
	early, late := h.mustCharge(k.ID, 100, day(10)), h.mustCharge(k.ID, 200, day(10))
	cancel := func(id uuid.UUID) {
		t.Helper()
		if _, err := h.purchases.Cancel(ctx, h.who, id); err != nil {
			t.Fatal(err)
		}
	}
	cancel(early.ID)
	h.to(day(9).At(9, 0))
	cancel(late.ID)
	h.to(day(20).At(9, 0))
	for _, p := range []purchase.Record{early, late} {
		if rec := h.get(p.ID); rec.Status != purchase.Cancelled || h.ledger(p.ID) != 0 {
			t.Errorf("%s, ledger %d", rec.Status, h.ledger(p.ID))
		}
	}
	if n := h.number(`SELECT count(*) FROM sandbox_instructions`); n != 1 {
		t.Errorf("%d debits went to the bank, want 1", n)
	}
	if n := h.number(`SELECT count(*) FROM sandbox_answers WHERE kind = 'recalled' AND delivered_at IS NOT NULL`); n != 1 {
		t.Errorf("%d recalls were confirmed", n)
	}
	if n := h.number(`SELECT count(*) FROM collections WHERE recall_due`); n != 0 {
		t.Errorf("%d recalls are still to be told", n)
	}
}

func TestADebitThatIsCancelledWhileTheBankTakesItIsRecalled(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.tokenise("4000000000", 0)
	p := h.mustCharge(k.ID, 100, day(10))
	h.to(day(8).At(11, 0))
	slow := &gateway{Gateway: h.bank, afterSubmit: func() error {
		_, err := h.purchases.Cancel(ctx, h.who, p.ID)
		return err
	}}
	if err := h.store.Clock.MoveTo(ctx, day(8).At(12, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.engine(slow).Run(ctx); err != nil {
		t.Fatal(err)
	}
	h.to(day(20).At(9, 0))
	if rec := h.get(p.ID); rec.Status != purchase.Cancelled || h.ledger(p.ID) != 0 {
		t.Errorf("%s, ledger %d", rec.Status, h.ledger(p.ID))
	}
	if n := h.number(`SELECT count(*) FROM sandbox_answers WHERE kind = 'recalled'`); n != 1 {
		t.Errorf("%d recalls reached the bank", n)
	}
}

// gateway is the sandbox bank behind a line that can break after the bank got it.
type gateway struct {
	bank.Gateway
	afterSubmit func() error
	mu          sync.Mutex
	fetched     func([]bank.Message) []bank.Message
}

func (g *gateway) Submit(ctx context.Context, in []bank.Instruction) ([]bank.Receipt, error) {
	receipts, err := g.Gateway.Submit(ctx, in)
	if err == nil && g.afterSubmit != nil {
		err = g.afterSubmit()
	}
	return receipts, err
}

func (g *gateway) Fetch(ctx context.Context, limit int) ([]bank.Message, error) {
	messages, err := g.Gateway.Fetch(ctx, limit)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fetched != nil {
		messages = g.fetched(messages)
	}
	return messages, err
}

func TestALineThatBreaksAfterTheBankTookTheDebitsCollectsThemOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	broken := errors.New("line broken")
	for _, c := range []struct {
		name  string
		after func() error
	}{
		{"an error", func() error { return broken }},
		{"a crash", func() error { panic("killed") }},
	} {
		p := h.tokenise("4000000000", 10000)
		if err := h.store.Clock.MoveTo(ctx, p.Collection.SubmitAt); err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() { _ = recover() }()
			if _, err := h.engine(&gateway{Gateway: h.bank, afterSubmit: c.after}).Run(ctx); !errors.Is(err, broken) {
				t.Errorf("%s: %v", c.name, err)
			}
		}()
		if rec := h.get(p.ID); rec.Collection.State != collection.Scheduled {
			t.Fatalf("%s: %s", c.name, rec.Collection.State)
		}
		// The time of the claim passes.
		h.exec(`UPDATE collections SET claimed_until = now() - interval '1 second' WHERE claimed_until IS NOT NULL`)
		h.to(p.Collection.FinalAt)
		if rec := h.get(p.ID); rec.Status != purchase.Paid || h.ledger(p.ID) != 10000 {
			t.Errorf("%s: %s, ledger %d", c.name, rec.Status, h.ledger(p.ID))
		}
		if n := h.number(`SELECT count(*) FROM sandbox_instructions`); n != 1 {
			t.Errorf("%s: the bank has %d debits", c.name, n)
		}
		h.exec(`DELETE FROM sandbox_answers; DELETE FROM sandbox_instructions`)
	}
}

func TestAnAnswerBeforeTheHandOverWasRecordedIsNotLost(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.tokenise("4000000000", 10000)
	if err := h.store.Clock.MoveTo(ctx, p.Collection.SubmitAt); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = h.engine(&gateway{Gateway: h.bank, afterSubmit: func() error { panic("killed") }}).Run(ctx)
	}()
	if err := h.store.Clock.MoveTo(ctx, p.Collection.ActionDate.At(17, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.debits.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if rec := h.get(p.ID); rec.Status != purchase.Paid || rec.Collection.State != collection.Provisional ||
		h.ledger(p.ID) != 10000 {
		t.Errorf("%s, %s, ledger %d", rec.Status, rec.Collection.State, h.ledger(p.ID))
	}
}

func TestTwoProcessesCollectEachDebitOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	var made []purchase.Record
	for range 60 {
		made = append(made, h.tokenise("4000000000", 10000))
	}
	at := made[0].Collection
	for _, moment := range []time.Time{at.SubmitAt, at.ExecuteAt, at.ActionDate.At(17, 0), at.FinalAt} {
		if err := h.store.Clock.MoveTo(ctx, moment); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for range 3 {
			engine := h.engine(h.bank)
			wait.Go(func() {
				if _, err := engine.Run(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	}
	for _, p := range made {
		if rec := h.get(p.ID); rec.Status != purchase.Paid || rec.Collection.State != collection.Final ||
			h.ledger(p.ID) != 10000 {
			t.Errorf("%s, %s, ledger %d", rec.Status, rec.Collection.State, h.ledger(p.ID))
		}
	}
	if n := h.number(`SELECT count(*) FROM sandbox_instructions`); n != 60 {
		t.Errorf("the bank has %d debits of 60", n)
	}
	if n := h.number(
		`SELECT count(*) FROM audit_entries WHERE action IN ('collection.submitted',
			'collection.provisional', 'collection.settled')`,
	); n != 180 {
		t.Errorf("%d entries of 180", n)
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE kind = 'receipt'`); n != 60 {
		t.Errorf("%d receipts of 60", n)
	}
}

func TestARepeatedRunChangesNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.tokenise("4000000000", 10000)
	h.tokenise("4000009900", 10000)
	h.to(day(3).At(17, 0))
	before := h.number(
		`SELECT (SELECT sum(version) FROM purchases) + (SELECT count(*) FROM audit_entries)
			+ (SELECT count(*) FROM bank_messages)`,
	)
	done, err := h.debits.Run(ctx)
	if err != nil || done.Answered+done.HandedOver+done.Started+done.Closed != 0 {
		t.Errorf("%+v %v", done, err)
	}
	if after := h.number(
		`SELECT (SELECT sum(version) FROM purchases) + (SELECT count(*) FROM audit_entries)
			+ (SELECT count(*) FROM bank_messages)`,
	); after != before {
		t.Errorf("%d changes", after-before)
	}
	if n := h.number(`SELECT count(*) FROM bank_messages WHERE outcome LIKE 'ignored: %'`); n != 1 {
		t.Errorf("%d messages were ignored, want the repeated one", n)
	}
	if n := h.number(`SELECT count(*) FROM bank_messages WHERE outcome = ''`); n != 0 {
		t.Errorf("%d messages without an outcome", n)
	}
}

func TestSilenceRaisesOneAlert(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.tokenise("4000009901", 10000)
	h.to(p.Collection.AlertAt.Add(-time.Minute))
	alerts := func() int64 {
		return h.number(`SELECT count(*) FROM audit_entries WHERE action = 'collection.silent'`)
	}
	if n := alerts(); n != 0 {
		t.Errorf("%d alerts too early", n)
	}
	h.to(p.Collection.AlertAt)
	h.to(p.Collection.AlertAt.AddDate(0, 0, 20))
	if n := alerts(); n != 1 {
		t.Errorf("%d alerts", n)
	}
}

func TestARefundIsSettledByTheBankOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.tokenise("4000000000", 10000)
	h.to(day(3).At(18, 0))
	part := int64(4000)
	if _, err := h.purchases.Refund(ctx, h.who, p.ID, &part); err != nil {
		t.Fatal(err)
	}
	h.to(day(3).At(19, 0))
	if rec := h.get(p.ID); rec.Status != purchase.PendingRefund {
		t.Errorf("%s", rec.Status)
	}
	h.to(p.Collection.FinalAt.Add(24 * time.Hour))
	rec := h.get(p.ID)
	if rec.Status != purchase.Refunded || rec.RefundedCents != 4000 || h.ledger(p.ID) != 6000 ||
		shown(rec.Purchase) != 6000 {
		t.Errorf("%s, %d refunded, ledger %d", rec.Status, rec.RefundedCents, h.ledger(p.ID))
	}
	if n := h.number(`SELECT count(*) FROM refunds WHERE state = 'settled' AND channel = 'bank' AND handed_over`); n != 1 {
		t.Errorf("%d refunds settled by the bank", n)
	}
}

func TestADisputeEndsARefundThatWaits(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.tokenise("4000000000", 10000)
	h.to(day(3).At(18, 0))
	if _, err := h.purchases.Refund(ctx, h.who, p.ID, nil); err != nil {
		t.Fatal(err)
	}
	if err := h.bank.Force(ctx, p.Collection.ID, outcome("", "30")); err != nil {
		t.Fatal(err)
	}
	done, err := h.debits.Run(ctx)
	if err != nil || done.Refunded != 0 {
		t.Errorf("%+v %v", done, err)
	}
	h.to(day(10).At(12, 0))
	if rec := h.get(p.ID); rec.Status != purchase.Chargeback || h.ledger(p.ID) != 0 || shown(rec.Purchase) != 0 {
		t.Errorf("%s, ledger %d", rec.Status, h.ledger(p.ID))
	}
}

func TestDuePassesOnceWhateverRuns(t *testing.T) {
	t.Parallel()
	h := open(t)
	make := func(strict bool) purchase.Record {
		due := day(2).At(9, 0)
		in := purchase.Input{Client: payer(), BrandID: h.brand, Currency: "ZAR", Due: &due, DueStrict: strict,
			Details: one(100)}
		rec, err := h.purchases.Create(ctx, h.who, in)
		must(t, err)
		return rec
	}
	lax, strict := make(false), make(true)
	h.to(day(2).At(8, 59))
	if a, b := h.get(lax.ID).Status, h.get(strict.ID).Status; a != purchase.Created || b != purchase.Created {
		t.Errorf("before: %s, %s", a, b)
	}
	h.to(day(2).At(9, 0))
	h.to(day(20).At(9, 0))
	if a, b := h.get(lax.ID), h.get(strict.ID); a.Status != purchase.Overdue || b.Status != purchase.Expired ||
		len(a.History) != 2 || len(b.History) != 2 {
		t.Errorf("after: %s, %s", a.Status, b.Status)
	}
}

func TestAMessageAboutNothingOfOursIsKeptAndIgnored(t *testing.T) {
	t.Parallel()
	h := open(t)
	strange := bank.Message{ID: "x/1", InstructionID: uuid.New(), Kind: bank.Provisional, Code: "00", At: h.store.Now(),
		Raw: []byte("{}")}
	once := &gateway{Gateway: h.bank}
	once.fetched = func([]bank.Message) []bank.Message {
		once.fetched = nil
		return []bank.Message{strange, {ID: "x/2", InstructionID: uuid.New(), Kind: bank.RefundSettled, Code: "00",
			At: h.store.Now()}}
	}
	if _, err := h.engine(once).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if n := h.number(
		`SELECT count(*) FROM bank_messages WHERE outcome = 'ignored: the instruction is not ours' AND merchant_id IS NULL`,
	); n != 2 {
		t.Errorf("%d messages were kept", n)
	}
}

func TestAnAccountThatCannotBeReadHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	h := open(t)
	bad, good := h.tokenise("4000000000", 10000), h.tokenise("4000000000", 10000)
	h.exec(`UPDATE tokens SET account_sealed = '\x00' WHERE id = $1`, bad.ID)
	if err := h.store.Clock.MoveTo(ctx, good.Collection.ActionDate.At(17, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.debits.Run(ctx); err == nil || !strings.Contains(err.Error(), bad.ID.String()) {
		t.Errorf("%v does not name the token", err)
	}
	if rec := h.get(good.ID); rec.Status != purchase.Paid {
		t.Errorf("%s", rec.Status)
	}
	if rec := h.get(bad.ID); rec.Collection.State != collection.Scheduled {
		t.Errorf("%s", rec.Collection.State)
	}
}

func TestAMessageThatCannotBeRecordedHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	h := open(t)
	bad, good := h.tokenise("4000000000", 10000), h.tokenise("4000000000", 10000)
	h.to(day(3).At(12, 0))
	h.exec(`UPDATE purchases SET details = '[]' WHERE id = $1`, bad.ID)
	if err := h.store.Clock.MoveTo(ctx, day(3).At(17, 0)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := h.debits.Run(ctx); err == nil || !strings.Contains(err.Error(), bad.ID.String()) {
			t.Errorf("%v does not name the purchase", err)
		}
	}
	if rec := h.get(good.ID); rec.Status != purchase.Paid || h.ledger(good.ID) != 10000 {
		t.Errorf("%s", rec.Status)
	}
	if n := h.number(`SELECT count(*) FROM sandbox_answers WHERE delivered_at IS NULL`); n != 1 {
		t.Errorf("%d messages wait with the bank, want the one", n)
	}
}
