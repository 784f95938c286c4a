package member

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

// Welcome is an invitation as its page shows it.
type Welcome struct {
	Invitation
	State    State
	Business user.Business
	// HasAccount tells that the person signs in instead of choosing a password.
	HasAccount bool
}

// Welcome finds an invitation by the token of its link; NotFound when there is
// none, as after it was sent again with a newer link.
func (s *Service) Welcome(ctx context.Context, token string) (w Welcome, err error) {
	if w.Invitation, err = s.Store.InvitationByToken(ctx, user.TokenHash(token)); err != nil {
		return w, err
	}
	w.State = w.Invitation.State(s.Now())
	if w.Business, err = user.Store(s.Store).Business(ctx, w.MerchantID); err != nil {
		return w, err
	}
	switch _, belongs, err := s.Store.AccountOf(ctx, w.Email); {
	case err == nil:
		w.HasAccount = belongs
	case !fault.Is(err, fault.NotFound):
		return w, err
	}
	return w, nil
}

// Newcomer is who accepts an invitation without an account.
type Newcomer struct {
	Token, Name, Password string
	IP, RequestID         string
}

// Join makes an account for whom was invited, and the person a member. Whoever
// holds the link can read the mailbox, which is what a new password asks for too.
func (s *Service) Join(ctx context.Context, in Newcomer) (user.User, error) {
	w, err := s.Welcome(ctx, in.Token)
	if err != nil {
		return user.User{}, err
	}
	switch {
	case w.State != Open:
		return user.User{}, gone(w.State)
	case w.HasAccount:
		return user.User{}, hasAccount()
	}
	in.Name = strings.TrimSpace(in.Name)
	var wrong fault.Problems
	if in.Name == "" {
		wrong.Add("name", "required", "Enter your name.")
	}
	user.CheckIdentity(&wrong, w.Email, in.Name)
	user.CheckPassword(&wrong, "password", w.Email, in.Password)
	if err := wrong.Err(); err != nil {
		return user.User{}, err
	}
	hash, err := user.HashPassword(ctx, in.Password)
	if err != nil {
		return user.User{}, err
	}
	u := user.User{MerchantID: w.MerchantID, Email: w.Email, Name: in.Name, Role: w.Role, Grants: w.Grants,
		BatchLimitCents: w.BatchLimitCents}
	old, _, err := s.Store.AccountOf(ctx, w.Email)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return u, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if u.ID = old; old == uuid.Nil {
			u.ID = tx.NewID()
		}
		u.CreatedAt, u.UpdatedAt = tx.Now(), tx.Now()
		if err := s.use(tx, w.Invitation, in.Token); err != nil {
			return err
		}
		if err := s.account(tx, u, old != uuid.Nil, hash); err != nil {
			return err
		}
		who := u.Actor()
		who.IP, who.RequestID = in.IP, in.RequestID
		s.join(tx, who, w)
		return nil
	})
	return u, err
}

// account keeps the newcomer's name and password. Whoever joined another business
// meanwhile has an account to sign in with.
func (s *Service) account(tx *database.Tx, u user.User, before bool, hash string) error {
	if before {
		back, err := takeBack(tx, u.ID, u.Name, hash, s.real())
		if err == nil && !back {
			err = hasAccount()
		}
		return err
	}
	err := user.Insert(tx, u, hash)
	if fault.HasCode(err, "unique") {
		return hasAccount()
	}
	return err
}

// Accept makes the caller, who has an account under the invited address, a member
// of the business that invited. It gives the person as they are there.
func (s *Service) Accept(ctx context.Context, who actor.Actor, token string) (user.User, error) {
	if who.Kind != actor.User {
		return user.User{}, fault.New(fault.Forbidden, "permission_denied", "Only a person who signed in can do that.")
	}
	w, err := s.Welcome(ctx, token)
	if err != nil {
		return user.User{}, err
	}
	u, err := user.Store(s.Store).User(ctx, who.MerchantID, who.ID)
	switch {
	case err != nil:
		return user.User{}, err
	case w.State != Open:
		return user.User{}, gone(w.State)
	case !strings.EqualFold(u.Email, w.Email):
		return user.User{}, fault.New(fault.Forbidden, "invitation_of_another",
			"This invitation is for %s, and you are signed in as %s.", w.Email, u.Email)
	}
	switch _, err := s.Store.Member(ctx, w.MerchantID, who.ID); {
	case err == nil:
		return user.User{}, fault.New(fault.Conflict, "already_member", "You already belong to this business.")
	case !fault.Is(err, fault.NotFound):
		return user.User{}, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := s.use(tx, w.Invitation, token); err != nil {
			return err
		}
		there := who
		there.MerchantID, there.Role, there.Grants = w.MerchantID, w.Role, w.Grants
		s.join(tx, there, w)
		return nil
	})
	if err != nil {
		return user.User{}, err
	}
	return user.Store(s.Store).User(ctx, w.MerchantID, who.ID)
}

// Enrol makes somebody who has an account elsewhere a member at once. The command
// line alone may: everybody else is asked by an invitation.
func (s *Service) Enrol(ctx context.Context, who actor.Actor, email string, t Terms) (user.User, error) {
	if who.Kind != actor.Operator {
		return user.User{}, fault.New(fault.Forbidden, "permission_denied", "Invite the person instead.")
	}
	var wrong fault.Problems
	t = t.checked(&wrong)
	if err := wrong.Err(); err != nil {
		return user.User{}, err
	}
	id, _, err := s.Store.AccountOf(ctx, email)
	if err != nil {
		return user.User{}, err
	}
	switch _, err := s.Store.Member(ctx, who.MerchantID, id); {
	case err == nil:
		return user.User{}, fault.At("email", "unique", "This e-mail address is already in use.")
	case !fault.Is(err, fault.NotFound):
		return user.User{}, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		addMember(tx, who.MerchantID, id, t, time.Time{})
		tx.Audit(who, audit.Entry{Action: "membership.added", ObjectType: "user", ObjectID: id,
			Text: "Added " + email + " as " + string(t.Role) + ".", After: t.record()})
		return nil
	})
	if err != nil {
		return user.User{}, err
	}
	return user.Store(s.Store).User(ctx, who.MerchantID, id)
}

// use takes the invitation: one winner, however many accept at once.
func (s *Service) use(tx *database.Tx, i Invitation, token string) error {
	won, err := useInvitation(tx, i.ID, user.TokenHash(token), s.real())
	if err != nil {
		return err
	}
	if !won {
		return gone(Accepted)
	}
	return nil
}

func (s *Service) join(tx *database.Tx, who actor.Actor, w Welcome) {
	addMember(tx, w.MerchantID, who.ID, w.Terms, s.real())
	after := w.record()
	after["email"] = w.Email
	tx.Audit(who, audit.Entry{Action: "invitation.accepted", ObjectType: "user", ObjectID: who.ID,
		Text:   "Accepted the invitation and joined as " + string(w.Role) + ".",
		Before: map[string]any{"invitation": w.ID.String()}, After: after})
}

func gone(state State) error {
	switch state {
	case Expired:
		return fault.New(fault.Conflict, "invitation_expired",
			"This invitation has expired. Ask for it to be sent again.")
	case Revoked:
		return fault.New(fault.Conflict, "invitation_revoked", "This invitation was withdrawn.")
	case Open, Accepted:
	}
	return fault.New(fault.Conflict, "invitation_used", "This invitation was already used.")
}

func hasAccount() error {
	return fault.New(fault.Conflict, "has_account",
		"There is an account with this address. Sign in to accept the invitation.")
}
