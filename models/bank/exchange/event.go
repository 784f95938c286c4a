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
	OnMessage   EventKind = "message"   // the status of a whole message of ours
	OnGroup     EventKind = "group"     // the status of a group
	OnItem      EventKind = "item"      // the status of one item
	OnRecall    EventKind = "recall"    // the answer to a recall of an item, a group or a message
	OnMandate   EventKind = "mandate"   // the answer to a mandate request
	OnEntry     EventKind = "entry"     // a movement on the merchant's account, or one detail of it
	OnDetails   EventKind = "details"   // an entry with details has ended: how many there were, and their sum
	OnBalance   EventKind = "balance"   // opening or closing balance of a statement
	OnMore      EventKind = "more"      // a message in the document that is none that is read here
	OnStatement EventKind = "statement" // a statement, report or notification has ended
)

// Arrival is what one document from the bank says of itself.
type Arrival struct {
	Name      string    // its form, such as pain.002.001.10
	ID        string    // the bank's own id of it
	CreatedAt time.Time // by the bank's clock
}

// Reason is why something was refused or returned; bank.ReadReason says what it means.
type Reason = bank.Reason

// StatusCount is how many of our items have one status, by the bank's count.
type StatusCount struct {
	Status   string
	Count    int
	HasSum   bool
	SumCents int64
}

// Event is one thing that an arrival says. Which fields are set depends on the kind.
type Event struct {
	Kind EventKind
	Path string // where it stands in the document, such as g2.t17; the same after every reading

	// Problem is what could not be read or does not agree in it, in one sentence for a person; mostly empty. What
	// could be read stands in the other fields, and an amount that could not has no HasAmount.
	Problem string

	// What it is about, as the bank wrote it; empty where it did not.
	MessageID     string // ours: OrgnlMsgId
	MessageName   string // OrgnlMsgNmId
	GroupID       string // OrgnlPmtInfId, PmtInfId
	InstructionID string // InstrId; for mandates the request's id
	EndToEndID    string
	TransactionID string // TxId, OrgnlTxId: of the bank's, or ours given back
	UETR          string
	CaseID        string // of a recall's answer: the id that we gave the case or the recall
	StatementLine string // remittance information in full: it may hold account numbers, so never show it as it is
	Text          string // other words of the bank, with long numbers masked

	Status  string // ACTC, ACCP, PART, RJCT, ACSC …; of an entry BOOK, PDNG or INFO; of a recall ACCR, RJCR, PDCR …
	Reasons []Reason

	HasAmount   bool
	AmountCents int64
	Currency    string
	// Of a message, group or batch what the bank counted of ours; of details how many; of a statement its entries.
	HasCount bool
	Count    int
	// Beside Count: what the bank added up; of details and of a statement what we did, money out below zero.
	HasSum   bool
	SumCents int64
	Statuses []StatusCount // of a message or group, where the bank counts by status
	At       time.Time     // of the answer, UTC

	// Of an entry. Money comes in when Credit, whatever Reversal says.
	Account    bank.AccountNumber // the merchant's account
	Credit     bool
	Reversal   bool
	Batch      bool // it books a whole message or group, which MessageID and GroupID name
	BookedOn   calendar.Date
	BookedBy   BookedBy // whose day BookedOn is, where the bank names no booking day
	ValueOn    calendar.Date
	Reference  string // the bank's own reference of the entry
	DetailRef  string // the bank's own reference of the detail
	EntryPath  string // of the entry that a detail belongs to
	Detail     int    // which detail of its entry, from 1; 0: the entry stands alone
	EntryCents int64  // the whole entry, of which this may be one detail
	// What the debit or refund was asked for, and what the bank kept of it or put on top; zero where it does not say.
	InstructedCents int64
	ChargesCents    int64
	Told            Telling // in what kind of document it stands
	BankCode        string  // what kind of movement, such as PMNT/IDDT/UPDD
	BankOwnCode     string  // the same in the bank's own codes

	// Of a balance and a statement. A balance below zero has no Credit. The day of a balance is BookedOn.
	Opening     bool
	StatementID string        // the bank's id of it, also of each entry
	From, Until calendar.Date // the days that a statement is about; zero where it does not say
	Number      int64         // of the statement in its order, without gaps; 0: the bank does not number

	// Of a mandate's answer.
	Accepted         bool
	MandateReference string // the bank's mandate reference; also of items and entries
	Contract         string // our contract reference
	Channel          string // how the payer answered, in our words: banking_app, …

	Raw []byte // the smallest element, without account numbers and names
}

// SignedCents is its amount; money that goes out is below zero.
func (e Event) SignedCents() int64 {
	if e.Credit {
		return e.AmountCents
	}
	return -e.AmountCents
}

// BookedBy is whose day stands for the booking day that a bank left out, as every version allows.
type BookedBy string

// The days, in the order in which they are taken.
const (
	ByBookingDay   BookedBy = ""
	ByValueDay     BookedBy = "value"
	ByStatementDay BookedBy = "statement"
	ByMessageDay   BookedBy = "message"
	ByArrival      BookedBy = "arrival"
)

// Words name the day.
func (b BookedBy) Words() string {
	return map[BookedBy]string{ByValueDay: "its value day", ByStatementDay: "the day of the statement",
		ByMessageDay: "the day of the message", ByArrival: "the day on which the file came"}[b]
}

// Telling is the kind of document that tells of a movement. One movement may be told by each of them, and more than
// once by reports.
type Telling string

// The kinds.
const (
	ByReportOfDay  Telling = "report"    // what has moved so far: the statement of the day says it again
	ByStatement    Telling = "statement" // the account's own
	ByNotification Telling = "notice"
)
