package sandbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

// Outcome is what a person at the sandbox desk makes the bank answer: a return code ("00" pays), or a dispute with one
// of the dispute codes. Exactly one of both is given.
type Outcome struct {
	Code    string
	Dispute string
}

// ErrOutcome says that an Outcome is not one the bank knows.
var ErrOutcome = errors.New("give a return code such as 00 or 02, or a dispute of 30, 32, 34 or 36")

// ErrAnswer says that a payer's answer is not one of accept, reject and ignore.
var ErrAnswer = errors.New("the client's answer is accept, reject or ignore")

// Check refuses unknown codes with ErrOutcome.
func (o Outcome) Check() error {
	code, dispute := o.Code, o.Dispute
	_, known := bank.FindCode(code)
	d, knownDispute := bank.FindCode(dispute)
	switch {
	case code != "" && dispute == "" && known:
		return nil
	case code == "" && knownDispute && d.Class == bank.Dispute:
		return nil
	}
	return ErrOutcome
}

// Force replaces everything the bank has not delivered about a collection with this answer, due now. A dispute of a
// collection that has not been answered yet answers success first. Errors: ErrOutcome, bank.ErrUnknown when the
// collection was not handed over, and bank.ErrNotDisputable and bank.ErrOutOfWindow
// when the payer's bank would not hear the dispute.
func (b *Bank) Force(ctx context.Context, instructionID uuid.UUID, o Outcome) error {
	if err := o.Check(); err != nil {
		return err
	}
	now := b.now()
	return b.ledger.Replace(ctx, instructionID, func(r Record) ([]Entry, error) {
		if r.Order.Kind != Collection {
			return nil, bank.ErrUnknown
		}
		if o.disputes(r) && !r.Order.Disputable {
			return nil, bank.ErrNotDisputable
		}
		if o.disputes(r) && b.tableOf(r).Lodge(r.processed(), now).Refused != "" {
			return nil, bank.ErrOutOfWindow
		}
		return b.forced(o, r, now), nil
	})
}

// disputes tells that the outcome takes back what was collected. A dispute code as the first answer is a plain failure.
func (o Outcome) disputes(r Record) bool {
	return o.Dispute != "" || bank.CodeOf(o.Code).Class == bank.Dispute && r.collected()
}

func (r Record) collected() bool {
	return slices.ContainsFunc(r.Delivered, func(e Entry) bool {
		return e.Kind == bank.Provisional ||
			e.Kind == bank.Successful
	})
}

// paysBy is how a success of the order is called: DebiCheck knows no return, so that it is final at once.
func (r Record) paysBy() bank.MessageKind {
	if r.Order.Method == string(bank.DebiCheck) {
		return bank.Successful
	}
	return bank.Provisional
}

// processed is the day on which the debit was collected: a tracked one when the money came, an EFT on its own day.
func (r Record) processed() calendar.Date {
	for _, e := range r.Delivered {
		if day := calendar.DateOf(e.DueAt); e.Kind == bank.Successful && day.After(r.Order.ActionDate) {
			return day
		}
	}
	return r.Order.ActionDate
}

func (b *Bank) tableOf(r Record) collection.Timetable { return b.tt.For(bank.Method(r.Order.Method)) }

func (b *Bank) forced(o Outcome, r Record, now time.Time) []Entry {
	disputed := func(code string) []Entry { return disputeAt(now, r.processed(), code, b.tableOf(r)) }
	class := bank.CodeOf(o.Code).Class
	switch {
	case o.Dispute != "" && !r.collected():
		success := Entry{Kind: r.paysBy(), Code: bank.CodeSuccess, DueAt: now}
		return append([]Entry{success}, disputed(o.Dispute)...)
	case o.Dispute != "":
		return disputed(o.Dispute)
	case o.disputes(r):
		return disputed(o.Code)
	case o.Code == bank.CodeRecalled:
		return []Entry{{Kind: bank.Recalled, Code: o.Code, DueAt: now}}
	case class == bank.Success || class == bank.Info:
		return []Entry{{Kind: r.paysBy(), Code: o.Code, DueAt: now}}
	default:
		return []Entry{{Kind: bank.Unpaid, Code: o.Code, DueAt: now}}
	}
}
