package issuer

import (
	"context"
	"crypto/sha256"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// SignedOut takes an issuer's message that somebody signed out there: their sessions that began there end on every
// process. A message counts once; Invalid for one that does not hold.
func (s *Service) SignedOut(ctx context.Context, id uuid.UUID, token, ip, requestID string) error {
	i, err := s.open(ctx, id)
	if err != nil {
		return err
	}
	l, err := s.Protocol.Logout(ctx, Party{Issuer: i}, token)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte("logout\x00" + i.ID.String() + "\x00" + l.Number))
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		first, err := once(tx, sum[:], l.Until.Add(2*skew))
		if err == nil && !first {
			err = fault.New(fault.Invalid, "logout_repeated", "This message was taken before.")
		}
		if err != nil {
			return err
		}
		gone, err := endSessions(tx, i, l)
		for _, g := range gone {
			by := actor.SystemOf(g.MerchantID)
			by.Name, by.IP, by.RequestID = i.Name, ip, requestID
			tx.Audit(by, audit.Entry{Action: "user.signed_out_by_issuer", ObjectType: "user", ObjectID: g.UserID,
				Text: i.Name + " said that " + called(g) + " signed out there."})
		}
		return err
	})
}

// Leave gives the address where a person signs out at the issuer of their session, too; empty when there is none, or
// when the issuer does not answer: they are signed out here in any case.
func (s *Service) Leave(ctx context.Context, id uuid.UUID) (name, at string) {
	i, err := s.open(ctx, id)
	if err != nil {
		return "", ""
	}
	at, err = s.Protocol.EndSession(ctx, Party{Issuer: i}, s.BaseURL+"/login?signed_out=1")
	if err != nil {
		return "", ""
	}
	return i.Name, at
}

func called(e ended) string {
	if e.Name != "" {
		return e.Name
	}
	return e.Email
}

// Called is the name of an issuer for a button; empty for one that is not open any more.
func (s *Service) Called(ctx context.Context, id uuid.UUID) string {
	i, err := s.open(ctx, id)
	if err != nil {
		return ""
	}
	return i.Name
}
