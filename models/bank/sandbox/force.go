package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

// Outcome is what a person at the sandbox desk makes the bank answer: a return code ("00" pays), or a dispute with one of
// the dispute codes. Exactly one of both is given.
type Outcome struct {
	Code    string
	Dispute string
}

// ErrOutcome says that an Outcome is not one the bank knows.
var ErrOutcome = errors.New("give a return code such as 00 or 02, or a dispute of 30, 32, 34 or 36")

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
// collection that has not been answered yet answers success first. Errors: ErrOutcome, and bank.ErrUnknown when the
// collection was not handed over.
func (b *Bank) Force(ctx context.Context, instructionID uuid.UUID, o Outcome) error {
	if err := o.Check(); err != nil {
		return err
	}
	now := b.now()
	return b.ledger.Replace(ctx, instructionID, func(r Record) ([]Entry, error) {
		if r.Order.Refund {
			return nil, bank.ErrUnknown
		}
		return b.forced(o, r, now), nil
	})
}

func (b *Bank) forced(o Outcome, r Record, now time.Time) []Entry {
	collected := false
	for _, e := range r.Delivered {
		collected = collected || e.Kind == bank.Provisional
	}
	class := bank.CodeOf(o.Code).Class
	switch {
	case o.Dispute != "" && !collected:
		success := Entry{Kind: bank.Provisional, Code: bank.CodeSuccess, DueAt: now}
		return append([]Entry{success}, disputeAt(now, r.Order.ActionDate, o.Dispute, b.tt)...)
	case o.Dispute != "":
		return disputeAt(now, r.Order.ActionDate, o.Dispute, b.tt)
	case class == bank.Dispute && collected:
		return disputeAt(now, r.Order.ActionDate, o.Code, b.tt)
	case o.Code == bank.CodeRecalled:
		return []Entry{{Kind: bank.Recalled, Code: o.Code, DueAt: now}}
	case class == bank.Success || class == bank.Info:
		return []Entry{{Kind: bank.Provisional, Code: o.Code, DueAt: now}}
	default:
		return []Entry{{Kind: bank.Unpaid, Code: o.Code, DueAt: now}}
	}
}
