package debit_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// refusedAs looks at a refusal: its kind, its code and what it says.
func refusedAs(t *testing.T, err error, kind fault.Kind, code string, words ...string) {
	t.Helper()
	if !fault.Is(err, kind) || !fault.HasCode(err, code) {
		t.Fatalf("%v, want %s", err, code)
	}
	f, _ := fault.From(err)
	text := err.Error()
	for _, one := range f.Fields {
		text += " " + one.Message
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
}

func TestSevenFailedDebitsInARowSuspendTheMandate(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.ask(asking{account: "4000008700", cents: 10000, noFirst: true, anyDay: true})
	h.to(start.Add(time.Minute))
	for n := range 7 {
		if m := h.mandate(k.ID); m.State != mandate.ActiveState || h.token(k.ID).State != token.Active ||
			h.token(k.ID).Failures != n {
			t.Fatalf("after %d failures: mandate %s, token %s with %d", n, m.State, h.token(k.ID).State, h.token(k.ID).Failures)
		}
		p := h.mustCharge(k.ID, 10000, day(4+3*n))
		h.to(p.Collection.ActionDate.At(8, 0))
		if rec := h.get(p.ID); rec.Status != purchase.Failed || lastError(rec) != "insufficient_funds" {
			t.Errorf("debit %d: %s %s", n+1, rec.Status, lastError(rec))
		}
	}
	if m := h.mandate(k.ID); m.State != mandate.Suspended || m.ReasonCode != "MSUC" ||
		h.token(k.ID).State != token.Blocked {
		t.Errorf("mandate %s (%s), token %s", m.State, m.ReasonCode, h.token(k.ID).State)
	}
	_, err := h.charge(k.ID, 10000, day(28))
	refusedAs(t, err, fault.Conflict, "invalid_recurring_token", "seven failed debits in a row", "new mandate")
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'mandate.suspended'`); n != 1 {
		t.Errorf("%d entries about the suspension", n)
	}
}

func TestASuccessBetweenFailuresStartsTheSevenAnew(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.ask(asking{account: "4000009102", cents: 10000, noFirst: true, anyDay: true})
	h.to(start.Add(time.Minute))
	h.exec(`UPDATE tokens SET failures = 5 WHERE id = $1`, k.ID)
	h.mustCharge(k.ID, 10000, day(4))
	h.to(day(4).At(6, 0))
	if n := h.token(k.ID).Failures; n != 6 {
		t.Fatalf("%d failures, want 6", n)
	}
	h.mustCharge(k.ID, 10000, day(8))
	h.to(day(8).At(6, 0))
	if n := h.token(k.ID).Failures; n != 0 || h.mandate(k.ID).State != mandate.ActiveState {
		t.Errorf("%d failures after a success, mandate %s", n, h.mandate(k.ID).State)
	}
}

func TestAMandateThatThePayerCancelsIsNotCollectedFromAnyMore(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.ask(asking{account: "4000008600", cents: 10000, noFirst: true, anyDay: true})
	h.to(start.Add(time.Minute))
	waits := h.mustCharge(k.ID, 10000, day(6))
	h.to(day(2).At(5, 59))
	if m := h.mandate(k.ID); m.State != mandate.ActiveState {
		t.Fatalf("suspended too early: %s", m.State)
	}
	h.to(day(2).At(6, 0))
	if m := h.mandate(k.ID); m.State != mandate.Suspended || m.ReasonCode != "CTCA" ||
		h.token(k.ID).State != token.Blocked {
		t.Errorf("mandate %s (%s), token %s", m.State, m.ReasonCode, h.token(k.ID).State)
	}
	_, err := h.charge(k.ID, 10000, day(10))
	refusedAs(t, err, fault.Conflict, "invalid_recurring_token", "Cancelled by the client", "new mandate")
	h.to(day(6).At(6, 0))
	if rec := h.get(waits.ID); rec.Status != purchase.Failed || rec.Collection.State != collection.Unpaid ||
		rec.Collection.Result.Code != "60" {
		t.Errorf("the charge that waited: %s, %s (%s)", rec.Status, rec.Collection.State, rec.Collection.Result.Code)
	}
	if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE kind = 'collection'`); n != 0 {
		t.Errorf("the bank got %d debits", n)
	}
}

func TestAOnceOffMandateAllowsOneDebit(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, anyDay: true, once: true})
	h.to(start.Add(time.Minute))
	charges := make([]purchase.Record, 2)
	for i := range charges {
		rec, err := h.purchases.Create(ctx, h.who, purchase.Input{Client: payer(), BrandID: h.brand, Currency: "ZAR",
			Due: noon(day(5)), Details: one(10000)})
		must(t, err)
		charges[i] = rec
	}
	var wait sync.WaitGroup
	results := make([]error, len(charges))
	for i, p := range charges {
		wait.Go(func() { _, results[i] = h.purchases.Charge(ctx, h.who, p.ID, k.ID) })
	}
	wait.Wait()
	if (results[0] == nil) == (results[1] == nil) {
		t.Fatalf("%v and %v: one must win", results[0], results[1])
	}
	lost := results[0]
	if lost == nil {
		lost = results[1]
	}
	refusedAs(t, lost, fault.Conflict, "invalid_recurring_token", "only one debit")
	h.to(day(5).At(6, 0))
	if m := h.mandate(k.ID); m.State != mandate.Suspended || m.ReasonCode != "MCOC" ||
		h.token(k.ID).State != token.Blocked {
		t.Errorf("after the debit: mandate %s (%s), token %s", m.State, m.ReasonCode, h.token(k.ID).State)
	}
	if n := h.number(`SELECT sum(amount_cents) FROM ledger_entries`); n != 10000 {
		t.Errorf("%d cents were collected", n)
	}
	_, err := h.charge(k.ID, 10000, day(10))
	refusedAs(t, err, fault.Conflict, "invalid_recurring_token", "Once-off collection done")
}

func TestAOnceOffDebitThatWasCancelledMayBeMadeAgain(t *testing.T) {
	t.Parallel()
	h := open(t)
	k := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, anyDay: true, once: true})
	h.to(start.Add(time.Minute))
	p := h.mustCharge(k.ID, 10000, day(5))
	_, err := h.purchases.Cancel(ctx, h.who, p.ID)
	must(t, err)
	h.mustCharge(k.ID, 10000, day(5))
}

func TestWhatWasNotAnsweredMayBeAskedAgainThreeTimes(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000008480", cents: 10000})
	again := func(how mandate.Method) error {
		_, err := h.purchases.AskAgain(ctx, h.who, p.ID, how)
		return err
	}
	refusedAs(t, again(mandate.RealTime), fault.Conflict, "mandate_waiting", "already being asked")
	at := start
	for n := 2; n <= 3; n++ {
		at = at.Add(5 * time.Minute)
		h.to(at)
		must(t, again(mandate.RealTime))
		if rec, m := h.get(p.ID), h.mandate(p.ID); rec.Status != purchase.PendingExecute || m.State != mandate.Submitted {
			t.Errorf("asked again: %s, %s", rec.Status, m.State)
		}
		h.run()
	}
	h.to(at.Add(5 * time.Minute))
	refusedAs(t, again(mandate.RealTime), fault.Conflict, "mandate_too_often", "3 times")
	must(t, again(mandate.Delayed))
	h.run()
	if all := h.asked(p.ID); len(all) != 4 || all[0].Number != 4 || all[0].Method != mandate.Delayed ||
		all[0].State != mandate.AuthSent {
		t.Errorf("asked: %+v", all)
	}
	h.to(at.Add(72 * time.Hour))
	if m := h.mandate(p.ID); m.State != mandate.NoResponse {
		t.Errorf("in the end %s", m.State)
	}
}

func TestABankThatFailedIsAskedAgain(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000008500", cents: 10000})
	h.to(start.Add(time.Minute))
	if rec := h.get(p.ID); rec.Status != purchase.Failed || h.mandate(p.ID).ReasonCode != "EERR" {
		t.Fatalf("%s, %s", rec.Status, h.mandate(p.ID).ReasonCode)
	}
	_, err := h.purchases.AskAgain(ctx, h.who, p.ID, mandate.RealTime)
	must(t, err)
	h.to(start.Add(2 * time.Minute))
	if m := h.mandate(p.ID); m.State != mandate.ActiveState || m.ReasonCode != "" || h.token(p.ID).State != token.Active {
		t.Errorf("%s (%s), token %s", m.State, m.ReasonCode, h.token(p.ID).State)
	}
	h.to(day(2).At(6, 0))
	if rec := h.get(p.ID); rec.Status != purchase.Paid {
		t.Errorf("%s", rec.Status)
	}
}

func TestARequestInTheLastSecondOfTheWindowKeepsItsTime(t *testing.T) {
	t.Parallel()
	h := open(t)
	last := day(1).At(20, 30).Add(-time.Microsecond)
	must(t, h.store.Clock.MoveTo(ctx, last))
	h.purchases.Now = func() time.Time { return last }
	p := h.ask(asking{account: "4000008001", cents: 10000, noFirst: true})
	if a := h.asked(p.ID)[0]; a.ExpiresAt.Sub(a.SentAt) != 120*time.Second || !a.ExpiresAt.After(day(1).At(20, 31)) {
		t.Errorf("sent %s, ends %s", a.SentAt, a.ExpiresAt)
	}
	h.purchases.Now = func() time.Time { return last.Add(time.Microsecond) }
	_, err := h.purchases.Create(ctx, h.who, asking{account: "4000008001", cents: 10000}.input(h.brand))
	refusedAs(t, err, fault.Invalid, "debicheck_unavailable", "20:30")
	_, err = h.purchases.AskAgain(ctx, h.who, p.ID, mandate.RealTime)
	refusedAs(t, err, fault.Conflict, "mandate_waiting")
	h.to(day(1).At(20, 31))
	if m := h.mandate(p.ID); m.State != mandate.Pending {
		t.Errorf("a minute later %s", m.State)
	}
	h.to(day(1).At(20, 33))
	if m := h.mandate(p.ID); m.State != mandate.ActiveState {
		t.Errorf("accepted after 119 seconds: %s", m.State)
	}
}

func TestARealTimeRequestIsNotRepeatedOutsideTheWindow(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000008480", cents: 10000})
	h.to(day(1).At(21, 0))
	_, err := h.purchases.AskAgain(ctx, h.who, p.ID, mandate.RealTime)
	refusedAs(t, err, fault.Invalid, "debicheck_unavailable", "DELAYED")
	_, err = h.purchases.AskAgain(ctx, h.who, p.ID, mandate.Delayed)
	must(t, err)
}

func TestAFirstDebitWithADueWaitsForIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000000000", cents: 10000, due: noon(day(10))})
	for _, c := range []struct {
		at     time.Time
		status purchase.Status
	}{
		{start.Add(time.Minute), purchase.PendingCharge}, {day(9).At(23, 59), purchase.PendingCharge},
		{day(10).At(0, 0), purchase.PendingExecute}, {day(10).At(6, 0), purchase.Paid},
	} {
		h.to(c.at)
		if rec := h.get(p.ID); rec.Status != c.status || !rec.IsRecurringToken {
			t.Errorf("%s: %s, token %t", c.at, rec.Status, rec.IsRecurringToken)
		}
	}
}
