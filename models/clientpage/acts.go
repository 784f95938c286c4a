package clientpage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
)

// Codes (source: follow-up, section 10).
const (
	CodeLasts  = 10 * time.Minute
	CodeTries  = 5  // wrong codes, after which it is over
	codesADay  = 10 // acts that one client may ask for within 24 hours and not finish
	codeDigits = 6
)

// Kind is what a client can do on the page.
type Kind string

// The kinds of acts.
const (
	Promise  Kind = "promise"  // say when it will pay
	Invoice  Kind = "invoice"  // get an invoice by mail again
	Day      Kind = "day"      // have one debit run on another day
	Stop     Kind = "stop"     // stop a subscription
	Pause    Kind = "pause"    // leave out the next periods of a subscription
	Account  Kind = "account"  // give another bank account
	Objected Kind = "objected" // say that it did not agree to a mandate
	Details  Kind = "details"  // have details corrected
	Privacy  Kind = "privacy"  // object to processing, ask for deletion or for what is known
)

// Kinds are all acts, in the order in which settings list them.
var Kinds = []Kind{Promise, Invoice, Day, Stop, Pause, Account, Objected, Details, Privacy}

// ActState is where an act stands.
type ActState string

// The states of an act.
const (
	ActAsked ActState = "asked" // its code was sent
	ActDone  ActState = "done"
	ActOver  ActState = "over" // its code ran out, was entered wrong too often, or another act took its place
)

// Wish is what a client typed, and what it is about as it was then. Its JSON is how it is stored.
type Wish struct {
	Named   string        `json:"named,omitempty"` // what it is about, such as the reference of a purchase
	Cents   int64         `json:"cents,omitempty"`
	Day     calendar.Date `json:"day,omitzero"`
	Was     calendar.Date `json:"was,omitzero"`   // the day before it moves
	Text    string        `json:"text,omitempty"` // what should be corrected, or what a request says
	Request RequestKind   `json:"request,omitempty"`
	Asks    bool          `json:"asks,omitempty"` // it goes to staff, who decide
	Left    int           `json:"left,omitempty"` // debits that are with the bank and still run
	SMS     bool          `json:"sms,omitempty"`  // the code comes by SMS: as the client wished, then as it was
}

// Act is one thing that a client asked for.
type Act struct {
	ID, MerchantID, ClientID, BrandID uuid.UUID `gorm:"<-:create"`
	LinkID                            uuid.UUID `gorm:"<-:create"`
	Kind                              Kind      `gorm:"<-:create"`
	ObjectID                          uuid.UUID `gorm:"<-:create"`
	Wish                              Wish      `gorm:"serializer:json;not null"`
	State                             ActState
	CodeHash                          []byte
	Tries                             int
	AskedAt, ExpiresAt                time.Time `gorm:"<-:create"`
	DoneAt                            time.Time
	MadeID                            uuid.UUID
}

// who is the client, as the audit names it.
func (v Visit) who(ip, requestID string) actor.Actor {
	return actor.PayerOf(v.Client.MerchantID, v.Client.Name(), ip, requestID)
}

// Begin checks a wish, keeps it, and sends the code that confirms it: by mail to the address on file, or by SMS to the
// number where the client says so or has no address. Nothing changes before the code is entered. A newer wish takes the
// place of one that waits. Errors: Conflict where it cannot be done, Invalid with the field for what was typed.
func (s *Service) Begin(ctx context.Context, v Visit, kind Kind, objectID uuid.UUID, w Wish, ip,
	requestID string) (a Act, err error) {
	if w.SMS, err = s.codeBySMS(ctx, v.Client, w.SMS); err != nil {
		return a, err
	}
	code := newCode()
	err = again(func() error {
		return s.InTx(ctx, func(tx *database.Tx) error {
			at, now := tx, s.Real()
			if err := lockClient(at, v.Client.MerchantID, v.Client.ID); err != nil {
				return err
			}
			n, err := unfinishedSince(at, v.Client.MerchantID, v.Client.ID, now.Add(-24*time.Hour))
			if err != nil {
				return err
			}
			if n >= codesADay {
				return fault.New(fault.TooMany, "too_many_codes",
					"Too many codes were sent today. Please try again tomorrow, or speak to %s.", v.Brand.Name)
			}
			a = Act{ID: tx.NewID(), MerchantID: v.Client.MerchantID, ClientID: v.Client.ID, BrandID: v.Brand.ID,
				LinkID: v.Link.ID, Kind: kind, ObjectID: objectID, Wish: w, State: ActAsked,
				AskedAt: database.Instant(now), ExpiresAt: database.Instant(now.Add(CodeLasts))}
			if err := s.check(tx, &a); err != nil {
				return err
			}
			a.CodeHash = codeHash(a.ID, code)
			if err := overtake(at, a.MerchantID, a.ClientID); err != nil {
				return err
			}
			at.Create(&a)
			return s.sendCode(tx, v, a, code)
		})
	})
	return a, err
}

// Find gives an act of this client; NotFound for any other.
func (s *Service) Find(ctx context.Context, v Visit, id uuid.UUID) (Act, error) {
	return s.Store.act(ctx, v.Client.MerchantID, v.Client.ID, id)
}

// Waiting is nil while an act's code can be entered, else why not.
func (a Act) Waiting(now time.Time) error {
	switch {
	case a.State == ActDone:
		return fault.New(fault.Conflict, "done_already", "This was done already.")
	case a.Tries >= CodeTries:
		return fault.New(fault.Conflict, "code_tried_out",
			"A wrong code was entered too often. Nothing was changed. Start again.")
	case a.State != ActAsked, !a.ExpiresAt.After(now):
		return fault.New(fault.Conflict, "code_over", "This code has expired: it works for 10 minutes. Nothing was changed. "+
			"Start again.")
	}
	return nil
}

// Confirm does what an act asks for, if the code is right: once, however often it is entered. A wrong code counts; what
// is no code of six digits does not.
func (s *Service) Confirm(ctx context.Context, v Visit, id uuid.UUID, code, ip, requestID string) (a Act, err error) {
	code = strings.Map(digit, code)
	var wrong error
	err = again(func() error {
		return s.InTx(ctx, func(tx *database.Tx) error {
			at := tx
			wrong = nil
			if err := lockClient(at, v.Client.MerchantID, v.Client.ID); err != nil {
				return err
			}
			if a, err = lockAct(at, v.Client.MerchantID, v.Client.ID, id); err != nil {
				return err
			}
			if a.State == ActDone {
				return nil
			}
			if err := a.Waiting(s.Real()); err != nil {
				return err
			}
			if len(code) != codeDigits { // a slip, and no guess
				wrong = fault.At("code", "invalid", "Enter the six digits of the code.")
				return nil
			}
			if subtle.ConstantTimeCompare(codeHash(a.ID, code), a.CodeHash) != 1 {
				a.Tries++
				wrong = fault.At("code", "wrong", "That is not the code. %s", triesLeft(CodeTries-a.Tries))
				if a.Tries >= CodeTries {
					a.State, a.CodeHash = ActOver, nil
					wrong = a.Waiting(s.Real())
				}
				return saveAct(at, a, ActAsked)
			}
			return s.finish(tx, v, &a, v.who(ip, requestID))
		})
	})
	if err == nil {
		err = wrong
	}
	return a, err
}

// finish does what was asked for in the transaction that uses the code up, and tells both sides.
func (s *Service) finish(tx *database.Tx, v Visit, a *Act, who actor.Actor) error {
	if err := s.check(tx, a); err != nil {
		return err
	}
	if err := s.do(tx, who, a); err != nil {
		return err
	}
	a.State, a.CodeHash, a.DoneAt = ActDone, nil, database.Instant(s.Real())
	if err := saveAct(tx, *a, ActAsked); err != nil {
		return err
	}
	if v.Client.Email == "" {
		return nil // the page says it
	}
	tx.InsertMail(mail.Mail{ID: tx.NewID(), MerchantID: a.MerchantID, ObjectID: a.ID, Kind: MailDid, Attempt: 1,
		ClientID: a.ClientID, To: v.Client.Email, State: mail.Queued, CreatedAt: tx.Now(),
		Letter: s.Letters.ClientDid(v.Client.Addressed(), v.Brand, *a)})
	return nil
}

func triesLeft(n int) string {
	if n == 1 {
		return "You can try once more."
	}
	return fmt.Sprintf("You can try %d more times.", n)
}

// newCode makes a code of six digits.
func newCode() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // never fails since Go 1.24
	return fmt.Sprintf("%0*d", codeDigits, n)
}

func codeHash(act uuid.UUID, code string) []byte {
	sum := sha256.Sum256([]byte("client page code " + act.String() + " " + code))
	return sum[:]
}

func digit(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// tries is how often something starts again after another came first.
const tries = 20

func again(try func() error) error {
	return fault.Again(tries, "This is being changed at the moment. Please try again.", try)
}
