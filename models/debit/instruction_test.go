package debit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
)

// listener is the sandbox bank with an ear on what it is asked.
type listener struct {
	bank.Gateway
	mu       sync.Mutex
	broken   error // what the line answers after the bank took debits
	debits   []bank.Instruction
	refunds  []bank.Refund
	requests []bank.MandateRequest
}

func (l *listener) Submit(ctx context.Context, in []bank.Instruction) ([]bank.Receipt, error) {
	l.mu.Lock()
	l.debits = append(l.debits, in...)
	l.mu.Unlock()
	receipts, err := l.Gateway.Submit(ctx, in)
	return receipts, errors.Join(err, l.broken)
}

func (l *listener) SubmitRefunds(ctx context.Context, in []bank.Refund) ([]bank.Receipt, error) {
	l.refunds = append(l.refunds, in...)
	return l.Gateway.SubmitRefunds(ctx, in)
}

func (l *listener) RequestMandate(ctx context.Context, r bank.MandateRequest) (bank.Receipt, error) {
	l.requests = append(l.requests, r)
	return l.Gateway.RequestMandate(ctx, r)
}

// said are the sequences of the debits of a purchase, in the order in which the bank was asked.
func (l *listener) said(collectionID uuid.UUID) (all []bank.Sequence) {
	for _, o := range l.debits {
		if o.ID == collectionID {
			all = append(all, o.Sequence)
		}
	}
	return all
}

func (h *house) listens() *listener {
	l := &listener{Gateway: h.bank}
	h.debits.Bank = l
	return l
}

var creditor = bank.Creditor{Name: "Acme Trading (Pty) Ltd", AbbreviatedName: "TESTMERCH1", ProfileCode: "TEST1",
	Branch: "051001", Account: "12345678"}

func (h *house) trades() { h.exec(`UPDATE brands SET legal_name = $1`, creditor.Name) }

func TestADebitSaysWhoCollectsUnderWhatMandate(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.trades()
	l := h.listens()
	k := h.tokenise("4000000000", 100)
	h.to(day(2).At(16, 0))
	m := h.mandate(k.ID)
	if len(l.debits) != 1 || l.debits[0].Creditor != creditor || l.debits[0].ContractReference != m.ContractReference ||
		l.debits[0].MandateDate != calendar.DateOf(start) || m.ContractReference == "" {
		t.Fatalf("%+v", l.debits)
	}
	h.to(day(12).At(9, 0))
	h.refund(k, 100)
	h.to(day(20).At(9, 0))
	if len(l.refunds) != 1 || l.refunds[0].Creditor != creditor {
		t.Errorf("%+v", l.refunds)
	}
	if text := fmt.Sprintf("%+v %+v", l.debits, l.refunds); strings.Contains(text, "4000000000") {
		t.Errorf("what is handed over shows the account when it is written down: %s", text)
	}
	for _, table := range []string{"bank_messages", "audit_entries", "mandates", "collections", "refunds"} {
		if n := h.number(`SELECT count(*) FROM ` + table + ` r WHERE r::text LIKE '%4000000000%'
			OR r::text LIKE '%34303030303030303030%'`); n != 0 {
			t.Errorf("%s keeps the payer's account", table)
		}
	}
}

func TestTheSequenceOfDebits(t *testing.T) {
	t.Parallel()
	h := open(t)
	l := h.listens()
	k := h.tokenise("4000000000", 0)
	withdrawn := h.mustCharge(k.ID, 100, day(9))
	if _, err := h.purchases.Cancel(ctx, h.who, withdrawn.ID); err != nil {
		t.Fatal(err)
	}
	first, second := h.mustCharge(k.ID, 200, day(10)), h.mustCharge(k.ID, 300, day(10))
	other := h.mustCharge(h.tokenise("4000000000", 0).ID, 400, day(10))
	l.broken = errors.New("the line is down")
	must(t, h.store.Clock.MoveTo(ctx, first.Collection.SubmitAt))
	for range 2 {
		if _, err := h.debits.Run(ctx); !errors.Is(err, l.broken) {
			t.Fatal(err)
		}
	}
	l.broken = nil
	h.run()
	third := h.mustCharge(k.ID, 500, day(20))
	h.to(day(19).At(9, 0))
	for _, c := range []struct {
		what string
		id   uuid.UUID
		want string
	}{
		{"withdrawn before it left", withdrawn.Collection.ID, "[]"},
		{"first, handed over three times", first.Collection.ID, "[FRST FRST FRST]"},
		{"second of the same hand-over", second.Collection.ID, "[RCUR RCUR RCUR]"},
		{"first of another mandate", other.Collection.ID, "[FRST FRST FRST]"},
		{"third", third.Collection.ID, "[RCUR]"},
	} {
		if got := fmt.Sprint(l.said(c.id)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

func TestADebitThatWasRefusedOrRecalledIsNotTheFirst(t *testing.T) {
	t.Parallel()
	h := open(t)
	l := h.listens()
	refused, recalled := h.tokenise("4000000000", 0), h.tokenise("4000000000", 0)
	one := h.mustCharge(refused.ID, 100, day(9))
	h.debits.Bank = refusing{h.bank}
	h.to(one.Collection.SubmitAt)
	h.debits.Bank = l
	two := h.mustCharge(recalled.ID, 100, day(9))
	h.to(two.Collection.SubmitAt)
	if _, err := h.purchases.Cancel(ctx, h.who, two.ID); err != nil {
		t.Fatal(err)
	}
	h.exec(`UPDATE tokens SET state = 'active', blocked_code = ''`)
	for _, k := range []uuid.UUID{refused.ID, recalled.ID} {
		p := h.mustCharge(k, 200, day(19))
		h.to(p.Collection.SubmitAt)
		if got := fmt.Sprint(l.said(p.Collection.ID)); got != "[FRST]" {
			t.Errorf("%s", got)
		}
	}
}

// refusing is a bank that takes no debit.
type refusing struct{ bank.Gateway }

func (refusing) Submit(_ context.Context, in []bank.Instruction) ([]bank.Receipt, error) {
	out := make([]bank.Receipt, len(in))
	for i := range in {
		out[i] = bank.Receipt{ID: in[i].ID, Refused: true, Code: "02"}
	}
	return out, nil
}

func TestAMandateForOneDebitIsOnceOff(t *testing.T) {
	t.Parallel()
	h := open(t)
	l := h.listens()
	eft := h.gives(h.invoiced(nil), false, "4000000000")
	h.ask(asking{account: "4000000000", cents: 10000, once: true})
	h.to(day(4).At(9, 0))
	if len(l.debits) != 2 || l.said(eft.Collection.ID)[0] != bank.OnceOffDebit ||
		l.debits[0].Sequence != l.debits[1].Sequence {
		t.Errorf("%+v", l.debits)
	}
}

func TestARequestForAMandateSaysWhoAsksAndWhen(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.trades()
	l := h.listens()
	ahead, now := day(25), h.request(asking{account: "4000000000", cents: 10000})
	later := h.request(asking{account: "4000000000", cents: 10000, due: noon(ahead), anyDay: true, how: mandate.Delayed})
	h.run()
	h.to(day(3).At(9, 0))
	if len(l.requests) != 2 {
		t.Fatalf("%+v", l.requests)
	}
	for _, r := range l.requests {
		if r.Creditor != creditor || !r.Tracking {
			t.Errorf("%+v", r)
		}
		want := calendar.Date{}
		if r.MandateID == later.ID {
			want = ahead
		}
		if r.FirstDate != want || r.DateAdjustment != (r.MandateID == later.ID) {
			t.Errorf("first debit on %s, date adjustment %t", r.FirstDate, r.DateAdjustment)
		}
	}
	if o := l.debits[0]; o.ID != h.get(now.ID).Collection.ID || o.Sequence != bank.FirstDebit ||
		o.MandateDate != calendar.DateOf(h.mandate(now.ID).AcceptedAt) || o.Creditor != creditor {
		t.Errorf("%+v", o)
	}
}
