package debit_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/debit"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/storetest/thorough"
)

// Banks answer late, twice and out of order. Whatever they say, the statement and
// the purchases tell of the same money.
func TestTheStatementAgreesWithThePurchasesWhateverTheBankSays(t *testing.T) {
	t.Parallel()
	h := open(t)
	checks := thorough.Times(25, 100)
	var ready []purchase.Record
	for range checks + 20 {
		ready = append(ready, h.tokenise("4000009901", 10000)) // its own bank keeps silent
	}
	h.to(day(3).At(12, 0))
	deliveries := 0
	thorough.Check(t, func(t *rapid.T) {
		if len(ready) == 0 {
			ready = append(ready, h.get(h.tokenise("4000009901", 10000).ID))
		}
		p := ready[0]
		ready = ready[1:]
		line := &gateway{Gateway: h.bank}
		engine := h.engine(line)
		messages := rapid.SliceOfN(drawMessage(p), 1, 8).Draw(t, "messages")
		messages = append(messages, rapid.SliceOfN(rapid.SampledFrom(messages), 0, 4).Draw(t, "repeated")...)
		for len(messages) > 0 {
			n := rapid.IntRange(1, len(messages)).Draw(t, "delivered together")
			deliveries++
			deliver(t, engine, line, messages[:n])
			messages = messages[n:]
			if rapid.Bool().Draw(t, "refund") {
				if _, err := h.purchases.Refund(ctx, h.who, p.ID, nil); err != nil && !fault.Is(err, fault.Conflict) {
					t.Fatal(err)
				}
			}
			rec := h.get(p.ID)
			if got, want := h.ledger(p.ID), shown(rec.Purchase); got != want {
				t.Fatalf("the statement says %d, the purchase (%s, collection %s) %d", got, rec.Status, rec.Collection.State, want)
			}
			if sum := h.ledger(p.ID); sum > 10000 {
				t.Fatalf("%d of 10000 were collected", sum)
			}
			agree(t, rec)
		}
	})
	if deliveries == 0 {
		t.Error("nothing was delivered")
	}
}

func deliver(t *rapid.T, engine *debit.Service, line *gateway, messages []bank.Message) {
	waiting := slices.Clone(messages)
	line.fetched = func(others []bank.Message) []bank.Message {
		out := append(waiting, others...)
		waiting = nil
		return out
	}
	if _, err := engine.Run(ctx); err != nil {
		t.Fatal(err)
	}
}

var codesOf = map[bank.MessageKind][]string{
	bank.Provisional: {"00", "14"}, bank.Unpaid: {"02", "22", "12", "99", "NR"}, bank.Disputed: {"30", "34"},
	bank.DisputeWon: {"30"}, bank.DisputeLost: {"30"}, bank.Recalled: {"28"},
}

func drawMessage(p purchase.Record) *rapid.Generator[bank.Message] {
	return rapid.Custom(func(t *rapid.T) bank.Message {
		kind := rapid.SampledFrom([]bank.MessageKind{bank.Provisional, bank.Provisional, bank.Unpaid, bank.Disputed,
			bank.DisputeWon, bank.DisputeLost, bank.Recalled}).Draw(t, "kind")
		return bank.Message{
			ID:            fmt.Sprintf("%s/%d", p.ID, rapid.IntRange(1, 1000).Draw(t, "id")),
			InstructionID: p.Collection.ID, Kind: kind, Code: rapid.SampledFrom(codesOf[kind]).Draw(t, "code"),
			At: p.Collection.ActionDate.AddDays(rapid.SampledFrom([]int{0, 1, 10, 41, 60}).Draw(t, "day")).At(17,
				0).Add(time.Microsecond), Raw: []byte("{}"),
		}
	})
}

// agree: what the collection is and what the purchase is fit each other.
func agree(t *rapid.T, rec purchase.Record) {
	fits := map[collection.State][]purchase.Status{
		collection.Submitted:   {purchase.PendingExecute},
		collection.Provisional: {purchase.Paid, purchase.PendingRefund, purchase.Refunded},
		collection.Unpaid:      {purchase.Failed},
		collection.Disputed:    {purchase.Chargeback},
		collection.DisputeWon:  {purchase.Paid, purchase.PendingRefund, purchase.Refunded},
		collection.DisputeLost: {purchase.Chargeback},
		collection.Recalled:    {purchase.Failed},
	}
	if !slices.Contains(fits[rec.Collection.State], rec.Status) {
		t.Fatalf("a purchase that is %s has a collection that is %s", rec.Status, rec.Collection.State)
	}
}
