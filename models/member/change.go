package member

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/listview"
)

// Change sets what a member may do. Nobody changes their own terms, and the last
// admin stays one.
func (s *Service) Change(ctx context.Context, who actor.Actor, id uuid.UUID, to Terms) error {
	var wrong fault.Problems
	to = to.checked(&wrong)
	return s.change(ctx, who, id, func(tx *database.Tx, m Member, others int) error {
		switch {
		case wrong.Err() != nil:
			return wrong.Err()
		case to.same(m.Terms):
			return nil
		case to.Role != actor.Admin && m.Role == actor.Admin && m.Active() && others == 0:
			return lastAdmin()
		}
		setTerms(tx, m.MerchantID, id, to)
		after := to.record()
		if follows := (actor.Actor{Kind: actor.User, Role: to.Role, Grants: to.Grants}); !follows.Can(actor.Write) {
			if err := s.release(tx, m, after); err != nil {
				return err
			}
		}
		tx.Audit(who, audit.Entry{Action: "membership.changed", ObjectType: "user", ObjectID: id,
			Text:   "Changed what " + m.Called() + " may do.",
			Before: m.record(), After: after})
		return nil
	})
}

// Disable keeps somebody out of this business from now on and ends their sessions there.
func (s *Service) Disable(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	return s.change(ctx, who, id, func(tx *database.Tx, m Member, others int) error {
		switch {
		case !m.Active():
			return nil
		case m.Role == actor.Admin && others == 0:
			return lastAdmin()
		}
		disableMember(tx, m.MerchantID, id, tx.Now())
		after := map[string]any{"state": "disabled"}
		if err := s.release(tx, m, after); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "membership.disabled", ObjectType: "user", ObjectID: id,
			Text:   "Disabled " + m.Called() + ".",
			Before: map[string]any{"state": "active"}, After: after})
		return nil
	})
}

// Enable lets somebody in again.
func (s *Service) Enable(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	return s.change(ctx, who, id, func(tx *database.Tx, m Member, _ int) error {
		if m.Active() {
			return nil
		}
		enableMember(tx, m.MerchantID, id)
		tx.Audit(who, audit.Entry{Action: "membership.enabled", ObjectType: "user", ObjectID: id, Text: "Let " + m.Called() +
			" in again.",
			Before: map[string]any{"state": "disabled"}, After: map[string]any{"state": "active"}})
		return nil
	})
}

// Remove ends a membership. What the person did stays in the audit under their name.
func (s *Service) Remove(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	return s.change(ctx, who, id, func(tx *database.Tx, m Member, others int) error {
		if m.Role == actor.Admin && m.Active() && others == 0 {
			return lastAdmin()
		}
		removeMember(tx, m.MerchantID, id)
		if err := listview.Forget(tx, m.MerchantID, id); err != nil {
			return err
		}
		before := m.record()
		before["email"] = m.Email
		entry := audit.Entry{Action: "membership.removed", ObjectType: "user", ObjectID: id,
			Text: "Removed " + m.Called() + " from the business.", Before: before}
		after := map[string]any{}
		if err := s.release(tx, m, after); err != nil {
			return err
		}
		if len(after) > 0 {
			entry.After = after
		}
		tx.Audit(who, entry)
		return nil
	})
}

// release gives what a person looked after back to the others, and says in the audit how much that was.
func (s *Service) release(tx *database.Tx, m Member, after map[string]any) error {
	if s.Release == nil {
		return nil
	}
	n, err := s.Release(tx, m.MerchantID, m.ID)
	if n > 0 {
		after["without_an_owner"] = n
	}
	return err
}

// change finds the member while nobody else changes one, and counts the other
// admins who can come in.
func (s *Service) change(ctx context.Context, who actor.Actor, id uuid.UUID,
	do func(tx *database.Tx, m Member, otherAdmins int) error) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	if _, err := s.Store.Member(ctx, who.MerchantID, id); err != nil {
		return err
	}
	if who.Kind == actor.User && who.ID == id {
		return isSelf()
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		all, err := holdMembers(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		var found *Member
		others := 0
		for i, m := range all {
			switch {
			case m.ID == id:
				found = &all[i]
			case m.Role == actor.Admin && m.Active():
				others++
			}
		}
		if found == nil {
			return fault.Missing()
		}
		return do(tx, *found, others)
	})
}

func lastAdmin() error {
	return fault.New(fault.Conflict, "last_admin",
		"This is the last admin of the business. Make another person an admin first.")
}
