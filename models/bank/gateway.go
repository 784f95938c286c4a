package bank

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// Method is a way to collect.
type Method string

// The methods of debit orders, named as the API names them.
const (
	EFT       Method = "eft"
	DebiCheck Method = "debicheck"
)

// Sequence says where a debit stands among the debits of its mandate, as banks ask for it.
type Sequence string

// The sequences.
const (
	FirstDebit     Sequence = "FRST" // the first of several
	RecurringDebit Sequence = "RCUR" // a later one
	OnceOffDebit   Sequence = "OOFF" // the only one that the mandate allows
)

// Creditor is the merchant's side of a payment, as registered at the bank.
type Creditor struct {
	Name            string // of the business, as statements and messages say it
	AbbreviatedName string // at most 10 characters; the payer's statement begins with it
	ProfileCode     string // the user code, given by the bank
	Branch          string // of the account that the money goes to; may be empty
	Account         string // the merchant's own account, which also stands on invoices
}

// Capabilities are what a bank connection can do. Forms ask it before they offer something.
type Capabilities struct {
	DebiCheck        bool // collects by DebiCheck and asks payers for mandates
	RealTimeMandates bool // asks a payer within seconds; without it only delayed requests are possible
	Refunds          bool // pays money back to the account it came from
	RecallOne        bool // withdraws a single debit that was handed over
	Contest          bool // takes a mandate as proof against a dispute
}

// Verifier answers questions about accounts (AVS). It may be another house than the bank that collects.
type Verifier interface {
	// Verify asks whether an account exists and belongs to the person. One that cannot answer says NotChecked; an error
	// means that the question did not arrive.
	Verify(ctx context.Context, v Verification) (Verified, error)
}

// NoVerifier checks nothing: every answer is NotChecked.
type NoVerifier struct{}

// Verify answers NotChecked to everything.
func (NoVerifier) Verify(context.Context, Verification) (Verified, error) { return Verified{}, nil }

// Gateway is what the product asks of a bank. Every call may be repeated: the caller writes down what it is about to
// ask, asks with its own id, and asks again after a crash. No method is called inside a database transaction.
type Gateway interface {
	// Name is a short constant such as "sandbox".
	Name() string

	// Capabilities says what this connection can do. What it cannot do is refused with ErrUnable.
	Capabilities() Capabilities

	// Submit hands collections to the bank and gives one Receipt per instruction, in the same order. Repeating an
	// instruction id changes nothing and is no error. An error means that it is unknown what arrived: submit again.
	Submit(ctx context.Context, collections []Instruction) ([]Receipt, error)

	// RequestMandate asks the payer's bank to have the payer authenticate a mandate; the payer answers by a message of
	// kind MandateAccepted, MandateRejected, MandateUnanswered or MandateFailed, which carries the request's id.
	// Repeating a request id changes nothing and is no error.
	RequestMandate(ctx context.Context, r MandateRequest) (Receipt, error)

	// CancelMandate ends what a request began: a request that is not answered is withdrawn, an accepted mandate is
	// cancelled. No message follows. Errors: ErrUnknown. A second cancellation changes nothing.
	CancelMandate(ctx context.Context, requestID uuid.UUID) error

	// Recall withdraws a submitted collection; the bank confirms by a message of kind Recalled. Errors: ErrUnknown, and
	// ErrTooLate when the bank has answered already. A second recall changes nothing.
	Recall(ctx context.Context, instructionID uuid.UUID) error

	// SubmitRefunds hands over payments back to payers, answered by RefundSettled or RefundFailed, under the same rules
	// as Submit.
	SubmitRefunds(ctx context.Context, refunds []Refund) ([]Receipt, error)

	// Contest sends the mandate as proof against a dispute, answered by DisputeWon or DisputeLost. Errors: ErrUnknown,
	// and ErrTooLate when nothing can be contested (any more). A second proof changes nothing.
	Contest(ctx context.Context, p Proof) error

	// Fetch gives answers that were not acknowledged and are due by the bank's clock, oldest first, at most limit.
	// What is not acknowledged comes again.
	Fetch(ctx context.Context, limit int) ([]Message, error)

	// Acknowledge tells the bank that answers were recorded. Unknown and repeated ids are no error.
	Acknowledge(ctx context.Context, messageIDs []string) error
}

// What a gateway refuses.
var (
	ErrUnknown = errors.New("the bank does not know this instruction")
	ErrTooLate = errors.New("the bank has answered already")
	ErrUnable  = errors.New("this bank connection cannot do that")

	// ErrNotDisputable is the payer's bank's word on a dispute of a debit that was as authenticated (DebiCheck).
	ErrNotDisputable = errors.New("the client's bank refuses the dispute: the debit was as authenticated")

	// ErrOutOfWindow is its word on a dispute that comes after the last day.
	ErrOutOfWindow = errors.New("the client's bank refuses the dispute: it comes after the last day")
)

// Instruction asks to debit one account once.
type Instruction struct {
	ID            uuid.UUID // the collection's id; answers carry it back
	MerchantID    uuid.UUID
	Method        Method
	AmountCents   int64
	Currency      string
	ActionDate    calendar.Date
	Branch        string
	Account       AccountNumber
	AccountType   AccountType
	HolderName    string
	StatementLine string // 30 characters, as the payer will read it

	Creditor          Creditor
	Sequence          Sequence
	ContractReference string        // ours, at most 14 characters
	MandateDate       calendar.Date // when the payer gave the mandate

	// For DebiCheck alone.
	MandateReference string // the bank's, given on acceptance
	TrackingDays     int    // how long the bank waits for money to arrive, 0 to 10
	Disputable       bool   // outside what the payer authenticated, or under the fallback
}

// MandateRequest asks the payer's bank to have a DebiCheck mandate authenticated. Amounts are cents.
type MandateRequest struct {
	ID                uuid.UUID // the authentication's id; answers carry it back
	MandateID         uuid.UUID
	MerchantID        uuid.UUID
	Authentication    string // REALTIME, DELAYED or FALLBACK
	AnswerBy          time.Time
	ContractReference string
	AbbreviatedName   string
	CreditorAccount   string
	Creditor          Creditor
	HolderName        string
	Identity          IDNumber
	Phone             string
	Branch            string
	Account           AccountNumber
	AccountType       AccountType
	ValueType         string
	DebitSequence     string
	PeriodUnits       string
	DeductionDay      int
	AmountCents       int64
	MaxAmountCents    int64
	Currency          string
	FirstDate         calendar.Date // of the first debit; zero when it is not known
	Tracking          bool          // the bank may wait for money to arrive
	DateAdjustment    bool          // the debit date may move off days on which nothing runs
}

// Refund asks to pay money back to the account it was collected from.
type Refund struct {
	ID            uuid.UUID // the refund's own id; answers carry it back
	InstructionID uuid.UUID // the collection that is paid back
	MerchantID    uuid.UUID
	AmountCents   int64
	Currency      string
	Branch        string
	Account       AccountNumber
	AccountType   AccountType
	HolderName    string
	StatementLine string
	Creditor      Creditor
}

// Proof is the mandate that answers a dispute.
type Proof struct {
	InstructionID uuid.UUID
	MandateID     uuid.UUID
	FileName      string
	Document      []byte
}

// Receipt tells what the bank did with one instruction or refund as it arrived.
type Receipt struct {
	ID      uuid.UUID
	Repeat  bool   // the bank had it already
	Refused bool   // the bank will not run it; Code and Reason say why
	Code    string // a return code, only when refused
	Reason  string
}

// MessageKind says what an answer is about.
type MessageKind string

// The kinds of answers.
const (
	Provisional   MessageKind = "provisional"    // collected, returns may still come (EFT)
	Successful    MessageKind = "successful"     // collected for good (DebiCheck)
	InTracking    MessageKind = "in_tracking"    // the bank waits for money to arrive (DebiCheck)
	Unpaid        MessageKind = "unpaid"         // not collected, or returned after a provisional success
	PaidAgain     MessageKind = "paid_again"     // the money is there after all: the return was reversed, or it ran again
	Disputed      MessageKind = "disputed"       // the payer took the money back, or the mandate is to be proved
	DisputeWon    MessageKind = "dispute_won"    // the merchant keeps the money
	DisputeLost   MessageKind = "dispute_lost"   // the merchant does not
	Recalled      MessageKind = "recalled"       // withdrawn at our request (28)
	RefundSettled MessageKind = "refund_settled" // the payer has the money back
	RefundFailed  MessageKind = "refund_failed"  // the payer's bank did not take it

	DisputeRejected MessageKind = "dispute_rejected" // the payer's bank refused a dispute (DebiCheck)

	MandateDelivered  MessageKind = "mandate_delivered"  // the payer's handset has the request
	MandateAccepted   MessageKind = "mandate_accepted"   // Channel and Reference say how
	MandateRejected   MessageKind = "mandate_rejected"   // by the payer or the bank; Code says why
	MandateUnanswered MessageKind = "mandate_unanswered" // the time to answer has passed (NOAS)
	MandateFailed     MessageKind = "mandate_failed"     // the bank could not ask
	MandateSuspended  MessageKind = "mandate_suspended"  // by the payer's bank, after acceptance; Code says why
)

// AboutMandate tells that the message's InstructionID is a mandate request's.
func (k MessageKind) AboutMandate() bool { return strings.HasPrefix(string(k), "mandate_") }

// Message is one answer of the bank. Banks repeat themselves and answer out of order; the id only names this delivery.
type Message struct {
	ID            string
	InstructionID uuid.UUID // of the instruction or the refund
	Kind          MessageKind
	Code          string    // a return code; CodeSuccess for successes; for mandates a MandateCode
	Channel       string    // of acceptance, for mandates: banking_app, ussd, sms_link, …
	Reference     string    // the bank's mandate reference, for acceptances
	At            time.Time // when the bank answered, UTC
	Raw           []byte    // as it arrived, kept as evidence; without account numbers
	// Reversed: the bank has taken the money of a disputed debit back already, and asks for no proof however late it is.
	Reversed bool
}
