package debit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// line is a bank whose line can break after a request went through, and that says
// what a test lets it say about mandates.
type line struct {
	bank.Gateway
	after    func() error
	mu       sync.Mutex
	messages []bank.Message
}

func (l *line) RequestMandate(ctx context.Context, r bank.MandateRequest) (bank.Receipt, error) {
	receipt, err := l.Gateway.RequestMandate(ctx, r)
	if err == nil && l.after != nil {
		err = l.after()
	}
	return receipt, err
}

func (l *line) Fetch(ctx context.Context, limit int) ([]bank.Message, error) {
	own, err := l.Gateway.Fetch(ctx, limit)
	l.mu.Lock()
	defer l.mu.Unlock()
	own = append(l.messages, own...)
	l.messages = nil
	return own, err
}

func (l *line) say(messages ...bank.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = append(l.messages, messages...)
}

var said atomic.Int64

// about is a message about a request, with an id of its own.
func about(a mandate.Authentication, kind bank.MessageKind, code string, at time.Time) bank.Message {
	return bank.Message{ID: fmt.Sprintf("%s/%d", a.ID, 1000+said.Add(1)), InstructionID: a.ID, Kind: kind, Code: code,
		Channel: "ussd", Reference: "REF", At: at, Raw: []byte("{}")}
}

// At the very limit one process has the payer's answer in hand while another ends
// the time: either may win, and never both.
func TestAnswerAndTimeLimitHaveOneWinner(t *testing.T) {
	t.Parallel()
	h := open(t)
	wins := map[mandate.State]int{}
	for round := range 30 {
		p := h.ask(asking{account: "4000008480", cents: 10000})
		asked := h.asked(p.ID)[0]
		must(t, h.store.Clock.MoveTo(ctx, asked.ExpiresAt))
		answers := &line{Gateway: silentBank{h.bank}}
		answers.say(about(asked, bank.MandateAccepted, "", asked.ExpiresAt.Add(-time.Microsecond)))
		var wait sync.WaitGroup
		for _, g := range []bank.Gateway{answers, silentBank{h.bank}} {
			engine := h.engine(g)
			wait.Go(func() {
				if _, err := engine.Run(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		rec, m, k, a := h.get(p.ID), h.mandate(p.ID), h.token(p.ID), h.asked(p.ID)[0]
		wins[m.State]++
		switch m.State {
		case mandate.ActiveState:
			if k.State != token.Active || rec.Status != purchase.PendingExecute || rec.Collection == nil ||
				a.State != mandate.AuthAccepted {
				t.Errorf("round %d: accepted, but token %s, purchase %s, request %s", round, k.State, rec.Status, a.State)
			}
		case mandate.NoResponse:
			if k.State != token.Pending || rec.Status != purchase.Failed || rec.Collection != nil ||
				a.State != mandate.AuthNoResponse {
				t.Errorf("round %d: no answer, but token %s, purchase %s, request %s", round, k.State, rec.Status, a.State)
			}
		default:
			t.Errorf("round %d: %s", round, m.State)
		}
		if n := h.number(
			`SELECT count(*) FROM audit_entries WHERE object_id = $1 AND action IN ('mandate.accepted', 'mandate.no_response')`,
			p.ID); n != 1 {
			t.Errorf("round %d: %d decisions on the time line", round, n)
		}
		if n := h.number(`SELECT count(*) FROM bank_messages WHERE instruction_id = $1 AND outcome <> ''`, a.ID); n != 1 {
			t.Errorf("round %d: %d messages with an outcome", round, n)
		}
	}
	t.Logf("decided: %v", wins)
}

// silentBank takes everything and says nothing about it.
type silentBank struct{ bank.Gateway }

func (silentBank) Fetch(context.Context, int) ([]bank.Message, error) { return nil, nil }

func TestAnAnswerInTimeCountsToTheLastMicrosecond(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, c := range []struct {
		before time.Duration
		want   mandate.State
	}{{time.Microsecond, mandate.ActiveState}, {0, mandate.NoResponse}} {
		p := h.ask(asking{account: "4000008480", cents: 10000})
		asked := h.asked(p.ID)[0]
		if asked.ExpiresAt.Sub(asked.SentAt) != 120*time.Second {
			t.Errorf("there are %s to answer", asked.ExpiresAt.Sub(asked.SentAt))
		}
		answers := &line{Gateway: silentBank{h.bank}}
		must(t, h.store.Clock.MoveTo(ctx, asked.ExpiresAt))
		answers.say(about(asked, bank.MandateAccepted, "", asked.ExpiresAt.Add(-c.before)))
		_, err := h.engine(answers).Run(ctx)
		must(t, err)
		if m := h.mandate(p.ID); m.State != c.want {
			t.Errorf("accepted %s before the limit: %s", c.before, m.State)
		}
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'mandate.cancelled_at_bank'`); n != 1 {
		t.Errorf("the bank was told %d times that an answer came too late", n)
	}
}

func TestACrashAfterTheBankTookTheRequestAsksOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	broken := errors.New("line broken")
	for name, after := range map[string]func() error{"an error": func() error { return broken },
		"a crash": func() error { panic("killed") }} {
		p := h.request(asking{account: "4000000000", cents: 10000})
		func() {
			defer func() { _ = recover() }()
			if _, err := h.engine(&line{Gateway: h.bank, after: after}).Run(ctx); !errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
		}()
		if a := h.asked(p.ID); len(a) != 1 || a[0].State != mandate.AuthRequested ||
			h.mandate(p.ID).State != mandate.Submitted {
			t.Fatalf("%s: %+v", name, a)
		}
		// The time of the claim passes.
		h.exec(`UPDATE mandate_authentications SET claimed_until = now() - interval '1 second'
			WHERE claimed_until IS NOT NULL`)
		h.run()
		if a := h.asked(p.ID); len(a) != 1 || a[0].State != mandate.AuthSent {
			t.Errorf("%s: %+v", name, a)
		}
		h.to(h.store.Now().Add(10 * time.Second))
		if h.mandate(p.ID).State != mandate.ActiveState || h.get(p.ID).CollectionCount != 1 {
			t.Errorf("%s: %s with %d collections", name, h.mandate(p.ID).State, h.get(p.ID).CollectionCount)
		}
		if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE kind = 'mandate'`); n != 1 {
			t.Errorf("%s: the bank has %d requests", name, n)
		}
		h.exec(`DELETE FROM sandbox_answers; DELETE FROM sandbox_instructions`)
	}
}

func TestAnAnswerBeforeTheSendingWasRecordedCounts(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.request(asking{account: "4000000000", cents: 10000})
	_, err := h.engine(&line{Gateway: h.bank, after: func() error { return errors.New("line broken") }}).Run(ctx)
	if err == nil {
		t.Fatal("the line did not break")
	}
	h.exec(`UPDATE mandate_authentications SET claimed_until = now() + interval '1 hour'`)
	must(t, h.store.Clock.MoveTo(ctx, start.Add(30*time.Second)))
	h.run()
	if m, a := h.mandate(p.ID), h.asked(p.ID)[0]; m.State != mandate.ActiveState || a.State != mandate.AuthAccepted ||
		a.SentAt.IsZero() {
		t.Errorf("%s, request %s", m.State, a.State)
	}
}

func TestARealTimeRequestThatDidNotGoOutInTimeIsGivenUp(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, c := range []struct {
		how  mandate.Method
		wait time.Duration
		want mandate.State
		sent int64
	}{
		{mandate.RealTime, 119 * time.Second, mandate.Pending, 1}, {mandate.RealTime, 121 * time.Second, mandate.FailedAtBank,
			0},
		{mandate.Delayed, 47 * time.Hour, mandate.Pending, 1}, {mandate.Delayed, 49 * time.Hour, mandate.FailedAtBank, 0},
	} {
		p := h.request(asking{account: "4000008480", cents: 10000, how: c.how})
		must(t, h.store.Clock.MoveTo(ctx, h.asked(p.ID)[0].RequestedAt.Add(c.wait)))
		h.run() // the first run since
		if m := h.mandate(p.ID); m.State != c.want {
			t.Errorf("%s after %s: %s", c.how, c.wait, m.State)
		}
		if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE id = $1`, h.asked(p.ID)[0].ID); n != c.sent {
			t.Errorf("%s after %s: the bank has %d requests", c.how, c.wait, n)
		}
		h.to(h.store.Now().Add(100 * time.Hour).Truncate(24 * time.Hour).Add(
			8 * time.Hour)) // in the morning, inside the window
	}
}

func TestARequestThatCannotBeReadHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	h := open(t)
	lost := h.request(asking{account: "4000000000", cents: 10000})
	h.exec(`UPDATE purchases SET payer_sealed = '\x00' WHERE id = $1`, lost.ID)
	fine := h.request(asking{account: "4000000000", cents: 10000})
	if _, err := h.debits.Run(ctx); err == nil {
		t.Error("nobody hears of it")
	}
	if m := h.mandate(fine.ID); m.State != mandate.Pending {
		t.Errorf("the other request is %s", m.State)
	}
}

func TestWordsAboutAnOldRequestDoNotEndTheMandate(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000008500", cents: 10000, noFirst: true})
	h.to(start.Add(time.Minute))
	_, err := h.purchases.AskAgain(ctx, h.who, p.ID, mandate.RealTime)
	must(t, err)
	h.to(start.Add(2 * time.Minute))
	all := h.asked(p.ID)
	g := &line{Gateway: h.bank}
	g.say(about(all[1], bank.MandateSuspended, bank.CodeDebtorCancelled, h.store.Now()))
	_, err = h.engine(g).Run(ctx)
	must(t, err)
	if m := h.mandate(p.ID); m.State != mandate.ActiveState {
		t.Errorf("a word about the first request made it %s", m.State)
	}
	g.say(about(all[0], bank.MandateSuspended, bank.CodeDebtorCancelled, h.store.Now()))
	_, err = h.engine(g).Run(ctx)
	must(t, err)
	if m := h.mandate(p.ID); m.State != mandate.Suspended {
		t.Errorf("a word about the accepted request left it %s", m.State)
	}
}

func TestALateYesToTheFallbackDoesNotCancelTheRegisteredMandate(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000008480", cents: 10000, noFirst: true, fallback: true})
	h.to(start.Add(50 * time.Hour))
	last := h.asked(p.ID)[0]
	g := &line{Gateway: h.bank}
	g.say(about(last, bank.MandateAccepted, "", last.ExpiresAt.Add(time.Hour)))
	_, err := h.engine(g).Run(ctx)
	must(t, err)
	if m := h.mandate(p.ID); m.State != mandate.Registered || h.asked(p.ID)[0].CancelDue {
		t.Errorf("%s, to cancel %t", m.State, h.asked(p.ID)[0].CancelDue)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'mandate.cancelled_at_bank'`); n != 0 {
		t.Errorf("the bank was told to cancel a mandate that is in use")
	}
}

func TestDeletingATokenCancelsTheMandateAtTheBankOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000008600", cents: 10000, noFirst: true})
	h.to(start.Add(time.Minute))
	must(t, h.deletions.DeleteToken(ctx, h.program(), uuid.Nil, p.ID))
	h.run()
	h.run()
	h.to(day(3).At(6, 0)) // the suspension that was to come is withdrawn
	if m := h.mandate(p.ID); m.State != mandate.Cancelled || m.EndedAt.IsZero() {
		t.Errorf("%s, ended %s", m.State, m.EndedAt)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'mandate.cancelled_at_bank'`); n != 1 {
		t.Errorf("the bank was told %d times", n)
	}
	_, err := h.purchases.AskAgain(ctx, h.who, p.ID, mandate.Delayed)
	if err == nil {
		t.Error("a mandate that was cancelled may be asked for again")
	}
}

func TestTwoProcessesAskEachPayerOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	var made []purchase.Record
	for range 20 {
		made = append(made, h.request(asking{account: "4000000000", cents: 10000}))
	}
	for _, moment := range []time.Time{start.Add(20 * time.Second), start.Add(60 * time.Second)} {
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
		must(t, h.store.Clock.MoveTo(ctx, moment))
	}
	for _, p := range made {
		if m := h.mandate(p.ID); m.State != mandate.ActiveState || len(h.asked(p.ID)) != 1 ||
			h.get(p.ID).CollectionCount != 1 {
			t.Errorf("%s, asked %d times, %d collections", m.State, len(h.asked(p.ID)), h.get(p.ID).CollectionCount)
		}
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action IN ('mandate.sent', 'mandate.accepted')`); n != 40 {
		t.Errorf("%d entries of 40", n)
	}
}
