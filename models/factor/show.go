package factor

import (
	"context"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/user"
)

// Proof is a second factor as it was shown: one of the three.
type Proof struct {
	Code      string // of the authenticator app
	Recovery  string // a recovery code
	Assertion string // a passkey's answer, as JSON
	Ceremony  string // what BeginAssertion gave, for an Assertion
}

// Failures that are free, after which each further one locks for longer. Each sort
// of code is counted for itself and for one person: guesses at one's codes lock
// neither the passkey, nor the recovery codes, nor anybody else.
const (
	freeGuesses = 5
	firstLock   = time.Minute
	longLock    = 4 * time.Hour
	forgetAfter = 24 * time.Hour
)

// Show looks at a second factor. Invalid with a field when it is wrong, TooMany
// while locked. A code works once, a recovery code too, and the person is told
// when one was used.
func (s *Service) Show(ctx context.Context, who actor.Actor, p Proof) (user.Factor, error) {
	switch {
	case who.Kind != actor.User:
		return user.NoFactor, notAPerson()
	case p.Assertion != "":
		return user.Passkey, s.showPasskey(ctx, who, p)
	case p.Recovery != "":
		return user.Recovery, s.guarded(ctx, who, "recovery", func(tx *database.Tx, set Set) (bool, error) {
			used, err := useRecoveryCode(tx, who.ID, CleanCode(p.Recovery), s.Now())
			if used && err == nil {
				left := codesLeft(set.CodesLeft - 1)
				s.change(tx, who, set, "user.recovery_code_used", "Used a recovery code. "+left,
					"A recovery code was used at your two-step sign-in. "+left)
			}
			return used, err
		})
	case p.Code != "":
		return user.TOTP, s.guarded(ctx, who, "code", func(tx *database.Tx, set Set) (bool, error) {
			if set.Unread && set.App() {
				return false, fault.At("code", "unreadable", "Codes of your authenticator app cannot be checked: what is stored "+
					"of its key was damaged. Use a recovery code or a passkey, or ask an admin to reset your two-step sign-in.")
			}
			step, fits := set.Key.step(p.Code, s.Now(), set.LastStep)
			if !fits || !set.App() {
				return false, nil
			}
			return takeStep(tx, who.ID, step)
		})
	}
	return user.NoFactor, fault.At("code", "required", "Enter the code that your authenticator app shows.")
}

// codesLeft says how many recovery codes can still be used.
func codesLeft(n int) string {
	if n <= 0 {
		return "No recovery codes are left. Create new ones under Security."
	}
	return plural.Of(n, "recovery code") + " " + plural.Is(n) + " left."
}

// guarded tries a code unless guessing is locked, and counts a failure. The
// person is locked, so that guesses at once go one after the other.
func (s *Service) guarded(ctx context.Context, who actor.Actor, field string,
	try func(*database.Tx, Set) (bool, error)) error {
	var refused error
	err := s.Store.InTx(ctx, func(tx *database.Tx) error {
		refused = nil
		now := s.Now()
		set, err := factors(tx, who.ID)
		if err != nil {
			return err
		}
		counters, err := user.Throttles(tx, []string{"factor-" + field + ":" + who.ID.String()})
		if err != nil {
			return err
		}
		counter := counters[0]
		if wait := counter.LockedUntil.Sub(now); wait > 0 {
			refused = tooMany(wait)
			return nil
		}
		fits, err := try(tx, set)
		if err != nil {
			return err
		}
		if fits {
			user.SaveThrottle(tx, user.Throttle{Key: counter.Key, LastAt: now})
			shown(tx, who, field)
			return nil
		}
		user.SaveThrottle(tx, failed(counter, now))
		tx.Audit(who, audit.Entry{Action: "user.factor_refused", ObjectType: "user", ObjectID: who.ID,
			Text: "Entered a wrong " + words[field] + "."})
		refused = wrongCode(field)
		return nil
	})
	if err != nil {
		return err
	}
	return refused
}

var words = map[string]string{"code": "code of an authenticator app", "recovery": "recovery code", "passkey": "passkey"}

func shown(tx *database.Tx, who actor.Actor, field string) {
	tx.Audit(who, audit.Entry{Action: "user.factor_shown", ObjectType: "user", ObjectID: who.ID,
		Text: "Confirmed with: " + words[field] + "."})
}

// failed counts one more failure: the fifth locks for a minute, each further one
// for twice as long, up to four hours.
func failed(t user.Throttle, now time.Time) user.Throttle {
	if now.Sub(t.LastAt) >= forgetAfter {
		t.Failures = 0
	}
	t.Failures++
	t.LastAt = now
	if over := t.Failures - freeGuesses; over >= 0 {
		t.LockedUntil = now.Add(min(firstLock<<min(over, 10), longLock))
	}
	return t
}

func tooMany(wait time.Duration) error {
	minutes := max(int((wait+time.Minute-1)/time.Minute), 1)
	text := plural.Pick(minutes, "a minute", plural.Of(minutes, "minute"))
	f := fault.New(fault.TooMany, "too_many_codes", "Too many wrong codes. Try again in %s.", text)
	f.RetryAfterSeconds = int((wait + time.Second - 1) / time.Second)
	return f
}
