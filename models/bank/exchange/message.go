package exchange

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// MessageState is where a message to the bank stands.
type MessageState string

// The states of a message. It only moves down this list, but for refused and replaced.
const (
	Made         MessageState = "made"         // its items and number are fixed; the bytes may still be written
	Held         MessageState = "held"         // waits for a second approver
	Placed       MessageState = "placed"       // stands where the bank, a courier or a person takes it
	Taken        MessageState = "taken"        // somebody took it from there
	Acknowledged MessageState = "acknowledged" // the bank has it
	Approval     MessageState = "approval"     // the bank waits for somebody to approve it there
	Accepted     MessageState = "accepted"     // the bank will run it, but for items that it refused
	Refused      MessageState = "refused"      // the bank refused it as a whole
	Replaced     MessageState = "replaced"     // a person had its items sent again in another message
	Closed       MessageState = "closed"       // a person said that the bank did not run it
)

// Message is one message to the bank, with what fixes its bytes.
type Message struct {
	ID          string // unique at the bank: DD20261122-000042
	MerchantID  uuid.UUID
	Kind        Kind
	Name        string // its form, such as pain.008.001.08
	Number      int64  // without gaps per kind
	FileName    string
	State       MessageState
	Count       int `gorm:"column:item_count"`
	SumCents    int64
	SHA256      []byte `gorm:"column:sha256"` // of the bytes; empty until they are written
	Size        int64  // of the bytes
	MadeBy      string // the person who cut, or empty for the clock
	MadeByID    uuid.UUID
	MadeAt      time.Time
	ApproveBy   time.Time // when a held message must be approved
	DecidedAt   time.Time
	DecidedBy   string // the second approver
	Declined    bool   // the second approver refused it: it never left
	PlacedAt    time.Time
	TakenAt     time.Time
	AckDueAt    time.Time // when the missing acknowledgement becomes a finding
	AckAt       time.Time
	AnsweredAt  time.Time // of the last answer about it
	Reason      string    // why the bank refused it, in its words, or the second approver
	Downloads   int       // how often a person has downloaded it
	DownloadsBy string    // who did so last
}

// Acknowledged tells that the bank has said it has the message.
func (m Message) Acknowledged() bool { return !m.AckAt.IsZero() }

// Group is the part of a message that goes to one account, on one day, by one service.
type Group struct {
	ID         string // the message's id and two digits
	MessageID  string
	Position   int
	Method     bank.Method
	ActionDate calendar.Date
	Sequence   bank.Sequence
	Creditor   bank.Creditor `gorm:"serializer:json"`
	Count      int           `gorm:"column:item_count"`
	SumCents   int64
	Refused    bool
	Items      []Item `gorm:"-"` // with their orders, when the group is to be written
}

// Outgoing is a message with all that is written into it.
type Outgoing struct {
	Message
	Groups []Group
}
