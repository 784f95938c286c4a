package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/batch"
	"debitdesk/models/book"
	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
)

// Verdict is the answer of the second person. Seen is what that person was shown:
// when more depends on it by now, nothing happens and it is to be looked at again.
type Verdict struct {
	Yes   bool
	Words string // needed for a no
	Seen  Totals
	Shown []string // the effects in words, kept with the decision
}

// tries is how often a decision that met another change begins anew.
const tries = 3

// Decide answers a request. A yes does at once what was asked for, in the name of
// who asked; of two answers at once one counts.
func (s *Service) Decide(ctx context.Context, who actor.Actor, id uuid.UUID, v Verdict) (a Approval, err error) {
	text, err := words("words", v.Words, !v.Yes, "Give a reason for the person who asked.")
	if err != nil {
		return Approval{}, err
	}
	for range tries {
		if a, err = s.Store.Approval(ctx, who.MerchantID, id); err != nil {
			return a, err
		}
		if err := s.mayAnswer(ctx, who, a); err != nil {
			return a, err
		}
		a.State, a.DecidedBy, a.DecidedName, a.Decision = Refused, who.ID, who.Name, text
		a.Subject.Shown = v.Shown
		if v.Yes {
			a.State = Approved
		}
		if err = s.decide(ctx, who, &a, v.Seen); !errors.Is(err, fault.ErrLost) {
			return a, err
		}
	}
	return a, fault.New(fault.Conflict, "conflict",
		"Another person changed this at the same time. Check it again.").Because(err)
}

// mayAnswer: it waits, and the answer comes from another person who may give it.
func (s *Service) mayAnswer(ctx context.Context, who actor.Actor, a Approval) error {
	if err := who.May(actor.Approve); err != nil {
		return err
	}
	if who.Kind != actor.User {
		return fault.New(fault.Forbidden, "permission_denied", "Only a signed-in person can approve.")
	}
	if state := a.Stands(s.Now()); state != Open {
		return fault.New(fault.Conflict, "approval_over", "This request is already %s.", state)
	}
	me, err := s.people().User(ctx, who.MerchantID, who.ID)
	if err != nil {
		return err
	}
	asker, err := s.people().User(ctx, who.MerchantID, a.AskedBy)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if who.ID == a.AskedBy || err == nil && SamePerson(me, asker) {
		return fault.New(fault.Conflict, "own_request", "You asked for this yourself, so another person has to decide.")
	}
	made, err := s.madeBy(ctx, a, me)
	if err == nil && made {
		err = fault.New(fault.Conflict, "own_work",
			"You uploaded or changed this yourself, so another person has to decide.")
	}
	return err
}

// madeBy tells whether a person, or an account that may be theirs, had a hand in what is to be approved: a second
// approver is one over the whole way, from the file to the answer.
func (s *Service) madeBy(ctx context.Context, a Approval, me user.User) (bool, error) {
	makers, err := s.makers(ctx, a)
	return slices.ContainsFunc(makers, func(m user.User) bool { return SamePerson(m, me) }), err
}

// makers are the people who had a hand in the batch or the import of a request; none of another request.
func (s *Service) makers(ctx context.Context, a Approval) (out []user.User, err error) {
	var hands []uuid.UUID
	switch a.Kind {
	case SendBatch:
		b, err := s.Batches.Store.Batch(ctx, a.MerchantID, a.Subject.Batch)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		for _, hand := range b.Makers() {
			hands = append(hands, hand.ID)
		}
	case ImportBook:
		i, err := s.Imports.Store.Import(ctx, a.MerchantID, a.Subject.Import)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		for _, hand := range i.Hands {
			hands = append(hands, hand.ID)
		}
	default:
		return nil, nil
	}
	for _, hand := range hands {
		if u, err := s.people().User(ctx, a.MerchantID, hand); err == nil {
			out = append(out, u)
		} else if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	return out, err
}

func (s *Service) decide(ctx context.Context, who actor.Actor, a *Approval, seen Totals) error {
	asker, err := s.people().User(ctx, a.MerchantID, a.AskedBy)
	gone := fault.Is(err, fault.NotFound) || err == nil && !asker.DisabledAt.IsZero()
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return err
	case gone && a.State == Approved:
		return fault.New(
			fault.Conflict,
			"asker_gone",
			"%s no longer works here, so nothing can be done on their behalf. Refuse it, "+
				"and make a new request if it is still needed.",
			a.AskedName,
		)
	}
	m, err := s.merchants().Merchant(ctx, a.MerchantID)
	if err != nil {
		return err
	}
	keys, err := s.prepared(*a)
	if err != nil {
		return err
	}
	many, err := s.seenNow(ctx, *a, seen)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		ctx := tx.Context()
		a.DecidedAt = tx.Now()
		if err := hold(tx, *a); err != nil {
			return err
		}
		if won, err := end(tx, *a); err != nil || !won {
			return lostUnless(err)
		}
		if a.State == Approved {
			if err := s.carryOut(ctx, tx, asker, *a, seen, keys, many); err != nil {
				return err
			}
		}
		tx.Audit(who, audit.Entry{Action: "approval." + string(a.State), ObjectType: "approval", ObjectID: a.ID,
			Text:   fmt.Sprintf("The request of %s was %s: %s.", a.AskedName, a.State, a.Subject.Name),
			Before: map[string]any{"state": Open}, After: map[string]any{"state": a.State, "words": a.Decision,
				"asked_by": a.AskedName, "reason": a.Reason, "stakes": seen}})
		if !gone {
			tx.InsertMail(mail.Mail{MerchantID: a.MerchantID, ObjectID: a.ID, Kind: MailDecided, Attempt: 1, To: asker.Email,
				State: mail.Queued, Letter: s.Letters.Decided(*a, asker, m)})
		}
		return nil
	})
}

// hold locks the batch or import of a request before the request itself, in the order in which a change of it takes
// both to withdraw the request: two that lock in another order wait for each other until the database ends one of them.
func hold(tx *database.Tx, a Approval) error {
	if a.State != Approved {
		return nil
	}
	var err error
	if a.Kind == SendBatch {
		_, err = batch.Lock(tx, a.MerchantID, a.Subject.Batch)
	}
	if a.Kind == ImportBook {
		err = book.Lock(tx, a.MerchantID, a.Subject.Import)
	}
	if fault.Is(err, fault.NotFound) {
		return nil // carrying out says so
	}
	return err
}

// carryOut does what was asked for, if the asker may still do it.
func (s *Service) carryOut(ctx context.Context, tx *database.Tx, asker user.User, a Approval, seen Totals,
	keys webhook.Keys, many Standing) error {
	as := asker.Actor()
	switch a.Kind {
	case DeleteTokens:
		if err := still(as.May(actor.DeleteTokens)); err != nil {
			return err
		}
		_, err := s.Deletions.StartDeletionIn(ctx, tx, as, deletion.DeletionInput{Tokens: a.Subject.Tokens,
			Choices: a.Subject.Choices,
			Reason:  a.Reason, ApprovalID: a.ID, Approver: a.DecidedName,
			Seen: &deletion.ImpactTotals{Tokens: seen.Tokens, Waiting: seen.Waiting, Subscriptions: seen.Subscriptions,
				Cents: seen.Cents, Digest: seen.Digest}})
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.Conflict, "nothing_left", "These tokens are already deleted. Refuse the request.")
		}
		return err
	case Loosen:
		return s.carryOutLoosening(ctx, tx, asker, a)
	case StopClient:
		return s.carryOutStop(ctx, tx, asker, a, seen)
	case ImportBook:
		return s.carryOutImport(tx, asker, a, seen)
	case ChangeSetting:
		return s.carryOutSetting(tx, asker, a, keys)
	case DoMany:
		return s.begin(tx, asker, a, many)
	case SendBatch:
		if err := still(as.May(actor.Bill)); err != nil {
			return err
		}
		order := *a.Subject.Order // with the fingerprint of what was asked for
		if seen.Rows != order.Rows || seen.Cents != order.Cents {
			return fault.New(fault.Conflict, "batch_changed",
				"The request is not what you were shown. Check it again.")
		}
		_, err := s.Batches.StartIn(ctx, tx, as, a.Subject.Batch, order,
			batch.Consent{ApprovalID: a.ID, Approver: a.DecidedName})
		return err
	}
	return fault.Missing()
}

// still turns a missing permission of the asker into words for who decides.
func still(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Conflict, "asker_may_not",
		"The person who asked for this no longer has the permission. Refuse it.")
}

func lostUnless(err error) error {
	if err == nil {
		return fault.ErrLost
	}
	return err
}

// Withdraw takes one's own request back.
func (s *Service) Withdraw(ctx context.Context, who actor.Actor, id uuid.UUID) (Approval, error) {
	if err := who.May(actor.Write); err != nil {
		return Approval{}, err
	}
	a, err := s.Store.Approval(ctx, who.MerchantID, id)
	switch {
	case err != nil:
		return a, err
	case who.Kind != actor.User || a.AskedBy != who.ID:
		return a, fault.New(fault.Conflict, "not_yours", "Only the person who asked can withdraw a request.")
	case a.Stands(s.Now()) != Open:
		return a, fault.New(fault.Conflict, "approval_over", "This request is already %s.", a.Stands(s.Now()))
	}
	a.State, a.DecidedBy, a.DecidedName = Withdrawn, who.ID, who.Name
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		a.DecidedAt = tx.Now()
		if won, err := end(tx, a); err != nil || !won {
			return lostUnless(err)
		}
		tx.Audit(who, audit.Entry{Action: "approval.withdrawn", ObjectType: "approval", ObjectID: a.ID,
			Text:   "The request was withdrawn: " + a.Subject.Name + ".",
			Before: map[string]any{"state": Open}, After: map[string]any{"state": a.State}})
		return nil
	})
	if errors.Is(err, fault.ErrLost) {
		err = fault.New(fault.Conflict, "approval_over", "Another person answered this request at the same time.")
	}
	return a, err
}

// Expire ends requests that nobody answered in time, for all merchants, and tells
// how many. It may be repeated.
func (s *Service) Expire(ctx context.Context) (n int, err error) {
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		n, err = s.expireIn(tx, uuid.Nil)
		return err
	})
	return n, err
}

func (s *Service) expireIn(tx *database.Tx, merchantID uuid.UUID) (int, error) {
	const atOnce = 100
	over, err := expire(tx, merchantID, atOnce)
	for _, a := range over {
		tx.Audit(actor.SystemOf(a.MerchantID), audit.Entry{Action: "approval.expired", ObjectType: "approval", ObjectID: a.ID,
			Text: "There was no answer within seven days: " + a.Subject.Name + ".", Before: map[string]any{"state": Open},
			After: map[string]any{"state": Expired}})
	}
	return len(over), err
}
