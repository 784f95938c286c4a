// Package debit runs the debits: it hands them to the bank, turns what is due
// and applies the bank's answers. It must not know a particular bank, how rows
// are kept or who asked.
package debit

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/token"
)

// Service runs the debits of all merchants. Every method may be repeated, may run
// in several processes at once, and may be ended at any moment.
type Service struct {
	InTx      func(context.Context, func(Tx) error) error
	Read      Reader
	Bank      bank.Gateway
	Purchases *purchase.Service
	Now       func() time.Time
	Timetable collection.Timetable
	Limits    mandate.Limits
	Chunk     int // records in one transaction; 0: 500
	// Expire ends requests for a second person that nobody answered, and tells how
	// many; nil: there are none.
	Expire func(context.Context) (int, error)
	// Failed hears, in the transaction that books them, of the debits that failed or were disputed; nil: nothing does.
	Failed func(tx *database.Tx, failed []collection.Collection)

	answering sync.Mutex // who takes the bank's answers: all would be given the same
}

const defaultChunk = 500

func (s *Service) chunk() int {
	if s.Chunk > 0 {
		return s.Chunk
	}
	return defaultChunk
}

// Held are the rows that some collections touch, locked until the transaction ends.
type Held struct {
	Collections map[uuid.UUID]collection.Collection
	Purchases   map[uuid.UUID]purchase.Purchase
	Tokens      map[uuid.UUID]token.Token
}

// Tx is what running the debits writes. A Save writes a row that this
// transaction holds, and waits for its turn; nobody can be quicker.
type Tx interface {
	// Context is what reads inside this transaction are given: they go by its connection.
	Context() context.Context
	// Unit is the unit of work itself, for the rows of other concepts.
	Unit() *database.Tx
	audit.Log
	Now() time.Time
	NewID() uuid.UUID
	Enqueue(queue.Job)

	// Hold locks what the collections touch: tokens first, then collections, then
	// purchases, each in the order of their ids, as the use cases of purchases do.
	Hold(collectionIDs []uuid.UUID) (Held, error)

	// Submitted moves scheduled collections to submitted and gives those that were
	// moved. One that was cancelled meanwhile is marked for a recall.
	Submitted(ids []uuid.UUID) ([]collection.Collection, error)
	// ExecuteDue does for purchases whose execute_at has come what purchase.Execute does for one, and gives those that it
	// moved. Of their debits only the ids and action dates are read.
	ExecuteDue(limit int) ([]purchase.Record, error)
	// CloseDue moves provisional collections whose final_at has come to final.
	CloseDue(limit int) ([]collection.Collection, error)
	// AlertDue marks collections about which the bank keeps silent, once.
	AlertDue(limit int) ([]collection.Collection, error)
	// HoldPassing locks purchases whose due passes now.
	HoldPassing(limit int) ([]purchase.Purchase, error)
	// RecallTold and ProofSent note that the bank knows; false when it was noted before.
	RecallTold(collectionID uuid.UUID) (bool, error)
	ProofSent(collectionID uuid.UUID) (bool, error)

	// KeepMessages keeps messages as they came and tells which ids are new. Another
	// process with the same messages waits until this transaction ends: with Hold, where this
	// transaction holds what the message is about, and otherwise here.
	KeepMessages(gateway string, messages []bank.Message, held func(bank.Message) bool) (fresh map[string]bool, err error)
	// NoteOutcomes writes what each new message changed, or why nothing.
	NoteOutcomes(gateway string, outcomes []Outcome)

	// HoldAsked locks what authentications touch: tokens first, then mandates,
	// authentications and purchases. Unknown ids are left out.
	HoldAsked(authenticationIDs []uuid.UUID) (map[uuid.UUID]Asked, error)

	// ClaimRefunds notes that the hand-over of refunds begins, and gives those that nobody ended meanwhile: from then on
	// the bank may have them.
	ClaimRefunds(ids []uuid.UUID) (claimed []uuid.UUID, err error)
	// RefundsHandedOver notes that the bank has the refunds.
	RefundsHandedOver(ids []uuid.UUID)
	// DropRefunds ends the refunds of a purchase that the bank does not have, since the
	// money went back another way, and gives them.
	DropRefunds(merchantID, purchaseID uuid.UUID) ([]purchase.Refund, error)
}

// Outcome is what one message of the bank changed.
type Outcome struct {
	MessageID  string
	MerchantID uuid.UUID // zero when nobody's
	Text       string    // "applied: …" or "ignored: …"
}

// Claim is a collection that this process hands over.
type Claim struct {
	Collection collection.Collection
	Token      token.State
	Order      bank.Instruction // with the account number opened
	Wrong      error            // why the account could not be opened; the claim then runs out by itself
}

// Asked is an authentication with all that hangs on its answer.
type Asked struct {
	Authentication mandate.Authentication
	Mandate        mandate.Mandate
	Token          token.Token
	Purchase       purchase.Purchase
}

// RequestClaim is an authentication that this process hands over.
type RequestClaim struct {
	Authentication mandate.Authentication
	Purchase       purchase.Purchase   // that asked for the mandate
	Order          bank.MandateRequest // with the numbers opened; what follows from the clock is left to the service
	Wrong          error               // why they could not be opened
}

// Contest is a dispute whose proof is recorded and has yet to be sent.
type Contest struct {
	Collection collection.Collection
	Mandate    mandate.Mandate
	Evidence   *mandate.Evidence // the newest file, opened; nil when the recorded consent is all there is
}

// Reader finds what is due, for all merchants.
type Reader interface {
	Brand(ctx context.Context, merchantID, brandID uuid.UUID) (merchant.Brand, error)
	// ClaimDue takes scheduled collections whose submission deadline has come, for
	// two minutes of real time: a crashed process gives them up by itself.
	ClaimDue(ctx context.Context, limit int) ([]Claim, error)
	// ReleaseClaims gives them up at once.
	ReleaseClaims(ctx context.Context, ids []uuid.UUID) error
	// ClaimRequests takes authentications that the bank has yet to get, as ClaimDue does.
	ClaimRequests(ctx context.Context, limit int) ([]RequestClaim, error)
	// ReleaseRequest gives one up at once.
	ReleaseRequest(ctx context.Context, id uuid.UUID) error
	// RunOut lists authentications whose time limit has come, and those that never
	// reached the bank: real-time ones requested by the first instant, others by the second.
	RunOut(ctx context.Context, realTime, delayed time.Time, limit int) ([]uuid.UUID, error)
	// CancelsDue lists authentications of which the bank is to hear that they are not
	// wanted any more.
	CancelsDue(ctx context.Context, limit int) ([]mandate.Authentication, error)
	// RecallsDue lists collections whose recall the bank has yet to hear of.
	RecallsDue(ctx context.Context, limit int) ([]collection.Collection, error)
	// ContestsDue lists disputes that can be answered with a recorded mandate.
	ContestsDue(ctx context.Context, limit int) ([]Contest, error)
	// RefundsDue lists refunds of final debits that the bank has yet to get, with
	// accounts opened. The error names those that could not be opened; the others are
	// given all the same.
	RefundsDue(ctx context.Context, limit int) ([]bank.Refund, error)
	// TokensDebited gives the tokens that collections debit. Those that are not ours are left out.
	TokensDebited(ctx context.Context, collectionIDs []uuid.UUID) (map[uuid.UUID]uuid.UUID, error)
	// RefundByID finds a refund by the id that the bank knows.
	RefundByID(ctx context.Context, id uuid.UUID) (purchase.Refund, error)
	// NextDue is the earliest moment after now at which anything becomes due.
	NextDue(ctx context.Context) (at time.Time, found bool, err error)
	// Overdue tells whether something that is due is not done yet, perhaps because
	// another process is at it.
	Overdue(ctx context.Context) (bool, error)
}
