package purchase

import (
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// PaymentTakenBack is how the audit calls that a payment by hand was taken back.
const PaymentTakenBack = "purchase.payment_taken_back"

// MayPay is nil when a payment could be recorded now, by the same rules as RecordPayment.
func (s *Service) MayPay(rec Record, in HandPayment) error {
	if err := s.MayMarkAsPaid(rec); err != nil {
		return err
	}
	return in.check(rec, s.Now())
}

// PayIn records a payment in the transaction of whoever says where the money came from. MayPay goes before it. The
// purchase is written by compare-and-set on how it was loaded.
func (s *Service) PayIn(tx *database.Tx, who actor.Actor, rec *Record, in HandPayment) {
	from := rec.Status
	rec.payByHand(tx, who, in)
	rec.UpdatedAt = tx.Now()
	Move(tx, rec.Purchase, from)
}

// MayReturn is nil when ReturnIn could take back cents that were recorded by hand.
func (s *Service) MayReturn(rec Record, cents int64) error {
	why := ""
	switch {
	case rec.RefundingCents > 0 || rec.RefundedCents > 0:
		why = "Money of this purchase was refunded. What paid it stays."
	case rec.Status == PendingCharge || rec.Status == PendingExecute:
		why = "The rest of this purchase is being collected. Cancel the debit first."
	case rec.Payment == nil && rec.PartPaidCents() >= cents:
	case rec.Payment != nil && rec.Status == Paid && rec.Payment.ByHand() && rec.ReceivedCents() >= cents:
	case rec.Payment != nil && !rec.Payment.ByHand():
		why = "The rest of this purchase was collected by debit order since. Refund the client instead."
	default:
		why = "This purchase has changed since it was paid. What paid it stays."
	}
	if why == "" {
		return nil
	}
	return fault.New(fault.Conflict, "purchase_payment_stays", "%s", why)
}

// ReturnIn takes back cents that were recorded by hand, in the transaction of whoever took them from somewhere else. A
// purchase that was paid by them is owed again, as after a debit that was returned.
func (s *Service) ReturnIn(tx *database.Tx, who actor.Actor, rec *Record, cents int64, movementID uuid.UUID) {
	from, open := rec.Status, rec.OpenCents()
	rec.Book(tx, Entry{Kind: PaidByHand, AmountCents: -cents})
	if rec.Payment != nil {
		rec.Payment, rec.MarkedAsPaid = nil, false
		rec.Move(Failed, tx.Now())
	}
	tx.Audit(who, audit.Entry{Action: PaymentTakenBack, ObjectType: "purchase", ObjectID: rec.ID,
		ClientID: rec.ClientID, PurchaseID: rec.ID,
		Text:   "The payment of " + money.Format(cents, rec.Currency) + " from a bank movement was taken back.",
		Before: map[string]any{"status": from, "open_cents": open},
		After: map[string]any{"status": rec.Status, "open_cents": rec.OpenCents(), "amount_cents": cents,
			"bank_movement": movementID.String()}})
	rec.UpdatedAt = tx.Now()
	Move(tx, rec.Purchase, from)
}

// TakenBack tells that the purchase is owed again because what paid it by hand was taken back, and that no debit failed
// since.
func (p Purchase) TakenBack() bool {
	n := len(p.History)
	if p.Status != Failed || n < 2 || p.History[n-2].Status != Paid {
		return false
	}
	paid := p.History[n-2].At
	return !slices.ContainsFunc(p.Attempts, func(a Attempt) bool { return a.Error != nil && !a.At.Before(paid) })
}

// NothingFailed tells that no debit of the purchase failed, though its status is that of a failure.
func (r Record) NothingFailed() bool { return r.TakenBack() && r.FailedOn().IsZero() }

// PastDue tells that the day has passed on which the purchase was due, and that it is still owed without a failure.
func (r Record) PastDue() bool {
	return r.Status == Overdue ||
		r.NothingFailed() && !r.Due.IsZero() && !r.History[len(r.History)-1].At.Before(r.Due)
}

// BeforePayment is the purchase as it stood before cents of it were recorded by hand, which paid it.
func (r Record) BeforePayment(cents int64) Record {
	r.Payment, r.MarkedAsPaid, r.Status = nil, false, Sent
	r.NetCents -= cents
	return r
}
