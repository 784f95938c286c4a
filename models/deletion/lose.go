package deletion

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// loseAccount does to everything that hangs on a deleted account what its effect
// says, and gives the tokenising purchase as it is then.
func (s *Service) loseAccount(ctx context.Context, tx *database.Tx, who actor.Actor, i Impact) (source purchase.Record,
	err error) {
	moves, err := s.movesOf(ctx, i)
	if err != nil {
		return source, err
	}
	own := false
	for _, u := range i.Uses {
		if u.Debit == nil {
			if err := s.subscriptionLoses(ctx, tx, who, u); err != nil {
				return source, err
			}
			continue
		}
		rec, err := s.debitLoses(tx, who, u, i.Token, moves)
		if err != nil {
			return source, err
		}
		if rec.ID == i.Token.ID {
			source, own = rec, true
		}
	}
	for _, r := range i.AtBank {
		if r.ID == i.Token.ID { // its first debit went to the bank at this moment
			return source, fault.ErrLost
		}
	}
	if own {
		return source, nil
	}
	return s.ForgetSource(ctx, tx, who, i.Token)
}

func (s *Service) subscriptionLoses(ctx context.Context, tx *database.Tx, who actor.Actor, u Use) error {
	if u.Effect.Do == UseOther {
		token.Hold(tx, who.MerchantID, u.Effect.To)
	}
	return s.Subscriptions.LoseAccount(ctx, tx, who, *u.Subscription, u.Effect)
}

// debitLoses ends or moves a planned debit that the bank has not got.
func (s *Service) debitLoses(tx *database.Tx, who actor.Actor, u Use, t token.Token,
	moves map[uuid.UUID]purchase.Forecast) (purchase.Record, error) {
	rec := *u.Debit
	if u.Effect.Do == UseOther {
		moved, err := s.debitMoves(tx, who, &rec, moves[rec.ID], t)
		if err != nil || moved {
			return rec, err
		}
		u.Effect = u.Options[0] // a hand-over of it had begun: it is not debited twice
	}
	from := rec.Status
	if err := purchase.DropCollection(tx, &rec); err != nil {
		return rec, err
	}
	if rec.ID == t.ID {
		rec.NoToken(who, t.Method, tx.Now())
	}
	rec.Attempted(purchase.Attempt{Type: rec.AttemptType(), Method: string(rec.Collection.Method), At: tx.Now(),
		Error: &purchase.AttemptError{Code: "recurring_token_expired",
			Message: "The token was deleted before the debit went to the bank."}})
	rec.UpdatedAt = tx.Now()
	action := "purchase.token_lost"
	switch u.Effect.Do {
	case Cancel:
		action = "purchase.cancelled"
		rec.Move(purchase.Cancelled, tx.Now())
		if err := s.Purchases.Credit(tx, who, &rec); err != nil {
			return rec, err
		}
	case Ask:
		rec.Move(purchase.Failed, tx.Now())
		rec.SentAfterFailure(tx.Now())
		if err := s.Purchases.MailFailure(tx, who, rec); err != nil {
			return rec, err
		}
	default:
		rec.Move(purchase.Failed, tx.Now())
	}
	purchase.Move(tx, rec.Purchase, from)
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID,
		PurchaseID: rec.ID,
		Text:       "The token was deleted. " + u.Effect.Words, Before: map[string]any{"status": from},
		After: map[string]any{"status": rec.Status}})
	return rec, nil
}

// movesOf forecasts the debits that move, each account's together: one that runs before
// counts for the next.
func (s *Service) movesOf(ctx context.Context, i Impact) (map[uuid.UUID]purchase.Forecast, error) {
	var wishes []purchase.Wish
	var ids []uuid.UUID
	for _, u := range i.Uses {
		if u.Debit != nil && u.Effect.Do == UseOther {
			wishes, ids = append(wishes, onto(u.Debit.Purchase, u.Effect.To)), append(ids, u.Debit.ID)
		}
	}
	if len(wishes) == 0 {
		return nil, nil
	}
	all, err := s.Purchases.Forecasts(ctx, i.Token.MerchantID, wishes)
	out := make(map[uuid.UUID]purchase.Forecast, len(all))
	for n, f := range all {
		out[ids[n]] = f
	}
	return out, err
}

// debitMoves plans the debit on another account; false when the bank may have it.
func (s *Service) debitMoves(tx *database.Tx, who actor.Actor, rec *purchase.Record, f purchase.Forecast,
	from token.Token) (bool,
	error) {
	if len(f.Problems) > 0 {
		return false, fault.ErrLost // it was possible a moment ago
	}
	withdrawn, err := collection.Withdraw(tx, rec.MerchantID, rec.Collection.ID)
	if err != nil || !withdrawn {
		return false, err
	}
	to, before := f.Token, *rec.Collection
	token.Hold(tx, to.MerchantID, to.ID)
	c := s.Purchases.CollectionOf(tx, rec.Purchase, to.ID, f.Mandate, f.Plan)
	c.Disputable, c.DisputableBecause = len(f.Because) > 0, f.Because
	rec.Collection, rec.TokenID, rec.UpdatedAt = &c, to.ID, tx.Now()
	rec.Awaits(c)
	collection.Insert(tx, c)
	purchase.Move(tx, rec.Purchase, rec.Status)
	tx.Audit(who, audit.Entry{Action: "purchase.moved", ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID,
		PurchaseID: rec.ID,
		Text: fmt.Sprintf("%s will be debited from %s on %s: the token %s was deleted.", purchase.SayCents(rec.Purchase),
			to.AccountMask, c.ActionDate.Format(calendar.DayForm), from.AccountMask),
		Before: map[string]any{"recurring_token": from.ID, "action_date": before.ActionDate},
		After:  map[string]any{"recurring_token": to.ID, "action_date": c.ActionDate}})
	return true, nil
}
