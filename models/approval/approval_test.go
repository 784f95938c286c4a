package approval_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/batch"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/token"
	"debitdesk/models/user"
)

func TestWhatIsAskedForHappensOnceAnotherPersonAgrees(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.stored()
	h.charge(id, 5000)
	a := h.ask(id)
	if got := h.state(id); got != token.Active {
		t.Fatalf("before anybody agreed the account is %s", got)
	}
	if got := a.Subject.Totals; got != (approval.Totals{Tokens: 1, Waiting: 1, Cents: 5000, Digest: got.Digest}) ||
		got.Digest == "" {
		t.Errorf("at stake: %+v", a.Subject.Totals)
	}
	if n := h.count(
		`SELECT count(*) FROM mails WHERE kind = 'approval_asked'
			AND recipient IN ('pieter@acme.example', 'aisha@acme.example')`,
	); n != 2 {
		t.Errorf("%d of the two who may agree got a mail", n)
	}
	if n := h.count(`SELECT count(*) FROM mails WHERE kind = 'approval_asked'`); n != 2 {
		t.Errorf("%d mails went out", n)
	}
	_, err := h.says(h.second, a, true)
	must(t, err)
	if got := h.state(id); got != token.Deleting {
		t.Errorf("the account is %s", got)
	}
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'token.deleting' AND actor_id = $1
			AND after->>'approved_by' = 'Pieter' AND after->>'reason' = 'They left the gym.'`,
		h.asker.ID,
	); n != 1 {
		t.Errorf("%d entries name who asked and who agreed", n)
	}
	if n := h.count(
		`SELECT count(*) FROM mails WHERE kind = 'approval_decided' AND recipient = 'thandi@acme.example'`); n != 1 {
		t.Errorf("who asked got %d mails", n)
	}
	_, err = h.says(h.finance, a, true)
	wantCode(t, err, "approval_over")
}

func TestNobodyAgreesToTheirOwnRequest(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.ask(h.stored())
	_, err := h.says(h.asker, a, true)
	wantCode(t, err, "own_request")
	double := h.person(h.merchant, "Thandi again", "Thandi+two@ACME.example", actor.Admin)
	_, err = h.says(double, a, true)
	wantCode(t, err, "own_request")
	for name, who := range map[string]actor.Actor{"staff": h.staff,
		"a program": {Kind: actor.Credential, MerchantID: h.merchant, Scopes: actor.AllScopes}} {
		if _, err := h.says(who, a, true); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := h.count(`SELECT count(*) FROM token_deletions`); n != 0 {
		t.Error("something was deleted")
	}
}

func TestTheSamePersonIsKnownByTheMailbox(t *testing.T) {
	t.Parallel()
	one := user.User{ID: uuid.New(), Email: "thandi@acme.example"}
	for _, c := range []struct {
		other user.User
		same  bool
	}{
		{user.User{ID: one.ID, Email: "other@acme.example"}, true}, {user.User{ID: uuid.New(), Email: " THANDI@acme.example"},
			true},
		{user.User{ID: uuid.New(), Email: "thandi+2@acme.example"}, true},
		{user.User{ID: uuid.New(), Email: "thandi@other.example"}, false},
		{user.User{ID: uuid.New(), Email: "thandie@acme.example"}, false}, {user.User{ID: uuid.New()}, false},
	} {
		if got := approval.SamePerson(one, c.other); got != c.same {
			t.Errorf("%q: %v", c.other.Email, got)
		}
	}
}

func TestARefusalKeepsItsWordsAndDoesNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.stored()
	a := h.ask(id)
	_, err := h.approvals.Decide(context.Background(), h.second, a.ID, approval.Verdict{Words: "  "})
	wantCode(t, err, "required")
	a, err = h.approvals.Decide(context.Background(), h.second, a.ID, approval.Verdict{Words: "She pays until June."})
	must(t, err)
	if a.State != approval.Refused || h.state(id) != token.Active {
		t.Errorf("%s, and the account is %s", a.State, h.state(id))
	}
	kept, err := h.approvals.Store.Approval(context.Background(), h.merchant, a.ID)
	must(t, err)
	if kept.Decision != "She pays until June." || kept.DecidedName != "Pieter" || kept.Reason != "They left the gym." {
		t.Errorf("kept: %+v", kept)
	}
}

func TestMoreAtStakeThanWasShownMustBeLookedAtAgain(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.stored()
	a := h.ask(id)
	s, err := h.approvals.Show(context.Background(), h.second, a.ID)
	must(t, err)
	h.charge(id, 700)
	_, err = h.approvals.Decide(context.Background(), h.second, a.ID, approval.Verdict{Yes: true, Seen: s.Now})
	wantCode(t, err, "stakes_grew")
	if h.state(id) != token.Active || h.count(`SELECT count(*) FROM approvals WHERE state = 'open'`) != 1 {
		t.Fatal("the refused answer left something behind")
	}
	_, err = h.says(h.second, a, true)
	must(t, err)
}

func TestABatchAboveTheLimitIsSentWhenAnotherPersonAgrees(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	b := h.checked(3) // R 300,00
	limit := int64(300_00)
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{BatchesAbove: &limit}))
	if d, _, err := h.approvals.Demands(ctx, h.asker); err != nil || d.NeedsTwo(b.Counts.ReadyCents) {
		t.Fatalf("exactly at the limit: %v %v", d, err)
	}
	limit--
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{BatchesAbove: &limit}))
	_, err := h.batches.Start(ctx, h.asker, b.ID, *order(b))
	wantCode(t, err, "approval_needed")
	a := h.askBatch(b)

	_, err = h.says(h.second, a, true)
	must(t, err)
	b, err = h.batches.Get(ctx, h.asker, b.ID)
	must(t, err)
	if b.State != batch.Running || b.Starter.ID != h.asker.ID {
		t.Errorf("the batch is %s, started by %s", b.State, b.Starter.Name)
	}
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'batch.started' AND actor_id = $1
			AND after->>'approved_by' = 'Pieter'`,
		h.asker.ID,
	); n != 1 {
		t.Errorf("%d entries name both people", n)
	}
}

// A change of what is asked for ends the request, and both people are told.
func TestAnApprovalIsAboutWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	limit := int64(0)
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{BatchesAbove: &limit}))
	b := h.checked(3)
	stale := order(b)
	a := h.askBatch(b)
	// The addresses of two rows change places: the number of rows and the sum stay as they are.
	for n, address := range map[int]string{2: "payerb@example.org", 3: "payera@example.org"} {
		_, _, err := h.batches.EditCell(ctx, h.finance, b.ID, batch.Edit{N: n, Text: address})
		must(t, err)
	}
	_, _, err := h.batches.FixAll(ctx, h.asker, b.ID,
		batch.Fix{Cause: batch.CauseUnknown, Choice: string(batch.CreateClient)}, 0)
	must(t, err)
	kept, err := h.approvals.Store.Approval(ctx, h.merchant, a.ID)
	must(t, err)
	if kept.State != approval.Withdrawn || kept.DecidedName != "Aisha" || kept.Decision == "" {
		t.Errorf("the request is %s by %q: %q", kept.State, kept.DecidedName, kept.Decision)
	}
	for _, who := range []string{"thandi@acme.example", "pieter@acme.example", "aisha@acme.example"} {
		if n := h.count(`SELECT count(*) FROM mails WHERE kind = 'approval_withdrawn' AND recipient = $1`, who); n != 1 {
			t.Errorf("%s got %d mails", who, n)
		}
	}
	_, err = h.approvals.Decide(ctx, h.second, a.ID, approval.Verdict{Yes: true, Seen: a.Subject.Totals})
	wantCode(t, err, "approval_over")
	_, err = h.approvals.Ask(ctx, h.asker, approval.SendBatch, approval.Subject{Batch: b.ID, Order: stale}, "Again.")
	wantCode(t, err, "batch_changed")
	if n := h.count(`SELECT count(*) FROM purchases`); n != 0 {
		t.Errorf("%d invoices were sent", n)
	}
	if b, err = h.batches.Get(ctx, h.asker, b.ID); err != nil || b.Counts.Ready != stale.Rows ||
		b.Counts.ReadyCents != stale.Cents {
		t.Fatalf("the sum changed: %+v %v", b.Counts, err)
	}
	_, err = h.says(h.second, h.askBatch(b), true)
	must(t, err)
}

func TestAnApprovalAndAnEditAtOnceAreNotBothDone(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	limit := int64(0)
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{BatchesAbove: &limit}))
	for range 4 {
		b := h.checked(2)
		o := order(b)
		o.AcceptWarnings = true
		a, err := h.approvals.Ask(ctx, h.asker, approval.SendBatch, approval.Subject{Batch: b.ID, Order: o}, "The fees.")
		must(t, err)
		var both sync.WaitGroup
		var agreed, mended error
		both.Go(func() {
			_, agreed = h.approvals.Decide(ctx, h.second, a.ID, approval.Verdict{Yes: true, Seen: a.Subject.Totals})
		})
		both.Go(func() {
			_, _, mended = h.batches.EditCell(ctx, h.finance, b.ID, batch.Edit{N: 2, Column: 2, Text: "999"})
		})
		both.Wait()
		if (agreed == nil) == (mended == nil) {
			t.Fatalf("agreed: %v, mended: %v", agreed, mended)
		}
		must(t, h.batches.Work(ctx, b.ID))
	}
	if n := h.count(`SELECT count(*) FROM purchases WHERE total_cents = 99900`); n != 0 {
		t.Errorf("%d invoices that nobody agreed to", n)
	}
}

// A change of a batch holds the batch and then withdraws the request. An answer that held the request first would wait
// for the batch while the change waits for the request, until the database ends one of them.
func TestAnAnswerWaitsForTheBatchBeforeItTakesTheRequest(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	limit := int64(0)
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{BatchesAbove: &limit}))
	b := h.checked(2)
	o := order(b)
	o.AcceptWarnings = true
	a, err := h.approvals.Ask(ctx, h.asker, approval.SendBatch, approval.Subject{Batch: b.ID, Order: o}, "The fees.")
	must(t, err)

	session, err := pgx.ConnectConfig(ctx, h.store.Pool.Config().ConnConfig)
	must(t, err)
	defer func() { _ = session.Close(ctx) }()
	change, err := session.Begin(ctx)
	must(t, err)
	_, err = change.Exec(ctx, `SELECT FROM batches WHERE id = $1 FOR UPDATE`, b.ID.String())
	must(t, err)
	answered := make(chan error, 1)
	go func() {
		_, err := h.approvals.Decide(ctx, h.second, a.ID, approval.Verdict{Yes: true, Seen: a.Subject.Totals})
		answered <- err
	}()
	for h.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
		AND wait_event_type = 'Lock'`) == 0 {
		select {
		case err := <-answered:
			t.Fatal("it did not wait for the batch: ", err)
		default:
		}
	}
	_, err = change.Exec(ctx, `SELECT FROM approvals WHERE id = $1 FOR UPDATE NOWAIT`, a.ID.String())
	if err != nil {
		t.Error("the answer holds the request while it waits for the batch: ", err)
	}
	must(t, change.Rollback(ctx))
	must(t, <-answered)
}

func TestTwoAnswersAtOnceHaveOneWinner(t *testing.T) {
	t.Parallel()
	h := open(t)
	for range 5 {
		id := h.stored()
		a := h.ask(id)
		s, err := h.approvals.Show(context.Background(), h.second, a.ID)
		must(t, err)
		answers := make([]error, 4)
		var all sync.WaitGroup
		for i := range answers {
			who := []actor.Actor{h.second, h.finance}[i%2]
			all.Go(func() {
				_, answers[i] = h.approvals.Decide(context.Background(), who, a.ID,
					approval.Verdict{Yes: i < 2, Words: "x", Seen: s.Now})
			})
		}
		all.Wait()
		won := 0
		for _, err := range answers {
			if err == nil {
				won++
			} else {
				wantCode(t, err, "approval_over")
			}
		}
		if won != 1 {
			t.Fatalf("%d answers counted: %v", won, answers)
		}
		if n := h.count(`SELECT count(*) FROM token_deletions WHERE approval_id = $1`,
			a.ID); (n == 1) != (h.state(id) == token.Deleting) || n > 1 {
			t.Errorf("%d deletions, the account is %s", n, h.state(id))
		}
	}
}

func TestARequestEndsAfterSevenDays(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	id := h.stored()
	a := h.ask(id)
	if want := a.CreatedAt.Add(7 * 24 * time.Hour); !a.ExpiresAt.Equal(want) {
		t.Fatalf("it expires %s, want %s", a.ExpiresAt, want)
	}
	if a.Stands(a.ExpiresAt.Add(-time.Microsecond)) != approval.Open || a.Stands(a.ExpiresAt) != approval.Expired {
		t.Error("the limit is not where it should be")
	}
	must(t, h.store.Clock.MoveTo(ctx, a.ExpiresAt))
	_, err := h.says(h.second, a, true)
	wantCode(t, err, "approval_over")
	for i, want := range []int{1, 0} {
		if n, err := h.approvals.Expire(ctx); err != nil || n != want {
			t.Errorf("run %d ended %d: %v", i, n, err)
		}
	}
	h.ask(id) // the same thing can be asked for again
}

func TestTheSameThingIsAskedForOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	id, other := h.stored(), h.stored()
	a := h.ask(id, other)
	_, err := h.approvals.Ask(ctx, h.second, approval.DeleteTokens, approval.Subject{Tokens: []uuid.UUID{other, id}},
		"Again.")
	wantCode(t, err, "already_asked")
	_, err = h.approvals.Withdraw(ctx, h.second, a.ID)
	wantCode(t, err, "not_yours")
	_, err = h.approvals.Withdraw(ctx, h.asker, a.ID)
	must(t, err)
	_, err = h.says(h.second, a, true)
	wantCode(t, err, "approval_over")
	h.ask(id, other)
}

func TestAskingNeedsAReasonAndTheRightToDoIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	id := h.stored()
	of := approval.Subject{Tokens: []uuid.UUID{id}}
	for _, reason := range []string{"", "  \n"} {
		_, err := h.approvals.Ask(ctx, h.asker, approval.DeleteTokens, of, reason)
		wantCode(t, err, "required")
	}
	_, err := h.approvals.Ask(ctx, h.asker, approval.DeleteTokens, of, strings.Repeat("a", 1001))
	wantCode(t, err, "max_length")
	if _, err := h.approvals.Ask(ctx, h.staff, approval.DeleteTokens, of, "x"); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff: %v", err)
	}
	if _, err := h.approvals.Ask(ctx, h.stranger, approval.DeleteTokens, of, "x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
}

func TestWhatTheAskerMayNotDoAnyMoreIsNotDone(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.stored()
	a := h.ask(id)
	h.exec(`UPDATE memberships SET role = 'staff' WHERE user_id = $1`, h.asker.ID)
	_, err := h.says(h.second, a, true)
	wantCode(t, err, "asker_may_not")
	h.exec(`UPDATE memberships SET disabled_at = now() WHERE user_id = $1`, h.asker.ID)
	_, err = h.says(h.second, a, true)
	wantCode(t, err, "asker_gone")
	if h.state(id) != token.Active {
		t.Errorf("the account is %s", h.state(id))
	}
	_, err = h.says(h.second, a, false)
	must(t, err)
}

func TestAStrangerSeesNoRequest(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	a := h.ask(h.stored())
	if _, err := h.approvals.Show(ctx, h.stranger, a.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("show: %v", err)
	}
	if _, err := h.approvals.Decide(ctx, h.stranger, a.ID, approval.Verdict{Yes: true}); !fault.Is(err, fault.NotFound) {
		t.Errorf("decide: %v", err)
	}
	if _, err := h.approvals.Withdraw(ctx, h.stranger, a.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("withdraw: %v", err)
	}
	if page, err := h.approvals.List(ctx, h.stranger, true, paging.Ask{Limit: 10}); err != nil || len(page.Items) != 0 {
		t.Errorf("list: %v %v", page.Items, err)
	}
}

func TestAskingForLessIsToldToTheOtherAdmins(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	if err := h.approvals.Demand(ctx, h.finance, merchant.Demands{Deletions: true}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("finance: %v", err)
	}
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{Deletions: true}))
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{Deletions: true}))
	if n := h.count(`SELECT count(*) FROM mails`); n != 0 {
		t.Errorf("%d mails about asking for more", n)
	}
	if err := h.approvals.Demand(ctx, h.asker, merchant.Demands{}); !fault.HasCode(err, "approval_needed") ||
		h.count(`SELECT count(*) FROM merchants WHERE approve_deletions`) != 1 {
		t.Fatalf("alone: %v", err)
	}
	less := approval.Subject{Loosening: &approval.Loosening{}}
	_, err := h.approvals.Ask(ctx, h.finance, approval.Loosen, less, "I want to.")
	if !fault.Is(err, fault.Forbidden) {
		t.Errorf("finance asked: %v", err)
	}
	a, err := h.approvals.Ask(ctx, h.asker, approval.Loosen, less, "Nobody else works here in December.")
	must(t, err)
	if _, err := h.approvals.Decide(ctx, h.asker, a.ID, approval.Verdict{Yes: true}); !fault.HasCode(err, "own_request") {
		t.Errorf("the asker agreed: %v", err)
	}
	limit := int64(5)
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{Deletions: true,
		BatchesAbove: &limit})) // it is another question by now
	if _, err := h.approvals.Decide(ctx, h.finance, a.ID, approval.Verdict{Yes: true}); !fault.HasCode(err,
		"demands_changed") {
		t.Errorf("more was demanded meanwhile: %v", err)
	}
	_, err = h.approvals.Withdraw(ctx, h.asker, a.ID)
	must(t, err)
	a, err = h.approvals.Ask(ctx, h.asker, approval.Loosen, less, "Nobody else works here in December.")
	must(t, err)
	h.exec(`DELETE FROM mails`)
	_, err = h.approvals.Decide(ctx, h.finance, a.ID, approval.Verdict{Yes: true})
	must(t, err)
	if h.count(`SELECT count(*) FROM merchants WHERE approve_deletions OR approve_batches_cents IS NOT NULL`) != 0 {
		t.Error("it was approved and not done")
	}
	h.exec(`DELETE FROM mails WHERE kind = 'approval_decided'`)
	if n := h.count(
		`SELECT count(*) FROM mails WHERE recipient = 'pieter@acme.example' AND kind = 'approval_demands'`); n != 1 ||
		h.count(`SELECT count(*) FROM mails`) != 1 {
		t.Errorf("the other admin got %d mails", n)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'approval.demands_changed'`); n != 3 {
		t.Errorf("%d changes are kept", n)
	}
}

func TestLessIsLess(t *testing.T) {
	t.Parallel()
	at := func(cents int64) *int64 { return &cents }
	for _, c := range []struct {
		before, after merchant.Demands
		looser        bool
	}{
		{merchant.Demands{}, merchant.Demands{Deletions: true}, false},
		{merchant.Demands{Deletions: true}, merchant.Demands{}, true},
		{merchant.Demands{}, merchant.Demands{BatchesAbove: at(0)}, false},
		{merchant.Demands{BatchesAbove: at(5)}, merchant.Demands{}, true},
		{merchant.Demands{BatchesAbove: at(5)}, merchant.Demands{BatchesAbove: at(6)}, true},
		{merchant.Demands{BatchesAbove: at(5)}, merchant.Demands{BatchesAbove: at(5)}, false},
		{merchant.Demands{BatchesAbove: at(5)}, merchant.Demands{BatchesAbove: at(4)}, false},
		{merchant.Demands{FilesAbove: at(5)}, merchant.Demands{BatchesAbove: at(5)}, true},
		{merchant.Demands{FilesAbove: at(5)}, merchant.Demands{FilesAbove: at(6)}, true},
		{merchant.Demands{FilesAbove: at(5)}, merchant.Demands{FilesAbove: at(4)}, false},
	} {
		if got := approval.Looser(c.before, c.after); got != c.looser {
			t.Errorf("%+v to %+v: %v", c.before, c.after, got)
		}
	}
}

// Four eyes are two people over the whole way: who uploaded a batch or changed it does not approve it, whoever asks.
func TestWhoHadAHandInABatchDoesNotApproveIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	limit := int64(0)
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{BatchesAbove: &limit}))
	b := h.checked(3) // by the asker
	other := func(who actor.Actor) approval.Approval {
		t.Helper()
		a, err := h.approvals.Ask(ctx, who, approval.SendBatch, approval.Subject{Batch: b.ID, Order: order(b)}, "March.")
		must(t, err)
		return a
	}
	a := other(h.second)
	_, err := h.says(h.asker, a, true)
	wantCode(t, err, "own_work")
	if h.count(`SELECT count(*) FROM mails WHERE kind = 'approval_asked' AND recipient = 'thandi@acme.example'`) != 0 {
		t.Errorf("who uploaded it was asked")
	}
	double := h.person(h.merchant, "Thandi again", "thandi+two@acme.example", actor.Admin)
	_, err = h.says(double, a, true)
	wantCode(t, err, "own_work")
	_, err = h.approvals.Withdraw(ctx, h.second, a.ID)
	must(t, err)
	_, _, err = h.batches.EditCell(ctx, h.finance, b.ID, batch.Edit{N: 2, Column: 2, Text: "120"})
	must(t, err)
	b, err = h.batches.Get(ctx, h.finance, b.ID)
	must(t, err)
	a = other(h.asker)
	_, err = h.says(h.finance, a, true)
	wantCode(t, err, "own_work")
	_, err = h.says(h.second, a, true)
	must(t, err)
}

func TestADiscardedDraftWithdrawsItsRequest(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	limit := int64(0)
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{BatchesAbove: &limit}))
	b := h.checked(2)
	a := h.askBatch(b)
	must(t, h.batches.Discard(ctx, h.asker, b.ID))
	kept, err := h.approvals.Store.Approval(ctx, h.merchant, a.ID)
	must(t, err)
	if kept.State != approval.Withdrawn || kept.Decision != "The draft was discarded." {
		t.Errorf("%s: %q", kept.State, kept.Decision)
	}
}

func TestARequestStaysWhenTheRowsComeOutTheSameTheNextDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	limit := int64(0)
	must(t, h.approvals.Demand(ctx, h.asker, merchant.Demands{BatchesAbove: &limit}))
	b := h.checked(2)
	a := h.askBatch(b)
	must(t, h.store.Clock.MoveTo(ctx, start.Add(24*time.Hour)))
	_, err := h.says(h.second, a, true)
	must(t, err)
}
