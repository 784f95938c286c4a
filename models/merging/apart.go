package merging

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Apart are two clients who look like the same one and are not: a person said so.
type Apart struct {
	First, Later client.Client
	By           string
	At           time.Time
}

// apart is such a pair as it is kept, the smaller id first.
type apart struct {
	MerchantID, FirstID, LaterID uuid.UUID
	ByID                         uuid.UUID `gorm:"not null"`
	ByName                       string
	At                           time.Time
}

func apartOf(merchantID, one, other uuid.UUID) apart {
	if one.String() > other.String() {
		one, other = other, one
	}
	return apart{MerchantID: merchantID, FirstID: one, LaterID: other}
}

// KeepApart notes that two clients are not the same one: they stay away from the list of duplicates. A second time it
// changes nothing.
func (s *Service) KeepApart(ctx context.Context, who actor.Actor, one, other uuid.UUID) error {
	return s.setApart(ctx, who, one, other, true)
}

// LetMeet takes that back: the list of duplicates shows the two again.
func (s *Service) LetMeet(ctx context.Context, who actor.Actor, one, other uuid.UUID) error {
	return s.setApart(ctx, who, one, other, false)
}

func (s *Service) setApart(ctx context.Context, who actor.Actor, one, other uuid.UUID, is bool) error {
	if err := who.May(mayMerge); err != nil {
		return err
	}
	both, err := s.Store.several(ctx, who.MerchantID, []uuid.UUID{one, other})
	if err != nil {
		return err
	}
	switch {
	case both[one].ID == uuid.Nil:
		return fault.Missing()
	case other == uuid.Nil:
		return fault.At("with", "required", "Choose the other client.")
	case one == other:
		return fault.At("with", "invalid", "This is the same client. Choose another one.")
	case len(both) < 2:
		return fault.Missing()
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		pair := apartOf(who.MerchantID, one, other)
		pair.ByID, pair.ByName, pair.At = who.ID, who.Name, tx.Now()
		changed, err := keepApart(tx, pair, is)
		if err != nil || !changed {
			return err
		}
		for _, of := range [][2]client.Client{{both[one], both[other]}, {both[other], both[one]}} {
			action, text := "client.kept_apart", " was marked as not the same client as "
			if !is {
				action, text = "client.apart_undone", " may be the same client again as "
			}
			tx.Audit(who, audit.Entry{Action: action, ObjectType: "client", ObjectID: of[0].ID, ClientID: of[0].ID,
				Text: of[0].Name() + text + of[1].Name() + ".", Before: map[string]any{"apart": !is},
				After: map[string]any{"apart": is, "other_client": of[1].ID}})
		}
		return nil
	})
}

// mostApart is how many pairs are listed that are not the same client.
const mostApart = 50

// Apart lists the pairs that were marked last, the newest first; deleted clients are left out.
func (s *Service) Apart(ctx context.Context, who actor.Actor) (out []Apart, err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	all, err := s.Store.apart(ctx, who.MerchantID, mostApart)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var ids []uuid.UUID
	for _, a := range all {
		ids = append(ids, a.FirstID, a.LaterID)
	}
	by, err := s.Store.several(ctx, who.MerchantID, ids)
	for _, a := range all {
		first, later := by[a.FirstID], by[a.LaterID]
		if first.ID != uuid.Nil && later.ID != uuid.Nil {
			out = append(out, Apart{first, later, a.ByName, a.At})
		}
	}
	return out, err
}
