package approval

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/clientstop"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

// stopping is the subject of a request to stop everything that is debited from a client. Whoever changes purchases may
// ask for it; who may agree to it does it at once.
func (s *Service) stopping(ctx context.Context, who actor.Actor, of Subject) (Subject, error) {
	if err := who.May(actor.Write); err != nil {
		return of, err
	}
	h, err := s.Stops.HaltOf(ctx, who, of.Client)
	if err != nil {
		return of, err
	}
	if err := alreadyStopped(h); err != nil {
		return of, err
	}
	if seen := of.Totals.Digest; seen != "" && seen != h.Digest() {
		return of, fault.New(fault.Conflict, "stakes_grew", "What would stop changed since you looked. Look at it again.")
	}
	return Subject{Client: of.Client, Totals: totalsOfHalt(h), Name: "stop everything that is debited from " +
		h.Client.Name()}, nil
}

func alreadyStopped(h clientstop.Halt) error {
	if h.Client.StoppedAt.IsZero() {
		return nil
	}
	return fault.New(fault.Conflict, "already_stopped", "The debits of this client are already stopped.")
}

func totalsOfHalt(h clientstop.Halt) Totals {
	return Totals{Tokens: len(h.Tokens), Waiting: len(h.Debits.Withdrawn), Subscriptions: len(h.Subscriptions),
		Cents: h.Cents(), Digest: h.Digest()}
}

// carryOutStop stops what was asked for, as long as that is what the second person was shown.
func (s *Service) carryOutStop(ctx context.Context, tx *database.Tx, asker user.User, a Approval, seen Totals) error {
	as := asker.Actor()
	if err := still(as.May(actor.Write)); err != nil {
		return err
	}
	stop, err := s.Stops.StopClientIn(ctx, tx, as, clientstop.StopInput{ClientID: a.Subject.Client,
		Reason: a.Reason,
		Seen:   seen.Digest, ApprovalID: a.ID, Approver: a.DecidedName})
	if fault.Is(err, fault.NotFound) || err == nil && stop.ApprovalID != a.ID {
		return fault.New(fault.Conflict, "nothing_left",
			"The client was deleted, or their debits are already stopped. Refuse the request.")
	}
	return err
}

// StopOf gives the request to stop everything of a client that waits for an answer; waits is false when there is none.
func (s *Service) StopOf(ctx context.Context, who actor.Actor, clientID uuid.UUID) (a Approval, waits bool, err error) {
	if err := who.May(actor.Read); err != nil {
		return Approval{}, false, err
	}
	return s.Store.OpenApproval(ctx, who.MerchantID, StopClient, Subject{Client: clientID}.key())
}
