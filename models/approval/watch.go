package approval

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/batch"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
)

// Watch serves batch.Service: a request is about one content of a batch. When the
// batch is something else, the request is withdrawn in the same transaction, and both
// the person who asked and those who were asked are told.
func (s *Service) Watch(ctx context.Context, merchantID, batchID uuid.UUID) (batch.Changed, error) {
	key := Subject{Batch: batchID}.key()
	a, found, err := s.Store.OpenApproval(ctx, merchantID, SendBatch, key)
	if err != nil {
		return nil, err
	}
	var told []user.User
	var m merchant.Merchant
	if found {
		if told, err = s.concerned(ctx, a); err != nil {
			return nil, err
		}
		if m, err = s.merchants().Merchant(ctx, merchantID); err != nil {
			return nil, err
		}
	}
	return func(tx *database.Tx, who actor.Actor, b batch.Batch) error {
		now, open, err := s.Store.OpenApproval(tx.Context(), merchantID, SendBatch, key)
		switch {
		case err != nil || !open:
			return err
		case !found || now.ID != a.ID || now.Version != a.Version:
			return fault.ErrLost // it was asked at this moment
		case b.State == batch.Checked && now.Subject.Order != nil && now.Subject.Order.Fingerprint == b.Seal():
			return nil
		}
		return s.withdraw(tx, who, now, b, told, m)
	}, nil
}

// concerned are the person who asked and those who may answer.
func (s *Service) concerned(ctx context.Context, a Approval) ([]user.User, error) {
	all, err := s.people().Colleagues(ctx, a.MerchantID)
	if err != nil {
		return nil, err
	}
	makers, err := s.makers(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, u := range all {
		if u.ID == a.AskedBy {
			return append([]user.User{u}, mayDecide(all, append(makers, u)...)...), nil
		}
	}
	return mayDecide(all, append(makers, user.User{ID: a.AskedBy})...), nil
}

func (s *Service) withdraw(tx *database.Tx, who actor.Actor, a Approval, b batch.Batch, told []user.User,
	m merchant.Merchant) error {
	name := who.Name
	if name == "" {
		name = "Debitdesk"
	}
	a.State, a.DecidedBy, a.DecidedName, a.DecidedAt = Withdrawn, who.ID, name, tx.Now()
	a.Decision = fmt.Sprintf("The batch changed after the request: now %s.", inShort(b))
	switch {
	case b.State == batch.Stopped && !b.Started():
		a.Decision = "The draft was discarded."
	case b.State != batch.Checked:
		a.Decision = "The batch changed after the request."
	}
	if won, err := end(tx, a); err != nil || !won {
		return lostUnless(err)
	}
	tx.Audit(who, audit.Entry{Action: "approval.withdrawn", ObjectType: "approval", ObjectID: a.ID,
		Text:   "The request was withdrawn, because the batch changed: " + a.Subject.Name + ".",
		Before: map[string]any{"state": Open, "fingerprint": a.Subject.Order.Fingerprint},
		After:  map[string]any{"state": a.State, "fingerprint": b.Seal(), "asked_by": a.AskedName}})
	for i, u := range told {
		tx.InsertMail(mail.Mail{MerchantID: a.MerchantID, ObjectID: a.ID, Kind: MailWithdrawn, Attempt: i + 1, To: u.Email,
			State: mail.Queued, Letter: s.Letters.Withdrawn(a, u, m)})
	}
	return nil
}

// unchanged: what is asked for is still what the asker looked at.
func unchanged(tx *database.Tx, a Approval) error {
	if a.Kind != SendBatch {
		return nil
	}
	b, err := batch.Lock(tx, a.MerchantID, a.Subject.Batch)
	if err == nil && (b.State != batch.Checked || b.Seal() != a.Subject.Order.Fingerprint) {
		err = fault.New(fault.Conflict, "batch_changed", "The batch changed since you looked at it. Look at it again.")
	}
	return err
}

// OpenFor finds the open request over a batch.
func (s *Service) OpenFor(ctx context.Context, who actor.Actor, batchID uuid.UUID) (Approval, bool, error) {
	if err := who.May(actor.Read); err != nil {
		return Approval{}, false, err
	}
	return s.Store.OpenApproval(ctx, who.MerchantID, SendBatch, Subject{Batch: batchID}.key())
}
