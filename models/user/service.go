package user

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/queue"
)

// Tx is what a use case needs of its transaction.
type Tx interface {
	audit.Log
	Now() time.Time
	NewID() uuid.UUID
	// InsertUser refuses a second user of that e-mail address.
	InsertUser(u User, passwordHash string) error
	Enqueue(job queue.Job)
	InsertMail(m mail.Mail)
	SetUserTheme(id uuid.UUID, theme string) error
	SetUserSeen(id uuid.UUID, at time.Time)
	// SetBusinessUsed notes for which business the person works now.
	SetBusinessUsed(merchantID, id uuid.UUID, at time.Time)
	SetPassword(id uuid.UUID, hash string, at time.Time) error
	InsertReset(r Reset)
	// UseResets uses one link and ends all others of the person; false when it was used before.
	UseResets(r Reset, at time.Time) (bool, error)
	// EndSessions ends all sessions of a person but the one to keep, if any.
	EndSessions(userID uuid.UUID, keep []byte)
	// DeleteSessionOf ends one session of that person; false when there is none.
	DeleteSessionOf(userID uuid.UUID, hash []byte) (bool, error)
	// DeleteOtherSessions ends all sessions of that person but one, and tells how many.
	DeleteOtherSessions(userID uuid.UUID, but []byte) (int64, error)
	// Throttles locks the counters of these keys, made at zero where missing, in the order of the keys.
	Throttles(keys []string) ([]Throttle, error)
	SaveThrottle(t Throttle)
}

// Reader is what is read outside of a transaction.
type Reader interface {
	// UserByEmail finds a person of any merchant and the password hash; NotFound when there is none.
	UserByEmail(ctx context.Context, email string) (User, string, error)
	// User of the merchant; NotFound when there is none.
	User(ctx context.Context, merchantID, id uuid.UUID) (User, error)
	// SessionsOf are the person's living sessions, the last seen first.
	SessionsOf(ctx context.Context, userID uuid.UUID, now time.Time) ([]Session, error)
	// Businesses are those a person works for now, the last used first.
	Businesses(ctx context.Context, userID uuid.UUID) ([]Business, error)
	Business(ctx context.Context, id uuid.UUID) (Business, error)
	// Reset finds a link by its hash; NotFound when there is none.
	Reset(ctx context.Context, hash []byte) (Reset, error)
}

// Service lets people in and out.
type Service struct {
	InTx func(context.Context, func(Tx) error) error
	Read Reader
	Now  func() time.Time // real time: locks and sessions do not follow the sandbox clock
	// Letters words what is mailed to people about their passwords.
	Letters Letters
}

// Create makes a person of the caller's merchant.
func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (User, error) {
	if err := who.May(actor.Manage); err != nil {
		return User{}, err
	}
	in, err := in.checked()
	if err != nil {
		return User{}, err
	}
	hash, err := HashPassword(ctx, in.Password)
	if err != nil {
		return User{}, err
	}
	var u User
	err = s.InTx(ctx, func(tx Tx) error {
		u = User{ID: tx.NewID(), MerchantID: who.MerchantID, Email: in.Email, Name: in.Name, Role: in.Role,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		if err := tx.InsertUser(u, hash); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "user.created", ObjectType: "user", ObjectID: u.ID,
			Text:  "Added " + u.Called() + " as " + string(u.Role) + ".",
			After: map[string]any{"email": u.Email, "role": string(u.Role)}})
		return nil
	})
	return u, err
}

// SetTheme keeps the look that the caller chose: "", "light" or "dark".
func (s *Service) SetTheme(ctx context.Context, who actor.Actor, theme string) error {
	if who.Kind != actor.User {
		return notAPerson()
	}
	if !slices.Contains(Themes, theme) {
		return fault.At("theme", "invalid_choice", "A theme is light, dark or the one of your device.")
	}
	return s.InTx(ctx, func(tx Tx) error {
		tx.Audit(who, audit.Entry{Action: "user.theme_set", ObjectType: "user", ObjectID: who.ID,
			Text: "Changed the look of the dashboard.", After: map[string]any{"theme": theme}})
		return tx.SetUserTheme(who.ID, theme)
	})
}
