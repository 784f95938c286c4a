// Package sms knows a short message to a client: how it is counted and paid for, when it may go out, to which
// numbers, and the port that sends it (source: follow-up, sections 13 to 16). It must not know how a message is
// worded, where it is kept or which provider takes it.
package sms

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Message is one short message. (Object, Kind, Attempt) is unique: one cause, one message, whatever runs twice.
type Message struct {
	ID, MerchantID                uuid.UUID `gorm:"<-:create"`
	BrandID, ClientID, PurchaseID uuid.UUID `gorm:"<-:create"` // zero for none
	ObjectID                      uuid.UUID `gorm:"not null;<-:create"`
	Kind                          string    `gorm:"<-:create"`
	Attempt                       int       `gorm:"<-:create"`
	To                            string    `gorm:"column:recipient;<-:create"` // +27 and nine digits
	Text                          string    `gorm:"-"`                          // sealed
	Encoding                      Encoding
	Parts                         int
	State                         State
	Why                           string // why it was not sent, or did not arrive, in a sentence
	Tries                         int
	Provider, ProviderID          string
	CreatedAt                     time.Time
	NotBefore                     time.Time // when its turn comes
	ExpiresAt                     time.Time // after it, the message is not sent any more
	SentAt, DoneAt                time.Time

	Unreadable bool `gorm:"-"` // what is stored of its text was damaged; it is not sent
}

// State is where a message stands. It only moves forward: a report that comes late, twice or out of order changes
// nothing.
type State string

// The states of a message. Delivered means that it reached the phone, not that the person read it.
const (
	Queued    State = "queued"
	Sent      State = "sent"
	Delivered State = "delivered"
	Failed    State = "failed"
	Expired   State = "expired"
	Skipped   State = "skipped"
)

// rank is how far a state is. What was delivered has not failed, whatever is reported later.
var rank = map[State]int{Queued: 0, Sent: 1, Failed: 2, Expired: 2, Delivered: 3, Skipped: 4}

// Follows tells that a message may move from one state to another.
func (s State) Follows(before State) bool {
	return before != Skipped && rank[s] > rank[before] && (s != Skipped || before == Queued)
}

// Unsent tells that the message did not reach the client, and will not.
func (s State) Unsent() bool { return s == Failed || s == Expired || s == Skipped }

// Before lists the states from which a message may move to this one.
func (s State) Before() (from []string) {
	for _, one := range []State{Queued, Sent, Failed, Expired, Delivered} {
		if s.Follows(one) {
			from = append(from, string(one))
		}
	}
	return from
}

// Label is the state in words.
func (s State) Label() string {
	switch s {
	case Queued:
		return "Waiting"
	case Sent:
		return "Sent"
	case Delivered:
		return "Delivered"
	case Failed:
		return "Failed"
	case Expired:
		return "Expired"
	case Skipped:
		return "Not sent"
	}
	return string(s)
}

// The kinds of message. Their names are data in the database.
const (
	Page        = "client_page_link" // lets its reader in: the words are not kept once they have left
	Code        = "client_page_code" // confirms what a client asked for: not kept either
	Reminder    = "reminder"
	Written     = "written"      // by a person of the team
	StopNoted   = "stop_noted"   // confirms to a client that no more SMS come
	ResumeNoted = "resume_noted" // and that they come again
)

// LettingIn are the kinds whose link or code lets its reader in.
var LettingIn = []string{Page, Code}

// LetsIn tells whether the text of the message holds a link or a code that lets its reader in.
func (m Message) LetsIn() bool { return slices.Contains(LettingIn, m.Kind) }

// Answers tells that the message answers what the client has just asked for, so that it goes out at any hour.
func (m Message) Answers() bool { return m.Kind == StopNoted || m.Kind == ResumeNoted }

// AtAnyHour tells that the message waits for no hours: an answer, or a code that the client waits for (source:
// follow-up, section 15).
func (m Message) AtAnyHour() bool { return m.Answers() || m.Kind == Code }

// LinkNotKept is what is shown in the place of such a text once it has left.
const LinkNotKept = "The link or code in this SMS was for one person only and is not kept."

// Unread is shown in the place of a text that cannot be read any longer.
const Unread = "The text of this SMS cannot be read: what is stored of it was damaged."

// Unsure is kept of a message that was handed over without an answer.
const Unsure = "The provider did not answer, so it is not known whether it took this SMS. It is not sent again."
