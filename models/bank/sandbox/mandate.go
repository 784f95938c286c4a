package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
)

// When the sandbox's payers and banks answer, counted from the request.
const (
	handsetAfter  = time.Second
	bankAfter     = 5 * time.Second // the bank itself refuses or fails
	promptAfter   = 5 * time.Second
	promptLate    = 119 * time.Second
	delayedAfter  = time.Hour
	delayedLate   = 47 * time.Hour
	suspensionDay = 1 // in the morning, days after the acceptance
)

// The channels of acceptance in the sandbox.
const (
	byApp  = "banking_app"
	bySMS  = "sms_link"
	byUSSD = "ussd"
)

// RequestMandate asks the payer, who answers by the account number.
func (b *Bank) RequestMandate(ctx context.Context, r bank.MandateRequest) (bank.Receipt, error) {
	now := b.now()
	if r.AnswerBy.IsZero() {
		r.AnswerBy = now.Add(mandate.DefaultLimits().For(mandate.Method(r.Authentication)))
	}
	r.AnswerBy = r.AnswerBy.UTC().Truncate(time.Microsecond)
	order := Order{ID: r.ID, MerchantID: r.MerchantID, Kind: Mandate, Method: r.Authentication, Account: r.Account,
		AmountCents: r.AmountCents, Disputable: true, AnswerBy: r.AnswerBy}
	fresh, err := b.ledger.Save(ctx, []Order{order},
		func(o Order, previous int) []Entry { return MandateScript(o, previous, now, b.tt.ReturnsAt) })
	if err != nil {
		return bank.Receipt{}, fmt.Errorf("request a mandate of the sandbox bank: %w", err)
	}
	return bank.Receipt{ID: r.ID, Repeat: !fresh[0]}, nil
}

// CancelMandate drops everything the bank has not said yet about a request.
func (b *Bank) CancelMandate(ctx context.Context, requestID uuid.UUID) error {
	return b.ledger.Replace(ctx, requestID, func(r Record) ([]Entry, error) {
		if r.Order.Kind != Mandate {
			return nil, bank.ErrUnknown
		}
		return []Entry{}, nil
	})
}

// MandateScript is everything the bank will say about a mandate request that arrives now, unless it is cancelled or a
// person answers. previous counts the requests for the same account before; mornings is when the bank writes letters.
// An answer that would come when the payer's time has ended becomes silence.
func MandateScript(o Order, previous int, now time.Time, mornings calendar.TimeOfDay) []Entry {
	prompt := o.Method == string(mandate.RealTime)
	tail := o.Account.Tail()
	if _, mock := mocks[o.Account]; mock {
		tail = ""
	}
	switch {
	case tail == "8003":
		return byBank(bank.MandateRejected, bank.CodeAccountClosed, now)
	case tail == "8500" && previous == 0:
		return byBank(bank.MandateFailed, bank.CodeSystemError, now)
	}
	entries := []Entry{{Kind: bank.MandateDelivered, DueAt: now.Add(handsetAfter)}}
	at := now.Add(answersAfter(tail, prompt))
	switch {
	case tail == "8480", tail == "8120" && prompt, !at.Before(o.AnswerBy):
		entries = append(entries, unanswered(o))
	case tail == "8002":
		entries = append(entries, Entry{Kind: bank.MandateRejected, Code: bank.CodeRefused, DueAt: at})
	case tail == "8600":
		entries = append(entries, accepted(o, prompt, at), suspended(at, mornings))
	default:
		entries = append(entries, accepted(o, prompt, at))
	}
	return Renumber(entries, 0)
}

// byBank is an answer that never reached the payer's handset.
func byBank(kind bank.MessageKind, code string, now time.Time) []Entry {
	return []Entry{{Seq: 1, Kind: kind, Code: code, DueAt: now.Add(bankAfter)}}
}

func answersAfter(tail string, prompt bool) time.Duration {
	switch {
	case prompt && tail == "8001":
		return promptLate
	case prompt:
		return promptAfter
	case tail == "8120":
		return delayedLate
	}
	return delayedAfter
}

func accepted(o Order, prompt bool, at time.Time) Entry {
	channel := bySMS
	if prompt {
		channel = byApp
	}
	return Entry{Kind: bank.MandateAccepted, Channel: channel, Reference: referenceOf(o.ID), DueAt: at}
}

func unanswered(o Order) Entry {
	return Entry{Kind: bank.MandateUnanswered, Code: bank.CodeNoAnswer, DueAt: o.AnswerBy}
}

func suspended(accepted time.Time, mornings calendar.TimeOfDay) Entry {
	day := calendar.DateOf(accepted).AddDays(suspensionDay)
	return Entry{Kind: bank.MandateSuspended, Code: bank.CodeDebtorCancelled, DueAt: mornings.On(day)}
}

// referenceOf is the mandate reference this bank gives: 23 of at most 35 characters, the same for the same request.
func referenceOf(requestID uuid.UUID) string {
	sum := sha256.Sum256(requestID[:])
	return "SBX" + strings.ToUpper(hex.EncodeToString(sum[:10]))
}

// The answers that a person gives on the payer's handset.
const (
	Accept = "accept"
	Reject = "reject"
	Ignore = "ignore" // the payer's time runs out
)

// ForceMandate makes the payer answer a mandate request now, in place of what the account would bring. Errors:
// ErrAnswer, bank.ErrUnknown when the bank does not have the request, and bank.ErrTooLate when it was answered or
// withdrawn, or the payer's time has ended.
func (b *Bank) ForceMandate(ctx context.Context, requestID uuid.UUID, answer string) error {
	if !slices.Contains([]string{Accept, Reject, Ignore}, answer) {
		return ErrAnswer
	}
	now := b.now()
	return b.ledger.Replace(ctx, requestID, func(r Record) ([]Entry, error) {
		switch {
		case r.Order.Kind != Mandate:
			return nil, bank.ErrUnknown
		case !r.awaited(now):
			return nil, bank.ErrTooLate
		}
		return b.answered(r, answer, now), nil
	})
}

// awaited tells that the payer's answer, or the end of the time for it, is still to come.
func (r Record) awaited(now time.Time) bool {
	return now.Before(r.Order.AnswerBy) && slices.ContainsFunc(r.Waiting,
		func(e Entry) bool { return e.answers() && e.DueAt.After(now) })
}

func (e Entry) answers() bool {
	return e.Kind == bank.MandateAccepted || e.Kind == bank.MandateRejected || e.Kind == bank.MandateUnanswered ||
		e.Kind == bank.MandateFailed
}

func (b *Bank) answered(r Record, answer string, now time.Time) []Entry {
	var entries []Entry
	if !slices.ContainsFunc(r.Delivered, delivery) { // who answers has the request
		entries = append(entries, Entry{Kind: bank.MandateDelivered, DueAt: now})
	}
	switch answer {
	case Accept:
		yes := accepted(r.Order, true, now)
		if r.Order.Method != string(mandate.RealTime) {
			yes.Channel = byUSSD
		}
		entries = append(entries, yes)
		if r.has(bank.MandateSuspended) {
			entries = append(entries, suspended(now, b.tt.ReturnsAt))
		}
	case Reject:
		entries = append(entries, Entry{Kind: bank.MandateRejected, Code: bank.CodeRefused, DueAt: now})
	case Ignore:
		entries = append(entries, unanswered(r.Order))
	}
	return entries
}

func delivery(e Entry) bool { return e.Kind == bank.MandateDelivered }
