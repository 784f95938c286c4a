package factor

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Require makes the caller's business demand a second factor of everybody, or not
// any more. Who switches it on has one: nobody locks the last door behind others.
func (s *Service) Require(ctx context.Context, who actor.Actor, on bool) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		if who.Kind == actor.User {
			set, err := factors(tx, who.ID)
			if err != nil {
				return err
			}
			if on && !set.Any() {
				return fault.New(fault.Conflict, "second_factor_missing",
					"Set up two-step sign-in for yourself first; then you can require it for everyone.")
			}
		}
		changed, err := setRequireFactor(tx, who.MerchantID, on)
		if err != nil || !changed {
			return err
		}
		text := "Made two-step sign-in required for everyone."
		if !on {
			text = "Made two-step sign-in optional again."
		}
		tx.Audit(who, audit.Entry{Action: "merchant.second_factor_required", ObjectType: "merchant", ObjectID: who.MerchantID,
			Text:   text,
			Before: map[string]any{"require_second_factor": !on}, After: map[string]any{"require_second_factor": on}})
		return nil
	})
}

// Members lists the people of the caller's business with what they have set up.
func (s *Service) Members(ctx context.Context, who actor.Actor) ([]Member, error) {
	if err := who.May(actor.Manage); err != nil {
		return nil, err
	}
	return s.Store.FactorMembers(ctx, who.MerchantID)
}

// Reset takes every second factor of a member away, for who lost them all, and ends
// the member's sessions. Whoever works for another business too is not one admin's
// to reset: their recovery codes or the command line help.
func (s *Service) Reset(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	members, err := s.Store.FactorMembers(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(members, func(m Member) bool { return m.ID == id })
	switch {
	case at < 0:
		return fault.Missing()
	case who.ID == id:
		return fault.New(fault.Conflict, "user_is_self",
			"You cannot reset your own two-step sign-in here; remove it on your account page.")
	case members[at].Elsewhere && who.Kind != actor.Operator:
		return fault.New(fault.Conflict, "user_elsewhere",
			"%s works for another business too. They can use a recovery code, or the operator of Debitdesk can reset it.",
			members[at].Called())
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		set, err := factors(tx, id)
		if err != nil {
			return err
		}
		setTOTP(tx, id, "")
		dropPasskeys(tx, id)
		replaceRecoveryCodes(tx, id, nil)
		endAllSessions(tx, id)
		s.change(tx, who, set, "user.factor_reset", "Reset two-step sign-in for "+set.called()+".",
			who.Name+
				" has reset your two-step sign-in, and you are signed out everywhere. "+
				"Sign in with your password and set up a new one.")
		return nil
	})
}
