// Package followup knows what staff do about what needs attention: notes and calls, what clients promise to pay, who
// looks after a thing, until when it is put off, and why it is closed. It must not know how debits are planned.
package followup

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// ObjectType is what a note, a call or an owner is about.
type ObjectType string

// What can be followed up.
const (
	Client     ObjectType = "client"
	Purchase   ObjectType = "purchase"
	Debit      ObjectType = "debit"
	Mandate    ObjectType = "mandate"
	Token      ObjectType = "token"
	Invoice    ObjectType = "invoice"
	Subscriber ObjectType = "subscriber"
	Mail       ObjectType = "mail"
	Promised   ObjectType = "promise"
	Requested  ObjectType = "client_request"
)

// Object is one thing that can be followed up.
type Object struct {
	Type ObjectType
	ID   uuid.UUID
}

// Outcome is how a call ended.
type Outcome string

// The outcomes of a call.
const (
	Reached      Outcome = "reached"
	Promises     Outcome = "promised"
	NoAnswer     Outcome = "no_answer"
	Voicemail    Outcome = "voicemail"
	WrongNumber  Outcome = "wrong_number"
	CallsBack    Outcome = "calls_back"
	RefusesToPay Outcome = "refused"
)

// Outcomes are all of them, as a form offers them.
var Outcomes = []Outcome{Reached, Promises, NoAnswer, Voicemail, WrongNumber, CallsBack, RefusesToPay}

// Label is the outcome in words.
func (o Outcome) Label() string {
	switch o {
	case Reached:
		return "Reached"
	case Promises:
		return "Promised to pay"
	case NoAnswer:
		return "No answer"
	case Voicemail:
		return "Left a message"
	case WrongNumber:
		return "Wrong number"
	case CallsBack:
		return "Calls back"
	case RefusesToPay:
		return "Refuses to pay"
	}
	return ""
}

// Note is what somebody wrote down about an object. A note with an outcome is a call.
type Note struct {
	ID, MerchantID       uuid.UUID
	ObjectType           ObjectType `gorm:"<-:create"`
	ObjectID             uuid.UUID  `gorm:"<-:create;not null"`
	ClientID, PurchaseID uuid.UUID  `gorm:"<-:create"`
	Text                 string
	Outcome              Outcome `gorm:"<-:create"`
	Phone                string  // that was called
	AuthorID             uuid.UUID
	Author               string
	CreatedAt            time.Time
}

// IsCall tells a call from a plain note.
func (n Note) IsCall() bool { return n.Outcome != "" }

// PromiseState is where a promise stands.
type PromiseState string

// The states of a promise. That of a purchase which is paid is kept, whatever its state.
const (
	Open      PromiseState = "open"
	Kept      PromiseState = "kept"
	Broken    PromiseState = "broken"
	Withdrawn PromiseState = "withdrawn"
)

// Promise is what a client promised to pay, of a purchase or of all that it owes.
type Promise struct {
	ID, MerchantID       uuid.UUID
	ClientID, PurchaseID uuid.UUID     `gorm:"<-:create"`
	AmountCents          int64         `gorm:"<-:create"`
	Currency             string        `gorm:"<-:create"`
	DueOn                calendar.Date `gorm:"<-:create"`
	State                PromiseState
	Text                 string
	AuthorID             uuid.UUID `gorm:"<-:create"`
	Author               string    `gorm:"<-:create"`
	CreatedAt, UpdatedAt time.Time

	Paid bool `gorm:"->;-:migration"` // what was promised is paid
}

// Standing is the state of the promise as a person sees it on a day: an open one whose purchase is paid is
// kept, one whose day has passed is broken.
func (p Promise) Standing(today calendar.Date) PromiseState {
	switch {
	case p.State == Open && p.Paid:
		return Kept
	case p.State == Open && p.DueOn.Before(today):
		return Broken
	}
	return p.State
}

// Kind is why something needs attention, as the table attention has it.
type Kind string

// KindPromise is the reason of a promise whose day has come.
const KindPromise Kind = "promise"

// KindRequest is the reason of what a client asked for.
const KindRequest Kind = "request"

// Item is one thing that needs attention for a reason.
type Item struct {
	Kind     Kind
	ObjectID uuid.UUID
}

// objectTypes are what the things of each kind are.
var objectTypes = map[Kind]ObjectType{
	"failed":       Purchase,
	"account_gone": Purchase,
	"unconfirmed":  Purchase,
	"disputed":     Purchase,
	"silent":       Purchase,
	"twice":        Purchase,
	"refund":       Purchase,
	"blocked":      Token,
	"suspended":    Mandate,
	"stranded":     Subscriber,
	"terms":        Subscriber,
	"replaced":     Token,
	"idle":         Mandate,
	"overdue":      Purchase,
	"closed_day":   Purchase,
	"mail":         Mail,
	KindPromise:    Promised,
	KindRequest:    Requested,
}

// Object is the thing itself; false for a kind that there is not.
func (i Item) Object() (Object, bool) {
	of, known := objectTypes[i.Kind]
	return Object{of, i.ObjectID}, known
}

// Reason is why an item is closed though it is not solved.
type Reason string

// The reasons.
const (
	PaidElsewhere Reason = "paid_elsewhere"
	WrittenOff    Reason = "written_off"
	HandedOver    Reason = "handed_over"
	Agreed        Reason = "agreed"
	NotNeeded     Reason = "not_needed"
)

// Reasons are all of them, as a form offers them.
var Reasons = []Reason{PaidElsewhere, Agreed, WrittenOff, HandedOver, NotNeeded}

// Label is the reason in words.
func (r Reason) Label() string {
	switch r {
	case PaidElsewhere:
		return "The client pays in another way"
	case Agreed:
		return "Agreed with the client"
	case WrittenOff:
		return "Written off"
	case HandedOver:
		return "Handed over to debt collectors"
	case NotNeeded:
		return "Nothing needs to be done"
	}
	return ""
}

// State is what was done about an item.
type State string

// The states of an item. What is open waits.
const (
	Waits   State = "open"
	Snoozed State = "snoozed"
	Closed  State = "closed"
)

// Act is what somebody did about an item: put it off, or closed it.
type Act struct {
	MerchantID  uuid.UUID
	ObjectID    uuid.UUID `gorm:"not null"`
	Kind        Kind
	State       State
	HiddenUntil string // a date; "infinity" for what is closed
	Reason      Reason
	ActorID     uuid.UUID
	Actor       string
	ActedAt     time.Time
}

// Item is what the act is about.
func (a Act) Item() Item { return Item{a.Kind, a.ObjectID} }
