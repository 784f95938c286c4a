// Package plan knows what is done after a debit fails: plans with their steps, and the runs that follow them for single
// purchases. It decides what is next; debits, mails and pauses are made by the use cases that the buttons call. (Facts:
// follow-up.md, sections 2 to 7.)
package plan

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// Kind is what a step does.
type Kind string

// The kinds of step. Their names are data in the database.
const (
	WaitDays     Kind = "wait_days"           // a number of days
	WaitBusiness Kind = "wait_business_days"  // a number of business days
	WaitPayDay   Kind = "wait_pay_day"        // a day of the month on which the client has money
	WaitLikely   Kind = "wait_likely_pay_day" // the one that the client's debits show, else a day of the month
	Message      Kind = "message"             // the reminder, with the link to pay
	DebitAgain   Kind = "debit_again"         // on the next date that the rules allow
	AskAccount   Kind = "ask_account"         // the link to give an account and a mandate
	Pause        Kind = "pause_subscription"
	Task         Kind = "task" // a person goes on
	Stop         Kind = "stop"
)

// Kinds are all of them, as a form offers them.
var Kinds = []Kind{Message, WaitDays, WaitBusiness, WaitPayDay, WaitLikely, DebitAgain, AskAccount, Pause, Task,
	Stop}

// Waits tells that the step is only a moment.
func (k Kind) Waits() bool {
	return k == WaitDays || k == WaitBusiness || k == WaitPayDay || k == WaitLikely
}

// Step is one step of a plan. Its JSON is data in the database.
type Step struct {
	Kind Kind `json:"kind"`
	// N is a number of days, or for a pay day a day of the month: 31 is the last business day.
	N    int    `json:"n,omitzero"`
	Text string `json:"text,omitzero"` // of a task: what the person is to do
	// Channel is how a message goes out; empty: by mail.
	Channel Channel `json:"channel,omitzero"`
}

// Channel is how a message reaches the client. Its names are data in the database.
type Channel string

// The channels.
const (
	ByMail Channel = ""
	BySMS  Channel = "sms"
	Either Channel = "either" // by mail, or by SMS to a client without an address
)

// Channels are all of them, as a form offers them.
var Channels = []Channel{ByMail, BySMS, Either}

// Texts tells that the message goes out by SMS.
func (s Step) Texts(mailable bool) bool {
	return s.Kind == Message && (s.Channel == BySMS || s.Channel == Either && !mailable)
}

// Steps are the steps of a plan by class of reason. No steps: such a failure waits for a person.
type Steps map[Branch][]Step

// State is where a plan stands.
type State string

// The states of a plan. A paused one begins nothing, and what is under way rests; an ended one is over for good.
const (
	Active State = "active"
	Paused State = "paused"
	Ended  State = "ended"
)

// Plan is what a business wants done after a debit fails, of a brand or a template, or of all.
type Plan struct {
	ID, MerchantID uuid.UUID
	Name           string
	BrandID        uuid.UUID // zero: every brand
	TemplateID     uuid.UUID // zero: all that is not of a template with a plan
	State          State
	Version        int    // that new runs follow
	HoldOut        int    // basis points of the clients, who are left to the old way
	Salt           string `gorm:"<-:create"`
	CreatedAt      time.Time
	CreatedBy      string `gorm:"<-:create"`
	UpdatedAt      time.Time
}

// Version is the steps of a plan as they stood from a moment on. It never changes.
type Version struct {
	PlanID     uuid.UUID `gorm:"not null"`
	N          int
	MerchantID uuid.UUID
	Steps      Steps `gorm:"serializer:json;not null"`
	CreatedAt  time.Time
	CreatedBy  string
}

// RunState is where a run stands.
type RunState string

// The states of a run.
const (
	Waiting    RunState = "waiting"     // its next step has a moment
	Held       RunState = "held"        // something else is to happen first
	WithPerson RunState = "with_person" // a person goes on
	Over       RunState = "ended"
)

// What holds a run.
const (
	ForPromise = "promise" // a promise is open
	ForDebit   = "debit"   // a debit is planned, or with the bank
	ForPerson  = "person"  // somebody of the team held it
)

// Run follows a version of a plan for one purchase.
type Run struct {
	ID, MerchantID, PlanID uuid.UUID
	Version                int
	PurchaseID             uuid.UUID `gorm:"not null"`
	ClientID               uuid.UUID
	TokenID                uuid.UUID `gorm:"not null"` // that was debited
	MandateID              uuid.UUID `gorm:"not null"`
	SubscriberID           uuid.UUID
	CollectionID           uuid.UUID `gorm:"not null"` // the debit that failed last
	Method                 string
	Branch                 Branch
	Cause                  Cause
	Code                   string        // the bank's
	FailedOn               calendar.Date // the date of the first debit that failed
	Day                    calendar.Date // from which the next step counts
	Step                   int           // steps of the version that are over
	Shift                  int           // steps that are over, less Step; not 0 after a move to another version
	State                  RunState
	HeldFor                string
	HeldUntil              calendar.Date `gorm:"default:null"` // the first day on which it goes on; zero: not known
	DueAt                  time.Time     // when the next step is looked at
	DebitOn                calendar.Date `gorm:"default:null"` // of the debit that the next step is to make
	EndReason              string
	Failures               int
	StartedAt, UpdatedAt   time.Time
	EndedAt                time.Time
}

// Live tells that the run has not ended.
func (r Run) Live() bool { return r.State != Over }

// Outcome is what became of a step.
type Outcome string

// The outcomes of a step.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused" // by a rule
	Skipped Outcome = "skipped" // by a person, or since its purpose had passed
)

// Taken is a step that is over: done, with what it made, or not, and why.
type Taken struct {
	RunID      uuid.UUID `gorm:"not null"`
	N          int       // from 1
	MerchantID uuid.UUID
	Kind       Kind
	Outcome    Outcome
	Why        string
	Rules      string        // keys of the rulebook
	MadeID     uuid.UUID     // the debit that it planned
	MadeFor    calendar.Date `gorm:"default:null"` // its date
	Cents      int64
	PlannedOn  calendar.Date
	DecidedAt  time.Time
	DecidedBy  string
}

// steps are the steps that a run follows.
func (v Version) steps(b Branch) []Step { return v.Steps[b] }

// most is how many steps a class of reason may have.
const most = 12

// clone is a copy that nothing shares.
func (s Steps) clone() Steps {
	out := Steps{}
	for b, list := range s {
		if len(list) > 0 {
			out[b] = slices.Clone(list)
		}
	}
	return out
}
