package debit_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// stored is a token that can be charged.
func (h *house) stored() uuid.UUID {
	h.t.Helper()
	rec := h.tokenise("62000000123", 0)
	if got := h.token(rec.ID).State; got != token.Active {
		h.t.Fatalf("the token is %s", got)
	}
	return rec.ID
}

// belongs gives the token a client.
func (h *house) belongs(id uuid.UUID) {
	h.t.Helper()
	clients := &client.Service{Store: client.Store{DB: h.store}, Now: h.store.Now}
	c, err := clients.Create(context.Background(), h.who, client.Input{Details: *payer()})
	must(h.t, err)
	h.exec(`UPDATE tokens SET client_id = $2 WHERE id = $1`, id, c.ID)
}

func (h *house) setAside(ids ...uuid.UUID) deletion.Deletion {
	h.t.Helper()
	d, err := h.deletions.StartDeletion(context.Background(), h.who,
		deletion.DeletionInput{Tokens: ids, Reason: "left the gym"})
	must(h.t, err)
	return d
}

func TestATokenThatIsBeingDeletedIsOutOfUseAtOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	id := h.stored()
	h.setAside(id)
	if got := h.token(id).State; got != token.Deleting {
		t.Fatalf("the token is %s", got)
	}
	_, err := h.charge(id, 5000, calendar.On(2027, time.February, 12))
	wantCode(t, err, "invalid_recurring_token")
	if err := h.deletions.DeleteToken(ctx, h.who, uuid.Nil, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("deleted again: %v", err)
	}
	_, err = h.deletions.DeleteTokenOf(ctx, h.who, id)
	wantCode(t, err, "invalid_recurring_token")
	if _, err := h.deletions.StartDeletion(ctx, h.who, deletion.DeletionInput{Tokens: []uuid.UUID{id}}); !fault.Is(err,
		fault.NotFound) {
		t.Errorf("set aside again: %v", err)
	}
	if rec := h.get(id); !rec.TokenLeaving || !rec.IsRecurringToken {
		t.Errorf("leaving %v, token %v: nothing may be told before it is final", rec.TokenLeaving, rec.IsRecurringToken)
	}
}

func TestTenMinutesLaterTheDeletionIsFinal(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.stored()
	waiting := h.mustCharge(id, 5000, calendar.On(2027, time.February, 12))
	d := h.setAside(id)
	h.to(d.Until.Add(-30 * time.Second))
	if got := h.token(id).State; got != token.Deleting {
		t.Fatalf("a moment before its time the token is %s", got)
	}
	if got := h.get(waiting.ID).Status; got != purchase.PendingCharge {
		t.Errorf("the charge is %s before the deletion is final", got)
	}
	h.to(d.Until)
	if got := h.token(id).State; got != token.Deleted {
		t.Fatalf("at its time the token is %s", got)
	}
	if got := h.get(waiting.ID).Status; got != purchase.Failed {
		t.Errorf("the waiting charge is %s", got)
	}
	if h.get(id).IsRecurringToken {
		t.Error("the purchase is a token still")
	}
	_, err := h.deletions.Undo(context.Background(), h.who, d.ID)
	wantCode(t, err, "deletion_final")
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'token.deleted' AND actor_kind = 'user'`); n != 1 {
		t.Errorf("%d entries name the person who deleted it", n)
	}
}

func TestUndoBringsBackWhatWas(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.stored()
	waiting := h.mustCharge(id, 5000, calendar.On(2027, time.February, 12))
	before, charged := h.token(id), h.get(waiting.ID)
	d := h.setAside(id)
	h.to(d.Until.Add(-30 * time.Second))
	_, err := h.deletions.Undo(context.Background(), h.who, d.ID)
	must(t, err)
	after := h.token(id)
	after.UpdatedAt = before.UpdatedAt
	if after != before {
		t.Errorf("the token was %+v and is %+v", before, after)
	}
	if rec := h.get(id); rec.TokenLeaving || !rec.IsRecurringToken || len(rec.Attempts) != 0 &&
		rec.Attempts[0].Type == "delete_recurring_token" {
		t.Errorf("the purchase: %+v", rec.Purchase)
	}
	if now := h.get(waiting.ID); now.Status != charged.Status ||
		now.Collection.ActionDate != charged.Collection.ActionDate ||
		!now.Collection.SubmitAt.Equal(charged.Collection.SubmitAt) {
		t.Errorf("the charge was %+v and is %+v", charged.Collection, now.Collection)
	}
	h.to(d.Until.Add(time.Minute))
	if got := h.token(id).State; got != token.Active {
		t.Errorf("after the ten minutes it is %s", got)
	}
	_, err = h.deletions.Undo(context.Background(), h.who, d.ID)
	wantCode(t, err, "deletion_final")
	h.mustCharge(id, 700, calendar.On(2027, time.February, 16))
}

func TestABlockedTokenComesBackBlockedAndOneThatTheBankBlockedMeanwhileToo(t *testing.T) {
	t.Parallel()
	h := open(t)
	blocked, meanwhile := h.stored(), h.tokenise("62000000456", 0).ID
	h.exec(`UPDATE tokens SET state = 'blocked', blocked_code = '12' WHERE id = $1`, blocked)
	d := h.setAside(blocked, meanwhile)
	h.exec(`UPDATE tokens SET blocked_code = '04' WHERE id = $1`, meanwhile)
	_, err := h.deletions.Undo(context.Background(), h.who, d.ID)
	must(t, err)
	for id, code := range map[uuid.UUID]string{blocked: "12", meanwhile: "04"} {
		if got := h.token(id); got.State != token.Blocked || got.BlockedCode != code {
			t.Errorf("%s for %q, want blocked for %s", got.State, got.BlockedCode, code)
		}
	}
}

// A debit whose submission deadline falls into the ten minutes waits, and gets the
// next day that the cut-off allows when the deletion is undone.
func TestADeadlineInTheTenMinutesIsPlannedAgainAfterUndo(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.stored()
	waiting := h.mustCharge(id, 5000, calendar.On(2027, time.February, 12))
	deadline := waiting.Collection.SubmitAt
	h.to(deadline.Add(-5 * time.Minute))
	d := h.setAside(id)
	h.to(deadline.Add(time.Minute))
	if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE id = $1`, waiting.Collection.ID); n != 0 {
		t.Fatal("the debit went to the bank while its account was being deleted")
	}
	_, err := h.deletions.Undo(context.Background(), h.who, d.ID)
	must(t, err)
	again := h.get(waiting.ID).Collection
	if !waiting.Collection.ActionDate.Before(again.ActionDate) || !again.SubmitAt.After(h.store.Now()) {
		t.Fatalf("planned for %s, to be submitted %s", again.ActionDate, again.SubmitAt)
	}
	h.to(again.SubmitAt)
	if n := h.number(`SELECT count(*) FROM collections WHERE id = $1 AND state = 'submitted'`, again.ID); n != 1 {
		t.Error("it did not go to the bank at its new deadline")
	}
}

// Under DebiCheck the next day must be one that the mandate allows.
func TestADeadlineInTheTenMinutesKeepsToTheMandate(t *testing.T) {
	t.Parallel()
	h := open(t)
	fixed := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(12))})
	loose := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(12)), anyDay: true})
	h.to(start.Add(time.Minute))
	waits := []purchase.Record{h.mustCharge(fixed.ID, 10000, day(12)), h.mustCharge(loose.ID, 10000, day(12))}
	deadline := waits[0].Collection.SubmitAt
	must(t, h.store.Clock.MoveTo(ctx, deadline.Add(-5*time.Minute)))
	aside := []deletion.Deletion{h.setAside(fixed.ID), h.setAside(loose.ID)}
	must(t, h.store.Clock.MoveTo(ctx, deadline.Add(time.Minute)))
	for i, want := range []string{"2027-03-12 []", "2027-02-13 [date_differs]"} {
		_, err := h.deletions.Undo(ctx, h.who, aside[i].ID)
		must(t, err)
		if again := h.get(waits[i].ID); fmt.Sprint(again.Collection.ActionDate, " ", why(again)) != want {
			t.Errorf("runs on %s %v, want %s", again.Collection.ActionDate, why(again), want)
		}
	}
}

func TestUndoAndFinishingAtOnceHaveOneWinner(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	for range 10 {
		id := h.stored()
		d := h.setAside(id)
		var undone, finished error
		var both sync.WaitGroup
		both.Go(func() { _, undone = h.deletions.Undo(ctx, h.who, d.ID) })
		both.Go(func() { _, finished = h.deletions.DeleteNow(ctx, h.who, d.ID, id) })
		both.Wait()
		if (undone == nil) == (finished == nil) {
			t.Fatalf("undo: %v, finish: %v", undone, finished)
		}
		want := token.Deleted
		if undone == nil {
			want = token.Active
		}
		if got := h.token(id).State; got != want {
			t.Errorf("the token is %s, want %s", got, want)
		}
	}
}

func TestAChargeAndADeletionAtOnceLeaveNoChargeUnseen(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	for range 10 {
		id := h.stored()
		var charged purchase.Record
		var wrong error
		var both sync.WaitGroup
		both.Go(func() { charged, wrong = h.charge(id, 900, calendar.On(2027, time.February, 12)) })
		both.Go(func() { _, _ = h.deletions.StartDeletion(ctx, h.who, deletion.DeletionInput{Tokens: []uuid.UUID{id}}) })
		both.Wait()
		if wrong != nil {
			wantCode(t, wrong, "invalid_recurring_token")
		} else if waiting, _ := (purchase.Store{DB: h.store}).WaitingFor(ctx, h.who.MerchantID, id); len(waiting) != 1 ||
			waiting[0].ID != charged.ID {
			t.Errorf("the charge is lost: %v", waiting)
		}
	}
	h.to(h.store.Now().Add(deletion.UndoTime))
	if n := h.number(
		`SELECT count(*) FROM collections c JOIN tokens t ON t.id = c.token_id
			WHERE t.state = 'deleted' AND c.state = 'scheduled'`,
	); n != 0 {
		t.Errorf("%d debits wait on deleted accounts", n)
	}
}

func TestManyWorkersFinishADeletionOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	id := h.stored()
	d := h.setAside(id)
	must(t, h.store.Clock.MoveTo(ctx, d.Until))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := h.debits.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'token.deleted'`); n != 1 {
		t.Errorf("deleted %d times", n)
	}
}

func TestDeletingAClientLeavesNothingToUndo(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	id := h.stored()
	h.belongs(id)
	d := h.setAside(id)
	clientID := h.token(id).ClientID
	must(t, h.store.InTx(ctx, func(tx *database.Tx) error {
		return h.deletions.ForgetClient(tx.Context(), tx, h.who, clientID)
	}))
	if got := h.token(id).State; got != token.Deleted {
		t.Fatalf("the token is %s", got)
	}
	_, err := h.deletions.Undo(ctx, h.who, d.ID)
	wantCode(t, err, "deletion_final")
	h.to(d.Until)
}

func TestADeletionIsForThoseWhoMayAndForNoStranger(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	id := h.stored()
	staff := h.who
	staff.Role = actor.Staff
	stranger, _ := h.merchant("other")
	if _, err := h.deletions.StartDeletion(ctx, staff, deletion.DeletionInput{Tokens: []uuid.UUID{id}}); !fault.Is(err,
		fault.Forbidden) {
		t.Errorf("staff: %v", err)
	}
	if _, err := h.deletions.StartDeletion(ctx, stranger, deletion.DeletionInput{Tokens: []uuid.UUID{id}}); !fault.Is(err,
		fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	d := h.setAside(id)
	for name, do := range map[string]func(context.Context, actor.Actor, uuid.UUID) (deletion.Deletion, error){
		"undo": h.deletions.Undo, "now": func(ctx context.Context, who actor.Actor, d uuid.UUID) (deletion.Deletion, error) {
			return h.deletions.DeleteNow(ctx, who, d, id)
		}} {
		if _, err := do(ctx, staff, d.ID); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s by staff: %v", name, err)
		}
		if _, err := do(ctx, stranger, d.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s by a stranger: %v", name, err)
		}
	}
}

func TestWhereASecondPersonIsWantedNobodyDeletesAlone(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	id := h.stored()
	h.exec(`UPDATE merchants SET approve_deletions = true`)
	h.belongs(id)
	_, err := h.deletions.StartDeletion(ctx, h.who, deletion.DeletionInput{Tokens: []uuid.UUID{id}})
	wantCode(t, err, "approval_needed")
	wantCode(t, h.deletions.DeleteToken(ctx, h.who, uuid.Nil, id), "approval_needed")
	wantCode(t, h.store.InTx(ctx, func(tx *database.Tx) error {
		return h.deletions.ForgetClient(ctx, tx, h.who,
			h.token(id).ClientID)
	}), "approval_needed")
	program := actor.Actor{Kind: actor.Credential, MerchantID: h.who.MerchantID,
		Scopes: []actor.Scope{actor.ScopeTokensDelete}}
	if err := h.deletions.DeleteToken(ctx, program, uuid.Nil, id); err != nil {
		t.Errorf("a credential with tokens:delete: %v", err)
	}
}
