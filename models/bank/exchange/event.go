package exchange

import (
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// EventKind says what one piece of an arrival is about.
type EventKind string

// The kinds of events.
const (
	OnMessage EventKind = "message" // the status of a whole message of ours
	OnGroup   EventKind = "group"   // the status of a group
	OnItem    EventKind = "item"    // the status of one item
	OnMandate EventKind = "mandate" // the answer to a mandate request
	OnEntry   EventKind = "entry"   // a movement on the merchant's account
	OnBalance EventKind = "balance" // opening or closing balance of a statement
)

// Arrival is what one document from the bank says of itself.
type Arrival struct {
	Name      string    // its form, such as pain.002.001.10
	ID        string    // the bank's own id of it
	CreatedAt time.Time // by the bank's clock
}

// Reason is why something was refused or returned. Code is an ISO code, or the bank's own when Own.
type Reason struct {
	Code string
	Own  bool
	Text string // additional words of the bank
}

// Event is one thing that an arrival says. Which fields are set depends on the kind.
type Event struct {
	Kind EventKind
	Path string // where it stands in the document, such as g2.t17; the same after every reading

	// What it is about, as the bank wrote it; empty where it did not.
	MessageID     string // ours: OrgnlMsgId
	MessageName   string // OrgnlMsgNmId
	GroupID       string // OrgnlPmtInfId, PmtInfId
	InstructionID string // InstrId; for mandates the request's id
	EndToEndID    string
	StatementLine string // unstructured remittance information

	Status  string // ACTC, ACCP, PART, RJCT, ACSC …; of an entry BOOK, PDNG or INFO
	Reasons []Reason

	HasAmount   bool
	AmountCents int64
	Currency    string
	HasCount    bool // for messages and groups: what the bank counted of ours
	Count       int
	SumCents    int64
	At          time.Time // of the answer, UTC

	// Of an entry. Money comes in when Credit, whatever Reversal says.
	Account    bank.AccountNumber // the merchant's account
	Credit     bool
	Reversal   bool
	BookedOn   calendar.Date
	ValueOn    calendar.Date
	Reference  string // the bank's own reference of the entry
	EntryPath  string // of the entry that a detail belongs to
	Details    int    // how many details the entry has; 0: the entry stands alone
	EntryCents int64  // the whole entry, of which this may be one detail
	BankCode   string // what kind of movement, such as PMNT/IDDT/UPDD

	// Of a balance.
	Opening bool

	// Of a mandate's answer.
	Accepted         bool
	MandateReference string // the bank's mandate reference
	Channel          string

	Raw []byte // the smallest element, without account numbers and names
}
