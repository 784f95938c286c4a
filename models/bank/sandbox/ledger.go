package sandbox

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// Kind is what an order asks of the bank.
type Kind string

// The kinds of orders.
const (
	Collection Kind = "collection"
	Refund     Kind = "refund"
	Mandate    Kind = "mandate"
)

// Order is what the sandbox bank remembers of a collection, a refund or a mandate request. The account is needed only
// while its script is made: a ledger keeps no more of it than a keyed hash to count by.
type Order struct {
	ID          uuid.UUID
	MerchantID  uuid.UUID
	Kind        Kind
	Method      string             // eft or debicheck; of a mandate REALTIME, DELAYED or FALLBACK; empty for a refund
	Account     bank.AccountNumber `gorm:"-"` // its hash is kept
	AmountCents int64
	ActionDate  calendar.Date // of a collection, else zero
	Disputable  bool          // of a collection: the payer's bank hears a dispute
	AnswerBy    time.Time     // of a mandate: the payer's time ends, UTC; else zero
}

// Record is an order (without its account) with its answers.
type Record struct {
	Order     Order
	Delivered []Entry // acknowledged, by Seq
	Waiting   []Entry // not acknowledged, by Seq
}

// Answer is one entry of one order.
type Answer struct {
	OrderID uuid.UUID `gorm:"column:instruction_id"`
	Entry   Entry     `gorm:"embedded"`
}

// AnswerID names an Answer.
type AnswerID struct {
	OrderID uuid.UUID
	Seq     int
}

// Ledger is the memory of the sandbox bank. Each call is one transaction, and any number of processes may share it.
type Ledger interface {
	// Save writes the orders whose id is new, with the answers that script gives for them, and tells for each order
	// whether it was new. previous counts the orders of the same kind saved before for the same merchant and account,
	// those earlier in orders included.
	Save(ctx context.Context, orders []Order, script func(o Order, previous int) []Entry) (fresh []bool, err error)

	// Due gives answers that are not acknowledged and due at or before now, ordered by DueAt, OrderID, Seq.
	Due(ctx context.Context, now time.Time, limit int) ([]Answer, error)

	// Acknowledge marks answers as delivered; unknown and repeated ids change nothing.
	Acknowledge(ctx context.Context, ids []AnswerID) error

	// Replace locks an order and lets change decide: the entries it gives take the place of all that wait, numbered on
	// from the highest Seq of the order (Renumber); nil or an error changes nothing. bank.ErrUnknown when there is no
	// such order; an error of change is given back as it is.
	Replace(ctx context.Context, id uuid.UUID, change func(Record) ([]Entry, error)) error
}
