package exchange

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

// approvalNotice is how long before its time is up a file that waits for approval becomes a finding (ours).
const approvalNotice = time.Hour

// refundsApprovedWithin is how long a file of refunds waits for approval before it becomes a finding (ours): a refund
// has no deadline at the bank.
const refundsApprovedWithin = 24 * time.Hour

// mostReason is how long the reason of a refusal is, in bytes.
const mostReason = 1000

// Withheld tells that a message must not reach the bank: nobody approved it yet, or a person refused it here.
func (m Message) Withheld() bool { return m.State == Held || m.Declined }

// hold keeps a message from leaving when its sum is above the merchant's limit.
func (s *Service) hold(tx unit, m *Message, groups []Group) error {
	if m.Kind != Debits && m.Kind != Refunds {
		return nil
	}
	above, err := tx.filesAbove(m.MerchantID)
	if err != nil || above == nil || m.SumCents <= *above {
		return err
	}
	m.State, m.ApproveBy = Held, m.MadeAt.Add(refundsApprovedWithin)
	if m.Kind == Debits {
		m.ApproveBy = s.Rules.DeadlineFor(s.Calendar, groups[0].Method, groups[0].ActionDate)
		for _, g := range groups[1:] {
			if at := s.Rules.DeadlineFor(s.Calendar, g.Method, g.ActionDate); at.Before(m.ApproveBy) {
				m.ApproveBy = at
			}
		}
	}
	return tx.openFindings([]Finding{{MerchantID: m.MerchantID, Kind: Unapproved, Subject: m.ID, MessageID: m.ID,
		Text: fmt.Sprintf("The file %s (%s) is waiting for a second approver. It should be approved by %s.", m.FileName,
			contents(*m), moment(m.ApproveBy))}})
}

func moment(at time.Time) string {
	return at.In(calendar.SAST).Format("Mon 2 Jan 2006, 15:04") + " SAST"
}

// missApprovals raises a finding for each message whose time is nearly up and that nobody approved.
func (s *Service) missApprovals(ctx context.Context) (int, error) {
	messages, err := s.Store.OverdueApprovals(ctx, s.Now().Add(approvalNotice))
	if err != nil || len(messages) == 0 {
		return 0, err
	}
	return len(messages), s.Store.inTx(ctx, func(tx unit) error {
		for _, found := range messages {
			m, err := tx.holdMessage(found.MerchantID, found.ID)
			if err != nil {
				return err
			}
			if m.State != Held {
				continue // it was decided meanwhile
			}
			if err := tx.settleFindings(Unapproved, m.ID, "", "It has not been approved so far."); err != nil {
				return err
			}
			if err := tx.openFindings([]Finding{{MerchantID: m.MerchantID, Kind: Unapproved, Subject: overdueSubject(m.ID),
				MessageID: m.ID, Text: fmt.Sprintf("The file %s (%s) has not been approved. It must be approved by %s; "+
					"later, the bank may refuse it.", m.FileName, contents(m), moment(m.ApproveBy))}}); err != nil {
				return err
			}
		}
		return nil
	})
}

func overdueSubject(messageID string) string { return messageID + ":overdue" }

// madeBy says why a person cannot approve a message: they cut it, or had a hand in what it brings to the bank, which
// is a batch, a debit that was planned by hand or a refund. It is empty for whoever can.
func (s *Service) madeBy(ctx context.Context, m Message, who actor.Actor) (why string, err error) {
	if m.MadeByID != uuid.Nil {
		cut, err := s.isOneOf(ctx, m, who, []uuid.UUID{m.MadeByID})
		if err != nil || cut {
			return "You cut this file yourself. Someone else has to approve it.", err
		}
	}
	makers, err := s.Store.makersOf(ctx, m)
	if err != nil {
		return "", err
	}
	made, err := s.isOneOf(ctx, m, who, makers)
	if err != nil || made {
		return "You made a batch, a debit or a refund in this file yourself. Someone else has to approve it.", err
	}
	return "", nil
}

// isOneOf tells whether a person, or an account that may be theirs, is among some.
func (s *Service) isOneOf(ctx context.Context, m Message, who actor.Actor, makers []uuid.UUID) (bool, error) {
	if slices.Contains(makers, who.ID) {
		return true, nil
	}
	if len(makers) == 0 {
		return false, nil
	}
	people := user.Store{DB: s.Store.DB}
	approver, err := people.User(ctx, m.MerchantID, who.ID)
	if fault.Is(err, fault.NotFound) {
		return false, nil // nobody's other account
	}
	for _, id := range makers {
		if err != nil {
			return false, err
		}
		var maker user.User
		if maker, err = people.User(ctx, m.MerchantID, id); fault.Is(err, fault.NotFound) {
			err = nil // the account is gone, and it was another one
		} else if err == nil && approval.SamePerson(maker, approver) {
			return true, nil
		}
	}
	return false, err
}

// Approve lets a message leave that waits for a second approver. Who cut it, or made what is in it, cannot.
func (s *Service) Approve(ctx context.Context, who actor.Actor, id string) (m Message, err error) {
	return s.settleHeld(ctx, who, id, true, func(tx unit, m *Message, items []Item) error {
		m.State = Made
		if err := freeRecalls(tx, items, func(r *Item, _ Item) error {
			r.State, r.CutAt = ItemWaiting, s.Rules.soon(tx.Now())
			return nil
		}); err != nil {
			return err
		}
		tx.Audit(who, messageEntry("bank.message_approved", *m, "The file %s (%s) was approved: it may leave for the bank.",
			m.FileName, contents(*m)))
		return nil
	})
}

// Decline keeps a message from ever leaving, with a reason. A person then decides about its items, as about those of a
// message that the bank refused.
func (s *Service) Decline(ctx context.Context, who actor.Actor, id, reason string) (m Message, err error) {
	reason = strings.TrimSpace(reason)
	switch {
	case reason == "":
		return m, fault.At("reason", "required", "Say why the file is not approved.")
	case len(reason) > mostReason:
		return m, fault.At("reason", "max_length", "Write at most %d characters.", mostReason)
	}
	return s.settleHeld(ctx, who, id, false, func(tx unit, m *Message, items []Item) error {
		m.State, m.Declined, m.Reason = Refused, true, fmt.Sprintf("Not approved by %s: %s", who.Name, reason)
		for n := range items {
			if items[n].State == ItemSent {
				items[n].State = ItemRefused
			}
		}
		if err := tx.saveItems(items); err != nil {
			return err
		}
		if err := freeRecalls(tx, items, func(r *Item, debit Item) error {
			r.State = ItemWithdrawn
			return s.withdraw(tx, debit)
		}); err != nil {
			return err
		}
		entry := messageEntry("bank.message_declined", *m, "The file %s (%s) was not approved: it never leaves.", m.FileName,
			contents(*m))
		entry.After["reason"] = reason
		tx.Audit(who, entry)
		return tx.openFindings([]Finding{{MerchantID: m.MerchantID, Kind: Declined, Subject: m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The file %s (%s) did not leave. %s", m.FileName, contents(*m), m.Reason)}})
	})
}

// settleHeld decides about a message that waits for a second approver, once.
func (s *Service) settleHeld(ctx context.Context, who actor.Actor, id string, approve bool,
	act func(unit, *Message, []Item) error) (m Message, err error) {
	if err := who.May(actor.Approve); err != nil {
		return m, err
	}
	if who.Kind != actor.User {
		return m, fault.New(fault.Forbidden, "permission_denied", "Only a signed-in person can approve a file.")
	}
	if m, _, err = s.Store.Message(ctx, who.MerchantID, id); err != nil {
		return m, err
	}
	if approve { // who cut a message never changes
		why, err := s.madeBy(ctx, m, who)
		if err != nil {
			return m, err
		}
		if why != "" && m.State == Held {
			return m, fault.New(fault.Conflict, "own_file", "%s", why)
		}
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		items, err := tx.holdItemsOf(id, "") // items before messages, as answers do
		if err != nil {
			return err
		}
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		if m.State != Held {
			return notHeld(m)
		}
		m.DecidedBy, m.DecidedAt = cmp.Or(who.Name, "a person"), tx.Now()
		if err := act(tx, &m, items); err != nil {
			return err
		}
		said := m.DecidedBy + " approved the file."
		if m.Declined {
			said = m.Reason
		}
		for _, subject := range []string{m.ID, overdueSubject(m.ID)} {
			if err := tx.settleFindings(Unapproved, subject, who.Name, said); err != nil {
				return err
			}
		}
		return tx.saveMessage(m)
	})
	return m, err
}

// notHeld says why nothing is to be decided about a message.
func notHeld(m Message) error { return fault.New(fault.Conflict, "not_held", "%s", m.Decided()) }

// Decided says that a message does not wait for a second approver, and who decided about it.
func (m Message) Decided() string {
	switch {
	case m.Declined:
		return m.DecidedBy + " has refused to approve this file already."
	case m.DecidedBy != "":
		return m.DecidedBy + " has approved this file already."
	default:
		return "This file is not waiting for a second approver."
	}
}

// freeRecalls decides about the recalls that wait because the file of their debits was held.
func freeRecalls(tx unit, debits []Item, decide func(recall *Item, debit Item) error) error {
	of := map[uuid.UUID]Item{}
	ids := make([]uuid.UUID, 0, len(debits))
	for _, d := range debits {
		if d.Kind == Debits {
			id := derived(d.ID, Recalls)
			of[id] = d
			ids = append(ids, id)
		}
	}
	held, err := tx.holdItems(ids)
	if err != nil {
		return err
	}
	var recalls []Item
	for id, r := range held {
		if r.State != ItemHeld {
			continue
		}
		if err := decide(&r, of[id]); err != nil {
			return err
		}
		recalls = append(recalls, r)
	}
	return tx.saveItems(recalls)
}
