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
	"debitdesk/models/mail"
	"debitdesk/models/user"
)

// InvitationLasts is how long the link of an invitation works, in real time.
const InvitationLasts = 7 * 24 * time.Hour

// mostMails bounds how often one invitation is mailed.
const mostMails = 10

// MailInvitation is the kind of the mail that brings the link.
const MailInvitation = mail.Invitation

// Invitation asks somebody to join a business. The zero time means not.
type Invitation struct {
	ID, MerchantID uuid.UUID
	Email, Name    string
	Terms
	InvitedBy  uuid.UUID
	MailCount  int
	ExpiresAt  time.Time // real time
	AcceptedAt time.Time
	RevokedAt  time.Time
	CreatedAt  time.Time
}

// State is where an invitation stands.
type State string

// The states of an invitation.
const (
	Open     State = "open"
	Expired  State = "expired"
	Accepted State = "accepted"
	Revoked  State = "revoked"
)

// State tells where it stands at that moment of real time.
func (i Invitation) State(now time.Time) State {
	switch {
	case !i.AcceptedAt.IsZero():
		return Accepted
	case !i.RevokedAt.IsZero():
		return Revoked
	case !i.ExpiresAt.After(now):
		return Expired
	}
	return Open
}

// Input is who is invited, and as what.
type Input struct {
	Email, Name string
	Terms
}

// Invite mails somebody a link to join the caller's business. It does not tell
// whether the address has an account elsewhere.
func (s *Service) Invite(ctx context.Context, who actor.Actor, in Input) (Invitation, error) {
	if err := who.May(actor.Manage); err != nil {
		return Invitation{}, err
	}
	var wrong fault.Problems
	in.Email, in.Name = strings.TrimSpace(in.Email), strings.TrimSpace(in.Name)
	user.CheckIdentity(&wrong, in.Email, in.Name)
	in.Terms = in.checked(&wrong)
	open, err := s.standing(ctx, who, in.Email, &wrong)
	if err != nil {
		return Invitation{}, err
	}
	if err := wrong.Err(); err != nil {
		return Invitation{}, err
	}
	b, err := user.Store(s.Store).Business(ctx, who.MerchantID)
	if err != nil {
		return Invitation{}, err
	}
	token, hash := user.NewToken()
	var i Invitation
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		i = Invitation{ID: tx.NewID(), MerchantID: who.MerchantID, Email: in.Email, Name: in.Name, Terms: in.Terms,
			InvitedBy: who.ID, MailCount: 1,
			ExpiresAt: s.real().Add(InvitationLasts), CreatedAt: tx.Now()}
		if open != nil { // it has expired; the new one takes its place
			if _, err := revokeInvitation(tx, who.MerchantID, open.ID, s.real()); err != nil {
				return err
			}
		}
		if err := insertInvitation(tx, i, hash); err != nil {
			return err
		}
		tx.InsertMail(s.post(i, b, who, token))
		after := i.record()
		after["email"] = i.Email
		tx.Audit(who, audit.Entry{Action: "invitation.sent", ObjectType: "invitation", ObjectID: i.ID,
			Text: "Invited " + i.Email + " as " + string(i.Role) + ".", After: after})
		return nil
	})
	return i, err
}

// standing notes when the address is here already, and finds an invitation that
// has expired.
func (s *Service) standing(ctx context.Context, who actor.Actor, email string,
	wrong *fault.Problems) (*Invitation, error) {
	members, err := s.Store.Members(ctx, who.MerchantID)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if strings.EqualFold(m.Email, email) {
			wrong.Add("email", "already_member", "%s already belongs to your business.", m.Called())
		}
	}
	waiting, err := s.Store.Invitations(ctx, who.MerchantID)
	if err != nil {
		return nil, err
	}
	for _, i := range waiting {
		if !strings.EqualFold(i.Email, email) {
			continue
		}
		switch i.State(s.Now()) {
		case Open:
			wrong.Add("email", "already_invited",
				"This address is already invited. Send that invitation again, or revoke it first.")
		case Expired:
			return &i, nil
		case Accepted, Revoked:
		}
	}
	return nil, nil
}

// Resend mails an invitation again, with a new link: the one before stops working.
func (s *Service) Resend(ctx context.Context, who actor.Actor, id uuid.UUID) (Invitation, error) {
	i, err := s.invitation(ctx, who, id)
	if err != nil {
		return i, err
	}
	b, err := user.Store(s.Store).Business(ctx, who.MerchantID)
	if err != nil {
		return i, err
	}
	if i.MailCount >= mostMails {
		return i, fault.New(fault.Conflict, "invitation_mailed_often",
			"This invitation was mailed %d times. Revoke it and invite again when the address is right.", i.MailCount)
	}
	token, hash := user.NewToken()
	i.MailCount, i.ExpiresAt = i.MailCount+1, s.real().Add(InvitationLasts)
	return i, s.Store.InTx(ctx, func(tx *database.Tx) error {
		renewed, err := renewInvitation(tx, i, hash)
		if err != nil {
			return err
		}
		if !renewed {
			return notOpen()
		}
		tx.InsertMail(s.post(i, b, who, token))
		tx.Audit(who, audit.Entry{Action: "invitation.sent_again", ObjectType: "invitation", ObjectID: id,
			Text:  "Sent the invitation of " + i.Email + " again.",
			After: map[string]any{"mails": i.MailCount}})
		return nil
	})
}

// Revoke makes the link of an invitation worthless.
func (s *Service) Revoke(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	i, err := s.invitation(ctx, who, id)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		revoked, err := revokeInvitation(tx, who.MerchantID, id, s.real())
		if err != nil {
			return err
		}
		if !revoked {
			return notOpen()
		}
		tx.Audit(who, audit.Entry{Action: "invitation.revoked", ObjectType: "invitation", ObjectID: id,
			Text:   "Withdrew the invitation of " + i.Email + ".",
			Before: map[string]any{"state": string(i.State(s.Now()))}, After: map[string]any{"state": string(Revoked)}})
		return nil
	})
}

func (s *Service) invitation(ctx context.Context, who actor.Actor, id uuid.UUID) (Invitation, error) {
	if err := who.May(actor.Manage); err != nil {
		return Invitation{}, err
	}
	return s.Store.Invitation(ctx, who.MerchantID, id)
}

func (s *Service) post(i Invitation, b user.Business, who actor.Actor, token string) mail.Mail {
	return mail.Mail{MerchantID: i.MerchantID, ObjectID: i.ID, Kind: MailInvitation, Attempt: i.MailCount, To: i.Email,
		Letter: s.Letters.Invitation(i, b, who.Name, token)}
}

func notOpen() error {
	return fault.New(fault.Conflict, "invitation_not_open",
		"This invitation was accepted, revoked or sent again in the meantime.")
}
