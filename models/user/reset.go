package user

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/queue"
)

// ResetLasts is how long the link of a password reset works, in real time.
const ResetLasts = time.Hour

// The kinds of mails to the people themselves.
const (
	MailReset           = mail.PasswordReset
	MailPasswordChanged = "password_changed"
)

// Letters words the mails to people about their own passwords.
type Letters interface {
	PasswordReset(u User, b Business, token string, until time.Time) mail.Letter
	PasswordChanged(u User, b Business, at time.Time) mail.Letter
}

// Reset is a link to a new password. The zero time means not.
type Reset struct {
	Hash              []byte `gorm:"column:token_hash"`
	UserID            uuid.UUID
	ExpiresAt, UsedAt time.Time
}

// AskReset takes the wish for a new password. What is done here is the same for
// known and unknown addresses and takes the same time; whether there is a mail is
// found out later, in the background. TooMany is for the network address alone.
func (s *Service) AskReset(ctx context.Context, email, ip string) error {
	email = strings.TrimSpace(email)
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		now := s.Now()
		counters, err := Throttles(tx, []string{"reset:" + byEmail(email), "reset:" + byIP(ip)})
		if err != nil {
			return err
		}
		if wait := counters[1].wait(now); wait > 0 {
			return tooMany(wait)
		}
		mails := counters[0].wait(now) <= 0
		SaveThrottle(tx, counters[1].failed(now))
		if mails {
			SaveThrottle(tx, counters[0].failed(now))
			tx.Enqueue(queue.ResetPassword{AskID: tx.NewID(), Email: email, IP: ip})
		}
		return nil
	})
}

// SendReset mails the link to whom the address belongs; nobody is no error.
func (s *Service) SendReset(ctx context.Context, ask queue.ResetPassword) error {
	u, _, err := s.Store.UserByEmail(ctx, ask.Email)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	case !u.DisabledAt.IsZero():
		return nil
	}
	b, err := s.Store.Business(ctx, u.MerchantID)
	if err != nil {
		return err
	}
	token, hash := NewToken()
	until := s.real().Add(ResetLasts)
	who := u.Actor()
	who.IP = ask.IP
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		insertReset(tx, Reset{Hash: hash, UserID: u.ID, ExpiresAt: until})
		tx.InsertMail(mail.Mail{MerchantID: u.MerchantID, ObjectID: ask.AskID, Kind: MailReset, To: u.Email,
			Letter: s.Letters.PasswordReset(u, b, token, until)})
		tx.Audit(actor.Actor{Kind: actor.System, Name: "Debitdesk", MerchantID: u.MerchantID, IP: ask.IP},
			audit.Entry{Action: "user.reset_asked", ObjectType: "user", ObjectID: u.ID,
				Text: "A link to set a new password was mailed to " + u.Called() + "."})
		return nil
	})
}

// FindReset tells whether a link still works: NotFound when it is unknown,
// Conflict when it is over or was used.
func (s *Service) FindReset(ctx context.Context, token string) (Reset, error) {
	r, err := s.Store.Reset(ctx, TokenHash(token))
	if err != nil {
		return r, err
	}
	return r, r.usable(s.Now())
}

func (r Reset) usable(now time.Time) error {
	switch {
	case !r.UsedAt.IsZero():
		return fault.New(fault.Conflict, "reset_used", "This link was already used. Ask for a new one if you need it.")
	case !r.ExpiresAt.After(now):
		return fault.New(fault.Conflict, "reset_expired",
			"This link has expired: it works for one hour. Ask for a new one.")
	}
	return nil
}

// ResetPassword sets a new password by a link: once, and every session of the
// person ends. It gives the person; they sign in with the new password.
func (s *Service) ResetPassword(ctx context.Context, token, password, ip, requestID string) (User, error) {
	r, err := s.FindReset(ctx, token)
	if err != nil {
		return User{}, err
	}
	u, businesses, err := s.everywhere(ctx, r.UserID)
	if err != nil {
		return User{}, err
	}
	hash, err := s.newHash(ctx, "password", u.Email, password)
	if err != nil {
		return User{}, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		won, err := useResets(tx, r, s.real())
		if err != nil {
			return err
		}
		if !won {
			return fault.New(fault.Conflict, "reset_used",
				"This link was already used. Ask for a new one if you need it.")
		}
		if err := setPassword(tx, u.ID, hash, s.real()); err != nil {
			return err
		}
		if err := endSessions(tx, u.ID, nil); err != nil {
			return err
		}
		who := u.Actor()
		who.IP, who.RequestID = ip, requestID
		s.changed(tx, who, u, businesses, "user.password_reset",
			"Set a new password with the link in their mail. All of their sessions ended.")
		return s.forget(tx, []string{byEmail(u.Email), "reset:" + byEmail(u.Email)})
	})
	return u, err
}

// ChangePassword sets a new password for the caller, who knows the old one. Their
// other sessions end; the one whose hash is kept goes on.
func (s *Service) ChangePassword(ctx context.Context, who actor.Actor, old, password string, keep []byte) error {
	if who.Kind != actor.User {
		return notAPerson()
	}
	u, businesses, err := s.everywhere(ctx, who.ID)
	if err != nil {
		return err
	}
	if err := s.knows(ctx, who, u, old); err != nil {
		return err
	}
	hash, err := s.newHash(ctx, "new_password", u.Email, password)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := setPassword(tx, u.ID, hash, s.real()); err != nil {
			return err
		}
		if err := endSessions(tx, u.ID, bytes.Clone(keep)); err != nil {
			return err
		}
		s.changed(tx, who, u, businesses, "user.password_changed",
			"Changed their password. Their other sessions ended.")
		return nil
	})
}

// Knows asks the caller for their password again, before something that would lock
// its owner out. Wrong ones are counted.
func (s *Service) Knows(ctx context.Context, who actor.Actor, password string) error {
	if who.Kind != actor.User {
		return notAPerson()
	}
	u, _, err := s.everywhere(ctx, who.ID)
	if err != nil {
		return err
	}
	err = s.knows(ctx, who, u, password)
	if fault.HasCode(err, "wrong") {
		return fault.At("password", "wrong", "That is not your password.")
	}
	return err
}

// knows asks for the old password. Wrong ones are counted, so that somebody at an
// open browser cannot guess it.
func (s *Service) knows(ctx context.Context, who actor.Actor, u User, old string) error {
	key := []string{"password:" + u.ID.String()}
	err := s.Store.InTx(ctx, func(tx *database.Tx) error {
		t, err := Throttles(tx, key)
		if err != nil {
			return err
		}
		if wait := t[0].wait(s.Now()); wait > 0 {
			return tooMany(wait)
		}
		SaveThrottle(tx, t[0].failed(s.Now()))
		return nil
	})
	if err != nil {
		return err
	}
	_, hash, err := s.Store.UserByEmail(ctx, u.Email)
	if err != nil {
		return err
	}
	fits := false
	if len(old) <= 4*MaxPassword {
		if fits, err = passwordFits(ctx, old, hash); err != nil {
			return err
		}
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if fits {
			return s.forget(tx, key)
		}
		tx.Audit(who, audit.Entry{Action: "user.password_refused", ObjectType: "user", ObjectID: u.ID,
			Text: "Entered a wrong password when asked for it again."})
		return nil
	})
	if err == nil && !fits {
		err = fault.At("old_password", "wrong", "That is not your current password.")
	}
	return err
}

// forget sets counters back to zero.
func (s *Service) forget(tx *database.Tx, keys []string) error {
	counters, err := Throttles(tx, keys)
	if err != nil {
		return err
	}
	for _, t := range counters {
		SaveThrottle(tx, Throttle{Key: t.Key, LastAt: t.LastAt})
	}
	return nil
}

// changed tells the person and each of their businesses.
func (s *Service) changed(tx *database.Tx, who actor.Actor, u User, businesses []Business, action, text string) {
	for _, b := range businesses {
		who.MerchantID = b.ID
		tx.Audit(who, audit.Entry{Action: action, ObjectType: "user", ObjectID: u.ID, Text: text})
	}
	home := businesses[0]
	tx.InsertMail(mail.Mail{MerchantID: home.ID, ObjectID: tx.NewID(), Kind: MailPasswordChanged, To: u.Email,
		Letter: s.Letters.PasswordChanged(u, home, s.real())})
}

// everywhere is a person in the business they used last, and all of theirs.
func (s *Service) everywhere(ctx context.Context, id uuid.UUID) (User, []Business, error) {
	businesses, err := s.Store.Businesses(ctx, id)
	if err != nil {
		return User{}, nil, err
	}
	if len(businesses) == 0 {
		return User{}, nil, fault.New(fault.Conflict, "reset_expired", "This account is no longer in use.")
	}
	u, err := s.Store.User(ctx, businesses[0].ID, id)
	return u, businesses, err
}

func (s *Service) newHash(ctx context.Context, at, email, password string) (string, error) {
	var wrong fault.Problems
	CheckPassword(&wrong, at, email, password)
	if err := wrong.Err(); err != nil {
		return "", err
	}
	return HashPassword(ctx, password)
}
