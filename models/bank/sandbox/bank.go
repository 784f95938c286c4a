package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

// Bank is the sandbox bank behind the port.
type Bank struct {
	ledger Ledger
	now    func() time.Time
	tt     collection.Timetable
	cal    *calendar.Calendar
}

var (
	_ bank.Gateway  = (*Bank)(nil)
	_ bank.Verifier = (*Bank)(nil)
)

// New makes a sandbox bank whose answers follow the clock now, in whole microseconds.
func New(ledger Ledger, now func() time.Time, tt collection.Timetable, cal *calendar.Calendar) *Bank {
	micro := func() time.Time { return now().Truncate(time.Microsecond) }
	return &Bank{ledger, micro, tt, cal}
}

// Name is "sandbox".
func (b *Bank) Name() string { return "sandbox" }

// Capabilities: the sandbox bank can do everything.
func (b *Bank) Capabilities() bank.Capabilities {
	return bank.Everything()
}

// Verify answers by the account number alone.
func (b *Bank) Verify(_ context.Context, v bank.Verification) (bank.Verified, error) {
	return verify(v.Account), nil
}

// Submit takes collections by EFT and DebiCheck and refuses other methods.
func (b *Bank) Submit(ctx context.Context, collections []bank.Instruction) ([]bank.Receipt, error) {
	receipts := make([]bank.Receipt, len(collections))
	var orders []Order
	var at []int
	byID := map[uuid.UUID]bank.Instruction{}
	for i, in := range collections {
		receipts[i].ID = in.ID
		if in.Method != bank.EFT && in.Method != bank.DebiCheck {
			receipts[i].Refused, receipts[i].Reason = true, "The sandbox bank collects by EFT and DebiCheck only."
			continue
		}
		orders = append(orders, Order{ID: in.ID, MerchantID: in.MerchantID, Kind: Collection, Method: string(in.Method),
			Account:     in.Account,
			AmountCents: in.AmountCents, ActionDate: in.ActionDate, Disputable: in.Method == bank.EFT || in.Disputable})
		at, byID[in.ID] = append(at, i), in
	}
	fresh, err := b.ledger.Save(ctx, orders, func(o Order, previous int) []Entry {
		return Script(byID[o.ID], previous, b.tt, b.cal)
	})
	if err != nil {
		return nil, fmt.Errorf("submit to the sandbox bank: %w", err)
	}
	for n, i := range at {
		receipts[i].Repeat = !fresh[n]
	}
	return receipts, nil
}

// SubmitRefunds takes every refund.
func (b *Bank) SubmitRefunds(ctx context.Context, refunds []bank.Refund) ([]bank.Receipt, error) {
	orders := make([]Order, len(refunds))
	for i, r := range refunds {
		orders[i] = Order{ID: r.ID, MerchantID: r.MerchantID, Kind: Refund, Account: r.Account,
			AmountCents: r.AmountCents}
	}
	now := b.now()
	fresh, err := b.ledger.Save(ctx, orders, func(Order, int) []Entry { return RefundScript(now, b.tt, b.cal) })
	if err != nil {
		return nil, fmt.Errorf("submit refunds to the sandbox bank: %w", err)
	}
	receipts := make([]bank.Receipt, len(refunds))
	for i, r := range refunds {
		receipts[i] = bank.Receipt{ID: r.ID, Repeat: !fresh[i]}
	}
	return receipts, nil
}

// Fetch gives the answers due by the sandbox clock.
func (b *Bank) Fetch(ctx context.Context, limit int) ([]bank.Message, error) {
	answers, err := b.ledger.Due(ctx, b.now(), limit)
	if err != nil {
		return nil, fmt.Errorf("fetch from the sandbox bank: %w", err)
	}
	messages := make([]bank.Message, len(answers))
	for i, a := range answers {
		messages[i] = messageOf(a)
	}
	return messages, nil
}

// Acknowledge marks messages as delivered.
func (b *Bank) Acknowledge(ctx context.Context, messageIDs []string) error {
	ids := make([]AnswerID, 0, len(messageIDs))
	for _, text := range messageIDs {
		if id, ok := parseMessageID(text); ok {
			ids = append(ids, id)
		}
	}
	if err := b.ledger.Acknowledge(ctx, ids); err != nil {
		return fmt.Errorf("acknowledge to the sandbox bank: %w", err)
	}
	return nil
}

// Recall withdraws a collection until its first answer is due.
func (b *Bank) Recall(ctx context.Context, instructionID uuid.UUID) error {
	now := b.now()
	return b.ledger.Replace(ctx, instructionID, func(r Record) ([]Entry, error) {
		switch {
		case r.Order.Kind != Collection:
			return nil, bank.ErrUnknown
		case r.has(bank.Recalled):
			return nil, nil
		case len(r.Delivered) > 0 || slices.ContainsFunc(r.Waiting, dueBy(now)):
			return nil, bank.ErrTooLate
		}
		return []Entry{{Kind: bank.Recalled, Code: bank.CodeRecalled, DueAt: now}}, nil
	})
}

// Contest wins a dispute outside the window on the next processing morning, if the proof comes in time.
func (b *Bank) Contest(ctx context.Context, p bank.Proof) error {
	now := b.now()
	return b.ledger.Replace(ctx, p.InstructionID, func(r Record) ([]Entry, error) {
		if r.Order.Kind != Collection {
			return nil, bank.ErrUnknown
		}
		if r.has(bank.DisputeWon) {
			return nil, nil
		}
		lost := slices.IndexFunc(r.Waiting, func(e Entry) bool { return e.Kind == bank.DisputeLost })
		if lost < 0 || !r.Waiting[lost].DueAt.After(now) || !slices.ContainsFunc(r.all(), disputedBy(now)) {
			return nil, bank.ErrTooLate
		}
		keep := slices.DeleteFunc(slices.Clone(r.Waiting), func(e Entry) bool { return e.Kind == bank.DisputeLost })
		return append(keep, Entry{Kind: bank.DisputeWon, Code: r.Waiting[lost].Code, DueAt: nextMorning(now, b.tt, b.cal)}),
			nil
	})
}

func (r Record) all() []Entry { return append(slices.Clone(r.Delivered), r.Waiting...) }

func (r Record) has(kind bank.MessageKind) bool {
	return slices.ContainsFunc(r.all(), func(e Entry) bool { return e.Kind == kind })
}

func dueBy(now time.Time) func(Entry) bool {
	return func(e Entry) bool { return !e.DueAt.After(now) }
}

func disputedBy(now time.Time) func(Entry) bool {
	return func(e Entry) bool { return e.Kind == bank.Disputed && !e.DueAt.After(now) }
}

func messageOf(a Answer) bank.Message {
	m := bank.Message{
		ID:            a.OrderID.String() + "/" + strconv.Itoa(a.Entry.Seq),
		InstructionID: a.OrderID,
		Kind:          a.Entry.Kind,
		Code:          a.Entry.Code,
		Channel:       a.Entry.Channel,
		Reference:     a.Entry.Reference,
		At:            a.Entry.DueAt.UTC(),
	}
	m.Raw = rawOf(m)
	return m
}

// rawOf is the message as this bank would have sent it.
func rawOf(m bank.Message) []byte {
	raw, err := json.Marshal(struct {
		Bank        string    `json:"bank"`
		Message     string    `json:"message"`
		Instruction uuid.UUID `json:"instruction"`
		Kind        string    `json:"kind"`
		Code        string    `json:"code"`
		Channel     string    `json:"channel,omitempty"`
		Reference   string    `json:"reference,omitempty"`
		At          time.Time `json:"at"`
	}{"sandbox", m.ID, m.InstructionID, string(m.Kind), m.Code, m.Channel, m.Reference, m.At})
	if err != nil {
		return nil
	}
	return raw
}

func parseMessageID(text string) (AnswerID, bool) {
	order, number, _ := strings.Cut(text, "/")
	id, err := uuid.Parse(order)
	if err != nil {
		return AnswerID{}, false
	}
	seq, err := strconv.Atoi(number)
	return AnswerID{id, seq}, err == nil
}
