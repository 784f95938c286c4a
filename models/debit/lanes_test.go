package debit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/purchase"
)

// Two processes that are given the same answers write each once, whether or not the debits are ours.
func TestTheSameAnswersTakenAtOnceByTwoProcessesCountOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	var owed []uuid.UUID
	for range 24 {
		owed = append(owed, h.tokenise("4000009901", 10000).ID) // its own bank keeps silent
	}
	h.to(day(3).At(12, 0))
	var messages []bank.Message
	say := func(instruction uuid.UUID) {
		messages = append(messages, bank.Message{ID: fmt.Sprintf("m%d", len(messages)), InstructionID: instruction,
			Kind: bank.Provisional, Code: "00", At: h.store.Now(), Raw: []byte("{}")})
	}
	for _, id := range owed {
		say(h.get(id).Collection.ID)
		say(h.store.NewID()) // somebody else's
	}
	var wait sync.WaitGroup
	for range 3 {
		answers := &line{Gateway: silentBank{h.bank}}
		answers.say(messages...)
		engine := h.engine(answers)
		wait.Go(func() {
			if _, err := engine.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, id := range owed {
		if rec := h.get(id); rec.Status != purchase.Paid || rec.PaymentCount != 1 || h.ledger(id) != 10000 {
			t.Errorf("%s after %d payments, %d cents", rec.Status, rec.PaymentCount, h.ledger(id))
		}
	}
	if n := h.number(`SELECT count(*) FROM bank_messages WHERE message_id LIKE 'm%'`); n != int64(len(messages)) {
		t.Errorf("%d of %d messages are kept", n, len(messages))
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'collection.provisional'`); n != int64(len(owed)) {
		t.Errorf("%d entries of the time lines for %d answers", n, len(owed))
	}
}

// stumbling is a bank whose line panics once.
type stumbling struct {
	bank.Gateway
	calls *atomic.Int64
}

func (s stumbling) Submit(ctx context.Context, orders []bank.Instruction) ([]bank.Receipt, error) {
	if s.calls.Add(1) == 3 {
		panic("the line broke")
	}
	return s.Gateway.Submit(ctx, orders)
}

// A lane that panics ends neither the process nor the others, and what it had claimed is handed over later.
func TestALaneThatPanicsHasFailedAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	h := open(t)
	var owed []uuid.UUID
	for range 40 {
		owed = append(owed, h.tokenise("4000000000", 10000).ID)
	}
	at := h.get(owed[0]).Collection.SubmitAt
	must(t, h.store.Clock.MoveTo(ctx, at))
	engine := h.engine(stumbling{h.bank, new(atomic.Int64)})
	if _, err := engine.Run(ctx); err == nil || !strings.Contains(err.Error(), "the line broke") {
		t.Fatalf("the run ended with %v", err)
	}
	if n := h.number(`SELECT count(*) FROM collections WHERE state = 'submitted'`); n != int64(len(owed)-engine.Chunk) {
		t.Errorf("%d of %d debits were handed over", n, len(owed))
	}
	h.exec(`UPDATE collections SET claimed_until = now() - interval '1 second' WHERE claimed_until IS NOT NULL`)
	done, err := engine.Run(ctx)
	must(t, err)
	if done.HandedOver != engine.Chunk || h.number(`SELECT count(*) FROM collections WHERE state = 'submitted'`) != 40 {
		t.Errorf("%d were handed over afterwards", done.HandedOver)
	}
}
