// Package factor knows what people show beside their password: codes of an
// authenticator app, passkeys and recovery codes, and how guessing at them is
// slowed down. It must not know sessions, cookies or pages.
package factor

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
)

// Key is the secret that a person's authenticator app shares with us, in base32.
// It prints itself masked.
type Key string

const masked = "••••"

// Reveal gives the key; the set-up page and the sealing store ask for it.
func (k Key) Reveal() string { return string(k) }

// String masks.
func (k Key) String() string { return masked }

// Format masks every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(masked)) }

// LogValue masks in logs.
func (k Key) LogValue() slog.Value { return slog.StringValue(masked) }

// MarshalJSON masks in JSON.
func (k Key) MarshalJSON() ([]byte, error) { return json.Marshal(masked) }

// Set is what one person has set up. Times are real time; the zero time means never.
type Set struct {
	UserID      uuid.UUID
	Name, Email string
	Key         Key  // of the authenticator app; it counts once it is confirmed
	Unread      bool // what is stored of the key was damaged: no code fits it
	ConfirmedAt time.Time
	LastStep    int64 // the step of the last code that was used: a code works once
	Passkeys    []Passkey
	CodesLeft   int  // recovery codes that were not used
	Required    bool // a business that the person works for demands a second factor
}

// App tells whether codes of an authenticator app count.
func (s Set) App() bool { return !s.ConfirmedAt.IsZero() }

// Any tells whether there is a second factor at all. Recovery codes alone are none.
func (s Set) Any() bool { return s.App() || len(s.Passkeys) > 0 }

func (s Set) called() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Email
}

// Member is a person of a business as the settings list it.
type Member struct {
	ID          uuid.UUID
	Name, Email string
	Role        actor.Role
	App         bool
	Passkeys    int
	CodesLeft   int
	Elsewhere   bool // works for another business too
	Disabled    bool
}

// Any tells whether the person has a second factor.
func (m Member) Any() bool { return m.App || m.Passkeys > 0 }

// Called is the name to show.
func (m Member) Called() string {
	if m.Name != "" {
		return m.Name
	}
	return m.Email
}

// Service sets up second factors and looks at them.
type Service struct {
	Store   Store
	Now     func() time.Time // real time: codes and locks do not follow the sandbox clock
	Letters Letters
	Party   *Party // nil: passkeys are not offered
	Sandbox bool
	// Password asks for the person's password again: who sits at an open browser must not
	// lock its owner out with a second factor of their own. Errors stand at password.
	Password func(ctx context.Context, who actor.Actor, password string) error
}

// first asks for the password before the first second factor is set up; later ones
// are guarded by those that are there.
func (s *Service) first(ctx context.Context, who actor.Actor, password string) error {
	set, err := s.Of(ctx, who)
	switch {
	case err != nil:
		return err
	case set.Any():
		return nil
	case password == "":
		return fault.At("password", "required", "Enter your password.")
	}
	return s.Password(ctx, who, password)
}

// Letters words the mails about second factors.
type Letters interface {
	FactorChanged(n Notice) mail.Letter
}

// Notice is what a person is told when something about their second factors changed.
type Notice struct {
	To      string // the person's name
	What    string // a sentence: "A passkey was added: Work laptop."
	IP      string
	At      time.Time // real time
	Sandbox bool
}

// Of tells what the caller has set up.
func (s *Service) Of(ctx context.Context, who actor.Actor) (Set, error) {
	if who.Kind != actor.User {
		return Set{}, notAPerson()
	}
	return s.Store.FactorsOf(ctx, who.ID)
}

// change notes a change of the person's factors in the audit and tells them by mail.
func (s *Service) change(tx *database.Tx, who actor.Actor, set Set, action, text, told string) {
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "user", ObjectID: set.UserID, Text: text})
	tx.InsertMail(mail.Mail{MerchantID: who.MerchantID, ObjectID: tx.NewID(), Kind: "second_factor", Attempt: 1,
		To:     set.Email,
		Letter: s.Letters.FactorChanged(Notice{To: set.called(), What: told, IP: who.IP, At: s.Now(), Sandbox: s.Sandbox})})
}

func notAPerson() error {
	return fault.New(fault.Forbidden, "permission_denied", "Only a person who signed in can do that.")
}
