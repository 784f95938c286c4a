package api

import (
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
	PaidOn             int64   `json:"paid_on"`
	RemotePaidOn       int64   `json:"remote_paid_on"`
	OwnedBankCode      *string `json:"owned_bank_code"`
	OwnedBankAccount   *string `json:"owned_bank_account"`
	OwnedBankAccountID *string `json:"owned_bank_account_id"`
}

func paymentOf(r purchase.Record) *paymentBody {
	p := r.Payment
	if p == nil {
		return nil
	}
	return &paymentBody{PaymentType: p.Type, Amount: p.AmountCents, Currency: r.Currency, NetAmount: p.AmountCents - p.FeeCents, FeeAmount: p.FeeCents,
		Description: p.Description, PaidOn: p.PaidOn.Unix(), RemotePaidOn: p.PaidOn.Unix()}
}

// refundBody is a refund as its own object (API contract 3.6).
type refundBody struct {
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

// refundAnswer is the payment when the money is back already, else the purchase
// in pending_refund.
func (b Base) refundAnswer(r purchase.RefundResult) any {
	if !r.Refund.Settled {
		return b.PurchaseBody(r.Record)
	}
	settled := r.Refund.SettledAt.Unix()
	return refundBody{
		Type: "payment", ID: r.Refund.ID, CreatedOn: r.Refund.CreatedAt.Unix(), UpdatedOn: r.Refund.UpdatedAt.Unix(), Client: DetailsBody(r.Payer),
		Payment: paymentBody{IsOutgoing: true, PaymentType: "refund", Amount: r.Refund.AmountCents, Currency: r.Currency, NetAmount: r.Refund.AmountCents,
			Description: "Refund of " + r.Record.ReferenceGenerated, PaidOn: settled, RemotePaidOn: settled},
		TransactionData: transactionOf(r.Record), RelatedTo: relatedBody{"purchase", r.Record.ID}, Reference: r.Record.Reference,
		ReferenceGenerated: r.Record.ReferenceGenerated, CompanyID: r.Record.MerchantID, BrandID: r.BrandID, UserID: idOrNull(r.UserID),
		IsTest: r.IsTest, Status: "success",
	}
}
