package api

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
)

// paymentBody is money that moved, inside a purchase or a refund.
type paymentBody struct {
	IsOutgoing         bool    `json:"is_outgoing"`
	PaymentType        string  `json:"payment_type"`
	Amount             int64   `json:"amount"`
	Currency           string  `json:"currency"`
	NetAmount          int64   `json:"net_amount"`
	FeeAmount          int64   `json:"fee_amount"`
	PendingAmount      int64   `json:"pending_amount"`
	PendingUnfreezeOn  *int64  `json:"pending_unfreeze_on"`
	Description        string  `json:"description"`
	PaidOn             *int64  `json:"paid_on"` // null while a refund waits
	RemotePaidOn       *int64  `json:"remote_paid_on"`
	OwnedBankCode      *string `json:"owned_bank_code"`
	OwnedBankAccount   *string `json:"owned_bank_account"`
	OwnedBankAccountID *string `json:"owned_bank_account_id"`
}

func paymentOf(r purchase.Record) *paymentBody {
	p := r.Payment
	if p == nil {
		return nil
	}
	return &paymentBody{PaymentType: p.Type, Amount: p.AmountCents, Currency: r.Currency,
		NetAmount: p.AmountCents - p.FeeCents, FeeAmount: p.FeeCents,
		Description: p.Description, PaidOn: ref(p.PaidOn.Unix()), RemotePaidOn: ref(p.PaidOn.Unix())}
}

// movementBody is a payment as its own object: a refund, or a disputed debit (API contract 3.6).
type movementBody struct {
	Type               string          `json:"type"`
	ID                 uuid.UUID       `json:"id"`
	CreatedOn          int64           `json:"created_on"`
	UpdatedOn          int64           `json:"updated_on"`
	Client             ClientDetails   `json:"client"`
	Payment            paymentBody     `json:"payment"`
	TransactionData    transactionBody `json:"transaction_data"`
	RelatedTo          relatedBody     `json:"related_to"`
	Reference          string          `json:"reference"`
	ReferenceGenerated string          `json:"reference_generated"`
	AccountID          *uuid.UUID      `json:"account_id"`
	CompanyID          uuid.UUID       `json:"company_id"`
	BrandID            uuid.UUID       `json:"brand_id"`
	UserID             *uuid.UUID      `json:"user_id"`
	IsTest             bool            `json:"is_test"`
	Status             string          `json:"status"`
}

type relatedBody struct {
	Type string    `json:"type"`
	ID   uuid.UUID `json:"id"`
}

// refundAnswer is the payment when the money is back already, and when it waits until
// the debit is final (API contract 12.31); else the purchase in pending_refund.
func (b Base) refundAnswer(r purchase.RefundResult) any {
	back := paymentBody{IsOutgoing: true, PaymentType: "refund", Amount: r.Refund.AmountCents,
		Description: "Refund of " + r.Record.ReferenceGenerated}
	status := "success"
	switch {
	case r.Refund.State == purchase.RefundSettled:
		settled := r.Refund.SettledAt.Unix()
		back.PaidOn, back.RemotePaidOn = &settled, &settled
	case r.Refund.Waits(r.Refund.CreatedAt):
		status, back.PendingAmount, back.PendingUnfreezeOn = "pending", r.Refund.AmountCents, ref(r.Refund.DueAt.Unix())
	default:
		return b.PurchaseBody(r.Record)
	}
	out := paymentAround(r.Record, back)
	out.ID, out.CreatedOn, out.UpdatedOn, out.Status = r.Refund.ID, r.Refund.CreatedAt.Unix(), r.Refund.UpdatedAt.Unix(),
		status
	return out
}

// chargebackBody is the payment of a debit that was disputed: the money goes out, and
// comes back when the dispute is won (API contract 12.13).
func (b Base) chargebackBody(r purchase.Record, outgoing bool, at time.Time) any {
	c := r.Collection
	out := paymentAround(r, paymentBody{IsOutgoing: outgoing, PaymentType: r.PaymentType(), Amount: c.AmountCents,
		Description: "Dispute of " + r.ReferenceGenerated, PaidOn: ref(at.Unix()), RemotePaidOn: ref(at.Unix())})
	out.ID, out.CreatedOn, out.UpdatedOn = c.ID, c.CreatedAt.Unix(), at.Unix()
	return out
}

// paymentAround writes what payments of a purchase have alike.
func paymentAround(r purchase.Record, p paymentBody) movementBody {
	p.Currency, p.NetAmount = r.Currency, p.Amount
	return movementBody{
		Type: "payment", Client: DetailsBody(r.Payer), Payment: p, TransactionData: transactionOf(r),
		RelatedTo: relatedBody{"purchase", r.ID},
		Reference: r.Reference, ReferenceGenerated: r.ReferenceGenerated, CompanyID: r.MerchantID, BrandID: r.BrandID,
		UserID: idOrNull(r.UserID),
		IsTest: r.IsTest, Status: "success",
	}
}
