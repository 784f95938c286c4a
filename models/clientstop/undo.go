package clientstop

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/token"
)

// StopUndo is what undoing a stop does: the page shows it, and the undo does it. Each thing comes back as long as
// nothing else has changed it since.
type StopUndo struct {
	Stop  ClientStop
	Back  []purchase.Record // debits that are planned again, on the dates that they had
	Stay  []Stayed
	Subs  []purchase.Subscribed // that are billed again
	Email string                // who is told; empty: nobody can be
}

// Stayed is something that a stop changed and that does not come back.
type Stayed struct{ Name, Why string }

// Lines say what happens, one a line.
func (u StopUndo) Lines() (out []string) {
	for _, rec := range u.Back {
		out = append(out, debitNamed(rec)+": Planned again.")
	}
	for _, sub := range u.Subs {
		out = append(out, "Subscription “"+sub.Title+"”: Billed again. What was missed in the meantime is not billed.")
	}
	if n := len(u.Stop.Changed.Tokens); n > 0 {
		out = append(out, plural.Of(n, "token")+": Can be debited again, if not deleted in the meantime.")
	}
	for _, s := range u.Stay {
		out = append(out, s.Name+": Stays as it is. "+s.Why)
	}
	out = append(out, "New debits of this client are possible again.")
	if u.Email != "" && (len(u.Back) > 0 || len(u.Subs) > 0) {
		out = append(out, "The client was told that everything is stopped, so one mail to "+u.Email+" says what goes on.")
	}
	return out
}

// StandingStop gives the stop of a client that holds; false when there is none.
func (s *Service) StandingStop(ctx context.Context, who actor.Actor, clientID uuid.UUID) (ClientStop, bool, error) {
	if err := who.May(actor.Read); err != nil {
		return ClientStop{}, false, err
	}
	return s.store().Standing(ctx, who.MerchantID, clientID)
}

// UndoOf tells what undoing the stop of a client would do now; Conflict when nothing is stopped.
func (s *Service) UndoOf(ctx context.Context, who actor.Actor, clientID uuid.UUID) (u StopUndo, err error) {
	if err := who.May(actor.Read); err != nil {
		return u, err
	}
	c, err := s.Purchases.Clients().Client(ctx, who.MerchantID, clientID)
	if err != nil {
		return u, err
	}
	return s.undoOf(ctx, c)
}

func (s *Service) undoOf(ctx context.Context, c client.Client) (u StopUndo, err error) {
	var found bool
	if u.Stop, found, err = s.store().Standing(ctx, c.MerchantID, c.ID); err != nil {
		return u, err
	}
	if !found {
		return u, fault.New(fault.Conflict, "nothing_stopped", "The debits of this client are not stopped, or that was "+
			"undone already.")
	}
	u.Email = c.Email
	for _, d := range u.Stop.Changed.Debits {
		if err := s.undoDebit(ctx, &u, d); err != nil {
			return u, err
		}
	}
	if s.Subscriptions == nil {
		return u, nil
	}
	all, err := s.Subscriptions.OfClient(ctx, c.MerchantID, c.ID)
	if err != nil {
		return u, err
	}
	for _, id := range u.Stop.Changed.Subscriptions {
		i := slices.IndexFunc(all, func(sub purchase.Subscribed) bool { return sub.ID == id && sub.Stopped })
		if i < 0 {
			u.Stay = append(u.Stay, Stayed{"A subscription", "It was changed or ended since."})
			continue
		}
		u.Subs = append(u.Subs, all[i])
	}
	return u, nil
}

// undoDebit sorts one debit among those that come back and those that do not.
func (s *Service) undoDebit(ctx context.Context, u *StopUndo, d StoppedDebit) error {
	rec, err := s.Purchases.Load(ctx, u.Stop.MerchantID, d.PurchaseID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c := rec.Collection
	if c == nil {
		return nil
	}
	why := ""
	switch {
	case rec.Status != purchase.Failed || c.ID != d.CollectionID || rec.OpenCents() != c.AmountCents:
		why = "It was changed since."
	case c.State != collection.Cancelled:
		why = "The bank was told to withdraw it, which cannot be taken back. Debit it again on the purchase’s page."
	case c.RecallDue || !c.SubmitAt.After(s.Purchases.Now()):
		why = "Its cut-off has passed. Debit it again on the purchase’s page."
	}
	if why != "" {
		u.Stay = append(u.Stay, Stayed{debitNamed(rec), why})
		return nil
	}
	u.Back = append(u.Back, rec)
	return nil
}

// ResumeClient undoes the stop of a client: everything that it changed is as before, as long as nothing else has
// changed it since. Seen is the stop that the person looked at.
func (s *Service) ResumeClient(ctx context.Context, who actor.Actor, clientID, seen uuid.UUID) (u StopUndo, err error) {
	if err := who.May(actor.Approve); err != nil {
		return u, err
	}
	err = s.stopping(ctx, func(tx *database.Tx) (wrong error) {
		u, wrong = s.resumeIn(tx.Context(), tx, who, clientID, seen)
		return wrong
	})
	return u, err
}

func (s *Service) resumeIn(ctx context.Context, tx *database.Tx, who actor.Actor, clientID, seen uuid.UUID) (StopUndo,
	error) {
	c, err := client.Lock(tx, who.MerchantID, clientID)
	if err != nil {
		return StopUndo{}, err
	}
	u, err := s.undoOf(ctx, c)
	if err != nil {
		return u, err
	}
	if seen != uuid.Nil && seen != u.Stop.ID {
		return u, fault.New(fault.Conflict, "stop_changed", "This stop was undone, and there is another. Look at it again.")
	}
	u.Stop.State, u.Stop.EndedBy, u.Stop.EndedName, u.Stop.EndedAt = StopUndone, who.ID, who.Name, tx.Now()
	if won, err := end(tx, u.Stop); err != nil || !won {
		return u, fault.LostUnless(err)
	}
	lines := u.Lines()
	if err := s.bringBack(ctx, tx, who, &u); err != nil {
		return u, err
	}
	client.SetStopped(tx, c.MerchantID, c.ID, time.Time{})
	tx.Audit(who, audit.Entry{Action: "client.resumed", ObjectType: "client", ObjectID: c.ID, ClientID: c.ID,
		Text: "The stop of everything that is debited from " + c.Name() + " was undone: " +
			plural.Of(len(u.Back), "debit") + " planned again, " + plural.Of(len(u.Subs), "subscription") + " resumed.",
		Before: map[string]any{"stopped": true, "stop": u.Stop.ID, "reason": u.Stop.Reason},
		After:  map[string]any{"stopped": false, "effects": lines}})
	if c.Email != "" && (len(u.Back) > 0 || len(u.Subs) > 0) {
		live, err := s.Purchases.Tokens().TokensOf(ctx, c.MerchantID, c.ID)
		if err != nil {
			return u, err
		}
		b, err := s.senderOf(ctx, Halt{Client: c, Debits: purchase.Stop{Withdrawn: u.Back}, Tokens: live})
		if err != nil {
			return u, err
		}
		tx.InsertMail(u.Stop.mail(tx, c, purchase.MailResumed, s.Purchases.Letters.Resumed(c.Addressed(), b, u.Back)))
	}
	tx.Enqueue(queue.RunDue{})
	return u, nil
}

// bringBack frees the accounts, plans the debits again and lets the subscriptions go on.
func (s *Service) bringBack(ctx context.Context, tx *database.Tx, who actor.Actor, u *StopUndo) error {
	free, err := token.ReleaseOf(tx, u.Stop.MerchantID, u.Stop.ClientID)
	if err != nil {
		return err
	}
	for i := range u.Back {
		if err := s.planBack(tx, who, &u.Back[i], u.Stop); err != nil {
			return err
		}
	}
	for _, id := range database.InOrder(free) { // first debits that a bank's answer began while nothing left
		t, err := s.Purchases.Tokens().Token(ctx, u.Stop.MerchantID, id)
		if err != nil {
			return err
		}
		if err := s.Purchases.PlanMissed(ctx, tx, who, t); err != nil {
			return err
		}
	}
	for _, sub := range u.Subs {
		if err := s.Subscriptions.Resume(ctx, tx, who, sub); err != nil {
			return err
		}
	}
	return nil
}

// planBack plans a debit again, on the dates that it had; ErrLost when it is not as it was listed.
func (s *Service) planBack(tx *database.Tx, who actor.Actor, rec *purchase.Record, stop ClientStop) error {
	if won, err := collection.Restore(tx, rec.MerchantID, rec.Collection.ID); err != nil || !won {
		return fault.LostUnless(err)
	}
	before, c := rec.Status, *rec.Collection
	for _, d := range stop.Changed.Debits {
		if d.PurchaseID == rec.ID {
			rec.Move(cmp.Or(d.Status, purchase.PendingCharge), tx.Now())
		}
	}
	c.State = collection.Scheduled
	rec.Collection, rec.ExecuteAt, rec.UpdatedAt = &c, c.ExecuteAt, tx.Now()
	purchase.Move(tx, rec.Purchase, before)
	tx.Audit(who, audit.Entry{Action: "purchase.planned_back", ObjectType: "purchase", ObjectID: rec.ID,
		ClientID: rec.ClientID, PurchaseID: rec.ID,
		Text:   "The stop was undone: the debit runs on " + c.ActionDate.Format(calendar.DayForm) + " as planned before.",
		Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status}})
	return nil
}
