package mandate

import "github.com/shopspring/decimal"

// ValueType decides which amounts may be collected (source: additional mandate fields).
type ValueType string

// The value types.
const (
	Fixed      ValueType = "FIXED"
	Variable   ValueType = "VARIABLE"
	UsageBased ValueType = "USAGEBASED"
)

// Method is how the payer is asked to authenticate a mandate.
type Method string

// The ways of asking. Fallback is never asked for by itself: it follows a time-out
// where do_delayed_on_auth_failure is true.
const (
	RealTime Method = "REALTIME" // push or USSD, 120 seconds
	Delayed  Method = "DELAYED"  // SMS, 48 hours
	Fallback Method = "FALLBACK" // 48 hours; collections under it are disputable, answered or not
)

// Sequence tells once-off from recurring.
type Sequence string

// The sequences.
const (
	Recurring Sequence = "RCUR"
	OnceOff   Sequence = "OOFF"
)

// Category is how often price and maximum are adjusted.
type Category string

// The adjustment categories.
const (
	Never      Category = "NEVER"
	Quarterly  Category = "QUARTERLY"
	Biannually Category = "BIANNUALLY" // every six months
	Annually   Category = "ANNUALLY"
	Repo       Category = "REPO" // follows the repo rate
)

// Terms are what the payer authenticates at the bank. Its JSON is how it is stored.
type Terms struct {
	ValueType             ValueType        `json:"value_type"`
	Authentication        Method           `json:"authentication_type"`
	DelayedOnFailure      bool             `json:"do_delayed_on_auth_failure"`
	DebitSequence         Sequence         `json:"debit_sequence"`
	AdjustmentCategory    Category         `json:"adjustment_category"`
	AdjustmentRate        *decimal.Decimal `json:"adjustment_rate"` // percent
	AdjustmentAmountCents *int64           `json:"adjustment_amount_cents"`
	AllowDateAdjustment   bool             `json:"allow_date_adjustment"`
	VerifyAccount         bool             `json:"verify_account"`
	MaxAmountCents        int64            `json:"max_amount_cents"`
	PriceCents            int64            `json:"price_cents"` // authenticated: the sum of the product lines
}

// Ask is the mandate fields of a request as they came: empty texts and nil mean
// that a field was left out or null.
type Ask struct {
	ValueType, AuthenticationType, DebitSequence, AdjustmentCategory string
	DelayedOnFailure, AllowDateAdjustment, VerifyAccount             bool
	AdjustmentRate                                                   *decimal.Decimal
	AdjustmentAmountCents, MaxAmountCents                            *int64
}
