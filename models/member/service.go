package member

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/user"
)

// Tx is what a use case needs of its transaction. Changes of members come after
// HoldMembers in the same transaction.
type Tx interface {
	audit.Log
	Now() time.Time
	NewID() uuid.UUID
	InsertMail(m mail.Mail)
	// HoldMembers locks all members of the merchant, and the sessions of one of
	// them, until the transaction ends: who changes one sees all others as they are.
	HoldMembers(merchantID, userID uuid.UUID) ([]Member, error)
	// SetTerms changes what a member may do.
	SetTerms(merchantID, userID uuid.UUID, t Terms)
	// DisableMember keeps somebody out and ends their sessions in that business.
	DisableMember(merchantID, userID uuid.UUID, at time.Time)
	EnableMember(merchantID, userID uuid.UUID)
	// RemoveMember ends a membership and its sessions.
	RemoveMember(merchantID, userID uuid.UUID)
	// AddMember makes a person a member; one who belonged nowhere any more is back.
	// used is when the person came in; zero for not yet.
	AddMember(merchantID, userID uuid.UUID, t Terms, used time.Time)
	// InsertUser refuses a second user of that e-mail address.
	InsertUser(u user.User, passwordHash string) error
	// TakeBack gives somebody who belongs nowhere any more a new name and password;
	// false when they do belong somewhere.
	TakeBack(userID uuid.UUID, name, passwordHash string, at time.Time) (bool, error)

	// InsertInvitation refuses a second open one to the same address.
	InsertInvitation(i Invitation, tokenHash []byte) error
	// RenewInvitation gives an open one a new token, its new end and one mail more;
	// false when it is not open, or was mailed meanwhile.
	RenewInvitation(i Invitation, tokenHash []byte) (bool, error)
	RevokeInvitation(merchantID, id uuid.UUID, at time.Time) (bool, error)
	// UseInvitation takes an invitation that is open at that moment; false when another took it.
	UseInvitation(id uuid.UUID, tokenHash []byte, at time.Time) (bool, error)
}

// Reader is what is read outside of a transaction.
type Reader interface {
	// Members are all people of the business, by name.
	Members(ctx context.Context, merchantID uuid.UUID) ([]Member, error)
	// Member finds one; NotFound for nobody of this business.
	Member(ctx context.Context, merchantID, userID uuid.UUID) (Member, error)
	// Invitations that were not accepted, the newest first.
	Invitations(ctx context.Context, merchantID uuid.UUID) ([]Invitation, error)
	Invitation(ctx context.Context, merchantID, id uuid.UUID) (Invitation, error)
	// InvitationByToken finds one of any business; NotFound when there is none.
	InvitationByToken(ctx context.Context, tokenHash []byte) (Invitation, error)
	// AccountOf tells whose account an e-mail address is; belongs is false when no
	// business lets the person in any more. NotFound when there is none.
	AccountOf(ctx context.Context, email string) (id uuid.UUID, belongs bool, err error)
	User(ctx context.Context, merchantID, id uuid.UUID) (user.User, error)
	Business(ctx context.Context, id uuid.UUID) (user.Business, error)
}

// Letters words the mails.
type Letters interface {
	Invitation(i Invitation, b user.Business, inviter, token string) mail.Letter
}

// Service holds the use cases.
type Service struct {
	InTx    func(context.Context, func(Tx) error) error
	Read    Reader
	Letters Letters
	Now     func() time.Time // real time: links do not follow the sandbox clock
}

// People is everybody of a business, and who is invited.
type People struct {
	Members     []Member
	Invitations []Invitation
}

// List gives everybody of the caller's business.
func (s *Service) List(ctx context.Context, who actor.Actor) (p People, err error) {
	if err := who.May(actor.Manage); err != nil {
		return p, err
	}
	if p.Members, err = s.Read.Members(ctx, who.MerchantID); err != nil {
		return p, err
	}
	p.Invitations, err = s.Read.Invitations(ctx, who.MerchantID)
	return p, err
}

// Find gives one member of the caller's business.
func (s *Service) Find(ctx context.Context, who actor.Actor, id uuid.UUID) (Member, error) {
	if err := who.May(actor.Manage); err != nil {
		return Member{}, err
	}
	return s.Read.Member(ctx, who.MerchantID, id)
}

// real is the moment as it is stored: whole microseconds.
func (s *Service) real() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func isSelf() error {
	return fault.New(fault.Conflict, "member_is_self", "You cannot do that to yourself; another admin can.")
}
