package factor

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Codes of authenticator apps (RFC 6238): six digits, a new one every 30 seconds.
// A clock that is one step off is fine.
const (
	stepSeconds = 30
	drift       = 1
	keyBytes    = 20
)

// issuer is what an authenticator app shows above the code.
const issuer = "Debitdesk"

// newKey draws a key.
func newKey() Key {
	var b [keyBytes]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return Key(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// URL is what the picture for the authenticator app says.
func (k Key) URL(account string) string {
	label := url.PathEscape(issuer + ":" + account)
	return "otpauth://totp/" + label + "?secret=" + k.Reveal() + "&issuer=" + issuer +
		"&algorithm=SHA1&digits=6&period=30"
}

// InGroups is the key as a person types it: in groups of four.
func (k Key) InGroups() string {
	var parts []string
	text := k.Reveal()
	for len(text) > 4 {
		parts, text = append(parts, text[:4]), text[4:]
	}
	return strings.Join(append(parts, text), " ")
}

// step finds the step of a code: now, or one before or after; never one that is
// not later than the last that was used.
func (k Key) step(code string, now time.Time, last int64) (int64, bool) {
	code = strings.Map(func(r rune) rune {
		if r == ' ' || r == '\u00a0' || r == '-' {
			return -1
		}
		return r
	}, code)
	if k == "" || len(code) != 6 {
		return 0, false
	}
	at := now.Unix() / stepSeconds
	for step := at - drift; step <= at+drift; step++ {
		if step <= last || step < 0 {
			continue
		}
		//nolint:gosec // not below zero
		fits, err := hotp.ValidateCustom(code, uint64(step), k.Reveal(),
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && fits {
			return step, true
		}
	}
	return 0, false
}

// BeginApp draws a key for an authenticator app; it counts once a code of it was
// confirmed. A key that was begun and not confirmed is forgotten.
func (s *Service) BeginApp(ctx context.Context, who actor.Actor) error {
	if who.Kind != actor.User {
		return notAPerson()
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		set, err := factors(tx, who.ID)
		if err != nil {
			return err
		}
		if set.App() {
			return fault.New(fault.Conflict, "factor_exists",
				"An authenticator app is already set up. Remove it first to set up another.")
		}
		setTOTP(tx, who.ID, newKey())
		tx.Audit(who, audit.Entry{Action: "user.factor_begun", ObjectType: "user", ObjectID: who.ID,
			Text: "Started to set up an authenticator app."})
		return nil
	})
}

// ConfirmApp makes the key count that BeginApp drew. It returns recovery codes
// when this is the person's first second factor: they are shown once. The first one
// needs the password again.
func (s *Service) ConfirmApp(ctx context.Context, who actor.Actor, code, password string) (codes []string, err error) {
	if who.Kind != actor.User {
		return nil, notAPerson()
	}
	if err := s.first(ctx, who, password); err != nil {
		return nil, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		set, err := factors(tx, who.ID)
		if err != nil {
			return err
		}
		if set.App() || set.Key == "" {
			return fault.New(fault.Conflict, "factor_exists", "There is nothing to confirm.")
		}
		step, fits := set.Key.step(code, s.Now(), set.LastStep)
		if !fits {
			return wrongCode("code")
		}
		if taken, err := takeStep(tx, who.ID, step); err != nil || !taken {
			return orWrong(err, "code")
		}
		confirmTOTP(tx, who.ID, s.Now())
		codes = firstCodes(tx, set)
		s.change(tx, who, set, "user.factor_added", "Set up an authenticator app for two-step sign-in.",
			"An authenticator app was set up for your two-step sign-in.")
		return nil
	})
	return codes, err
}

// RemoveApp takes the authenticator app away.
func (s *Service) RemoveApp(ctx context.Context, who actor.Actor) error {
	return s.remove(ctx, who, func(tx *database.Tx, set *Set) (string, error) {
		if !set.App() {
			return "", fault.Missing()
		}
		setTOTP(tx, who.ID, "")
		set.Key, set.ConfirmedAt = "", time.Time{}
		return "authenticator app", nil
	})
}

// remove takes one factor away. Where a business demands one, the last one stays.
func (s *Service) remove(ctx context.Context, who actor.Actor, take func(*database.Tx, *Set) (string, error)) error {
	if who.Kind != actor.User {
		return notAPerson()
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		set, err := factors(tx, who.ID)
		if err != nil {
			return err
		}
		what, err := take(tx, &set)
		if err != nil {
			return err
		}
		if !set.Any() {
			if set.Required {
				return fault.New(fault.Conflict, "second_factor_required",
					"Your business requires two-step sign-in. Set up another method before you remove this one.")
			}
			replaceRecoveryCodes(tx, who.ID, nil)
			endHalfSessions(tx, who.ID) // whoever knows the password and was waiting at the second factor
		}
		s.change(tx, who, set, "user.factor_removed", "Removed from two-step sign-in: "+what+".",
			"Removed from your two-step sign-in: "+
				what+".")
		return nil
	})
}

func wrongCode(field string) error {
	return fault.At(field, "invalid",
		"That code is wrong or was already used. Wait for the next one and try again.")
}

func orWrong(err error, field string) error {
	if err != nil {
		return err
	}
	return wrongCode(field)
}
