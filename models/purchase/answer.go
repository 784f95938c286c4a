package purchase

import (
	"cmp"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/merchant"
)

// The answers of the bank come in any order and more than once. Each method here
// tells whether its fact changed the purchase; false leaves it untouched.

// Execute takes a purchase that waited for its due date to the bank's turn.
func (p *Purchase) Execute(at time.Time) bool {
	if p.Status != PendingCharge {
		return false
	}
	p.Move(PendingExecute, at)
	return true
}

// Collect records money that came in by a debit. An answer may come before the
// due date was noticed; the purchase then passes pending_execute on its way.
func (p *Purchase) Collect(c collection.Collection, paidOn, at time.Time) bool {
	if p.Status != PendingCharge && !CanMove(p.Status, Paid) {
		return false
	}
	p.Execute(at)
	p.pay(p.byDebit(paidOn))
	p.Attempted(Attempt{Type: p.AttemptType(), Successful: true, Method: string(c.Method), At: at, TxID: c.ID.String()})
	p.Move(Paid, at)
	p.followPayment(at)
	return true
}

func (p Purchase) byDebit(on time.Time) Payment {
	return Payment{Type: p.PaymentType(), AmountCents: p.TotalCents, PaidOn: on}
}

// PaymentType names the payment of a debit as the API does.
func (p Purchase) PaymentType() string {
	if p.TokenID != uuid.Nil {
		return "purchase_charge"
	}
	return "purchase"
}

// AttemptType is what an attempt to collect the purchase is called in the API.
func (p Purchase) AttemptType() string {
	if p.TokenID != uuid.Nil {
		return "recurring_execute"
	}
	return "execute"
}

// PaidBy is the method of the debit that last brought the money; empty when none did.
func (p Purchase) PaidBy() string {
	for _, a := range p.Attempts {
		if a.collected() {
			return a.Method
		}
	}
	return ""
}

// collected tells whether a debit brought the money in this attempt.
func (a Attempt) collected() bool {
	return a.Successful && (a.Type == "execute" || a.Type == "recurring_execute")
}

// Fail records that the money did not come, or went back: the payment is nothing
// again and the attempt says why (API contract 3.5, details). A purchase that allows
// a single attempt is cancelled by it (API contract 12.20), unless a part of it was paid.
func (p *Purchase) Fail(c collection.Collection, code bank.ReturnCode, at time.Time) bool {
	if p.Status == Failed || !CanMove(p.Status, Failed) {
		return false
	}
	why := cmp.Or(code.AttemptError, bank.ErrorRejected)
	p.Payment = nil
	p.Attempted(Attempt{Type: p.AttemptType(), Method: string(c.Method), At: at, TxID: c.ID.String(),
		Error: &AttemptError{why, code.Label()}})
	p.Move(Failed, at)
	left := p.ReceivedCents()
	if c.State.Collected() {
		left -= c.AmountCents
	}
	if p.Details.SingleAttempt && left <= 0 && CanMove(p.Status, Cancelled) {
		p.Move(Cancelled, at)
	}
	return true
}

// Dispute records that the client objected. Inside the dispute window the money
// goes back at once, so that there is no payment any more; outside it the
// merchant keeps it while the mandate is looked at.
func (p *Purchase) Dispute(reversed bool, at time.Time) bool {
	if !CanMove(p.Status, Chargeback) {
		return false
	}
	if reversed {
		p.Payment = nil
	}
	p.Move(Chargeback, at)
	return true
}

// WinDispute gives the merchant the money back, or lets it keep it. It is the payment
// of before, with what was refunded of it.
func (p *Purchase) WinDispute(paidOn, at time.Time) bool {
	if p.Status != Chargeback {
		return false
	}
	if p.Payment == nil {
		payment := p.byDebit(paidOn)
		p.Payment = &payment
	}
	p.Move(p.statusOfPayment(), at)
	return true
}

// LoseDispute takes a payment that a late dispute had left with the merchant.
func (p *Purchase) LoseDispute() bool {
	if p.Status != Chargeback || p.Payment == nil {
		return false
	}
	p.Payment = nil
	return true
}

// MailReceiptOf writes the receipt of a payment, if one was asked for and there
// is somebody to send it to.
func (s *Service) MailReceiptOf(tx *database.Tx, p *Purchase, b merchant.Brand) {
	if !p.Options.SendReceipt || p.Payer.Email == "" {
		return
	}
	p.MailCount++
	to := s.Addressed(tx.Context(), *p, b)
	letter := s.Letters.Receipt(to, b)
	if p.Payment != nil {
		letter.Attachments = append(letter.Attachments, receiptOf(*p, to.reads(b)))
	}
	tx.InsertMail(p.Mail(tx, MailReceipt, p.MailCount, letter))
}
