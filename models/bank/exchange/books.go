package exchange

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/user"
)

// Tx is what an exchange writes in one transaction. Rows that are given are locked until
// it ends.
type Tx interface {
	// Context is what reads inside this transaction are given.
	Context() context.Context
	Now() time.Time
	NewID() uuid.UUID
	audit.Log

	// TakeItems keeps items that are new, and tells which were.
	TakeItems(items []Item) (fresh map[uuid.UUID]bool, err error)
	// HoldItems locks items by id, in the order of their ids, without their orders. Unknown ids are left out.
	HoldItems(ids []uuid.UUID) (map[uuid.UUID]Item, error)
	// HoldItemsOf locks the items of a message, or of one of its groups when groupID is not empty.
	HoldItemsOf(messageID, groupID string) ([]Item, error)
	// CutWaiting moves items that leave by now into a message: of its merchant and kind, the earliest days first. It
	// gives the groups with position, method, date, count, sum and one of their items; what is beyond the most groups
	// goes on waiting.
	CutWaiting(m Message, by time.Time, mostItems, mostGroups int) ([]Group, error)
	// Orders opens what was asked in full.
	Orders(itemIDs []uuid.UUID) (map[uuid.UUID]Order, error)
	// HoldSilent locks debits that silence says are paid by now.
	HoldSilent(now time.Time, limit int) ([]Item, error)
	// HoldLate locks the items of a merchant and day that missed their deadline.
	HoldLate(merchantID uuid.UUID, day calendar.Date) ([]Item, error)
	// SaveItems writes what moves: state, cut, message, group, outcome, silence.
	SaveItems(items []Item) error

	// NextNumber takes the next number of a kind. It is given again if this transaction is undone.
	NextNumber(k Kind) (int64, error)
	// FilesAbove is the sum in cents above which the merchant wants a second approver; nil: none.
	FilesAbove(merchantID uuid.UUID) (*int64, error)
	InsertMessage(m Message, groups []Group) error
	// HoldMessage locks a message; NotFound when it is not ours. The zero merchant is any.
	HoldMessage(merchantID uuid.UUID, id string) (Message, error)
	SaveMessage(m Message) error
	// WriteContent keeps the bytes of a message, once; false when they were there.
	WriteContent(m Message, packed []byte) (bool, error)
	RefuseGroup(messageID, groupID string) error
	Groups(messageID string) ([]Group, error)

	// AddAnswers keeps answers that are new: one of a kind for each item.
	AddAnswers(answers []Answer) error
	// AddEntries keeps entries whose key is new, and gives those.
	AddEntries(entries []Entry) ([]Entry, error)
	HoldEntry(merchantID, id uuid.UUID) (Entry, error)
	// UnmatchedIn counts the movements of a merchant in one document that belong to nothing yet.
	UnmatchedIn(merchantID, arrivalID uuid.UUID) (int, error)
	SaveEntry(e Entry) error
	SaveStatement(s Statement) error

	// OpenDocument keeps an arrival under the hash of its bytes, or gives the one that is there.
	OpenDocument(d Document, packed []byte) (kept Document, fresh bool, err error)
	// CloseDocument adds what a document says of a merchant to that merchant's list, once the document is read.
	CloseDocument(d Document, of map[uuid.UUID]Tally) error

	// OpenFindings keeps findings whose kind and subject are new.
	OpenFindings(findings []Finding) error
	HoldFinding(merchantID, id uuid.UUID) (Finding, error)
	SaveFinding(f Finding) error
	// SettleFindings closes what is open about a subject.
	SettleFindings(k FindingKind, subject, by, resolution string) error
}

// Tally counts and sums what a document says of one merchant.
type Tally struct {
	Count    int
	SumCents int64
}

// Pending is a merchant with items of a kind that leave by now.
type Pending struct {
	MerchantID uuid.UUID
	Kind       Kind
}

// Reader finds what the exchange did. Lists are bounded by the merchant.
type Reader interface {
	PageReader

	Pending(ctx context.Context, merchantID uuid.UUID, by time.Time) ([]Pending, error)
	// ExchangeItem is an item, with its order when asked; found is false when there is none.
	ExchangeItem(ctx context.Context, id uuid.UUID, withOrder bool) (i Item, found bool, err error)
	// Unwritten and Unplaced are ids of messages that a crash left behind, oldest first.
	Unwritten(ctx context.Context) ([]string, error)
	Unplaced(ctx context.Context) ([]Message, error)
	// Untaken are messages that were placed and not seen to be taken.
	Untaken(ctx context.Context) ([]Message, error)
	// Outgoing is a message with its items and their orders, in the order in which they are written.
	Outgoing(ctx context.Context, id string) (Outgoing, error)
	// Content is the packed bytes of a message.
	Content(ctx context.Context, id string) ([]byte, error)
	// OverdueAcks are taken messages whose acknowledgement is missing by now.
	OverdueAcks(ctx context.Context, now time.Time) ([]Message, error)
	// OverdueApprovals are held messages that must be approved by then, and of which no finding says so yet.
	OverdueApprovals(ctx context.Context, by time.Time) ([]Message, error)
	// User of the merchant; NotFound when there is none.
	User(ctx context.Context, merchantID, id uuid.UUID) (user.User, error)
	// NextExchange is the earliest moment of a cut, of a silence that counts, or of a missing acknowledgement or approval.
	NextExchange(ctx context.Context) (at time.Time, found bool, err error)
	// AnswersDue are answers that the product has not recorded, oldest first.
	AnswersDue(ctx context.Context, limit int) ([]Answer, error)
	AnswersDelivered(ctx context.Context, ids []string) error
	// Brought are documents that people imported and nobody has read yet.
	Brought(ctx context.Context) ([]Document, error)
	DocumentContent(ctx context.Context, id uuid.UUID) ([]byte, error)
	// MerchantOf finds whose account that is; found is false when it is nobody's.
	MerchantOfAccount(ctx context.Context, account bank.AccountNumber) (id uuid.UUID, found bool, err error)

	// Message of a merchant, with its groups; the zero merchant is any.
	Message(ctx context.Context, merchantID uuid.UUID, id string) (Message, []Group, error)
}
