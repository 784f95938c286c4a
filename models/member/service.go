package member

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/user"
)

// Letters words the mails.
type Letters interface {
	Invitation(i Invitation, b user.Business, inviter, token string) mail.Letter
}

// Service holds the use cases.
type Service struct {
	Store   Store
	Letters Letters
	Now     func() time.Time // real time: links do not follow the sandbox clock
	// Release gives what a person looked after back to the others when the person leaves, and tells how many things
	// there were; nil: nothing is looked after.
	Release func(tx *database.Tx, merchantID, id uuid.UUID) (int64, error)
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
	if p.Members, err = s.Store.Members(ctx, who.MerchantID); err != nil {
		return p, err
	}
	p.Invitations, err = s.Store.Invitations(ctx, who.MerchantID)
	return p, err
}

// Find gives one member of the caller's business.
func (s *Service) Find(ctx context.Context, who actor.Actor, id uuid.UUID) (Member, error) {
	if err := who.May(actor.Manage); err != nil {
		return Member{}, err
	}
	return s.Store.Member(ctx, who.MerchantID, id)
}

// real is the moment as it is stored: whole microseconds.
func (s *Service) real() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func isSelf() error {
	return fault.New(fault.Conflict, "member_is_self", "You cannot do that to yourself; another admin can.")
}
