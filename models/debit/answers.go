package debit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// answers fetches what the bank has to say, records it and acknowledges it after
// the commit. A message that cannot be recorded stays with the bank and does not
// stand in the way of the others.
func (s *Service) answers(ctx context.Context, done *Done) error {
	s.answering.Lock()
	defer s.answering.Unlock()
	var wrong error
	err := sweep(func() (int, error) {
		messages, err := s.Bank.Fetch(ctx, lanes()*s.chunk())
		if err != nil || len(messages) == 0 {
			return 0, err
		}
		var recorded []string
		recorded, wrong = s.record(ctx, messages)
		if len(recorded) == 0 {
			return 0, nil
		}
		if err := s.Bank.Acknowledge(ctx, recorded); err != nil {
			return 0, err
		}
		for _, m := range messages {
			switch {
			case m.Kind.AboutMandate():
				done.touchMandate(m.InstructionID)
			case !aboutRefund(m):
				done.touch(m.InstructionID)
			}
		}
		done.Answered += len(recorded)
		return len(recorded), nil
	})
	return wrap("take the bank's answers", errors.Join(err, wrong))
}

// record writes messages down and gives the ids of those that are written.
func (s *Service) record(ctx context.Context, messages []bank.Message) (recorded []string, wrong error) {
	var debits []bank.Message
	for _, m := range messages {
		take := s.refundAnswer
		switch {
		case m.Kind.AboutMandate():
			take = s.mandateAnswer
		case !aboutRefund(m):
			debits = append(debits, m)
			continue
		}
		if err := take(ctx, m); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("message %s: %w", m.ID, err))
			continue
		}
		recorded = append(recorded, m.ID)
	}
	applied, err := s.applyInLanes(ctx, debits)
	return append(recorded, applied...), errors.Join(wrong, err)
}

// applyInLanes records messages about debits and gives the ids of those that are written.
func (s *Service) applyInLanes(ctx context.Context, messages []bank.Message) (recorded []string, err error) {
	if len(messages) <= s.chunk() {
		return s.applyEach(ctx, messages)
	}
	debits := make([]uuid.UUID, len(messages))
	for i, m := range messages {
		debits[i] = m.InstructionID
	}
	tokens, err := s.Store.tokensDebited(ctx, debits)
	if err != nil {
		return nil, err
	}
	divided := byAccount(messages, tokens, lanes())
	written := make([][]string, len(divided))
	err = abreast(len(divided), func(lane int) (err error) {
		written[lane], err = s.applyEach(ctx, divided[lane])
		return err
	})
	return slices.Concat(written...), err
}

// applyEach records messages in one transaction. When one of them is at fault, each is recorded on its own.
func (s *Service) applyEach(ctx context.Context, messages []bank.Message) (recorded []string, wrong error) {
	if err := s.apply(ctx, messages); err == nil {
		return idsOfMessages(messages), nil
	}
	for _, m := range messages {
		if err := s.apply(ctx, []bank.Message{m}); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("message %s: %w", m.ID, err))
			continue
		}
		recorded = append(recorded, m.ID)
	}
	return recorded, wrong
}

func idsOfMessages(messages []bank.Message) []string {
	ids := make([]string, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	return ids
}

func aboutRefund(m bank.Message) bool {
	return m.Kind == bank.RefundSettled || m.Kind == bank.RefundFailed
}

// apply records messages about debits with all that follows from them, in one
// transaction.
func (s *Service) apply(ctx context.Context, messages []bank.Message) error {
	if len(messages) == 0 {
		return nil
	}
	return s.InTx(ctx, func(tx *database.Tx) error {
		ctx := tx.Context()
		ids := make([]uuid.UUID, len(messages))
		for i, m := range messages {
			ids[i] = m.InstructionID
		}
		set, err := s.hold(ctx, tx, ids)
		if err != nil {
			return err
		}
		ours := func(m bank.Message) bool { return set.collections[m.InstructionID] != nil }
		fresh, err := newMessages(tx, s.Bank.Name(), messages, ours)
		if err != nil || len(fresh) == 0 {
			return err
		}
		var outcomes []outcome
		for _, m := range messages {
			if fresh[m.ID] {
				delete(fresh, m.ID) // a delivery that names one id twice
				outcomes = append(outcomes, set.take(m))
			}
		}
		if set.wrong != nil {
			return set.wrong
		}
		set.save()
		noteOutcomes(tx, s.Bank.Name(), outcomes)
		return nil
	})
}

// refundAnswer records the bank's word on a refund. Settling is its own
// transaction and happens once; the message is kept after it.
func (s *Service) refundAnswer(ctx context.Context, m bank.Message) error {
	r, err := s.Purchases.Store.RefundByID(ctx, m.InstructionID)
	if fault.Is(err, fault.NotFound) {
		return s.keep(ctx, m, outcome{message: m, text: "ignored: the instruction is not ours"})
	}
	if err != nil {
		return err
	}
	outcome := outcome{message: m, merchantID: r.MerchantID, text: "applied: the refund is " + string(m.Kind)}
	var news bool
	if m.Kind == bank.RefundFailed {
		news, err = s.Purchases.RefundFailed(ctx, r.MerchantID, r.PurchaseID, r.ID, refusedRefund(m.Code))
	} else {
		news, err = s.Purchases.RefundSettled(ctx, r.MerchantID, r.PurchaseID, r.ID)
	}
	if err != nil {
		return err
	}
	if !news {
		outcome.text = "ignored: nothing of this refund is still open"
	}
	return s.keep(ctx, m, outcome)
}

// nobodys: of no message is what it is about held.
func nobodys(bank.Message) bool { return false }

func (s *Service) keep(ctx context.Context, m bank.Message, o outcome) error {
	return s.InTx(ctx, func(tx *database.Tx) error {
		fresh, err := newMessages(tx, s.Bank.Name(), []bank.Message{m}, nobodys)
		if err != nil || !fresh[m.ID] {
			return err
		}
		noteOutcomes(tx, s.Bank.Name(), []outcome{o})
		return nil
	})
}
