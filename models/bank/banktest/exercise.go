// Package banktest holds the script that every gateway must play; it knows the bank port and no gateway.
package banktest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// Bench is a gateway with the means to play with it.
type Bench struct {
	Gateway    bank.Gateway
	Verifier   bank.Verifier
	MerchantID uuid.UUID
	ActionDate calendar.Date   // a business day whose submission deadline is still ahead
	MoveTo     func(time.Time) // moves the bank's clock forward

	Branch   string
	Pays     bank.AccountNumber // pays and stays paid
	Returns  bank.AccountNumber // comes back unpaid
	Disputes bank.AccountNumber // pays and is disputed within forty days
	Declines bank.AccountNumber // the payer refuses mandates
	Ignores  bank.AccountNumber // the payer answers no mandate request

	// Quiet: the bank says nothing of disputes that the payer's bank refused.
	Quiet bool
}

// Exercise plays one script with a fresh gateway for each part.
func Exercise(t *testing.T, open func(t *testing.T) Bench) {
	parts := []struct {
		name string
		play func(*testing.T, player)
	}{
		{"a collection is answered once, however often it is handed over", answeredOnce},
		{"answers come again until they are acknowledged", untilAcknowledged},
		{"answers come oldest first and never more than asked for", oldestFirst},
		{"a return and a dispute carry their codes", codes},
		{"a recall is confirmed and comes too late after an answer", recall},
		{"a refund is settled once", refund},
		{"a proof without a dispute is refused", proof},
		{"an account is verified", verification},
		{"a mandate request is answered once, however often it is made", mandateOnce},
		{"a mandate is accepted, refused or not answered", mandateAnswers},
		{"nothing follows on a mandate request that was cancelled", mandateCancelled},
		{"a debit under a mandate is collected for good", underMandate},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { part.play(t, player{t, open(t)}) })
	}
}

func answeredOnce(t *testing.T, p player) {
	a, b := p.instruction(p.Pays), p.instruction(p.Returns)
	receipts := p.submit(a, b)
	if receipts[0].Repeat || receipts[1].Repeat || receipts[0].Refused || receipts[1].Refused {
		t.Fatalf("a first submission: %+v", receipts)
	}
	c := p.instruction(p.Pays)
	receipts = p.submit(b, c)
	if !receipts[0].Repeat || receipts[1].Repeat {
		t.Errorf("b is repeated and c is new: %+v", receipts)
	}
	p.MoveTo(p.ActionDate.At(0, 0))
	if early := p.fetch(100); len(early) != 0 {
		t.Errorf("nothing is answered at the start of the action date: %+v", early)
	}
	p.afterReturns()
	for _, in := range []bank.Instruction{a, b, c} {
		if kinds := p.kindsOf(in.ID); len(kinds) != 1 {
			t.Errorf("%d answers of one collection: %v", len(kinds), kinds)
		}
	}
}

func untilAcknowledged(t *testing.T, p player) {
	p.submit(p.instruction(p.Pays))
	p.afterReturns()
	first, second := p.fetch(100), p.fetch(100)
	if len(first) != 1 || len(second) != 1 || first[0].ID != second[0].ID || first[0].Kind != bank.Provisional {
		t.Fatalf("%+v then %+v", first, second)
	}
	p.acknowledge(first[0].ID)
	p.acknowledge(first[0].ID, "unknown", uuid.NewString()+"/1")
	if rest := p.fetch(100); len(rest) != 0 {
		t.Errorf("acknowledged and yet again: %+v", rest)
	}
}

func oldestFirst(t *testing.T, p player) {
	p.submit(p.instruction(p.Returns), p.instruction(p.Pays), p.instruction(p.Pays))
	p.afterReturns()
	all := p.fetch(100)
	if len(all) != 3 || !slices.IsSortedFunc(all, func(a, b bank.Message) int { return a.At.Compare(b.At) }) {
		t.Errorf("order: %+v", all)
	}
	if some := p.fetch(2); len(some) != 2 || some[0].ID != all[0].ID {
		t.Errorf("two were asked for: %+v", some)
	}
}

func codes(t *testing.T, p player) {
	unpaid, disputed := p.instruction(p.Returns), p.instruction(p.Disputes)
	p.submit(unpaid, disputed)
	p.MoveTo(p.ActionDate.AddDays(40).At(23, 59))
	for _, m := range p.fetch(100) {
		class := bank.CodeOf(m.Code).Class
		switch {
		case m.InstructionID == unpaid.ID && (m.Kind != bank.Unpaid || !bank.CodeOf(m.Code).Failed()):
			t.Errorf("unpaid: %+v", m)
		case m.Kind == bank.Disputed && class != bank.Dispute, m.Kind == bank.Provisional && class != bank.Success:
			t.Errorf("kind and code disagree: %+v", m)
		}
		if strings.Contains(string(m.Raw), p.Returns.Reveal()) || strings.Contains(string(m.Raw), p.Disputes.Reveal()) {
			t.Errorf("a raw message carries an account number: %s", m.Raw)
		}
	}
	if kinds := p.kindsOf(disputed.ID); !slices.Equal(kinds, []bank.MessageKind{bank.Provisional, bank.Disputed}) {
		t.Errorf("disputed: %v", kinds)
	}
}

func recall(t *testing.T, p player) {
	in, late := p.instruction(p.Pays), p.instruction(p.Pays)
	p.submit(in, late)
	for range 2 {
		if err := p.Gateway.Recall(context.Background(), in.ID); err != nil {
			t.Fatalf("recall: %v", err)
		}
	}
	if err := p.Gateway.Recall(context.Background(), uuid.New()); !errors.Is(err, bank.ErrUnknown) {
		t.Errorf("recall of nothing: %v", err)
	}
	p.afterReturns()
	if err := p.Gateway.Recall(context.Background(), late.ID); !errors.Is(err, bank.ErrTooLate) {
		t.Errorf("recall after the answer: %v", err)
	}
	if kinds := p.kindsOf(in.ID); !slices.Equal(kinds, []bank.MessageKind{bank.Recalled}) {
		t.Errorf("recalled: %v", kinds)
	}
}

func refund(t *testing.T, p player) {
	in := p.instruction(p.Pays)
	p.submit(in)
	p.afterReturns()
	r := bank.Refund{
		ID: uuid.New(), InstructionID: in.ID, MerchantID: p.MerchantID, AmountCents: in.AmountCents, Currency: in.Currency,
		Branch: in.Branch, Account: in.Account, AccountType: in.AccountType, HolderName: in.HolderName,
		StatementLine: in.StatementLine, Creditor: in.Creditor,
	}
	for n := range 2 {
		receipts, err := p.Gateway.SubmitRefunds(context.Background(), []bank.Refund{r})
		if err != nil || len(receipts) != 1 || receipts[0].ID != r.ID || receipts[0].Repeat != (n == 1) {
			t.Fatalf("submission %d: %+v %v", n, receipts, err)
		}
	}
	p.MoveTo(p.ActionDate.AddDays(40).At(23, 59))
	if kinds := p.kindsOf(r.ID); !slices.Equal(kinds, []bank.MessageKind{bank.RefundSettled}) {
		t.Errorf("refund: %v", kinds)
	}
}

func proof(t *testing.T, p player) {
	in := p.instruction(p.Pays)
	p.submit(in)
	refused := bank.ErrTooLate
	if !p.Gateway.Capabilities().Contest {
		refused = bank.ErrUnable
	}
	if err := p.Gateway.Contest(context.Background(), bank.Proof{InstructionID: in.ID}); !errors.Is(err, refused) {
		t.Errorf("nothing is disputed: %v", err)
	}
	if err := p.Gateway.Contest(context.Background(), bank.Proof{InstructionID: uuid.New()}); !errors.Is(err,
		bank.ErrUnknown) {
		t.Errorf("an unknown collection: %v", err)
	}
}

func verification(t *testing.T, p player) {
	v, err := p.Verifier.Verify(context.Background(), bank.Verification{MerchantID: p.MerchantID, Branch: p.Branch,
		Account: p.Pays})
	if err != nil || len(v.Failures()) != 0 {
		t.Errorf("%+v %v", v, err)
	}
	if p.Gateway.Name() == "" {
		t.Error("the gateway has no name")
	}
}
