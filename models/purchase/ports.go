package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/queue"
	"debitdesk/models/texting"
	"debitdesk/models/token"
)

// Tx is what the use cases of purchases write, all in one transaction. A Move is
// a compare-and-set: it answers false when another was quicker.
type Tx interface {
	// Context is what reads inside this transaction are given: they go by its connection.
	Context() context.Context
	// Unit is the unit of work itself, for the rows of other concepts.
	Unit() *database.Tx
	audit.Log
	Now() time.Time
	NewID() uuid.UUID
	Enqueue(queue.Job)
	Answered(result any) error

	InsertPurchase(p Purchase)
	// MovePurchase ends the transaction with fault.ErrLost when the purchase is not
	// as it was loaded.
	MovePurchase(p Purchase, from Status)
	// LeaveToken notes on a tokenising purchase that its token is being deleted, or
	// that it came back.
	LeaveToken(merchantID, id uuid.UUID, leaving bool)
	InsertDeletion(d Deletion)
	// HoldDeletion keeps a deletion that waits from ending meanwhile; false when it does
	// not wait any more, or its time is over.
	HoldDeletion(d Deletion) (bool, error)
	// EndDeletion ends a deletion that waits; false when it does not any more, or when
	// it is to be undone and its time is over.
	EndDeletion(d Deletion, state DeletionState) (bool, error)
	InsertAmendment(a Amendment)
	// MoveAmendment ends the transaction with fault.ErrLost when the amendment is not
	// open any more.
	MoveAmendment(a Amendment)
	InsertRefund(r Refund)
	// MoveRefund writes state, channel and moments of a refund, if it still stands in the state from and its hand-over
	// has not begun since it was read; else the transaction ends with fault.ErrLost.
	MoveRefund(r Refund, from RefundState)
	// InsertEntry is called by Purchase.book alone.
	InsertEntry(e Entry)
	InsertMail(m mail.Mail)
	// OpenedPurchase notes when the client opened the page to pay; false when they have it open.
	OpenedPurchase(merchantID, id uuid.UUID) (bool, error)
	// SentPurchases turns those of the purchases that are created into sent.
	SentPurchases(of map[uuid.UUID][]uuid.UUID) error
	// FollowToken gives subscribers that are charged on one token the other.
	FollowToken(merchantID, old, next uuid.UUID)
	// EndSubscribers makes the subscribers of a client who is deleted inactive, and
	// gives their ids.
	EndSubscribers(merchantID, clientID uuid.UUID) ([]uuid.UUID, error)
	// ReaddressPurchase changes the client's address where lists and searches look;
	// MovePurchase follows.
	ReaddressPurchase(p Purchase)
}

// Reader finds what the use cases decide on. Everything is bounded by the
// merchant; unknown ids and those of others are NotFound.
type Reader interface {
	Brand(ctx context.Context, merchantID, brandID uuid.UUID) (merchant.Brand, error)
	Brands(ctx context.Context, merchantID uuid.UUID) ([]merchant.Brand, error)
	Merchant(ctx context.Context, id uuid.UUID) (merchant.Merchant, error)
	Demands(ctx context.Context, id uuid.UUID) (merchant.Demands, error)
	Purchase(ctx context.Context, merchantID, id uuid.UUID) (Purchase, error)
	// PurchaseForPayer finds the purchase of a client's link: the id itself is the permission.
	PurchaseForPayer(ctx context.Context, id uuid.UUID) (Purchase, error)
	// ClientDetails gives what a purchase copies; NotFound for a client who was deleted or erased.
	ClientDetails(ctx context.Context, merchantID, id uuid.UUID) (client.Details, error)
	// KnowsClient is nil for a client who was not deleted, erased or not; NotFound otherwise.
	KnowsClient(ctx context.Context, merchantID, id uuid.UUID) error
	// Token finds a token, live or not, with its account still sealed.
	Token(ctx context.Context, merchantID, id uuid.UUID) (token.Token, error)
	// TokensOf lists the live tokens of a client, newest first.
	TokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error)
	// TokensOfClients lists the live tokens of clients, the newest of each first.
	TokensOfClients(ctx context.Context, merchantID uuid.UUID, clients []uuid.UUID) (map[uuid.UUID][]token.Token, error)
	// DeletingTokensOf lists the tokens of a client whose deletion can still be undone.
	DeletingTokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error)
	Deletion(ctx context.Context, merchantID, id uuid.UUID) (Deletion, error)
	// DeletionsWaiting lists the deletions that can still be undone, newest first.
	DeletionsWaiting(ctx context.Context, merchantID uuid.UUID) ([]Deletion, error)
	// DeletionsDue lists those of all merchants whose time is over.
	DeletionsDue(ctx context.Context, limit int) ([]Deletion, error)
	// PendingTokensOf lists tokens of a client that are not usable yet: the client is
	// being asked, or the first debit is under way.
	PendingTokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error)
	Mandate(ctx context.Context, merchantID, id uuid.UUID) (mandate.Mandate, error)
	// TokensWithMandates finds those of many tokens that there are and the mandates that they stand under, in no order,
	// with the accounts still sealed.
	TokensWithMandates(ctx context.Context, merchantID uuid.UUID,
		ids []uuid.UUID) ([]token.Token, []mandate.Mandate, error)
	// MandatesByID finds those of many that there are, in no order, with the accounts still sealed.
	MandatesByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]mandate.Mandate, error)
	// AuthenticationsOf lists how often the client was asked, newest first.
	AuthenticationsOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]mandate.Authentication, error)
	// AuthenticationsOfEach lists the same for each of some mandates.
	AuthenticationsOfEach(ctx context.Context, merchantID uuid.UUID,
		mandateIDs []uuid.UUID) (map[uuid.UUID][]mandate.Authentication, error)
	// DebitsNear gives by mandate the days of the debits that are under way or collected: all under a once-off mandate, of
	// others those with an action date from one day to another.
	DebitsNear(ctx context.Context, merchantID uuid.UUID, mandateIDs []uuid.UUID, from,
		to calendar.Date) (map[uuid.UUID][]mandate.Day, error)
	// DebitsBefore gives, for each of some debits, the days of those under its mandate that are under way or collected,
	// began before it and run within a period of it.
	DebitsBefore(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID][]mandate.Day, error)
	// LinksSent tells when the last mail with the link to pay of each purchase was taken by the relay.
	LinksSent(ctx context.Context, merchantID uuid.UUID, purchaseIDs ...uuid.UUID) (map[uuid.UUID]time.Time, error)
	// WaitingFor lists the purchases in pending_charge that would be collected from a token,
	// and the tokenising purchase itself while its first debit is not at the bank yet.
	WaitingFor(ctx context.Context, merchantID, tokenID uuid.UUID) ([]Purchase, error)
	// ScheduledFrom lists the purchases whose newest collection is scheduled on a token
	// and not at the bank yet, in the order of their ids.
	ScheduledFrom(ctx context.Context, merchantID, tokenID uuid.UUID) ([]Purchase, error)
	Amendment(ctx context.Context, merchantID, id uuid.UUID) (Amendment, error)
	// AmendmentOf gives the newest amendment that replaces a token; NotFound when there is none.
	AmendmentOf(ctx context.Context, merchantID, oldTokenID uuid.UUID) (Amendment, error)
	// OpenReplacements gives the open amendments in which some tokens are to replace another, by the tokens.
	OpenReplacements(ctx context.Context, merchantID uuid.UUID, newIDs []uuid.UUID) (map[uuid.UUID]uuid.UUID, error)
	// RefundsUnderWay lists the refunds of some purchases that are not settled yet, oldest first.
	RefundsUnderWay(ctx context.Context, merchantID uuid.UUID, purchaseIDs ...uuid.UUID) ([]Refund, error)
	Refund(ctx context.Context, merchantID, id uuid.UUID) (Refund, error)
	// MailsAbout lists the mails that one object caused, newest first.
	MailsAbout(ctx context.Context, merchantID, objectID uuid.UUID) ([]mail.Mail, error)
	// OpenOfClient lists what a client owes a brand and can pay: purchases of an amount that were sent, are overdue or
	// failed, oldest due first, no more than a mail can list.
	OpenOfClient(ctx context.Context, merchantID, clientID, brandID uuid.UUID) ([]Purchase, error)
	// RemindedOn gives those of some objects that a reminder of that number is about.
	RemindedOn(ctx context.Context, merchantID uuid.UUID, objects []uuid.UUID, number int) ([]uuid.UUID, error)
	// PendingOfSubscriber lists the purchases of a subscription whose debits are under way.
	PendingOfSubscriber(ctx context.Context, merchantID, subscriberID uuid.UUID) ([]Purchase, error)
	// PendingOfClient lists those of a client.
	PendingOfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]Purchase, error)
	Client(ctx context.Context, merchantID, id uuid.UUID) (client.Client, error)
	// ClientStopped tells that everything was stopped that is debited from a client, and that the client came in with an
	// import whose group was not switched on.
	ClientStopped(ctx context.Context, merchantID, id uuid.UUID) (stopped, parked bool, err error)
	// StandingStop gives the stop of a client that holds; false when there is none.
	StandingStop(ctx context.Context, merchantID, clientID uuid.UUID) (ClientStop, bool, error)
	// NextNumber is the next number of a brand's counter; numbers may be skipped.
	NextNumber(ctx context.Context, brandID uuid.UUID, name string) (int64, error)
}

// Papers are the numbered documents that belong to purchases. They are written in
// the transaction that calls for them.
type Papers interface {
	// Issue gives a purchase its invoice unless it has one, and tells its number.
	Issue(tx Tx, who actor.Actor, rec Record) (number string, err error)
	// Issued tells whether a purchase has an invoice that was not taken back.
	Issued(ctx context.Context, p Purchase) (bool, error)
	// Credit takes back what is left of the invoice of a purchase, and tells the number of the credit note; empty when
	// there was no invoice, or nothing is left of it.
	Credit(tx Tx, who actor.Actor, rec Record) (number string, err error)
	// CreditRefund takes back as much of the invoice as a refund gave back, at most what is left of it.
	CreditRefund(tx Tx, who actor.Actor, rec Record, r Refund) (number string, err error)
}

// defaultDue is how long after its creation a purchase is due when no due was given.
const defaultDue = time.Hour

// Service holds the use cases of purchases.
type Service struct {
	InTx      func(context.Context, func(Tx) error) error
	Store     Store
	Read      Reader
	Lists     Lister
	Now       func() time.Time
	Calendar  *calendar.Calendar
	Timetable collection.Timetable
	Letters   Letters
	Texts     *texting.Service // nil: no SMS
	Papers    Papers           // nil: purchases have no numbered documents
	// TakeRefundBack takes a refund from those that wait at the bank connection, in the transaction that ends it; false
	// when it has left. Nil: nothing waits there.
	TakeRefundBack func(tx *database.Tx, merchantID, id uuid.UUID) (bool, error)
	// Subscriptions are charged on stored accounts; nil: there are none.
	Subscriptions Subscriptions
	// Readdress gives a client another e-mail address, in the transaction of the purchase.
	Readdress func(tx *database.Tx, who actor.Actor, clientID uuid.UUID, email string) error
	Window    mandate.Window // of real-time DebiCheck
	Limits    mandate.Limits
	// Bank is what the bank connection can do, and Verifier answers about accounts (AVS); nil: nobody does.
	Bank     bank.Capabilities
	Verifier bank.Verifier
}

// NoVerification says why accounts cannot be checked; empty when somebody answers.
func (s *Service) NoVerification() string { return bank.NoVerification(s.Verifier) }

func (s *Service) collections() collection.Store { return collection.Store{DB: s.Store.DB} }

// Record is a purchase with what its page and its API answer show beside it.
type Record struct {
	Purchase
	Brand      merchant.Brand
	Collection *collection.Collection // the newest; nil when nothing is collected
	Refunds    []Refund               // those under way, oldest first
}

// Entry is a movement of money as the statement shows it; a reversal is a new one.
type Entry struct {
	PurchaseID, CollectionID, RefundID uuid.UUID
	MerchantID                         uuid.UUID
	Kind                               EntryKind
	AmountCents                        int64 // positive: to the merchant
	Currency                           string
	Code                               string // the bank's
}

// EntryKind says what moved the money.
type EntryKind string

// The kinds of movement.
const (
	Collected  EntryKind = "collected"
	Returned   EntryKind = "returned"
	Disputed   EntryKind = "disputed"
	DisputeWon EntryKind = "dispute_won"
	GivenBack  EntryKind = "refunded"
	PaidByHand EntryKind = "paid_by_hand"
)

// RefundState is where a refund stands.
type RefundState string

// The states of a refund. A dropped one fell away, since the client has the money back
// another way; should the bank have paid it all the same, it is settled.
const (
	RefundPending RefundState = "pending"
	RefundSettled RefundState = "settled"
	RefundDropped RefundState = "dropped"
)

// Refund is money owed back to the client, until a person or the bank settles it. It
// belongs to one payment of its purchase.
type Refund struct {
	ID, MerchantID, PurchaseID uuid.UUID
	Payment                    int       // the number of the payment that goes back
	CollectionID               uuid.UUID // the debit that goes back; zero for money that came by hand
	AmountCents                int64
	Currency                   string
	State                      RefundState
	Channel                    string    // bank or person
	DueAt                      time.Time // the bank gets it at the earliest: when the debit is final
	ClaimedAt                  time.Time // when its hand-over to the bank began; zero: it never did
	HandedOver                 bool      // the bank has it
	Reference                  string
	SettledAt                  time.Time
	PaidTwiceAt                time.Time // when the bank paid what a person had paid; zero: it did not
	CreatedAt, UpdatedAt       time.Time
}

// AtBank tells that the bank has the refund, or may have it, and has not answered.
func (r Refund) AtBank() bool {
	return r.State == RefundPending && r.Channel == ByBank && (r.HandedOver || !r.ClaimedAt.IsZero())
}

// Waits tells that the bank is to get the refund when its debit is final.
func (r Refund) Waits(now time.Time) bool {
	return r.State == RefundPending && r.Channel == ByBank && !r.HandedOver && now.Before(r.DueAt)
}

// Who pays a refund out.
const (
	ByBank   = "bank"
	ByPerson = "person"
)
