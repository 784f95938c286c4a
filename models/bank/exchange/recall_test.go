package exchange_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
)

// recalled hands over two debits that leave, and recalls the first; it gives the recall's message and id.
func recalled(t *testing.T) (b *bench, ids []uuid.UUID, message string, recall uuid.UUID) {
	t.Helper()
	b = open(t, nil)
	ids, debits := b.sent(2, thursday)
	b.arrive("ack", acknowledged(debits))
	must(t, b.Recall(t.Context(), ids[0]))
	b.at(monday.At(11, 45))
	b.work()
	must(t, b.store.Pool.QueryRow(t.Context(), `SELECT id, message_id FROM bank_items WHERE kind = 'recalls'`).
		Scan((*[16]byte)(&recall), &message))
	return b, ids, message, recall
}

// A status report about the message of a recall counts for the debit that it recalls, and for that one alone.
func TestAStatusOfARecallCountsForTheDebitThatItRecalls(t *testing.T) {
	const reversal, cancellation = "pain.007.001.10", "camt.055.001.09"
	for _, one := range []struct {
		what, form, status string
		of                 func(ids []uuid.UUID, recall uuid.UUID) uuid.UUID
		cents              int64 // -1: under another message of ours
		done               bool
		findings           string
	}{
		{"the debit is reversed", reversal, "ACSC", first, 0, true, ""},
		{"the reversal of it is done", reversal, "ACCC", itself, 0, true, ""},
		{"the debit is cancelled", cancellation, "CANC", first, 0, true, ""},
		{"with its amount", reversal, "ACSC", first, 15000, true, ""},
		{"the reversal was accepted", reversal, "ACCP", first, 0, false, ""},
		{"the request was settled, whatever that is", cancellation, "ACSC", first, 0, false, ""},
		{"refused", reversal, "RJCT", first, 0, false, ""},
		{"with another amount", reversal, "ACSC", first, 15001, false, "differs"},
		{"a debit that nobody recalled", reversal, "ACSC", second, 0, false, "unknown_item"},
		{"a recall that left in another message", reversal, "ACSC", first, -1, false, "unknown_item"},
		{"a stranger", reversal, "ACSC", func([]uuid.UUID, uuid.UUID) uuid.UUID { return uuid.New() }, 0, false,
			"unknown_item"},
	} {
		t.Run(one.what, func(t *testing.T) {
			b, ids, message, recall := recalled(t)
			e := status(one.of(ids, recall), one.status)
			e.MessageID, e.MessageName, e.AmountCents, e.HasAmount = message, one.form, one.cents, one.cents > 0
			if one.cents < 0 {
				e.MessageID = "DD20270111-000001"
			}
			b.arrive("status", e)
			want := map[uuid.UUID][]string{}
			if one.done {
				want[ids[0]] = []string{"recalled 28"}
			}
			if got := b.outcomes(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v, not %v", got, want)
			}
			if got := strings.Join(b.findings(), " "); got != one.findings {
				t.Errorf("findings: %q, not %q", got, one.findings)
			}
			acked := b.number(`SELECT count(*) FROM bank_files_out WHERE id = $1 AND ack_at IS NOT NULL`, message)
			if want := map[bool]int{true: 1, false: 0}[one.findings == ""]; acked != want {
				t.Errorf("acknowledged: %d", acked)
			}
		})
	}
}

func first(ids []uuid.UUID, _ uuid.UUID) uuid.UUID  { return ids[0] }
func second(ids []uuid.UUID, _ uuid.UUID) uuid.UUID { return ids[1] }
func itself(_ []uuid.UUID, recall uuid.UUID) uuid.UUID {
	return recall
}

// A status of a whole message of reversals holds for all of its debits.
func TestAStatusOfAllReversalsCountsForTheirDebits(t *testing.T) {
	b, ids, message, _ := recalled(t)
	b.arrive("group", exchange.Event{Kind: exchange.OnGroup, MessageID: message, MessageName: "pain.007.001.10",
		GroupID: "of the debits", Status: "ACSC"})
	if got := b.outcomes(); len(got) != 0 || len(b.findings()) != 0 {
		t.Errorf("a part of the file of the debits counted: %v %v", got, b.findings())
	}
	b.arrive("all", exchange.Event{Kind: exchange.OnMessage, MessageID: message, MessageName: "pain.007.001.10",
		Status: "ACSC"})
	if got := b.outcomes(); !slices.Equal(got[ids[0]], []string{"recalled 28"}) || len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// Where a bank wants one group in a message, recalls of several groups leave in several messages.
func TestRecallsLeaveApartWhereTheFormHoldsOneGroup(t *testing.T) {
	for _, apart := range []bool{false, true} {
		b := open(t, func(r *exchange.Rules) { r.OneGroup = map[exchange.Kind]bool{exchange.Recalls: apart} })
		one, _ := b.sent(2, thursday)
		other, _ := b.sent(1, thursday.AddDays(1))
		for _, id := range append(one, other...) {
			must(t, b.Recall(t.Context(), id))
		}
		b.at(monday.At(11, 45))
		b.work()
		want := map[bool]int{false: 1, true: 2}[apart]
		if n := b.number(`SELECT count(*) FROM bank_files_out WHERE kind = 'recalls'`); n != want {
			t.Errorf("apart %v: %d messages", apart, n)
		}
		if n := b.number(`SELECT count(*) FROM bank_items WHERE kind = 'recalls' AND state = 'sent'`); n != 3 {
			t.Errorf("apart %v: %d recalls left", apart, n)
		}
	}
}

// A message that its form does not allow has no bytes; a person is asked, and it leaves once the profile is right.
func TestAMessageThatItsFormDoesNotAllowIsNotWritten(t *testing.T) {
	b := open(t, nil)
	b.debits(2, thursday)
	b.at(monday.At(11, 30))
	b.Encoder = exchangetest.Codec{Account: "50100000001", Broken: fmt.Errorf("write it: %w",
		&exchange.Disallowed{Form: "lines", Why: []string{"Tp/Cd is too long"}})}
	for range 2 {
		b.work()
	}
	if b.number(`SELECT count(*) FROM bank_files_out WHERE content IS NOT NULL`) != 0 || len(b.box.Out) != 0 ||
		b.number(`SELECT count(*) FROM bank_findings WHERE closed_at IS NULL AND kind = 'not_placed'
		AND text LIKE '%Tp/Cd is too long%'`) != 1 {
		t.Errorf("findings %v, placed %v", b.findings(), b.box.Placed)
	}
	b.Encoder = exchangetest.Codec{Account: "50100000001"}
	b.at(monday.At(11, 31).Add(time.Second))
	b.work()
	if len(b.box.Out) != 1 || len(b.findings()) != 0 {
		t.Errorf("findings %v, placed %v", b.findings(), b.box.Placed)
	}
}
