package exchange

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Service plays the bank port over messages. Every method may be repeated, may run in
// several processes at once, and may be ended at any moment.
type Service struct {
	Store   Store
	Rules   Rules
	Encoder Encoder
	Decoder Decoder
	// Spellings are other forms in which a person may have a message.
	Spellings []Spelling
	Box       Box
	Calendar  *calendar.Calendar
	Now       func() time.Time
	Log       *slog.Logger
	Chunk     int // events and items in one transaction; 0: 1000
	// ShowClock tells a simulated bank what time it is, before anything else is done; nil: the bank has a clock.
	ShowClock func(time.Time) error
}

var _ bank.Gateway = (*Service)(nil)

const defaultChunk = 1000

func (s *Service) chunk() int {
	if s.Chunk > 0 {
		return s.Chunk
	}
	return defaultChunk
}

// Name is the name of the connection, such as "files".
func (s *Service) Name() string { return s.Rules.Name }

// Capabilities are what the profile of the bank says.
func (s *Service) Capabilities() bank.Capabilities { return s.Rules.Capabilities }

// Submit takes debits for the next cut.
func (s *Service) Submit(ctx context.Context, debits []bank.Instruction) ([]bank.Receipt, error) {
	orders := make([]Order, len(debits))
	for i := range debits {
		orders[i].Debit = &debits[i]
	}
	return s.take(ctx, orders)
}

// SubmitRefunds takes payments back to payers for the next cut.
func (s *Service) SubmitRefunds(ctx context.Context, refunds []bank.Refund) ([]bank.Receipt, error) {
	orders := make([]Order, len(refunds))
	for i := range refunds {
		orders[i].Refund = &refunds[i]
	}
	return s.take(ctx, orders)
}

// RequestMandate takes a request for the next cut.
func (s *Service) RequestMandate(ctx context.Context, r bank.MandateRequest) (bank.Receipt, error) {
	receipts, err := s.take(ctx, []Order{{Request: &r}})
	if err != nil {
		return bank.Receipt{}, err
	}
	return receipts[0], nil
}

func (s *Service) take(ctx context.Context, orders []Order) ([]bank.Receipt, error) {
	receipts := make([]bank.Receipt, len(orders))
	var items []Item
	for i, o := range orders {
		item := s.itemOf(o)
		receipts[i].ID = item.ID
		if why := s.refuse(item); why != "" {
			receipts[i].Refused, receipts[i].Reason = true, why
			continue
		}
		item.GroupKey = groupKey(item)
		items = append(items, item)
	}
	var fresh map[uuid.UUID]bool
	err := s.Store.inTx(ctx, func(tx unit) (err error) {
		if fresh, err = tx.takeItems(items); err != nil {
			return err
		}
		return tx.openFindings(missedDeadlines(items, fresh))
	})
	if err != nil {
		return nil, fmt.Errorf("take orders for the bank: %w", err)
	}
	for i := range receipts {
		receipts[i].Repeat = !receipts[i].Refused && !fresh[receipts[i].ID]
	}
	return receipts, nil
}

// refuse says why an order cannot leave at all, in words for a person.
func (s *Service) refuse(i Item) string {
	switch {
	case s.Encoder.Name(i.Kind) == "" || i.Method == bank.DebiCheck && !s.Rules.Capabilities.DebiCheck:
		return "Your bank connection does not take this."
	case i.Order.Request != nil && i.Order.Request.Authentication == "REALTIME":
		return "Your bank connection takes delayed requests only."
	case s.Rules.MaxCents > 0 && i.AmountCents > s.Rules.MaxCents:
		return "The amount is above what your bank takes in one debit."
	default:
		return s.Encoder.Check(i.Order)
	}
}

// itemOf is an order as it waits for its cut.
func (s *Service) itemOf(o Order) Item {
	now := s.Now()
	i := Item{State: ItemWaiting, TakenAt: now, Order: o}
	switch {
	case o.Debit != nil:
		d := o.Debit
		i.ID, i.MerchantID, i.Kind, i.Method, i.AmountCents, i.Currency, i.ActionDate =
			d.ID, d.MerchantID, Debits, d.Method, d.AmountCents, d.Currency, d.ActionDate
		cut, inTime := s.Rules.cutFor(s.Calendar, d.Method, d.ActionDate, now)
		i.CutAt = cut
		if !inTime {
			i.State = ItemLate
		}
		if s.Rules.Success[d.Method] == BySilence {
			i.SilenceAt = s.Rules.SilenceAt.On(s.Calendar.AddBusinessDays(d.ActionDate, 1))
		}
	case o.Refund != nil:
		r := o.Refund
		i.ID, i.MerchantID, i.Kind, i.SubjectID, i.AmountCents, i.Currency = r.ID, r.MerchantID, Refunds, r.InstructionID,
			r.AmountCents, r.Currency
		i.CutAt = s.Rules.NextCut(s.Calendar, now)
	case o.Request != nil:
		i.ID, i.MerchantID, i.Kind, i.Method = o.Request.ID, o.Request.MerchantID, Mandates, bank.DebiCheck
		i.CutAt = s.Rules.soon(now)
	}
	return i
}

// CancelMandate withdraws a request that has not left, and cancels one that has.
func (s *Service) CancelMandate(ctx context.Context, requestID uuid.UUID) error {
	request, found, err := s.Store.ExchangeItem(ctx, requestID, true)
	switch {
	case err != nil:
		return err
	case !found || request.Kind != Mandates || request.Order.Request == nil && !request.Any():
		return bank.ErrUnknown
	}
	id := derived(requestID, Cancellations)
	return s.Store.inTx(ctx, func(tx unit) error {
		held, err := tx.holdItems([]uuid.UUID{requestID})
		if err != nil {
			return err
		}
		now := held[requestID]
		switch now.State {
		case ItemWaiting, ItemLate, ItemDamaged:
			now.State = ItemWithdrawn
			return tx.saveItems([]Item{now})
		case ItemSent:
		default:
			return nil // it never arrived, or was taken back before
		}
		r := request.Order.Request
		if r == nil { // what the bank is to be told cannot be read
			return bank.ErrUnable
		}
		_, err = tx.takeItems(keyed(Item{ID: id, MerchantID: now.MerchantID, Kind: Cancellations, SubjectID: requestID,
			Method: bank.DebiCheck, State: ItemWaiting, TakenAt: tx.Now(), CutAt: s.Rules.soon(tx.Now()),
			Order: Order{Cancel: &Cancellation{ID: id, RequestID: requestID, MessageID: now.MessageID,
				MessageName: s.Encoder.Name(Mandates), Contract: r.ContractReference, Creditor: r.Creditor}}}))
		return err
	})
}

// Recall takes a debit back that has not left, and asks the bank to withdraw one that has.
func (s *Service) Recall(ctx context.Context, debitID uuid.UUID) error {
	debit, found, err := s.Store.ExchangeItem(ctx, debitID, true)
	switch {
	case err != nil:
		return err
	case !found || debit.Kind != Debits || debit.Order.Debit == nil && !debit.Any():
		return bank.ErrUnknown
	}
	return s.Store.inTx(ctx, func(tx unit) error {
		held, err := tx.holdItems([]uuid.UUID{debitID})
		if err != nil {
			return err
		}
		d := held[debitID]
		switch {
		case d.Outcome == bank.Recalled:
			return nil
		case d.Outcome != "":
			return bank.ErrTooLate
		case d.State == ItemWaiting || d.State == ItemLate || d.State == ItemDamaged:
			return s.withdraw(tx, d)
		case d.State != ItemSent:
			return nil // a person decides about it
		case !s.Rules.Capabilities.RecallOne, debit.Any():
			return bank.ErrUnable
		case !tx.Now().Before(d.ActionDate.At(0, 0)):
			return bank.ErrTooLate
		}
		m, err := tx.holdMessage(d.MerchantID, d.MessageID)
		if err != nil {
			return err
		}
		state := ItemWaiting
		if m.State == Held {
			state = ItemHeld // it must not overtake its debit
		}
		id := derived(debitID, Recalls)
		_, err = tx.takeItems(
			keyed(Item{ID: id, MerchantID: d.MerchantID, Kind: Recalls, SubjectID: debitID, Method: d.Method,
				AmountCents: d.AmountCents, Currency: d.Currency, State: state, TakenAt: tx.Now(),
				CutAt: s.Rules.soon(tx.Now()),
				Order: Order{Recall: &Recall{ID: id, DebitID: debitID, MessageID: d.MessageID, MessageName: m.Name,
					GroupID: d.GroupID, AmountCents: d.AmountCents, Currency: d.Currency, ActionDate: d.ActionDate,
					Creditor: debit.Order.Debit.Creditor}}}),
		)
		return err
	})
}

// keyed is one item as it is taken.
func keyed(i Item) []Item {
	i.GroupKey = groupKey(i)
	return []Item{i}
}

// withdraw takes a debit back that nobody outside has seen.
func (s *Service) withdraw(tx unit, d Item) error {
	d.State, d.Outcome = ItemWithdrawn, bank.Recalled
	if err := tx.saveItems([]Item{d}); err != nil {
		return err
	}
	return tx.addAnswers([]Answer{{ID: "withdrawn:" + hexID(d.ID), ItemID: d.ID, MerchantID: d.MerchantID,
		Kind: bank.Recalled, Code: bank.CodeRecalled, At: tx.Now(), Raw: []byte(`<Withdrawn/>`)}})
}

// TakeRefundBack takes a refund back that waits for its cut, in the transaction of whoever ends it; false when it has
// left, or was never taken.
func (s *Service) TakeRefundBack(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	u := unit{tx}
	held, err := u.holdItems([]uuid.UUID{id})
	if err != nil {
		return false, err
	}
	i, found := held[id]
	if !found || i.MerchantID != merchantID || i.Kind != Refunds || !slices.Contains(givenBack, i.State) {
		return false, nil
	}
	i.State = ItemWithdrawn
	return true, u.saveItems([]Item{i})
}

// givenBack are the states in which a refund has not left.
var givenBack = []ItemState{ItemWaiting, ItemDamaged}

// HeldRefunds tells which of some refunds have not left, so that TakeRefundBack takes them back.
func (s *Service) HeldRefunds(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]uuid.UUID, error) {
	return s.Store.heldRefunds(ctx, merchantID, ids)
}

// Contest is not possible by messages: a person sends the mandate to the bank.
func (s *Service) Contest(ctx context.Context, p bank.Proof) error {
	debit, found, err := s.Store.ExchangeItem(ctx, p.InstructionID, false)
	switch {
	case err != nil:
		return err
	case !found || debit.Kind != Debits:
		return bank.ErrUnknown
	default:
		return bank.ErrUnable
	}
}

// Fetch gives answers that the product has not recorded yet.
func (s *Service) Fetch(ctx context.Context, limit int) ([]bank.Message, error) {
	answers, err := s.Store.AnswersDue(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("fetch the bank's answers: %w", err)
	}
	messages := make([]bank.Message, len(answers))
	for i, a := range answers {
		messages[i] = bank.Message{ID: a.ID, InstructionID: a.ItemID, Kind: a.Kind, Code: a.Code, Channel: a.Channel,
			Reference: a.Reference, At: a.At, Raw: a.Raw, Reversed: a.Kind == bank.Disputed} // it is told by a return
	}
	return messages, nil
}

// Acknowledge notes that the product has recorded answers.
func (s *Service) Acknowledge(ctx context.Context, messageIDs []string) error {
	return s.Store.AnswersDelivered(ctx, messageIDs)
}

// derived is the id of a recall or cancellation: the same for the same debit or request.
func derived(of uuid.UUID, k Kind) uuid.UUID { return uuid.NewSHA1(of, []byte(k)) }

// hexID is an id as messages carry it: 32 hexadecimal digits.
func hexID(id uuid.UUID) string { return hex.EncodeToString(id[:]) }

// parseHexID reads an id that a message carries, with or without dashes.
func parseHexID(text string) (uuid.UUID, bool) {
	if len(text) != 32 && len(text) != 36 {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}
