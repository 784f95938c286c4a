package user

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
)

// Tx is what a use case needs of its transaction.
type Tx interface {
	audit.Log
	Now() time.Time
	NewID() uuid.UUID
	// InsertUser refuses a second user of that e-mail address.
	InsertUser(u User, passwordHash string) error
	// DisableUser also ends the person's sessions; false when it is not the merchant's or was disabled.
	DisableUser(merchantID, id uuid.UUID, at time.Time) (bool, error)
	SetUserTheme(id uuid.UUID, theme string) error
	SetUserSeen(id uuid.UUID, at time.Time)
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
}

// Service lets people in and out.
type Service struct {
	InTx func(context.Context, func(Tx) error) error
	Read Reader
	Now  func() time.Time // real time: locks and sessions do not follow the sandbox clock
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
	hash, err := hashPassword(ctx, in.Password)
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
			Text: "Added " + u.Called() + " as " + string(u.Role) + ".", After: map[string]any{"email": u.Email, "role": string(u.Role)}})
		return nil
	})
	return u, err
}

// Disable keeps a person out from now on and ends their sessions at once.
func (s *Service) Disable(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	if who.ID == id {
		return fault.New(fault.Conflict, "user_is_self", "You cannot disable yourself; another admin can.")
	}
	u, err := s.Read.User(ctx, who.MerchantID, id)
	if err != nil {
		return err
	}
	return s.InTx(ctx, func(tx Tx) error {
		done, err := tx.DisableUser(who.MerchantID, id, tx.Now())
		if err != nil || !done {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "user.disabled", ObjectType: "user", ObjectID: id, Text: "Disabled " + u.Called() + "."})
		return nil
	})
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
