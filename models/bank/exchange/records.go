package exchange

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// Answer is what the product is told about one item. One item has one answer of a kind.
type Answer struct {
	ID         string
	ItemID     uuid.UUID
	MerchantID uuid.UUID
	Kind       bank.MessageKind
	Code       string
	Channel    string
	Reference  string
	At         time.Time
	Raw        []byte `gorm:"not null"`
	// Of an answer that follows from a match by hand: until when it waits and can be taken back, the movement, and what
	// the item was before.
	WaitsUntil time.Time
	EntryID    uuid.UUID
	WasState   ItemState
	WasOutcome bank.MessageKind
	WasOn      calendar.Date
}

// Entry is a movement on a merchant's account as the bank booked it.
type Entry struct {
	ID          uuid.UUID
	MerchantID  uuid.UUID // zero while nobody's
	Key         string    // the same however often and in whatever document the bank tells
	ArrivalID   uuid.UUID
	ItemID      uuid.UUID // the debit or refund that it belongs to; zero for none
	MessageID   string    `gorm:"default:null"` // of a booking of a whole message or group
	GroupID     string    `gorm:"default:null"`
	State       EntryState
	Credit      bool // money that comes in
	Reversal    bool
	AmountCents int64
	Currency    string
	BookedOn    calendar.Date
	Reference   string // the bank's own
	BankCode    string // such as PMNT/IDDT/UPDD
	Reason      string // the bank's reason, for returns
	Text        string
	Remittance  string // what the payer's bank passed on, with long numbers masked
	AccountHash []byte // of the account that it is on; empty of one that was kept before accounts were
	MatchedBy   string // the person who matched it; empty when it was matched by its references
	MatchedAt   time.Time
	FeeCents    int64    // what of the amount is the bank's fee; below zero: what the bank kept back
	PaidCents   int64    // what of the amount was booked on purchases, as paid by transfer
	BookedBy    BookedBy // whose day BookedOn is, where the bank names no booking day
	EntryKey    string   // of the entry in the bank's books that it is, or is a detail of
	EntryCents  int64    // of a detail: the whole entry
	Note        string   // why it counts as it does
	earlierKey  string   // by which it would have been kept before the key told the account
	place       string   // where it stands, the same after every reading
	alike       string   // account, day, direction, amount and currency
	told        Telling
}

// EntryState is whether an entry is understood.
type EntryState string

// The states of an entry.
const (
	EntryMatched   EntryState = "matched"   // to an item, or to a message
	EntryUnmatched EntryState = "unmatched" // looks like a debit order, belongs to none we know
	EntryPaid      EntryState = "paid"      // by transfer, for purchases that a person or the rule chose
	EntryOther     EntryState = "other"     // none of ours: the profile or a person says so
	EntryFee       EntryState = "fee"       // of the bank
	EntryExplained EntryState = "explained" // told by other movements as well, which count
)

// Document is an arrival as it was read.
type Document struct {
	ID         uuid.UUID
	FileName   string
	SHA256     []byte `gorm:"column:content_sha256"` // of its bytes
	Size       int64
	Name       string // its form; empty when it could not be read
	BankID     string
	State      DocumentState
	Why        string // of one that was rejected
	BroughtBy  string // the person who imported it; empty when it was found
	Events     int
	Count      int   `gorm:"column:item_count"` // of items and entries in it
	SumCents   int64 // of their amounts
	ArrivedAt  time.Time
	ReadAt     time.Time
	MerchantID uuid.UUID `gorm:"not null"` // whose person imported it; zero when it was found

	Movements        int    // in it that are booked
	NewMovements     int    // of them, those that no earlier document told
	StrangeMovements int    // of them, those on accounts that are nobody's here, or not of who imported it
	StrangeAccount   string // the first such account, masked

	Again bool `gorm:"-"` // the same bytes were imported before
}

// Repeated tells that every movement in a document was known from earlier ones.
func (d Document) Repeated() bool {
	return d.State == DocumentRead && d.Movements > d.StrangeMovements && d.NewMovements == 0
}

// Strange tells that a document is about an account that is not known here, and about no other.
func (d Document) Strange() bool {
	return d.State == DocumentRead && d.StrangeAccount != "" && d.StrangeMovements == d.Movements && d.Count == 0
}

// DocumentState is what became of an arrival.
type DocumentState string

// The states of a document.
const (
	DocumentOpen     DocumentState = "open"     // being read
	DocumentRead     DocumentState = "read"     // everything in it is recorded
	DocumentRejected DocumentState = "rejected" // cannot be read
)

// Statement is what a bank statement says of one account on one day.
type Statement struct {
	MerchantID   uuid.UUID
	Account      bank.AccountNumber
	Day          calendar.Date
	HasOpening   bool
	OpeningCents int64
	HasClosing   bool
	ClosingCents int64
}
