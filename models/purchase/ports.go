package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/texting"
	"debitdesk/models/token"
)

// Papers are the numbered documents that belong to purchases. They are written in
// the transaction that calls for them.
type Papers interface {
	// Issue gives a purchase its invoice unless it has one, and tells its number.
	Issue(tx *database.Tx, who actor.Actor, rec Record) (number string, err error)
	// Issued tells whether a purchase has an invoice that was not taken back.
	Issued(ctx context.Context, p Purchase) (bool, error)
	// Credit takes back what is left of the invoice of a purchase, and tells the number of the credit note; empty when
	// there was no invoice, or nothing is left of it.
	Credit(tx *database.Tx, who actor.Actor, rec Record) (number string, err error)
	// CreditRefund takes back as much of the invoice as a refund gave back, at most what is left of it.
	CreditRefund(tx *database.Tx, who actor.Actor, rec Record, r Refund) (number string, err error)
}

// defaultDue is how long after its creation a purchase is due when no due was given.
const defaultDue = time.Hour

// Service holds the use cases of purchases.
type Service struct {
	InTx      func(context.Context, func(*database.Tx) error) error
	Store     Store
	Now       func() time.Time
	Calendar  *calendar.Calendar
	Timetable collection.Timetable
	Letters   Letters
	Texts     *texting.Service // nil: no SMS
	Papers    Papers           // nil: purchases have no numbered documents
	// TakeRefundBack takes a refund from those that wait at the bank connection, in the transaction that ends it; false
	// when it has left. Nil: nothing waits there.
	TakeRefundBack func(tx *database.Tx, merchantID, id uuid.UUID) (bool, error)
	// HeldRefunds tells which of some refunds TakeRefundBack would take back. Nil: none.
	HeldRefunds func(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]uuid.UUID, error)
	// Recurrence tells what the subscription of a purchase debits, how much and how often; nil: there are none.
	Recurrence func(ctx context.Context, p Purchase) (Recurrence, error)
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

// Mandates, Merchants and Tokens are where those records are found that stand beside purchases.
func (s *Service) Mandates() mandate.Store   { return mandate.Store{DB: s.Store.DB} }
func (s *Service) Merchants() merchant.Store { return merchant.Store{DB: s.Store.DB} }
func (s *Service) Tokens() token.Store       { return token.Store{DB: s.Store.DB} }

func (s *Service) Clients() client.Store         { return client.Store{DB: s.Store.DB} }
func (s *Service) Collections() collection.Store { return collection.Store{DB: s.Store.DB} }
func (s *Service) mails() outbox.Store           { return outbox.Store{DB: s.Store.DB} }

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
	Held                       bool      `gorm:"-"` // at the bank connection, which gives it back
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
