package api

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
)

// purchaseBody is the complete key set of a purchase (API contract 3.3).
type purchaseBody struct {
	Type                  string          `json:"type"`
	ID                    uuid.UUID       `json:"id"`
	CreatedOn             int64           `json:"created_on"`
	UpdatedOn             int64           `json:"updated_on"`
	Client                ClientDetails   `json:"client"`
	Purchase              detailsBody     `json:"purchase"`
	Payment               *paymentBody    `json:"payment"`
	IssuerDetails         issuerBody      `json:"issuer_details"`
	TransactionData       transactionBody `json:"transaction_data"`
	Status                purchase.Status `json:"status"`
	StatusHistory         []changeBody    `json:"status_history"`
	ViewedOn              *int64          `json:"viewed_on"`
	CompanyID             uuid.UUID       `json:"company_id"`
	BrandID               uuid.UUID       `json:"brand_id"`
	UserID                *uuid.UUID      `json:"user_id"`
	IsTest                bool            `json:"is_test"`
	BillingTemplateID     *uuid.UUID      `json:"billing_template_id"`
	ClientID              *uuid.UUID      `json:"client_id"`
	RecurringToken        *uuid.UUID      `json:"recurring_token"`
	OrderID               *string         `json:"order_id"`
	SendReceipt           bool            `json:"send_receipt"`
	SkipCapture           bool            `json:"skip_capture"`
	ForceRecurring        bool            `json:"force_recurring"`
	IsRecurringToken      bool            `json:"is_recurring_token"`
	MarkedAsPaid          bool            `json:"marked_as_paid"`
	Reference             string          `json:"reference"`
	ReferenceGenerated    string          `json:"reference_generated"`
	Issued                string          `json:"issued"`
	Due                   int64           `json:"due"`
	RefundAvailability    string          `json:"refund_availability"`
	RefundableAmount      int64           `json:"refundable_amount"`
	CurrencyConversion    *struct{}       `json:"currency_conversion"`
	Whitelist             []string        `json:"payment_method_whitelist"`
	SuccessRedirect       string          `json:"success_redirect"`
	FailureRedirect       string          `json:"failure_redirect"`
	CancelRedirect        string          `json:"cancel_redirect"`
	SuccessCallback       string          `json:"success_callback"`
	CreatorAgent          string          `json:"creator_agent"`
	CreatedFromIP         string          `json:"created_from_ip"`
	Platform              string          `json:"platform"`
	Product               string          `json:"product"`
	InvoiceURL            *string         `json:"invoice_url"`
	DirectPostURL         *string         `json:"direct_post_url"`
	CheckoutURL           *string         `json:"checkout_url"`
	CanRetrieve           bool            `json:"can_retrieve"`
	CanChargeback         bool            `json:"can_chargeback"`
	Tags                  []string        `json:"tags"`
	UpsellCampaigns       []struct{}      `json:"upsell_campaigns"`
	ReferralCampaignID    *uuid.UUID      `json:"referral_campaign_id"`
	ReferralCode          *string         `json:"referral_code"`
	ReferralCodeDetails   *struct{}       `json:"referral_code_details"`
	ReferralCodeGenerated *string         `json:"referral_code_generated"`
	RetainLevelDetails    *struct{}       `json:"retain_level_details"`
	DebitOrder            *debitOrderBody `json:"debit_order"`
}

type detailsBody struct {
	Products              []productBody   `json:"products"`
	Currency              string          `json:"currency"`
	Language              string          `json:"language"`
	Notes                 string          `json:"notes"`
	Debt                  int64           `json:"debt"`
	SubtotalOverride      *int64          `json:"subtotal_override"`
	TotalTaxOverride      *int64          `json:"total_tax_override"`
	TotalDiscountOverride *int64          `json:"total_discount_override"`
	TotalOverride         *int64          `json:"total_override"`
	Total                 int64           `json:"total"`
	RequestClientDetails  []string        `json:"request_client_details"`
	Timezone              string          `json:"timezone"`
	DueStrict             bool            `json:"due_strict"`
	EmailMessage          string          `json:"email_message"`
	SingleAttempt         bool            `json:"single_attempt"`
	ShippingOptions       []struct{}      `json:"shipping_options"`
	HasUpsellProducts     bool            `json:"has_upsell_products"`
	Metadata              json.RawMessage `json:"metadata"`
	PaymentMethodDetails  methodsBody     `json:"payment_method_details"`
}

type productBody struct {
	Name               string `json:"name"`
	Quantity           string `json:"quantity"`
	Price              int64  `json:"price"`
	Discount           int64  `json:"discount"`
	TaxPercent         string `json:"tax_percent"`
	Category           string `json:"category"`
	TotalPriceOverride *int64 `json:"total_price_override"`
}

type issuerBody struct {
	Website            string            `json:"website"`
	BrandName          string            `json:"brand_name"`
	LegalName          string            `json:"legal_name"`
	RegistrationNumber string            `json:"registration_number"`
	TaxNumber          string            `json:"tax_number"`
	LegalStreetAddress string            `json:"legal_street_address"`
	LegalCity          string            `json:"legal_city"`
	LegalZipCode       string            `json:"legal_zip_code"`
	LegalCountry       string            `json:"legal_country"`
	BankAccounts       []bankAccountBody `json:"bank_accounts"`
}

type bankAccountBody struct {
	BankAccount string `json:"bank_account"`
	BankCode    string `json:"bank_code"`
}

type transactionBody struct {
	Flow           string            `json:"flow"`
	PaymentMethod  string            `json:"payment_method"`
	Country        string            `json:"country"`
	Extra          map[string]string `json:"extra"`
	ProcessingTxID string            `json:"processing_tx_id"`
	Attempts       []attemptBody     `json:"attempts"`
}

type attemptBody struct {
	Type           string                 `json:"type"`
	Successful     bool                   `json:"successful"`
	PaymentMethod  string                 `json:"payment_method"`
	Flow           string                 `json:"flow"`
	Extra          map[string]string      `json:"extra"`
	Country        string                 `json:"country"`
	ClientIP       string                 `json:"client_ip"`
	FeeAmount      int64                  `json:"fee_amount"`
	ProcessingTime int64                  `json:"processing_time"`
	ProcessingTxID string                 `json:"processing_tx_id"`
	Error          *purchase.AttemptError `json:"error"`
}

type changeBody struct {
	Status    purchase.Status `json:"status"`
	Timestamp int64           `json:"timestamp"`
}

type debitOrderBody struct {
	CollectionState    *string     `json:"collection_state"`
	ActionDate         *string     `json:"action_date"`
	SubmissionDeadline *int64      `json:"submission_deadline"`
	Settlement         *string     `json:"settlement"`
	Disputable         bool        `json:"disputable"`
	DisputableBecause  []string    `json:"disputable_because"`
	DisputableUntil    *string     `json:"disputable_until"`
	Result             *resultBody `json:"result"`
}

type resultBody struct {
	Code string  `json:"code"`
	ISO  *string `json:"iso"`
	Text string  `json:"text"`
}

// PurchaseBody is a purchase as the API shows it: the client's numbers masked.
func (b Base) PurchaseBody(r purchase.Record) any {
	return purchaseBody{
		Type: "purchase", ID: r.ID, CreatedOn: r.CreatedAt.Unix(), UpdatedOn: r.UpdatedAt.Unix(),
		Client: DetailsBody(r.Payer), Purchase: detailsOf(r), Payment: paymentOf(r), IssuerDetails: issuerOf(r.Brand),
		TransactionData: transactionOf(r),
		Status:          r.Status, StatusHistory: historyOf(r), ViewedOn: unixOrNull(r.ViewedAt), CompanyID: r.MerchantID,
		BrandID: r.BrandID,
		UserID:  idOrNull(r.UserID), IsTest: r.IsTest, BillingTemplateID: idOrNull(r.TemplateID),
		ClientID: idOrNull(r.ClientID), RecurringToken: idOrNull(r.TokenID), OrderID: r.Options.OrderID,
		SendReceipt: r.Options.SendReceipt, SkipCapture: r.Options.SkipCapture, ForceRecurring: r.Options.ForceRecurring,
		IsRecurringToken: r.IsRecurringToken && !r.TokenLeaving, MarkedAsPaid: r.MarkedAsPaid, Reference: r.Reference,
		ReferenceGenerated: r.ReferenceGenerated,
		Issued:             r.Issued.String(), Due: r.Due.Unix(), RefundAvailability: refundAvailability(r),
		RefundableAmount: r.RefundableCents(),
		Whitelist:        r.Options.Whitelist, SuccessRedirect: weblink.HideLogin(r.Options.SuccessRedirect),
		FailureRedirect: weblink.HideLogin(r.Options.FailureRedirect),
		CancelRedirect:  weblink.HideLogin(r.Options.CancelRedirect),
		SuccessCallback: weblink.HideLogin(r.Options.SuccessCallback),
		CreatorAgent:    r.Options.CreatorAgent,
		CreatedFromIP:   r.CreatedIP, Platform: r.Options.Platform, Product: r.Product, InvoiceURL: b.invoice(r),
		CheckoutURL: b.checkout(r),
		Tags:        orEmpty(r.Options.Tags), UpsellCampaigns: []struct{}{}, DebitOrder: debitOrderOf(r),
	}
}

// invoice is where a billed purchase shows its invoice.
func (b Base) invoice(r purchase.Record) *string {
	if r.Product != purchase.ByInvoices && r.Product != purchase.BySubscriptionInvoice {
		return nil
	}
	address := string(b) + weblink.Payer(r.ID) + "invoice/"
	return &address
}

func (b Base) checkout(r purchase.Record) *string {
	address := string(b) + weblink.Payer(r.ID)
	if r.Payment != nil {
		address += "invoice/"
	}
	return &address
}

func detailsOf(r purchase.Record) detailsBody {
	d := r.Details
	return detailsBody{
		Products: productsOf(d.Products), Currency: r.Currency, Language: d.Language, Notes: d.Notes, Debt: d.DebtCents,
		SubtotalOverride: d.SubtotalOverrideCents, TotalTaxOverride: d.TaxOverrideCents,
		TotalDiscountOverride: d.DiscountOverrideCents,
		TotalOverride:         d.TotalOverrideCents, Total: r.TotalCents,
		RequestClientDetails: orEmpty(d.RequestClientDetails),
		Timezone:             d.Timezone,
		DueStrict:            r.DueStrict, EmailMessage: d.EmailMessage, SingleAttempt: d.SingleAttempt,
		ShippingOptions:      []struct{}{},
		Metadata:             json.RawMessage(cmp.Or(d.Metadata, "{}")),
		PaymentMethodDetails: methodsOf(d.DirectDebit),
	}
}

func productsOf(list []purchase.Product) []productBody {
	out := make([]productBody, len(list))
	for i, p := range list {
		out[i] = productBody{Name: p.Name, Quantity: p.Quantity.StringFixed(4), Price: p.PriceCents,
			Discount:   p.DiscountCents,
			TaxPercent: p.TaxPercent.StringFixed(2), Category: p.Category, TotalPriceOverride: p.TotalOverrideCents}
	}
	return out
}

func issuerOf(b merchant.Brand) issuerBody {
	out := issuerBody{Website: b.Website, BrandName: b.Name, LegalName: b.LegalName,
		RegistrationNumber: b.RegistrationNumber, TaxNumber: b.TaxNumber,
		LegalStreetAddress: b.StreetAddress, LegalCity: b.City, LegalZipCode: b.ZipCode, LegalCountry: b.Country,
		BankAccounts: []bankAccountBody{}}
	for _, p := range b.Profiles {
		out.BankAccounts = append(out.BankAccounts, bankAccountBody{p.AccountNumber, p.BranchCode})
	}
	return out
}

func transactionOf(r purchase.Record) transactionBody {
	out := transactionBody{Flow: "payform", Extra: map[string]string{}, Attempts: make([]attemptBody, len(r.Attempts))}
	for i, a := range r.Attempts {
		out.Attempts[i] = attemptBody{Type: a.Type, Successful: a.Successful, PaymentMethod: a.Method, Flow: a.Flow,
			Extra:    map[string]string{},
			ClientIP: a.ClientIP, ProcessingTime: a.At.Unix(), ProcessingTxID: a.TxID, Error: a.Error}
	}
	if len(r.Attempts) > 0 {
		latest := r.Attempts[0]
		out.Flow, out.PaymentMethod, out.Country, out.ProcessingTxID = latest.Flow, latest.Method, "ZA", latest.TxID
	}
	if r.TokenID != uuid.Nil && r.Collection != nil { // charged by token: its method counts from then on
		out.PaymentMethod, out.Country = string(r.Collection.Method), "ZA"
	}
	return out
}

func historyOf(r purchase.Record) []changeBody {
	out := make([]changeBody, len(r.History))
	for i, c := range r.History {
		out[i] = changeBody{c.Status, c.At.Unix()}
	}
	return out
}

func refundAvailability(r purchase.Record) string {
	if r.RefundableCents() > 0 {
		return "all"
	}
	return "none"
}

func debitOrderOf(r purchase.Record) *debitOrderBody {
	if r.Collection == nil {
		if !r.HasMandate() {
			return nil
		}
		return &debitOrderBody{DisputableBecause: []string{}}
	}
	c := *r.Collection
	because, may := c.MayBeDisputed()
	out := &debitOrderBody{CollectionState: ref(string(c.State)), ActionDate: ref(c.ActionDate.String()),
		SubmissionDeadline: ref(c.SubmitAt.Unix()),
		Disputable:         may, DisputableBecause: orEmpty(because), Result: resultOf(c.Result)}
	if s := c.State.Settlement(); s != "" {
		out.Settlement = &s
	}
	if last, may := c.DisputableUntil(); may {
		out.DisputableUntil = ref(last.String())
	}
	return out
}

func resultOf(r collection.Result) *resultBody {
	if r.IsZero() {
		return nil
	}
	out := &resultBody{Code: r.Code, Text: r.Text}
	if r.ISO != "" {
		out.ISO = &r.ISO
	}
	return out
}

func ref[T any](v T) *T { return &v }

func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

func unixOrNull(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return ref(t.Unix())
}
