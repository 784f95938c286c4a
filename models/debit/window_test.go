package debit_test

import (
	"strings"
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
)

// Since 13 April 2026 a dispute is refunded at once until the last day, and after it nothing is disputed: the bank asks
// for no proof, and no dispute is won. Money that the bank took back all the same is gone.
func TestADisputeIsRefundedUntilTheLastDayAndRefusedAfterIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		late     bool
		reversed bool
		status   purchase.Status
		state    collection.State
		left     int64
		said     string
	}{
		"on the last day":               {false, false, purchase.Chargeback, collection.Disputed, 0, "back to the client."},
		"a day later":                   {true, false, purchase.Paid, collection.Final, 10000, "the last day on which"},
		"a day later, and the money is": {true, true, purchase.Chargeback, collection.Disputed, 0, "ask your bank why"},
	} {
		h := open(t)
		p := h.collected(10000)
		last, may := p.Collection.DisputableUntil()
		if !may || last != p.Collection.ActionDate.AddDays(60) || p.Collection.DisputeDeadline != last {
			t.Fatalf("%s: until %s, %v", name, last, may)
		}
		at := last.At(23, 0)
		if c.late {
			at = last.AddDays(1).At(6, 0)
		}
		h.to(at)
		h.fetches(bank.Message{ID: "dispute", InstructionID: p.Collection.ID, Kind: bank.Disputed, Code: "30", At: at,
			Raw: []byte("{}"), Reversed: c.reversed})
		got := h.get(p.ID)
		if got.Status != c.status || got.Collection.State != c.state || h.ledger(p.ID) != c.left ||
			got.Collection.ProofDue || !got.Collection.ProofBy().IsZero() {
			t.Errorf("%s: %s, %s, ledger %d, proof due %v", name, got.Status, got.Collection.State, h.ledger(p.ID),
				got.Collection.ProofDue)
		}
		if n := h.number(`SELECT count(*) FROM audit_entries WHERE text LIKE '%' || $1 || '%'`, c.said); n != 1 {
			t.Errorf("%s: %d entries say %q", name, n, c.said)
		}
	}
}

func TestADebitKeepsTheRowsItIsJudgedBy(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	rows := strings.Fields(h.get(p.ID).Collection.DisputeRows)
	if len(rows) != 4 || rows[0] != "dispute.auto_days/any/scheme/2026-04-13" {
		t.Errorf("judged by %v", rows)
	}
	h.exec(`UPDATE collections SET dispute_rows = '', dispute_until = NULL, dispute_deadline = action_date + 40`)
	if last, _ := h.get(p.ID).Collection.DisputableUntil(); last != p.Collection.ActionDate.AddDays(60) {
		t.Errorf("a debit of the release before can be disputed until %s", last)
	}
}
