package subscription_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/clientstop"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
)

func (h *house) halt(clientID uuid.UUID) clientstop.Halt {
	h.t.Helper()
	halt, err := h.stops.HaltOf(ctx, h.who, clientID)
	must(h.t, err)
	return halt
}

func (h *house) stopClient(clientID uuid.UUID) clientstop.ClientStop {
	h.t.Helper()
	stop, err := h.stops.StopClient(ctx, h.who, clientstop.StopInput{ClientID: clientID, Reason: "They dispute it all.",
		Seen: h.halt(clientID).Digest()})
	must(h.t, err)
	return stop
}

func (h *house) resume(clientID uuid.UUID) clientstop.StopUndo {
	h.t.Helper()
	u, err := h.stops.ResumeClient(ctx, h.who, clientID, uuid.Nil)
	must(h.t, err)
	return u
}

// charge plans a debit of a purchase of its own.
func (h *house) charge(clientID, tokenID uuid.UUID, due time.Time) (purchase.Record, error) {
	h.t.Helper()
	rec, err := h.purchases.Create(ctx, h.who, purchase.Input{ClientID: clientID, BrandID: h.brand, Currency: "ZAR",
		Due: &due, Details: one(25000)})
	must(h.t, err)
	return h.purchases.Charge(ctx, h.who, rec.ID, tokenID)
}

func TestStoppingEverythingTakesBackAllAndUndoingBringsJustThatBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID, with, without, planned := h.running()
	alone, err := h.charge(clientID, tokenID, day(time.February, 20).At(12, 0))
	must(t, err)
	before := map[uuid.UUID]purchase.Record{planned: h.get(planned), alone.ID: h.get(alone.ID)}
	mails := h.mails()
	lines := strings.Join(h.halt(clientID).Lines(), "\n")
	for _, words := range []string{"R\u00a0100,00 on ", "R\u00a0250,00 on ", "Cancelled before it goes to the bank.",
		"Subscription “Membership”: Paused.", "Held, not deleted.", "One confirmation is mailed to n@example.org."} {
		if !strings.Contains(lines, words) {
			t.Errorf("the preview lacks %q:\n%s", words, lines)
		}
	}
	stop := h.stopClient(clientID)
	for id, was := range before {
		if rec := h.get(id); rec.Status != purchase.Failed || rec.Collection.State != collection.Cancelled {
			t.Errorf("%s is %s, its debit %s", was.ReferenceGenerated, rec.Status, rec.Collection.State)
		}
	}
	for _, id := range []uuid.UUID{with.ID, without.ID} {
		if s := h.sub(id); s.Status != subscription.Paused || s.Why != subscription.WhyStopped {
			t.Errorf("the subscription is %s (%s)", s.Status, s.Why)
		}
	}
	if again := h.stopClient(clientID); again.ID != stop.ID {
		t.Error("stopping twice made two stops")
	}
	if n := h.mails() - mails; n != 1 || h.number(`SELECT count(*) FROM mails WHERE kind = 'client_stopped'`) != 1 {
		t.Errorf("%d mails", n)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'client.stopped'
		AND after->>'reason' = 'They dispute it all.' AND before->>'stopped' = 'false'`); n != 1 {
		t.Errorf("%d entries", n)
	}
	_, err = h.charge(clientID, tokenID, day(time.February, 22).At(12, 0))
	if !fault.HasCode(err, "invalid_recurring_token") || !strings.Contains(err.Error(), "are stopped") {
		t.Errorf("a new debit: %v", err)
	}
	_, err = h.purchases.Create(ctx, h.program(), purchase.Input{ClientID: clientID, BrandID: h.brand, Currency: "ZAR",
		Details: one(100), DirectDebit: &purchase.DirectDebitInput{},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true}})
	if !fault.HasCode(err, "client_stopped") {
		t.Errorf("another account with a debit: %v", err)
	}
	if _, err = h.subs.SetSubscriberPaused(ctx, h.who, with.ID, false); !fault.HasCode(err, "client_stopped") {
		t.Errorf("one subscription resumed: %v", err)
	}
	err = runner(h, h.store.InTx)(ctx, func(tx *database.Tx) error { // a charge that was forecast before the stop
		token.Hold(tx, h.who.MerchantID, tokenID)
		return nil
	})
	if !errors.Is(err, fault.ErrLost) {
		t.Errorf("a charge that comes late: %v", err)
	}
	u := h.resume(clientID)
	if len(u.Back) != 2 || len(u.Subs) != 2 || len(u.Stay) != 0 {
		t.Errorf("undone: %v", u.Lines())
	}
	for id, was := range before {
		rec := h.get(id)
		if rec.Status != was.Status || rec.Collection.ID != was.Collection.ID || rec.TokenID != was.TokenID ||
			rec.Collection.State != was.Collection.State || rec.Collection.ActionDate != was.Collection.ActionDate ||
			!rec.ExecuteAt.Equal(was.ExecuteAt) {
			t.Errorf("%s was %s/%s on %s, is %s/%s on %s", was.ReferenceGenerated, was.Status, was.Collection.State,
				was.Collection.ActionDate, rec.Status, rec.Collection.State, rec.Collection.ActionDate)
		}
	}
	for _, was := range []subscription.Subscriber{with, without} {
		if s := h.sub(was.ID); s.Status != was.Status || s.Why != was.Why || s.NextOn != was.NextOn {
			t.Errorf("the subscription is %s (%s), next on %s", s.Status, s.Why, s.NextOn)
		}
	}
	if _, err := h.stops.ResumeClient(ctx, h.who, clientID, uuid.Nil); !fault.HasCode(err, "nothing_stopped") {
		t.Errorf("undone twice: %v", err)
	}
	h.to(day(time.March, 2).At(10, 0))
	for id := range before {
		if rec := h.get(id); rec.Status != purchase.Paid {
			t.Errorf("in the end %s", rec.Status)
		}
	}
}

func TestWhatChangedSinceAStopStaysAsItIs(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID, with, _, planned := h.running()
	late, err := h.charge(clientID, tokenID, day(time.February, 25).At(12, 0))
	must(t, err)
	h.stopClient(clientID)
	_, err = h.purchases.MarkAsPaid(ctx, h.who, planned, nil)
	must(t, err)
	_, err = h.subs.Remove(ctx, h.who, with.ID)
	must(t, err)
	u := h.resume(clientID)
	if len(u.Back) != 1 || u.Back[0].ID != late.ID || len(u.Subs) != 1 || len(u.Stay) != 2 {
		t.Errorf("undone: %v", u.Lines())
	}
	if h.get(planned).Status != purchase.Paid || h.sub(with.ID).Status != subscription.Inactive {
		t.Error("what was changed meanwhile did not stay")
	}
}

func TestADebitAtTheBankIsRecalledWhereTheBankAllowsItAndNamedWhereNot(t *testing.T) {
	t.Parallel()
	for name, recalls := range map[string]bool{"recalls": true, "cannot": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			clientID, _, _, _, planned := h.running()
			sent := h.get(planned).Collection.SubmitAt.Add(time.Minute)
			h.to(sent)
			if state := h.get(planned).Collection.State; state != collection.Submitted {
				t.Fatalf("after the cut-off it is %s", state)
			}
			want := "told to withdraw the debit"
			if !recalls {
				h.purchases.Bank, want = without(h.purchases.Bank), "It is still debited."
			}
			if lines := strings.Join(h.halt(clientID).Lines(), "\n"); !strings.Contains(lines, want) {
				t.Errorf("the preview lacks %q:\n%s", want, lines)
			}
			h.stopClient(clientID)
			rec, state := h.get(planned), collection.Recalled
			if !recalls {
				state = collection.Submitted
			}
			if rec.Collection.State != state {
				t.Errorf("the debit is %s", rec.Collection.State)
			}
			if u := h.resume(clientID); slices.ContainsFunc(u.Back, func(b purchase.Record) bool { return b.ID == planned }) {
				t.Errorf("a debit came back that the bank was told to withdraw: %v", u.Lines())
			}
		})
	}
}

// without is a bank connection that takes no debit back.
func without(able bank.Capabilities) bank.Capabilities {
	able.RecallOne = false
	return able
}

func TestOfManyStopsAtOnceOneCountsAndNoChargeSlipsThrough(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID, _, _, _ := h.running()
	var wait sync.WaitGroup
	stops := make([]clientstop.ClientStop, 6)
	for i := range stops {
		wait.Go(func() {
			var err error
			stops[i], err = h.stops.StopClient(ctx, h.who, clientstop.StopInput{ClientID: clientID, Reason: "All at once."})
			if err != nil {
				t.Error(err)
			}
		})
		wait.Go(func() {
			_, err := h.charge(clientID, tokenID, day(time.February, 20+i).At(12, 0))
			if err != nil && !fault.HasCode(err, "invalid_recurring_token") && !fault.HasCode(err, "conflict") {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, s := range stops {
		if s.ID != stops[0].ID {
			t.Errorf("two stops: %s and %s", s.ID, stops[0].ID)
		}
	}
	if n := h.number(`SELECT count(*) FROM collections WHERE client_id = $1 AND state = 'scheduled'`, clientID); n != 0 {
		t.Errorf("%d debits are planned of a client whose debits are stopped", n)
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE kind = 'client_stopped'`); n != 1 {
		t.Errorf("%d confirmations", n)
	}
}

func TestOnlyWhoMayApproveStopsEverything(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, _, _, _, _ := h.running()
	staff := h.who
	staff.Role = actor.Staff
	_, err := h.stops.StopClient(ctx, staff, clientstop.StopInput{ClientID: clientID, Reason: "x"})
	if !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff: %v", err)
	}
	_, err = h.stops.StopClient(ctx, h.who, clientstop.StopInput{ClientID: clientID, Reason: " "})
	if !fault.HasCode(err, "required") {
		t.Errorf("no reason: %v", err)
	}
	stranger, _ := h.merchant("other")
	if _, err := h.stops.StopClient(ctx, stranger, clientstop.StopInput{ClientID: clientID,
		Reason: "x"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	if _, err := h.stops.StopClient(ctx, h.who, clientstop.StopInput{ClientID: clientID, Reason: "x",
		Seen: "another"}); !fault.HasCode(err, "stakes_grew") {
		t.Errorf("something else was seen: %v", err)
	}
}
