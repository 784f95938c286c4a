package user

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// How long a session lives, in real time.
const (
	SessionIdle     = 12 * time.Hour
	SessionAbsolute = 7 * 24 * time.Hour
)

// Session is one signed-in browser. Hash is a keyed hash of its cookie.
type Session struct {
	Hash      []byte `gorm:"column:id_hash"`
	UserID    uuid.UUID
	Data      string // what the browser's session carries, as JSON
	IP        string
	UserAgent string
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time

	MerchantID uuid.UUID // the business it works for
	Factor     Factor    // how the second factor was shown; empty: not
	ProvenAt   time.Time // when a second factor was shown last

	IssuerID      uuid.UUID // where it began; zero: with a password
	IssuerSubject string    // who the person is there
	IssuerSID     string    `gorm:"column:issuer_sid"` // in which session there
	EndsAt        time.Time // the latest, as the issuer's settings say; zero: as any other
}

// Factor is a way to show more than a password.
type Factor string

// The second factors.
const (
	NoFactor Factor = ""
	TOTP     Factor = "totp"
	Passkey  Factor = "passkey"
	Recovery Factor = "recovery"
	Issuer   Factor = "issuer" // shown where the person signed in
)

// SignedIn is a session with everything that the frame of a page shows.
type SignedIn struct {
	Session
	User         User `gorm:"embedded;embeddedPrefix:u_"`
	MerchantName string
	MerchantSlug string
	IsTest       bool
	BrandID      uuid.UUID
	BrandName    string     // the merchant's first brand
	Others       []Business `gorm:"serializer:json"` // where else the person works

	HasFactor     bool // the person has set up a second factor
	RequireFactor bool // the business demands one of everybody

	IssuerName string // of the issuer of a business where the session began
	// Confined tells that the issuer of this business alone said who the person is, who works elsewhere too: nothing that
	// is the person's own may be changed, and no other business opened.
	Confined bool
}

// Sessions gives the caller's own sessions, the last seen first.
func (s *Service) Sessions(ctx context.Context, who actor.Actor) ([]Session, error) {
	if who.Kind != actor.User {
		return nil, notAPerson()
	}
	return s.Store.SessionsOf(ctx, who.ID, s.Now())
}

// RevokeSession ends one of the caller's own sessions, on every process at once.
func (s *Service) RevokeSession(ctx context.Context, who actor.Actor, hash []byte) error {
	if who.Kind != actor.User {
		return notAPerson()
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		gone, err := deleteSessionOf(tx, who.ID, hash)
		if err != nil {
			return err
		}
		if !gone {
			return fault.Missing()
		}
		tx.Audit(who, audit.Entry{Action: "user.session_revoked", ObjectType: "user", ObjectID: who.ID,
			Text: "Ended one of their sessions."})
		return nil
	})
}

// RevokeOthers ends the caller's sessions but the one with this hash, and tells how many.
func (s *Service) RevokeOthers(ctx context.Context, who actor.Actor, mine []byte) (n int64, err error) {
	if who.Kind != actor.User {
		return 0, notAPerson()
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if n, err = deleteOtherSessions(tx, who.ID, mine); err != nil || n == 0 {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "user.session_revoked", ObjectType: "user", ObjectID: who.ID,
			Text: "Ended all their other sessions.", After: map[string]any{"ended": n}})
		return nil
	})
	return n, err
}

// CameIn notes in the transaction of a sign-in that the person came in, in those words.
func CameIn(tx *database.Tx, who actor.Actor, text string, at time.Time) {
	setUserSeen(tx, who.ID, at)
	setBusinessUsed(tx, who.MerchantID, who.ID, at)
	tx.Audit(who, audit.Entry{Action: "user.signed_in", ObjectType: "user", ObjectID: who.ID, Text: text})
}

func notAPerson() error {
	return fault.New(fault.Forbidden, "permission_denied", "Only a person who signed in can do that.")
}
