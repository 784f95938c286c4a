package user

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Service lets people in and out.
type Service struct {
	Store Store
	Now   func() time.Time // real time: locks and sessions do not follow the sandbox clock
	// Letters words what is mailed to people about their passwords.
	Letters Letters
	// Forced names the issuer through which a person has to come in to a business; empty: a password is right, too.
	Forced func(ctx context.Context, merchantID, id uuid.UUID) (issuer string, err error)
}

// ByPassword is nil when a password opens the business to the person; Forbidden with the issuer to use otherwise.
func (s *Service) ByPassword(ctx context.Context, merchantID, id uuid.UUID) error {
	if s.Forced == nil {
		return nil
	}
	through, err := s.Forced(ctx, merchantID, id)
	if err == nil && through != "" {
		err = fault.New(fault.Forbidden, "sign_in_by_issuer",
			"Your business asks you to sign in with %s. Use its button on the sign-in page.", through)
	}
	return err
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
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		u = User{ID: tx.NewID(), MerchantID: who.MerchantID, Email: in.Email, Name: in.Name, Role: in.Role,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		if err := Insert(tx, u, hash); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "user.created", ObjectType: "user", ObjectID: u.ID,
			Text:  "Added " + u.Called() + " as " + string(u.Role) + ".",
			After: map[string]any{"email": u.Email, "role": string(u.Role)}})
		return nil
	})
	return u, err
}

// HideFirstSteps hides the first steps on Home from the caller, or shows them again.
func (s *Service) HideFirstSteps(ctx context.Context, who actor.Actor, hidden bool) error {
	if who.Kind != actor.User {
		return notAPerson()
	}
	text := "Showed the first steps on Home again."
	if hidden {
		text = "Hid the first steps on Home."
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{Action: "user.first_steps_hidden", ObjectType: "user", ObjectID: who.ID, Text: text,
			After: map[string]any{"hidden": hidden}})
		return setFirstSteps(tx, who.MerchantID, who.ID, hidden)
	})
}

// SetKeys turns the keys of a single character on or off for the caller.
func (s *Service) SetKeys(ctx context.Context, who actor.Actor, off bool) error {
	if who.Kind != actor.User {
		return notAPerson()
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{
			Action:     "user.keys_set",
			ObjectType: "user",
			ObjectID:   who.ID,
			Text:       "Turned keyboard shortcuts " + map[bool]string{true: "off", false: "on"}[off] + ".",
			After:      map[string]any{"keys_off": off},
		})
		return setKeysOff(tx, who.ID, off)
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
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{Action: "user.theme_set", ObjectType: "user", ObjectID: who.ID,
			Text: "Changed the look of the dashboard.", After: map[string]any{"theme": theme}})
		return setUserTheme(tx, who.ID, theme)
	})
}
