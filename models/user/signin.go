package user

import (
	"context"
	"time"
	"unicode/utf8"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Attempt is one sign-in as it was typed.
type Attempt struct {
	Email, Password string
	IP, RequestID   string
	// Device names a browser that signed in to this very account before, as it can
	// prove; empty for any other.
	Device string
}

// SignIn finds the person whose e-mail and password these are. TooMany while
// locked, Unauthenticated otherwise; unknown people, disabled ones and wrong
// passwords take the same time and get the same sentence.
func (s *Service) SignIn(ctx context.Context, a Attempt) (User, error) {
	before, err := s.count(ctx, a)
	if err != nil {
		return User{}, err
	}
	u, hash, err := s.Store.UserByEmail(ctx, a.Email)
	known := err == nil
	switch {
	case fault.Is(err, fault.NotFound):
		hash = nobodysHash
	case err != nil:
		return User{}, err
	}
	fits := false
	if utf8.RuneCountInString(a.Password) <= MaxPassword {
		if fits, err = passwordFits(ctx, a.Password, hash); err != nil {
			return User{}, err
		}
	}
	who := u.Actor()
	who.IP, who.RequestID = a.IP, a.RequestID
	if !known || !fits || !u.DisabledAt.IsZero() {
		return User{}, s.refuse(ctx, who, a, known)
	}
	open, err := s.opened(ctx, u)
	if err != nil {
		if fault.HasCode(err, "sign_in_by_issuer") {
			if noted := s.sent(ctx, who); noted != nil {
				err = noted
			}
		}
		return User{}, err
	}
	there := open.Actor()
	there.IP, there.RequestID = a.IP, a.RequestID
	return open, s.welcome(ctx, there, a, before)
}

// opened is the person in the business used last that a password opens.
func (s *Service) opened(ctx context.Context, u User) (User, error) {
	refused := s.ByPassword(ctx, u.MerchantID, u.ID)
	if refused == nil || !fault.HasCode(refused, "sign_in_by_issuer") {
		return u, refused
	}
	all, err := s.Store.Businesses(ctx, u.ID)
	if err != nil {
		return u, err
	}
	for _, b := range all {
		switch err := s.ByPassword(ctx, b.ID, u.ID); {
		case err == nil:
			return s.Store.User(ctx, b.ID, u.ID)
		case !fault.HasCode(err, "sign_in_by_issuer"):
			return u, err
		}
	}
	f, _ := fault.From(refused)
	return u, fault.New(fault.Unauthenticated, f.Code, "%s", f.Message)
}

// sent notes that a right password did not open the business.
func (s *Service) sent(ctx context.Context, who actor.Actor) error {
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{Action: "user.sign_in_failed", ObjectType: "user", ObjectID: who.ID,
			Text: "A sign-in with the password was refused: the business asks for its provider."})
		return nil
	})
}

// SignOut notes that the person left; the session ends with its cookie.
func (s *Service) SignOut(ctx context.Context, who actor.Actor) error {
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{Action: "user.signed_out", ObjectType: "user", ObjectID: who.ID, Text: "Signed out."})
		return nil
	})
}

// count takes the attempt for a failure before the password is looked at, so
// that a thousand attempts at once get no more tries than one after the other.
// It returns how the counters stood.
func (s *Service) count(ctx context.Context, a Attempt) (before []Throttle, err error) {
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		now := s.Now()
		if before, err = Throttles(tx, a.counters()); err != nil {
			return err
		}
		for _, t := range before {
			if wait := t.wait(now); wait > 0 {
				return tooMany(wait)
			}
		}
		for _, t := range before {
			SaveThrottle(tx, t.failed(now))
		}
		return nil
	})
	return before, err
}

func (s *Service) refuse(ctx context.Context, who actor.Actor, a Attempt, known bool) error {
	err := s.Store.InTx(ctx, func(tx *database.Tx) error {
		// Also for unknown people something is written, which takes the same time.
		counters, err := Throttles(tx, a.counters()[:1])
		if err != nil {
			return err
		}
		SaveThrottle(tx, counters[0])
		if known {
			tx.Audit(who, audit.Entry{Action: "user.sign_in_failed", ObjectType: "user", ObjectID: who.ID,
				Text: "A sign-in as " + who.Name + " failed."})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return fault.New(fault.Unauthenticated, "sign_in_failed", "The e-mail address or the password is wrong.")
}

// welcome forgets the person's failures and takes back the one that this
// attempt counted for its address: guesses at other people still count.
func (s *Service) welcome(ctx context.Context, who actor.Actor, a Attempt, before []Throttle) error {
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		now, err := Throttles(tx, a.counters())
		if err != nil {
			return err
		}
		for i, t := range now {
			t.Failures--
			if t.Key != byIP(a.IP) {
				t.Failures = 0
			}
			if t.Failures < t.free() {
				t.LockedUntil = time.Time{}
			} else if t.Failures == before[i].Failures {
				t.LockedUntil = before[i].LockedUntil
			}
			SaveThrottle(tx, t)
		}
		CameIn(tx, who, "Signed in.", s.Now())
		return nil
	})
}
