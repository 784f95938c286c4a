package deletion

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// DeleteToken ends a stored account everywhere at once (source: after deletion;
// API contract 3.7). clientID zero means: whosever it is. The evidence stays. What a
// person deletes, by whichever address, can be undone for UndoTime (12.29).
func (s *Service) DeleteToken(ctx context.Context, who actor.Actor, clientID, tokenID uuid.UUID) error {
	return s.deleteToken(ctx, who, clientID, tokenID, func(*database.Tx, purchase.Record) error { return nil })
}

func (s *Service) deleteToken(ctx context.Context, who actor.Actor, clientID, tokenID uuid.UUID,
	answer func(*database.Tx, purchase.Record) error) error {
	if err := who.May(actor.DeleteTokens); err != nil {
		return err
	}
	if err := s.alone(ctx, who); err != nil {
		return err
	}
	if who.Kind == actor.User {
		return s.startDeletionOf(ctx, who, clientID, tokenID, answer)
	}
	return fault.Again(purchase.Tries, "This token is in use at the moment. Try again.", func() error {
		t, err := s.Purchases.Tokens().Token(ctx, who.MerchantID, tokenID)
		if err != nil {
			return err
		}
		if !t.Live() || clientID != uuid.Nil && t.ClientID != clientID {
			return fault.Missing()
		}
		return s.Purchases.InTx(ctx, func(tx *database.Tx) error {
			source, err := s.forget(tx.Context(), tx, who, t, (*Impact).asPrograms, map[string]any{})
			if err != nil {
				return err
			}
			return answer(tx, source)
		})
	})
}

// ForgetClient ends every stored account of a client, in the transaction that
// deletes the client. Who may not delete tokens may not delete them this way.
func (s *Service) ForgetClient(ctx context.Context, tx *database.Tx, who actor.Actor, clientID uuid.UUID) error {
	live, err := s.Purchases.Tokens().TokensOf(ctx, who.MerchantID, clientID)
	if err != nil {
		return err
	}
	if err := s.mayForget(ctx, who, live); err != nil {
		return err
	}
	leaving, err := s.Purchases.Tokens().DeletingTokensOf(ctx, who.MerchantID, clientID)
	if err != nil {
		return err
	}
	for _, t := range append(live, leaving...) { // nobody undoes the deletion of a stranger's account
		if _, err := s.forget(ctx, tx, who, t, (*Impact).withoutSubscriptions, map[string]any{}); err != nil {
			return err
		}
	}
	pending, err := s.Purchases.Tokens().PendingTokensOf(ctx, who.MerchantID, clientID)
	if err != nil {
		return err
	}
	for _, t := range pending {
		if err := s.ForgetPending(ctx, tx, who, t, "The client was deleted before the account was stored."); err != nil {
			return err
		}
	}
	return s.endSubscriptions(tx, who, clientID)
}

// endSubscriptions: nobody is billed any more who is not a client.
func (s *Service) endSubscriptions(tx *database.Tx, who actor.Actor, clientID uuid.UUID) error {
	if s.Subscriptions == nil {
		return nil
	}
	ended, err := s.Subscriptions.EndOf(tx, who.MerchantID, clientID)
	for _, id := range ended {
		tx.Audit(who, audit.Entry{Action: "subscriber.ended", ObjectType: "subscriber", ObjectID: id, ClientID: clientID,
			Text:  "The subscription ended: the client was deleted.",
			After: map[string]any{"status": "inactive", "why": "client_deleted"}})
	}
	return err
}

// ForgetPending ends an account that was on its way to be stored. The client's
// answer is not awaited any more; a debit that the bank has runs its course.
func (s *Service) ForgetPending(ctx context.Context, tx *database.Tx, who actor.Actor, t token.Token,
	why string) error {
	rec, err := s.Purchases.Load(ctx, t.MerchantID, t.ID)
	if err != nil {
		return err
	}
	t.State, t.UpdatedAt = token.Deleted, tx.Now()
	won, err := token.Move(tx, t, token.Pending)
	if err != nil {
		return err
	}
	if !won {
		return fault.ErrLost
	}
	mandate.End(tx, t.MerchantID, t.MandateID, mandate.Cancelled)
	from, asking := rec.Status, rec.Collection == nil
	if !asking && rec.Collection.State != collection.Scheduled {
		return nil
	}
	if err := purchase.DropCollection(tx, &rec); err != nil {
		return err
	}
	rec.Attempted(purchase.Attempt{Type: "authorize", Method: t.Method, At: tx.Now(),
		Error: &purchase.AttemptError{Code: "recurring_token_expired", Message: why}})
	rec.Move(purchase.Failed, tx.Now())
	rec.UpdatedAt = tx.Now()
	purchase.Move(tx, rec.Purchase, from)
	tx.Audit(who, audit.Entry{Action: "purchase.token_lost", ObjectType: "purchase", ObjectID: rec.ID,
		ClientID: rec.ClientID, PurchaseID: rec.ID,
		Text: why, Before: map[string]any{"status": from}, After: map[string]any{"status": purchase.Failed}})
	return nil
}

// forget marks the token first: from then on no charge can begin with it, since
// charging touches the same row. Then it does what impact lists and settle chose. It
// gives the tokenising purchase as it is then.
func (s *Service) forget(ctx context.Context, tx *database.Tx, who actor.Actor, t token.Token, settle func(*Impact),
	after map[string]any) (source purchase.Record, err error) {
	from := t.State
	t.State, t.UpdatedAt = token.Deleted, tx.Now()
	won, err := token.Move(tx, t, from)
	if err != nil {
		return source, err
	}
	if !won {
		return source, fault.ErrLost
	}
	mandate.End(tx, t.MerchantID, t.MandateID, mandate.Cancelled)
	i, err := s.impact(ctx, t, nil, tx.Now())
	if err != nil {
		return source, err
	}
	settle(&i)
	if source, err = s.loseAccount(ctx, tx, who, i); err != nil {
		return source, err
	}
	tx.Audit(who, audit.Entry{Action: "token.deleted", ObjectType: "token", ObjectID: t.ID, ClientID: t.ClientID,
		PurchaseID: t.ID,
		Text:       fmt.Sprintf("The token %s was deleted.", t.AccountMask),
		Before:     map[string]any{"state": from}, After: with(after, "state", t.State, "waiting_charges", i.Debits(),
			"effects",
			i.Lines())})
	return source, nil
}

// ForgetSource: the tokenising purchase no longer is a token; its status stays.
func (s *Service) ForgetSource(ctx context.Context, tx *database.Tx, who actor.Actor,
	t token.Token) (purchase.Record, error) {
	rec, err := s.Purchases.Load(ctx, t.MerchantID, t.ID)
	if err != nil {
		return rec, err
	}
	rec.NoToken(who, t.Method, tx.Now())
	purchase.Move(tx, rec.Purchase, rec.Status)
	return rec, nil
}

// DeleteTokenOf deletes the token that a purchase is, and answers the purchase.
func (s *Service) DeleteTokenOf(ctx context.Context, who actor.Actor, id uuid.UUID) (purchase.Record, error) {
	if err := who.May(actor.DeleteTokens); err != nil {
		return purchase.Record{}, err
	}
	rec, err := s.Purchases.Load(ctx, who.MerchantID, id)
	if err != nil {
		return rec, err
	}
	err = s.deleteToken(ctx, who, uuid.Nil, id, func(tx *database.Tx, source purchase.Record) error {
		rec = source
		return tx.Answered(rec)
	})
	if fault.Is(err, fault.NotFound) {
		return rec, purchase.InvalidToken("This purchase holds no live recurring token.")
	}
	return rec, err
}
