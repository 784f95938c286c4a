package subscription

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Status is where a subscriber stands (API contract 5.2).
type Status string

// The statuses of a subscriber.
const (
	Pending  Status = "pending"             // waiting for the first payment or account
	Active   Status = "active"              //
	Paused   Status = "subscription_paused" // for this subscriber alone; the clock of periods runs on
	Inactive Status = "inactive"            // over
)

// Switches are the three mails of a subscription, and one wish. Their JSON is how
// they are stored. All mails are on when nothing was said.
type Switches struct {
	InvoiceOnChargeFailure bool `json:"send_invoice_on_charge_failure"`
	InvoiceOnAdd           bool `json:"send_invoice_on_add_subscriber"`
	Receipt                bool `json:"send_receipt"`
	// ConfirmEachOrder: no period is debited by itself; each is asked for by an invoice, with which the client confirms
	// it. Under its older name it was kept and had no effect, and what was kept so still has none.
	ConfirmEachOrder bool `json:"confirm_each_order"`
}

// Override is another price for one subscriber. Its JSON is how it is stored.
type Override struct {
	DebtCents             *int64             `json:"debt"`
	SubtotalOverrideCents *int64             `json:"subtotal_override"`
	TaxOverrideCents      *int64             `json:"total_tax_override"`
	DiscountOverrideCents *int64             `json:"total_discount_override"`
	TotalOverrideCents    *int64             `json:"total_override"`
	Products              []purchase.Product `json:"products"`
	// FirstCents is the total of the first period that is billed, until it is (pro rata).
	FirstCents *int64 `json:"first_amount,omitempty"`
}

// Debit is the DebiCheck fields of a subscription, kept as they were given under
// the names of the API contract without "subscription_". The two numbers are kept
// apart and sealed.
type Debit struct {
	// Fields are such as "tracking_period": 3; never a number of the two below.
	Fields        map[string]any     `gorm:"column:debit;serializer:json;not null"`
	DebtorAccount bank.AccountNumber `gorm:"-"` // subscription_debtor_account_number
	DebtorID      bank.IDNumber      `gorm:"-"` // subscription_debtor_id_number
}

// Subscriber is one client of a template (BillingTemplateClient).
type Subscriber struct {
	database.Damage                      `gorm:"-" json:"-"` // the debtor's numbers that cannot be read
	ID, MerchantID, TemplateID, ClientID uuid.UUID           `gorm:"<-:create"`
	Status                               Status
	Why                                  string        // how it came to inactive or paused
	FirstOn                              calendar.Date // date of the first charge; fixed once the subscription began
	Anchor                               calendar.Date // the day from which periods count; zero while pending
	Cycle                                int           // periods looked at, skipped ones included
	Passed                               int           // periods billed
	NextOn                               calendar.Date // next billing date; zero: none
	NextAt                               time.Time     // the moment at which it is looked at: 00:00 SAST of NextOn
	StoredToken                          uuid.UUID     // an account just stored for it and not taken over yet
	StoredAt                             time.Time
	TokenID                              uuid.UUID // the account that is charged
	FirstPurchaseID                      uuid.UUID // the purchase that stores the account, or was made on adding
	Whitelist                            []string  `gorm:"serializer:json"` // nil: as the template says
	Switches                             Switches  `gorm:"serializer:json"`
	Reference                            string
	Override                             *Override `gorm:"serializer:json"`
	FirstCents                           *int64    `gorm:"column:first_amount_cents"` // as it was asked for; nil: none
	Debit                                Debit     `gorm:"embedded"`
	RemindedAt, ActivatedAt              time.Time
	Version                              int `gorm:"<-:create"`
	CreatedAt, UpdatedAt                 time.Time

	// Numbers are those of the debtor on their way from the row to Debit; nobody else sees them.
	Numbers debtorNumbers `gorm:"column:debit_sealed;serializer:sealed;->" json:"-"`

	// What is read beside it.
	ClientName, ClientEmail string      `gorm:"->;-:migration"`
	Account                 token.State `gorm:"->;-:migration"` // of TokenID; empty: there is none
	// Unfit is why the next period cannot be debited under the mandate, as it was last found; empty: it can.
	Unfit string `gorm:"->"`
}

// Period is one period of a subscriber that was billed or skipped.
type Period struct {
	SubscriberID       uuid.UUID `gorm:"column:template_client_id"`
	StartsOn, BilledOn calendar.Date
	PurchaseID         uuid.UUID // zero: skipped
	Skipped            string    // why
}
