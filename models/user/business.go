package user

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Business is one of those that a person works for.
type Business struct {
	ID     uuid.UUID
	Name   string
	IsTest bool
}

// Open lets the caller work for another of their businesses: the person as they
// are there. NotFound for a business that they do not belong to, or not any more; Forbidden where a session that began
// with a password does not open it.
func (s *Service) Open(ctx context.Context, who actor.Actor, merchantID uuid.UUID, byPassword bool) (User, error) {
	if who.Kind != actor.User {
		return User{}, notAPerson()
	}
	u, err := s.Store.User(ctx, merchantID, who.ID)
	switch {
	case err != nil:
		return User{}, err
	case !u.DisabledAt.IsZero():
		return User{}, fault.Missing()
	case merchantID == who.MerchantID:
		return u, nil
	}
	if byPassword {
		if err := s.ByPassword(ctx, merchantID, who.ID); err != nil {
			return User{}, err
		}
	}
	there := u.Actor()
	there.IP, there.RequestID = who.IP, who.RequestID
	return u, s.Store.InTx(ctx, func(tx *database.Tx) error {
		setBusinessUsed(tx, merchantID, who.ID, s.Now())
		tx.Audit(there, audit.Entry{Action: "user.business_opened", ObjectType: "user", ObjectID: who.ID,
			Text: "Came over from another business."})
		return nil
	})
}

// real is the moment as it is stored: whole microseconds.
func (s *Service) real() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }
