package exchange

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Kind is what the items of one message ask of the bank. One message holds one kind.
type Kind string

// The kinds.
const (
	Debits        Kind = "debits"
	Refunds       Kind = "refunds"
	Recalls       Kind = "recalls"       // of single debits
	Mandates      Kind = "mandates"      // requests that the payer authenticates
	Cancellations Kind = "cancellations" // of mandates
)

// Kinds lists all of them, in the order in which they are cut: a recall must not overtake its debit.
var Kinds = []Kind{Mandates, Debits, Refunds, Recalls, Cancellations}

// ItemState is where an item stands on our side.
type ItemState string

// The states of an item.
const (
	ItemWaiting   ItemState = "waiting"   // taken; leaves at CutAt
	ItemLate      ItemState = "late"      // missed the bank's deadline of its day; a person decides
	ItemWithdrawn ItemState = "withdrawn" // taken back before it left
	ItemHeld      ItemState = "held"      // a recall whose debit is in a message that waits for approval
	ItemSent      ItemState = "sent"      // in a message
	ItemRefused   ItemState = "refused"   // its message or group was refused; a person decides
	ItemDropped   ItemState = "dropped"   // a person said that the bank did not run it
	ItemDamaged   ItemState = "damaged"   // its order cannot be read, so it does not leave; a person decides
)

// Item is one thing that was handed over.
type Item struct {
	ID          uuid.UUID // of the collection, refund or authentication; a recall and a cancellation have their own
	MerchantID  uuid.UUID
	Kind        Kind
	SubjectID   uuid.UUID // the debit of a refund or recall, the request of a cancellation; else zero
	Method      bank.Method
	AmountCents int64 // zero for mandates and cancellations
	Currency    string
	ActionDate  calendar.Date // the debit date; zero for everything else
	State       ItemState
	CutAt       time.Time        // when it leaves at the earliest
	MessageID   string           `gorm:"default:null"` // the message it is in; empty while it waits
	GroupID     string           `gorm:"default:null"`
	Outcome     bank.MessageKind // the last answer; empty before the first
	OutcomeOn   calendar.Date    // the bank's day of it
	BackOn      calendar.Date    // the day on which it went back, of one that was paid again since
	GroupKey    string           // items with the same key go into one group of a message
	SilenceAt   time.Time        // when silence means that it was paid; zero: silence means nothing
	TakenAt     time.Time
	Order       Order `gorm:"-"` // sealed at rest; empty in lists

	database.Damage `gorm:"-"` // the order that cannot be read
}

// Order is what the bank is asked in full: exactly one of the parts is there.
type Order struct {
	Debit   *bank.Instruction
	Refund  *bank.Refund
	Request *bank.MandateRequest
	Recall  *Recall
	Cancel  *Cancellation
}

// Recall withdraws one debit that left in an earlier message.
type Recall struct {
	ID          uuid.UUID // the item's
	DebitID     uuid.UUID
	MessageID   string // in which the debit left
	MessageName string // such as pain.008.001.08
	GroupID     string
	AmountCents int64
	Currency    string
	ActionDate  calendar.Date
	Creditor    bank.Creditor
}

// Cancellation ends a mandate that was asked for in an earlier message.
type Cancellation struct {
	ID          uuid.UUID // the item's
	RequestID   uuid.UUID
	MessageID   string // in which the request left
	MessageName string
	Reference   string // the bank's mandate reference; empty when it was not accepted yet
	Contract    string // our contract reference
	Creditor    bank.Creditor
}

// Creditor is the merchant's side of the order.
func (o Order) Creditor() bank.Creditor {
	switch {
	case o.Debit != nil:
		return o.Debit.Creditor
	case o.Refund != nil:
		return o.Refund.Creditor
	case o.Request != nil:
		return o.Request.Creditor
	case o.Recall != nil:
		return o.Recall.Creditor
	case o.Cancel != nil:
		return o.Cancel.Creditor
	default:
		return bank.Creditor{}
	}
}
