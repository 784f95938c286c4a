package banktest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

func mandateOnce(t *testing.T, p player) {
	r := p.mandate(p.Pays)
	for n := range 2 {
		if receipt := p.request(r); receipt.Repeat != (n == 1) {
			t.Errorf("request %d: %+v", n, receipt)
		}
	}
	p.afterReturns()
	answers := p.answersOf(r.ID)
	if len(answers) != 1 {
		t.Fatalf("%+v", answers)
	}
	for _, m := range p.fetch(100) {
		p.acknowledge(m.ID)
	}
	if again := p.request(r); !again.Repeat {
		t.Errorf("after the answer: %+v", again)
	}
	p.MoveTo(p.ActionDate.AddDays(20).At(12, 0))
	if rest := p.fetch(100); len(rest) != 0 {
		t.Errorf("answered again: %+v", rest)
	}
}

func mandateAnswers(t *testing.T, p player) {
	yes, no, silent := p.mandate(p.Pays), p.mandate(p.Declines), p.mandate(p.Ignores)
	for _, r := range []bank.MandateRequest{yes, no, silent} {
		p.request(r)
	}
	if early := p.fetch(100); len(early) != 0 {
		t.Errorf("nothing is answered in the moment of asking: %+v", early)
	}
	p.afterReturns()
	for _, c := range []struct {
		of   bank.MandateRequest
		kind bank.MessageKind
		code string
	}{{yes, bank.MandateAccepted, ""}, {no, bank.MandateRejected, bank.CodeRefused},
		{silent, bank.MandateUnanswered, bank.CodeNoAnswer}} {
		answers := p.answersOf(c.of.ID)
		if len(answers) != 1 || answers[0].Kind != c.kind || answers[0].Code != c.code || !answers[0].Kind.AboutMandate() {
			t.Errorf("want %s: %+v", c.kind, answers)
			continue
		}
		m := answers[0]
		if accepted := m.Kind == bank.MandateAccepted; accepted != (m.Channel != "") || accepted != (m.Reference != "") ||
			len(m.Reference) > 35 {
			t.Errorf("%s: channel %q, reference %q", m.Kind, m.Channel, m.Reference)
		}
		for _, secret := range []string{c.of.Account.Reveal(), c.of.Identity.Reveal()} {
			if strings.Contains(string(m.Raw), secret) {
				t.Errorf("a raw message carries a number: %s", m.Raw)
			}
		}
	}
}

func mandateCancelled(t *testing.T, p player) {
	waiting, accepted := p.mandate(p.Pays), p.mandate(p.Pays)
	p.request(accepted)
	p.afterReturns()
	for _, m := range p.fetch(100) {
		p.acknowledge(m.ID)
	}
	p.request(waiting)
	for _, id := range []uuid.UUID{waiting.ID, waiting.ID, accepted.ID} {
		if err := p.Gateway.CancelMandate(context.Background(), id); err != nil {
			t.Errorf("cancel: %v", err)
		}
	}
	if err := p.Gateway.CancelMandate(context.Background(), uuid.New()); !errors.Is(err, bank.ErrUnknown) {
		t.Errorf("cancel of nothing: %v", err)
	}
	p.MoveTo(p.ActionDate.AddDays(20).At(12, 0))
	if rest := p.fetch(100); len(rest) != 0 {
		t.Errorf("after the cancellation: %+v", rest)
	}
}

func underMandate(t *testing.T, p player) {
	ok, disputed := p.instruction(p.Pays), p.instruction(p.Disputes)
	failed := p.instruction(p.Returns)
	for _, in := range []*bank.Instruction{&ok, &disputed, &failed} {
		in.Method, in.MandateReference = bank.DebiCheck, "SBX0123456789"
	}
	p.submit(ok, disputed, failed)
	refused := []bank.MessageKind{bank.Successful, bank.DisputeRejected}
	if p.Quiet {
		refused = refused[:1]
	}
	p.MoveTo(p.ActionDate.AddDays(40).At(23, 59))
	for _, c := range []struct {
		of   bank.Instruction
		want []bank.MessageKind
	}{{ok, []bank.MessageKind{bank.Successful}}, {disputed, refused},
		{failed, []bank.MessageKind{bank.Unpaid}}} {
		if kinds := p.kindsOf(c.of.ID); !slices.Equal(kinds, c.want) {
			t.Errorf("%v, want %v", kinds, c.want)
		}
	}
}
