package member

import (
	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Follow makes a member's role what their groups at an issuer say, in the transaction of the sign-in; "" leaves it as
// it is. Kept is true for an exception, an admin whose password always opens the business: no group changes that role.
// The last admin stays one.
func (s *Service) Follow(tx *database.Tx, who actor.Actor, id uuid.UUID, role actor.Role) (kept bool, err error) {
	all, err := holdMembers(tx, who.MerchantID, id)
	if err != nil {
		return false, err
	}
	var m *Member
	others := 0
	for i, one := range all {
		switch {
		case one.ID == id:
			m = &all[i]
		case one.Role == actor.Admin && one.Active():
			others++
		}
	}
	switch {
	case m == nil:
		return false, fault.Missing()
	case m.BreakGlass && m.Role == actor.Admin:
		return true, nil
	case role == "" || role == m.Role:
		return false, nil
	case m.Role == actor.Admin && others == 0:
		tx.Audit(who, audit.Entry{Action: "membership.kept", ObjectType: "user", ObjectID: id,
			Text: "Left " + m.Called() + " an admin, who is the last one, though their groups say " + string(role) + "."})
		return false, nil
	}
	var wrong fault.Problems
	to := m.Terms
	to.Role = role
	to = to.checked(&wrong) // grants that the new role has anyway go
	if err := wrong.Err(); err != nil {
		return false, err
	}
	setTerms(tx, m.MerchantID, id, to)
	after := to.record()
	if follows := (actor.Actor{Kind: actor.User, Role: to.Role, Grants: to.Grants}); !follows.Can(actor.Write) {
		if err := s.release(tx, *m, after); err != nil {
			return false, err
		}
	}
	tx.Audit(who, audit.Entry{Action: "membership.role_by_group", ObjectType: "user", ObjectID: id,
		Text:   "Made " + m.Called() + " " + string(role) + ", as their groups say.",
		Before: m.record(), After: after})
	return false, nil
}
