package clientstop

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/token"
)

// ErrObjected tells a client that it said so already.
var ErrObjected = fault.New(fault.Conflict, "objected_already",
	"You said this already. Nothing is debited under this permission.")

// ObjectionWould tells what becomes of the debits under way when the client says that it did not agree to a mandate.
func (s *Service) ObjectionWould(ctx context.Context, t token.Token) (out purchase.Stop, err error) {
	pending, err := s.Purchases.Store.PendingOfClient(ctx, t.MerchantID, t.ClientID)
	if err != nil {
		return out, err
	}
	all, err := s.Purchases.StopOf(ctx, t.MerchantID, pending)
	if err != nil {
		return out, err
	}
	return purchase.Stop{Withdrawn: under(t, all.Withdrawn), Running: under(t, all.Running)}, nil
}

// under keeps the debits of one account.
func under(t token.Token, recs []purchase.Record) (out []purchase.Record) {
	for _, rec := range recs {
		if rec.Collection.TokenID == t.ID {
			out = append(out, rec)
		}
	}
	return out
}

// ObjectIn stops what is debited under one mandate, since the client says that it did not agree to it: as "Stop
// everything" does for a client, in the transaction of the client's act, which holds the client's row. What is with the
// bank already is recalled where that is possible. What the debits were for stays for staff to decide.
func (s *Service) ObjectIn(tx *database.Tx, who actor.Actor, t token.Token) (purchase.Stop, error) {
	held, err := token.Object(tx, t.MerchantID, t.ID)
	if err != nil {
		return purchase.Stop{}, err
	}
	if !held {
		return purchase.Stop{}, ErrObjected
	}
	out, err := s.ObjectionWould(tx.Context(), t)
	if err != nil {
		return out, err
	}
	tx.Audit(who, audit.Entry{Action: "token.objected", ObjectType: "token", ObjectID: t.ID, ClientID: t.ClientID,
		Text:   "The client said that it did not agree to the mandate of " + t.Named() + ". Nothing is debited under it.",
		Before: map[string]any{"objected": false},
		After: map[string]any{"objected": true, "debits_withdrawn": len(out.Withdrawn),
			"debits_running": len(out.Running)}})
	return out, s.Purchases.Withdraw(tx, who, out,
		"The client says that it did not agree to the mandate, and the debit was withdrawn.")
}

// AgreeIn lets an account be debited again, where the client turned out to have agreed. What was withdrawn stays so,
// and a stop of everything goes on to hold.
func (s *Service) AgreeIn(tx *database.Tx, who actor.Actor, merchantID, tokenID uuid.UUID) error {
	t, err := s.Purchases.Tokens().Token(tx.Context(), merchantID, tokenID)
	if err != nil {
		return err
	}
	stopped, _, err := s.Purchases.Clients().ClientStopped(tx.Context(), merchantID, t.ClientID)
	if err != nil {
		return err
	}
	free, err := token.Agree(tx, merchantID, tokenID, stopped)
	if err != nil {
		return err
	}
	if !free {
		return fault.New(fault.Conflict, "not_objected", "Debits under this mandate go on already.")
	}
	tx.Audit(who, audit.Entry{Action: "token.agreed", ObjectType: "token", ObjectID: t.ID, ClientID: t.ClientID,
		Text:   "Debits under the mandate of " + t.Named() + " go on: the client had said that it did not agree to it.",
		Before: map[string]any{"objected": true}, After: map[string]any{"objected": false, "stopped": stopped}})
	tx.Enqueue(queue.RunDue{})
	return nil
}
