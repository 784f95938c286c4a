package amendment

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
	"debitdesk/models/mandate"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/token"
)

// Agreed is what a person consented to move, as it was shown.
type Agreed struct {
	Given bool
	Count int   // purchases
	Cents int64 // their sum
}

// TakeOver ends an amendment (source: amending, step 3): the old token and its
// mandate are superseded, and what waits on them is collected from the new account.
// Debits that are at the bank run their course on the old one. Repeating it changes
// nothing. Errors: Conflict amendment_not_ready, amendment_stopped, amendment_closed;
// Invalid at consent.
func (s *Service) TakeOver(ctx context.Context, who actor.Actor, id uuid.UUID, agreed Agreed) (AmendmentSheet, error) {
	return s.finish(ctx, who, id, AmendmentDone, func(tx *database.Tx, a *AmendmentSheet) error {
		ctx := tx.Context()
		return s.takeOver(ctx, tx, who, a, agreed)
	})
}

// Abandon ends an amendment without a change of the old token. What the client has
// not given or answered yet is not asked for any more; a new token that works stays
// a stored account of its own.
func (s *Service) Abandon(ctx context.Context, who actor.Actor, id uuid.UUID) (AmendmentSheet, error) {
	return s.finish(ctx, who, id, AmendmentAbandoned, func(tx *database.Tx, a *AmendmentSheet) error {
		ctx := tx.Context()
		p := a.Source.Purchase
		switch {
		case a.New.Known && a.New.Mandate.State.Waiting():
			return s.Deletions.ForgetPending(ctx, tx, who, a.New.Token, "The change was abandoned before the client answered.")
		case a.New.Known && a.New.Token.Live() || !purchase.CanMove(p.Status, purchase.Cancelled):
			return nil
		}
		from := p.Status
		p.Move(purchase.Cancelled, tx.Now())
		p.UpdatedAt = tx.Now()
		purchase.Move(tx, p, from)
		tx.Audit(who, audit.Entry{Action: "purchase.cancelled", ObjectType: "purchase", ObjectID: p.ID, ClientID: p.ClientID,
			PurchaseID: p.ID,
			Text:       "The new details are no longer needed.", Before: map[string]any{"status": from},
			After: map[string]any{"status": p.Status}})
		return nil
	})
}

// finish closes an amendment once, together with what write does. Who loses a race
// looks again.
func (s *Service) finish(ctx context.Context, who actor.Actor, id uuid.UUID, to AmendmentState,
	write func(*database.Tx, *AmendmentSheet) error) (AmendmentSheet, error) {
	if err := who.May(actor.Write); err != nil {
		return AmendmentSheet{}, err
	}
	const busy = "A debit of the old account is starting right now, or another person is making this change. " +
		"Try again in a minute."
	var a AmendmentSheet
	err := fault.Again(purchase.Tries, busy, func() (err error) {
		if a, err = s.amendment(ctx, who.MerchantID, id); err != nil || a.State == to {
			return err
		}
		if a.State != AmendmentOpen {
			return fault.New(fault.Conflict, "amendment_closed", "This amendment is already %s.", a.State)
		}
		return s.Purchases.InTx(ctx, func(tx *database.Tx) error {
			if err := write(tx, &a); err != nil {
				return err
			}
			a.State, a.FinishedAt = to, tx.Now()
			if err := end(tx, a.Amendment); err != nil {
				return err
			}
			note(tx, who, a.Old.Token, a.NewID, "amendment."+string(to), "amendment", a.ID, endWords(a))
			return nil
		})
	})
	return a, err
}

func endWords(a AmendmentSheet) string {
	switch {
	case a.State == AmendmentAbandoned:
		return "The change of " + a.Old.Token.AccountMask + " was abandoned; it stays in use."
	case a.Old.Token.State != token.Superseded:
		return "The old account was deleted in the meantime; the new one is in use."
	}
	return fmt.Sprintf("%s replaced %s.%s", a.New.Token.AccountMask, a.Old.Token.AccountMask, a.movedWords())
}

// movedWords says how many purchases the new account took over; nothing of none.
func (s AmendmentSheet) movedWords() string {
	if s.Moved == 0 {
		return ""
	}
	return " " + plural.Of(s.Moved, "waiting purchase") + " moved."
}

func (s *Service) takeOver(ctx context.Context, tx *database.Tx, who actor.Actor, a *AmendmentSheet,
	agreed Agreed) error {
	if !a.Ready() {
		return fault.New(fault.Conflict, "amendment_not_ready",
			"The new details do not work yet. The old account stays in use until they do.")
	}
	if a.Old.Token.State == token.Deleting {
		return fault.New(fault.Conflict, "token_deleting",
			"The old account is being deleted. Undo that, or wait until it is complete.")
	}
	if !a.Old.Token.Live() { // deleted meanwhile: nothing is left to move
		token.Hold(tx, a.MerchantID, a.NewID)
		return nil
	}
	if err := s.supersede(tx, a); err != nil {
		return err
	}
	// From here on no charge can begin with the old token: what waits now is all.
	var err error
	if a.Moves, err = s.moves(ctx, *a); err != nil {
		return err
	}
	if err := agreed.to(*a); err != nil {
		return err
	}
	if err := s.moveAll(tx, who, a); err != nil {
		return err
	}
	if err := s.retireSource(ctx, tx, who, *a); err != nil {
		return err
	}
	mandate.End(tx, a.MerchantID, a.Old.Token.MandateID, mandate.Superseded)
	if s.FollowToken != nil {
		s.FollowToken(tx, a.MerchantID, a.OldTokenID, a.NewID)
	}
	tx.Enqueue(queue.RunDue{}) // the bank is to hear of it
	a.auditSides(tx, who)
	return nil
}

// supersede takes the old token out of use while the new one is held in use.
func (s *Service) supersede(tx *database.Tx, a *AmendmentSheet) error {
	from := a.Old.Token.State
	a.Old.Token.State, a.Old.Token.UpdatedAt = token.Superseded, tx.Now()
	won, err := token.Move(tx, a.Old.Token, from)
	if err != nil {
		return err
	}
	if !won {
		return fault.ErrLost
	}
	token.Hold(tx, a.MerchantID, a.NewID)
	return nil
}

// to holds the consent against what would be moved now.
func (g Agreed) to(a AmendmentSheet) error {
	if stopped := a.Stopped(); len(stopped) > 0 {
		return fault.New(fault.Conflict, "amendment_stopped",
			"%d of %s %s not fit the new details. First: %s", len(stopped),
			plural.Of(len(a.Moves), "waiting purchase"), plural.Pick(len(stopped), "does", "do"), stopped[0].Stopping)
	}
	switch {
	case len(a.Moves) == 0:
		return nil
	case !g.Given:
		return fault.At("consent", "required", "Confirm that the waiting purchases are to be collected from the new account.")
	case g.Count != len(a.Moves) || g.Cents != a.MovesCents():
		return fault.At("consent", "changed",
			"The waiting purchases changed while this page was open. Look at them again and confirm.")
	}
	return nil
}

// moveAll withdraws every debit first, then plans the new ones: rows are locked in
// the order in which running the debits locks them.
func (s *Service) moveAll(tx *database.Tx, who actor.Actor, a *AmendmentSheet) error {
	for _, m := range a.Moves {
		withdrawn, err := collection.Withdraw(tx, m.MerchantID, m.Old.ID)
		if err != nil {
			return err
		}
		if !withdrawn { // it is being handed to the bank, or was cancelled
			return fault.ErrLost
		}
	}
	for _, m := range a.Moves {
		s.moveOne(tx, who, a, m)
	}
	a.Moved = len(a.Moves)
	return nil
}

func (s *Service) moveOne(tx *database.Tx, who actor.Actor, a *AmendmentSheet, m Move) {
	p, now := m.Purchase, tx.Now()
	c := s.Purchases.CollectionOf(tx, p, a.NewID, a.New.Mandate, m.Plan)
	c.Disputable, c.DisputableBecause = len(m.Because) > 0, m.Because
	p.TokenID = a.NewID
	p.Awaits(c)
	p.UpdatedAt = now
	if p.ID == a.OldTokenID { // its first debit waited on the token that it is itself
		p.NoToken(who, a.Old.Token.Method, now)
	}
	collection.Insert(tx, c)
	purchase.Move(tx, p, purchase.PendingCharge)
	tx.Audit(who, audit.Entry{Action: "purchase.moved", ObjectType: "purchase", ObjectID: p.ID, ClientID: p.ClientID,
		PurchaseID: p.ID,
		Text: fmt.Sprintf("%s will be debited from %s on %s, and not from %s.", purchase.SayCents(p), a.New.Token.AccountMask,
			c.ActionDate.Format(calendar.DayForm), a.Old.Token.AccountMask),
		Before: map[string]any{"recurring_token": a.OldTokenID, "action_date": m.Old.ActionDate},
		After:  map[string]any{"recurring_token": a.NewID, "action_date": c.ActionDate}})
}

// retireSource: the old tokenising purchase is no token any more, unless it was
// moved itself just now.
func (s *Service) retireSource(ctx context.Context, tx *database.Tx, who actor.Actor, a AmendmentSheet) error {
	for _, m := range a.Moves {
		if m.ID == a.OldTokenID {
			return nil
		}
	}
	_, err := s.Deletions.ForgetSource(ctx, tx, who, a.Old.Token)
	return err
}

func (s AmendmentSheet) auditSides(tx *database.Tx, who actor.Actor) {
	old, next := s.Old.Token, s.New.Token
	tx.Audit(who, audit.Entry{Action: "token.superseded", ObjectType: "token", ObjectID: old.ID, ClientID: old.ClientID,
		PurchaseID: old.ID,
		Text:       fmt.Sprintf("%s replaced the token %s.%s", next.AccountMask, old.AccountMask, s.movedWords()),
		After:      map[string]any{"state": old.State, "replaced_by": next.ID, "moved": s.Moved}})
	tx.Audit(who, audit.Entry{Action: "token.took_over", ObjectType: "token", ObjectID: next.ID, ClientID: next.ClientID,
		PurchaseID: next.ID,
		Text:       fmt.Sprintf("This account replaced %s.", old.AccountMask),
		After:      map[string]any{"replaces": old.ID, "moved": s.Moved}})
	tx.Audit(who, audit.Entry{Action: "mandate.superseded", ObjectType: "mandate", ObjectID: old.MandateID,
		ClientID: old.ClientID, PurchaseID: old.ID,
		Text:  "A newer mandate of the same client replaced this one.",
		After: map[string]any{"state": mandate.Superseded, "replaced_by": next.MandateID}})
	tx.Audit(who, audit.Entry{Action: "mandate.took_over", ObjectType: "mandate", ObjectID: next.MandateID,
		ClientID: next.ClientID, PurchaseID: next.ID,
		Text:  "This mandate replaced " + s.Old.Mandate.ContractReference + ".",
		After: map[string]any{"replaces": old.MandateID}})
}
