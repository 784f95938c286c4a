package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

// Success is how the outcome of debits is known at a bank.
type Success string

// The ways.
const (
	BySilence Success = "silence"  // paid when nothing came back by the morning after the debit date
	ByBooking Success = "booked"   // paid when a statement or notification shows the money
	ByReport  Success = "reported" // paid when a status report says so
)

// Rules are what a bank agreed on, independent of the form of its messages.
type Rules struct {
	Name         string // of the connection, such as "files"; stored with everything
	Cuts         []calendar.TimeOfDay
	Deadline     calendar.TimeOfDay      // of a day's last message
	LeadDays     map[bank.Method]int     // business days between the deadline and the debit date
	Success      map[bank.Method]Success // how debits are known to be paid
	SilenceAt    calendar.TimeOfDay      // on the business day after the debit date
	AckWithin    time.Duration           // after the message was taken
	SoonEvery    time.Duration           // how often requests, cancellations and recalls leave; 0: a quarter of an hour
	MaxItems     int                     // in one message
	MaxCents     int64                   // of one item; 0: no limit
	OneGroup     map[Kind]bool           // kinds of which a message holds one group alone
	Codes        map[string]string       // the bank's own reason codes to ours
	Capabilities bank.Capabilities
	FeeCodes     []string       // of movements that are the bank's fees, as it writes them
	OtherCodes   []string       // of movements that are none of ours
	Habits       Habits         // how it writes its answers
	CodeTable    string         // of return codes, by which the bank's are read; empty: that of the clearing house
	Book         *rulebook.Book // of the scheme, with what this bank has in its place; nil: the scheme's
}

// Encoder writes messages in the form that a bank reads.
type Encoder interface {
	// Name is the form in which a kind is written, such as pain.008.001.08; empty when the bank does not take the kind.
	Name(k Kind) string
	// FileName is how a message is named for those who carry it.
	FileName(m Message) string
	// Check tells why one order cannot be written: a reason for people, or nothing.
	Check(o Order) (reason string)
	// Encode writes a message. The same message gives the same bytes, whenever it is written. What its form does not
	// allow is a Disallowed, and nothing that was written counts.
	Encode(w io.Writer, m Outgoing) error
	// Tally counts and sums what was written, by reading it. It checks each group too.
	Tally(r io.Reader, m Outgoing) error
}

// Spelling writes a message in another form than the one in which it leaves, for people who need it.
type Spelling interface {
	// Name stands in addresses; Title is for people.
	Name() string
	Title() string
	// Refuses tells why a message has no such form, or nothing.
	Refuses(m Message, groups []Group) string
	FileName(m Message) string
	// Write writes a message from the orders in it. What the form does not allow is a Disallowed.
	Write(w io.Writer, m Outgoing) error
}

// Decoder reads what comes from the bank.
type Decoder interface {
	// Decode calls each with every event, in the order in which they end in the document. An error of kind Unreadable
	// means that the document will never be read, ErrUnfinished that its end is missing. After an error nothing that it
	// said counts. An error of each comes back as it is.
	Decode(r io.Reader, each func(Event) error) (Arrival, error)
}

// ErrUnfinished says that a document stops before its end: it may still be written or moved.
var ErrUnfinished = errors.New("the document is not finished: its end is missing")

// Unreadable says why a document cannot be read, in words for a person.
type Unreadable struct{ Why string }

func (u *Unreadable) Error() string { return u.Why }

// CannotRead is an Unreadable.
func CannotRead(format string, values ...any) error {
	return &Unreadable{Why: fmt.Sprintf(format, values...)}
}

// Occupied says that another file stands where a message is to be laid out. It was left as it is.
type Occupied struct{ Place string }

func (o *Occupied) Error() string {
	return o.Place + " has other bytes than the file that is to be laid out under this name; it was left as it is"
}

// Disallowed says what of a message its form does not allow. It names elements and never what stands in them, apart
// from codes.
type Disallowed struct {
	Form string
	Why  []string
}

func (d *Disallowed) Error() string {
	return fmt.Sprintf("%s does not allow it: %s", d.Form, strings.Join(d.Why, "; "))
}

// Box is where messages are laid out for the bank, and where its answers are found.
type Box interface {
	// Place makes a message visible under its name, whole or not at all, after check has read what was written. A
	// message that is there already under this name with the same bytes is no error; other bytes there are an Occupied.
	Place(ctx context.Context, name string, sha256 []byte, content io.Reader, check func(io.Reader) error) error
	// PutAside lets a message that was taken be placed once more: what stands of its bytes where it was taken to gets
	// another name. One that still waits, or that nobody has, is no error.
	PutAside(ctx context.Context, name string, sha256 []byte) error
	// Waiting tells whether a message still stands where it was placed.
	Waiting(ctx context.Context, name string) (bool, error)
	// Find lists what has arrived whole, oldest first.
	Find(ctx context.Context) ([]Found, error)
	// Fresh tells whether something has arrived whole that Find has not listed yet.
	Fresh(ctx context.Context) (bool, error)
	// Unread tells whether something has arrived that was not kept or rejected yet, whole or not.
	Unread(ctx context.Context) (bool, error)
	// Fetched tells how long ago whoever brings answers here last began a round that brought everything; carried is
	// false where nobody says so.
	Fetched(ctx context.Context) (ago time.Duration, carried bool, err error)
	// Open reads one; Keep puts it with the evidence; Reject puts it aside with the reason.
	Open(f Found) (io.ReadCloser, error)
	Keep(f Found, at time.Time) error
	Reject(f Found, why string) error
	// BringBack puts one that was kept or rejected back to where it arrived, to be read once more.
	BringBack(f Found) error
	// Reopen reads one that was kept or rejected, and leaves it where it is.
	Reopen(f Found) (io.ReadCloser, error)
}

// Found is a document that has arrived.
type Found struct {
	Name   string
	Size   int64
	SHA256 []byte
}

// Finding is something that a person must look at.
type Finding struct {
	ID         uuid.UUID
	MerchantID uuid.UUID // zero: it concerns the installation
	Kind       FindingKind
	Subject    string // with the kind, what it is about; one finding each
	MessageID  string `gorm:"default:null"`
	ArrivalID  uuid.UUID
	ItemID     uuid.UUID
	Text       string // what is the matter, one or two sentences
	OpenedAt   time.Time
	ClosedAt   time.Time
	ClosedBy   string
	Resolution string
}

// FindingKind groups findings by what is to be done.
type FindingKind string

// The kinds of findings.
const (
	NotAcknowledged FindingKind = "not_acknowledged" // the bank never said that it has the message
	MessageRefused  FindingKind = "message_refused"  // as a whole
	GroupRefused    FindingKind = "group_refused"
	ApprovalNeeded  FindingKind = "approval_needed" // at the bank
	Unapproved      FindingKind = "unapproved"      // a message waits for a second approver of the merchant
	Declined        FindingKind = "declined"        // the second approver refused a message
	MissedDeadline  FindingKind = "missed_deadline" // items that were too late for their day
	UnknownMessage  FindingKind = "unknown_message" // an answer about a message that is not ours
	UnknownItem     FindingKind = "unknown_item"    // an answer about an item that is not ours
	Differs         FindingKind = "differs"         // amounts, counts or sums do not agree
	Unmatched       FindingKind = "unmatched"       // money that belongs to no debit we know
	Unreadables     FindingKind = "unreadable"      // a document that could not be read
	NotStored       FindingKind = "not_stored"      // a part of a document that could not be recorded
	PaidAgain       FindingKind = "paid_again"      // the money of a debit that had come back is there after all
	StrangeAccount  FindingKind = "strange_account" // money on an account that belongs to no business here
	SetUp           FindingKind = "set_up"          // the bank says that something is not agreed or set up
	LateResult      FindingKind = "late_result"     // an answer contradicts an earlier one
	NotPlaced       FindingKind = "not_placed"      // another file stands where a message is to be laid out
	DamagedOrders   FindingKind = "damaged_orders"  // items whose orders cannot be read
	NotFetched      FindingKind = "not_fetched"     // answers do not come, so that silence says nothing
	NoStatement     FindingKind = "no_statement"    // a day does not add up, or nothing tells
)
