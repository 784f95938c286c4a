package mandate

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/rulebook"
)

// Authentication is one time of asking the client, through the client's bank. The
// first of two that meet, answer and time-out, decides; the other is recorded and
// changes nothing.
type Authentication struct {
	ID, MerchantID, MandateID uuid.UUID // the id is also the request's at the bank
	Number                    int       // 1 for the first of a mandate
	Method                    Method
	State                     AuthState
	Code                      string // the bank's reason, such as MS02
	Channel                   string // of acceptance: banking_app, ussd, sms, …
	RequestedBy               string
	CancelDue                 bool      // the bank has yet to hear that nothing is wanted any more
	RequestedAt               time.Time // UTC, as all that follow; zero: not yet
	SentAt, DeliveredAt       time.Time
	ExpiresAt                 time.Time // the time limit, counted from SentAt
	AnsweredAt                time.Time
}

// AuthState is where one time of asking stands.
type AuthState string

// The states of an authentication.
const (
	AuthRequested  AuthState = "requested" // written down
	AuthSent       AuthState = "sent"      // the bank has it
	AuthDelivered  AuthState = "delivered" // the client's handset has it
	AuthAccepted   AuthState = "accepted"
	AuthRejected   AuthState = "rejected"
	AuthNoResponse AuthState = "no_response"
	AuthFailed     AuthState = "failed"    // the bank could not ask
	AuthWithdrawn  AuthState = "withdrawn" // the merchant wants no answer any more
)

// Open tells that an answer may still come.
func (s AuthState) Open() bool { return s == AuthRequested || s == AuthSent || s == AuthDelivered }

// Limits are the times and counts of authentication. They are settings.
type Limits struct {
	RealTime     time.Duration `json:"real_time"` // source: 120 seconds
	Delayed      time.Duration `json:"delayed"`   // source: 48 hours; the fallback too
	MostTries    int           `json:"most_tries"`
	FailureLimit int           `json:"failure_limit"` // failed debits in a row that suspend a mandate (industry: seven)
	TrackingDays int           `json:"tracking_days"` // industry: ten at most
}

// DefaultLimits are the source document's and the scheme's.
func DefaultLimits() Limits { return LimitsBy(rulebook.Default()) }

// LimitsBy are those of a book of rules.
func LimitsBy(rules *rulebook.Book) Limits {
	n := func(key string) int64 { return rules.On(key, rulebook.DebiCheck, rulebook.NoEnd).Int() }
	return Limits{RealTime: time.Duration(n("dc.tt1.answer_s")) * time.Second,
		Delayed:   time.Duration(n("dc.delayed_hours")) * time.Hour,
		MostTries: int(n("dc.tt1.attempts")), FailureLimit: int(n("dc.suspend_after")),
		TrackingDays: int(n("dc.tracking_days"))}
}

// For is how long the client has to answer.
func (l Limits) For(m Method) time.Duration {
	if m == RealTime {
		return l.RealTime
	}
	return l.Delayed
}

// Span writes how long the client has to answer, such as "120 seconds".
func (l Limits) Span(m Method) string { return Span(l.For(m)) }

// Span writes a time to answer as the trade says it: 120 seconds, 48 hours.
func Span(d time.Duration) string {
	n, unit := int64(d/time.Second), "second"
	if d >= time.Hour && d%time.Hour == 0 {
		n, unit = int64(d/time.Hour), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// Asked counts how often the client was asked in one way.
func Asked(all []Authentication, how Method) (n int) {
	for _, a := range all {
		if a.Method == how {
			n++
		}
	}
	return n
}

var methodLabels = map[Method]string{
	RealTime: "real time", Delayed: "delayed", Fallback: "fallback",
}

// Label is the way of asking in plain words.
func (m Method) Label() string { return methodLabels[m] }

// Label is the way of asking with the time to answer that this request had, such as "real time, 120 seconds".
func (a Authentication) Label() string {
	if a.SentAt.IsZero() || a.ExpiresAt.IsZero() {
		return a.Method.Label()
	}
	return a.Method.Label() + ", " + Span(a.ExpiresAt.Sub(a.SentAt))
}

var channelLabels = map[string]string{
	"banking_app": "in the banking app", "internet_banking": "by internet banking", "ussd": "by cellphone banking",
	"sms_link": "by the link in an SMS",
	"atm":      "at an ATM", "branch": "in a branch", "contact_centre": "by the contact centre",
	"point_of_sale": "at a point of sale",
}

// ChannelLabel puts a channel of acceptance into words; nothing for an unknown one.
func ChannelLabel(channel string) string { return channelLabels[channel] }
