package mandate

import (
	"slices"

	"github.com/shopspring/decimal"

	"debitdesk/models/money"
	"debitdesk/models/rulebook"
)

// ValueType decides which amounts may be collected (source: additional mandate fields).
type ValueType string

// The value types.
const (
	Fixed      ValueType = "FIXED"
	Variable   ValueType = "VARIABLE"
	UsageBased ValueType = "USAGEBASED"
)

// valueRule is what a value type allows.
type valueRule struct {
	value ValueType
	most  func(priceCents int64) int64 // the largest maximum; nil: any
	named string                       // how messages name it
}

// valueRules lists the value types in the order in which messages and forms do.
var valueRules = []valueRule{
	{Fixed, func(price int64) int64 { return price }, "the price"},
	{Variable, func(price int64) int64 { return maxOver * price / maxUnder },
		"1.5 times the price"},
	{UsageBased, nil, "the largest amount"},
}

// maxOver and maxUnder are how many times its price the maximum of a variable mandate may be: 3/2.
var maxOver, maxUnder = rulebook.Default().On("dc.max_factor", rulebook.DebiCheck, rulebook.NoEnd).Ratio()

// ValueTypes are the allowed ones.
var ValueTypes = valueTypes()

func valueTypes() (out []ValueType) {
	for _, r := range valueRules {
		out = append(out, r.value)
	}
	return out
}

// rule is that of a value type; an unknown type has no limit, so that it is reported alone.
func (v ValueType) rule() valueRule {
	if i := slices.Index(ValueTypes, v); i >= 0 {
		return valueRules[i]
	}
	return valueRule{named: "the largest amount"}
}

// Varies tells that debits of several amounts are allowed.
func (v ValueType) Varies() bool { return v != Fixed && slices.Contains(ValueTypes, v) }

// limit is the largest maximum in cents for a price of at most money.MaxCents, and how messages name it. For an odd
// price it is rounded down, which is the same as 2*max <= 3*price.
func (v ValueType) limit(price int64) (cents int64, name string) {
	r := v.rule()
	if r.most == nil {
		return money.MaxCents, r.named
	}
	return r.most(price), r.named
}

// LimitCents is the largest max_amount_cents that a value type allows for a price in cents; unlimited tells that there
// is no limit (source: rules 2 to 4).
func (v ValueType) LimitCents(priceCents int64) (cents int64, unlimited bool) {
	cents, _ = v.limit(within(priceCents))
	return cents, v.rule().most == nil
}

// Method is how the client is asked to authenticate a mandate.
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

// Terms are what the client authenticates at the bank. Its JSON is how it is stored.
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

// Ask is what was asked for where these terms were given.
func (t Terms) Ask() Ask {
	most := t.MaxAmountCents
	return Ask{ValueType: string(t.ValueType), AuthenticationType: string(t.Authentication),
		DebitSequence: string(t.DebitSequence), AdjustmentCategory: string(t.AdjustmentCategory),
		DelayedOnFailure: t.DelayedOnFailure, AllowDateAdjustment: t.AllowDateAdjustment, VerifyAccount: t.VerifyAccount,
		AdjustmentRate: t.AdjustmentRate, AdjustmentAmountCents: t.AdjustmentAmountCents, MaxAmountCents: &most}
}

// Ask is the mandate fields of a request as they came: empty texts and nil mean
// that a field was left out or null.
type Ask struct {
	ValueType, AuthenticationType, DebitSequence, AdjustmentCategory string
	DelayedOnFailure, AllowDateAdjustment, VerifyAccount             bool
	AdjustmentRate                                                   *decimal.Decimal
	AdjustmentAmountCents, MaxAmountCents                            *int64
}
