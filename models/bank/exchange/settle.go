package exchange

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// Drop says that the bank did not run the items that it refused with their message: their debits were not collected.
func (s *Service) Drop(ctx context.Context, who actor.Actor, id string) (m Message, err error) {
	return s.decide(ctx, who, id, "bank.message_dropped", Closed, func(tx unit, m Message, items []Item) (string, error) {
		return fmt.Sprintf("%s of the refused file %s were marked as not collected.", contents(m), m.FileName),
			s.drop(tx, items)
	})
}

// decide lets a person say what becomes of refused items, once. A message that was refused as a whole moves to a state.
func (s *Service) decide(ctx context.Context, who actor.Actor, id, action string, to MessageState,
	act func(unit, Message, []Item) (string, error)) (m Message, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		all, err := tx.holdItemsOf(id, "") // items before messages, as answers do
		if err != nil {
			return err
		}
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		var refused []Item
		var sum int64
		for _, i := range all {
			if i.State == ItemRefused {
				refused, sum = append(refused, i), sum+i.AmountCents
			}
		}
		if len(refused) == 0 {
			return fault.New(fault.Conflict, "nothing_refused", "Nothing in this file is waiting for a decision.")
		}
		of := m
		of.Count, of.SumCents = len(refused), sum
		text, err := act(tx, of, refused)
		if err != nil {
			return err
		}
		tx.Audit(who, messageEntry(action, of, "%s", text))
		if m.State == Refused {
			m.State = to
			if err := tx.saveMessage(m); err != nil {
				return err
			}
		}
		return settleAll(tx, m, who.Name, text)
	})
	return m, err
}

// settleAll closes what is open about the refusals of a message.
func settleAll(tx unit, m Message, by, text string) error {
	if err := tx.settleFindings(MessageRefused, m.ID, by, text); err != nil {
		return err
	}
	if err := tx.settleFindings(Declined, m.ID, by, text); err != nil {
		return err
	}
	groups, err := tx.groups(m.ID)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := tx.settleFindings(GroupRefused, g.ID, by, text); err != nil {
			return err
		}
	}
	return nil
}

// drop tells the product that the bank did not run some items.
func (s *Service) drop(tx unit, items []Item) error {
	var answers []Answer
	for n, i := range items {
		kind := map[Kind]bank.MessageKind{Debits: bank.Unpaid, Refunds: bank.RefundFailed,
			Mandates: bank.MandateFailed}[i.Kind]
		items[n].State, items[n].SilenceAt = ItemDropped, time.Time{}
		if kind == "" {
			continue
		}
		items[n].Outcome, items[n].OutcomeOn = kind, calendar.DateOf(tx.Now())
		answers = append(answers, Answer{ID: "dropped:" + hexID(i.ID), ItemID: i.ID, MerchantID: i.MerchantID, Kind: kind,
			Code: bank.CodeNotRun, At: tx.Now(), Raw: []byte(`<NotRun/>`)})
	}
	if err := tx.saveItems(items); err != nil {
		return err
	}
	return tx.addAnswers(answers)
}

// Late says what becomes of debits that missed the deadline of their day: they are sent all the same, or they were not
// collected.
func (s *Service) Late(ctx context.Context, who actor.Actor, day calendar.Date, send bool) (n int, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return 0, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		items, err := tx.holdLate(who.MerchantID, day)
		if err != nil {
			return err
		}
		if n = len(items); n == 0 {
			return fault.New(fault.Conflict, "nothing_late", "No late debits of that day are waiting for a decision.")
		}
		var sum int64
		for i := range items {
			sum += items[i].AmountCents
			if send {
				items[i].State, items[i].CutAt = ItemWaiting, tx.Now()
			}
		}
		action, text := "bank.late_dropped", "%s for %s (%s) "+plural.Was(n)+" marked as not collected."
		if send {
			action, text = "bank.late_sent", "%s for %s (%s) "+plural.Is(n)+" still sent to the bank."
			err = tx.saveItems(items)
		} else {
			err = s.drop(tx, items)
		}
		if err != nil {
			return err
		}
		said := fmt.Sprintf(text, plural.Of(n, "late debit"), day.Format("2 Jan 2006"), money.Format(sum, "ZAR"))
		tx.Audit(who, audit.Entry{Action: action, ObjectType: "bank_day", Text: said,
			After: map[string]any{"day": day.String(), "count": n, "sum_cents": sum}})
		return tx.settleFindings(MissedDeadline, lateSubject(who.MerchantID, day), who.Name, said)
	})
	return n, err
}

// Settle closes a finding with what was done about it.
func (s *Service) Settle(ctx context.Context, who actor.Actor, id uuid.UUID, note string) (f Finding, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return f, err
	}
	note = strings.TrimSpace(note)
	switch {
	case note == "":
		return f, fault.At("note", "required", "Say what was done about it.")
	case len(note) > 1000:
		return f, fault.At("note", "max_length", "Write at most 1000 characters.")
	}
	told, err := s.told(ctx, who)
	if err != nil {
		return f, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if f, err = tx.holdFinding(who.MerchantID, id); err != nil {
			return err
		}
		if !f.ClosedAt.IsZero() {
			return fault.New(fault.Conflict, "settled", "%s has settled this already.", f.ClosedBy)
		}
		if f.Kind == Unmatched { // whatever was not matched is what the note says
			if _, err := tx.leaveUnmatched(f.MerchantID, f.ArrivalID, note); err != nil {
				return err
			}
		}
		f.ClosedAt, f.ClosedBy, f.Resolution = tx.Now(), who.Name, note
		entry := audit.Entry{Action: "bank.finding_settled", ObjectType: "bank_finding", ObjectID: f.ID,
			Text: "A finding about the bank was settled: " + f.Text, After: map[string]any{"note": note}}
		if who.MerchantID == uuid.Nil {
			entry.Text, entry.After = "A finding about the bank that belongs to no business was settled.", nil
		}
		for _, by := range told {
			tx.Audit(by, entry)
		}
		return tx.saveFinding(f)
	})
	return f, err
}

// told are those in whose audit trails an act stands. The operator is of no business: each of them learns of it.
func (s *Service) told(ctx context.Context, who actor.Actor) ([]actor.Actor, error) {
	if who.MerchantID != uuid.Nil {
		return []actor.Actor{who}, nil
	}
	all, err := merchant.Store{DB: s.Store.DB}.Merchants(ctx)
	by := make([]actor.Actor, len(all))
	for n, m := range all {
		by[n] = actor.OperatorOf(m.ID)
	}
	return by, err
}
