package mandate

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
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

	// Bank is the book of a real bank, which ends delayed requests on their day; nil: the simulated bank, which does not.
	Bank *rulebook.Book `json:"-"`
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

// AtBank are the limits at a real bank, by its book.
func (l Limits) AtBank(rules *rulebook.Book) Limits {
	l.Bank = rules
	return l
}

// sameDay is when a bank ends delayed requests on the day on which it asks; ok is false where it does not.
func (l Limits) sameDay(m Method, day calendar.Date) (at calendar.TimeOfDay, ok bool) {
	if m != Delayed || l.Bank == nil {
		return at, false
	}
	at, err := calendar.ParseTimeOfDay(l.Bank.On(endOfDay, rulebook.DebiCheck, day).Text())
	return at, err == nil
}

// Ends is when a request that is sent at a time dies unanswered: after the time to answer, at a real bank not later
// than the bank's own end of that day. One that is sent later than that is asked on the next day, and dies at its end.
func (l Limits) Ends(m Method, sent time.Time) time.Time {
	ends := sent.Add(l.For(m))
	for day := calendar.DateOf(sent); ; day = day.AddDays(1) {
		at, ok := l.sameDay(m, day)
		if !ok || !at.On(day).Before(ends) {
			return ends
		}
		if dies := at.On(day); dies.After(sent) {
			return dies
		}
	}
}

// DayEnd is when the bank ends delayed requests on the day on which it asks; ok is false where the time to answer alone
// counts.
func (l Limits) DayEnd(m Method) (at calendar.TimeOfDay, ok bool) {
	return l.sameDay(m, rulebook.NoEnd)
}

// endOfDay is the rule by which a bank ends delayed requests on their day.
const endOfDay = "dc.tt1b.until"

// Span writes how long the client has to answer, such as "120 seconds", or "until 20:00 that day" where the bank ends
// the request on the day on which it asks.
func (l Limits) Span(m Method) string {
	if at, ok := l.DayEnd(m); ok {
		return "until " + at.String() + " that day"
	}
	return Span(l.For(m))
}

// Within is Span behind a comma: "within 48 hours".
func (l Limits) Within(m Method) string {
	if _, ok := l.DayEnd(m); ok {
		return l.Span(m)
	}
	return "within " + l.Span(m)
}

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
	whole := a.ExpiresAt.Sub(a.SentAt)
	if a.Method != RealTime && whole%time.Hour != 0 { // the bank ended it at an hour of its own
		return a.Method.Label() + ", until " + a.ExpiresAt.In(calendar.SAST).Format("15:04")
	}
	return a.Method.Label() + ", " + Span(whole)
}

var channelLabels = map[string]string{
	"banking_app": "in the banking app", "internet_banking": "by internet banking", "ussd": "by cellphone banking",
	"sms_link": "by the link in an SMS",
	"atm":      "at an ATM", "branch": "in a branch", "contact_centre": "by the contact centre",
	"point_of_sale": "at a point of sale",
}

// ChannelLabel puts a channel of acceptance into words; nothing for an unknown one.
func ChannelLabel(channel string) string { return channelLabels[channel] }
