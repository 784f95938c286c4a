// Package purchase knows one amount to be collected from one client: what was
// asked, what it totals, where it stands and which moves are allowed. It must not
// know how requests arrive or how rows are kept.
package purchase

import (
	"cmp"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
)

// The methods that can be asked for.
const (
	EFT       = "eft"
	DebiCheck = "debicheck"
)

// The values of product: which part of the family made the purchase.
const (
	ByPurchases           = "purchases"
	ByInvoices            = "billing_invoices"
	BySubscription        = "billing_subscriptions"         // one period, charged to the stored account
	BySubscriptionInvoice = "billing_subscriptions_invoice" // one period, asked for by mail
)

// Purchase is one amount to be collected from one client for one brand.
type Purchase struct {
	database.Damage         `gorm:"-" json:"-"` // the client's numbers that cannot be read
	ID, MerchantID, BrandID uuid.UUID           `gorm:"<-:create"`
	ClientID                uuid.UUID           `gorm:"<-:create"` // zero when the client's details came with the request
	UserID                  uuid.UUID           `gorm:"<-:create"` // the dashboard user who made it; zero otherwise
	TemplateID              uuid.UUID           `gorm:"<-:create"` // the billing template it follows; zero for none
	SubscriberID            uuid.UUID           `gorm:"<-:create"` // whose period it bills, or whose account it stores
	IsTest                  bool                `gorm:"<-:create"`
	Status                  Status
	Product                 string `gorm:"<-:create"`
	Currency                string `gorm:"<-:create"`
	TotalCents              int64  `gorm:"<-:create"`
	Due                     time.Time
	DueGiven                bool          // false: due is the one-hour default
	DueStrict               bool          `gorm:"<-:create"`
	Issued                  calendar.Date `gorm:"<-:create"`
	Reference               string        `gorm:"<-:create"`
	ReferenceGenerated      string        `gorm:"<-:create"`
	Method                  string        // eft or debicheck when the purchase stores an account, else empty
	TokenID                 uuid.UUID     // the token used to pay
	IsRecurringToken        bool
	TokenLeaving            bool `gorm:"->"` // its token is being deleted: it counts as none, and may come back
	MarkedAsPaid            bool
	PaymentCount            int            // how often money came in; the number of the newest payment
	RefundedCents           int64          // of all movements, those that are refunds
	RefundingCents          int64          // all refunds that are under way
	NetCents                int64          // of all movements; below zero: the client has more back than was paid
	OverpaidCents           int64          // of what was refunded: what a person and the bank both paid
	Payer                   client.Details `gorm:"serializer:json"` // the copy that later edits of the client do not touch
	Details                 Details        `gorm:"serializer:json"`
	Options                 Options        `gorm:"serializer:json;<-:create"`
	Payment                 *Payment       `gorm:"serializer:json"`          // nil until paid
	History                 []Change       `gorm:"serializer:json;not null"` // oldest first
	Attempts                []Attempt      `gorm:"serializer:json;not null"` // newest first
	ViewedAt                time.Time
	OpenedAt                time.Time `gorm:"->"` // when the client last opened the page to pay
	PassAt                  time.Time // when "due passes" acts; zero: never
	CollectionCount         int       // debits tried so far
	ExecuteAt               time.Time // when it turns pending_execute, if it is pending_charge then; zero: never debited
	MailCount               int       // mails sent so far
	TakenOver               bool      `gorm:"<-:create"` // owed elsewhere before the business came here
	Version                 int       `gorm:"<-:create"` // counts changes, for compare-and-set
	CreatedIP               string    `gorm:"<-:create"`
	CreatedAt, UpdatedAt    time.Time

	// Numbers are those of the client on their way from the row to Payer; nobody else sees them.
	Numbers payerNumbers `gorm:"column:payer_sealed;serializer:sealed;->" json:"-"`

	Seen Seen `gorm:"-"` // zero for a purchase that was not read but made
}

// Called is what people call the purchase: by the merchant's own reference, else by ours.
func (p Purchase) Called() string { return cmp.Or(p.Reference, p.ReferenceGenerated) }

// Details is the "purchase" object of a request. Its JSON is how it is stored.
type Details struct {
	Products              []Product    `json:"products"`
	Language              string       `json:"language"`
	Notes                 string       `json:"notes,omitempty"`
	DebtCents             int64        `json:"debt,omitempty"`
	SubtotalOverrideCents *int64       `json:"subtotal_override,omitempty"`
	TaxOverrideCents      *int64       `json:"total_tax_override,omitempty"`
	DiscountOverrideCents *int64       `json:"total_discount_override,omitempty"`
	TotalOverrideCents    *int64       `json:"total_override,omitempty"`
	RequestClientDetails  []string     `json:"request_client_details,omitempty"`
	Timezone              string       `json:"timezone"`
	EmailMessage          string       `json:"email_message,omitempty"`
	Metadata              string       `json:"metadata,omitempty"` // a JSON object as text: kept as it came
	DirectDebit           *DirectDebit `json:"direct_debit,omitempty"`
	SingleAttempt         bool         `json:"single_attempt,omitempty"` // a failed debit cancels the purchase
	// DebiCheck, where this client's own wish counts.
	TrackingDays *int `json:"tracking_days,omitempty"`         // how long the bank waits for money; nil: as for all debits
	AuthRetries  int  `json:"realtime_auth_retries,omitempty"` // how often a request in real time is repeated unanswered
}

// Product is one line. Quantity has at most 4 decimals, TaxPercent at most 2.
type Product struct {
	Name               string          `json:"name"`
	PriceCents         int64           `json:"price"`
	Quantity           decimal.Decimal `json:"quantity"`
	DiscountCents      int64           `json:"discount,omitempty"` // of the line
	TaxPercent         decimal.Decimal `json:"tax_percent"`
	Category           string          `json:"category,omitempty"`
	TotalOverrideCents *int64          `json:"total_price_override,omitempty"`
}

// DirectDebit is the debit-order block (source: direct_debit details). The
// account is the merchant's clearing account, not the client's. Its JSON is how it
// is stored.
type DirectDebit struct {
	ProfileCode     string `json:"profile_code"`
	AbbreviatedName string `json:"abbreviated_name"`
	AccountNumber   string `json:"account_number"`
	DeductionDay    int    `json:"deduction_day"` // 1-30, 99 = last; weeks 1-7; days 0
	PeriodUnits     string `json:"period_units"`

	Terms *mandate.Terms `json:"terms,omitempty"` // nil for eft
}

// Options is what else a request chose. Its JSON is how it is stored.
type Options struct {
	Whitelist       []string `json:"payment_method_whitelist,omitempty"` // nil: all
	ForceRecurring  bool     `json:"force_recurring,omitempty"`
	SkipCapture     bool     `json:"skip_capture,omitempty"`
	SendReceipt     bool     `json:"send_receipt,omitempty"`
	SuccessRedirect string   `json:"success_redirect,omitempty"`
	FailureRedirect string   `json:"failure_redirect,omitempty"`
	CancelRedirect  string   `json:"cancel_redirect,omitempty"`
	SuccessCallback string   `json:"success_callback,omitempty"`
	CreatorAgent    string   `json:"creator_agent,omitempty"`
	Platform        string   `json:"platform,omitempty"`
	OrderID         *string  `json:"order_id,omitempty"`
	Tags            []string `json:"tags,omitempty"`
	Source          string   `json:"source,omitempty"` // flow of attempts: api, web_office, payform
	// InvoiceOnFailure: a charge that fails is asked for by a payable invoice (subscriptions).
	InvoiceOnFailure bool `json:"invoice_on_failure,omitempty"`
}

// Payment is the money that came in. Its JSON is how it is stored.
type Payment struct {
	Type        string    `json:"payment_type"` // purchase, purchase_charge, custom
	AmountCents int64     `json:"amount"`       // all of it, whatever part came before by hand
	FeeCents    int64     `json:"fee_amount"`
	Description string    `json:"description"`
	PaidOn      time.Time `json:"paid_on"`
}

// Change is one entry of the status history.
type Change struct {
	Status Status    `json:"status"`
	At     time.Time `json:"at"`
}

// Attempt is one try to get the money or store the account, newest first.
type Attempt struct {
	Type       string        `json:"type"` // execute, authorize, recurring_execute, refund, delete_recurring_token
	Successful bool          `json:"successful"`
	Method     string        `json:"payment_method"`
	Flow       string        `json:"flow"`
	ClientIP   string        `json:"client_ip,omitempty"`
	At         time.Time     `json:"at"`
	TxID       string        `json:"tx_id,omitempty"`
	Error      *AttemptError `json:"error,omitempty"`
}

// AttemptError is why an attempt failed (API contract 1.5).
type AttemptError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}
