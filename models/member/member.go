// Package member knows who belongs to a business: what each may do there, how
// somebody is invited and how somebody leaves. It must not know pages, cookies or
// how passwords are kept.
package member

import (
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// Terms are what a person may do in one business.
type Terms struct {
	Role   actor.Role
	Grants actor.Grants `gorm:"serializer:json;not null"` // what differs from the role
	// BatchLimitCents is above what amount the person sends nothing to many; nil: no limit.
	BatchLimitCents *int64
}

// Member is a person in one business. The zero time means never.
type Member struct {
	ID, MerchantID uuid.UUID // ID is the person's
	Email, Name    string
	Terms
	HasFactor  bool      // the person has set up a second factor
	BreakGlass bool      // an admin whose password always opens the business, whatever its issuers demand
	LastUsedAt time.Time // in this business, real time
	DisabledAt time.Time
	JoinedAt   time.Time
}

// Called is the name to show, which falls back to the e-mail address.
func (m Member) Called() string {
	if m.Name != "" {
		return m.Name
	}
	return m.Email
}

// Active tells whether the person may come in.
func (m Member) Active() bool { return m.DisabledAt.IsZero() }

// checked tells everything that is wrong, and leaves out grants that say no more
// than the role does.
func (t Terms) checked(wrong *fault.Problems) Terms {
	if !slices.Contains(actor.Roles, t.Role) {
		wrong.Add("role", "invalid_choice", "A role is admin, finance, staff or readonly.")
	}
	kept := actor.Grants{}
	for act, yes := range t.Grants {
		p, known := actor.PermissionFor(act)
		switch {
		case !known || !p.Grantable:
			wrong.Add("grants", "invalid_choice", "This cannot be given to one person: %s.", act)
		case p.Given(t.Role) != yes:
			kept[act] = yes
		}
	}
	if t.BatchLimitCents != nil && *t.BatchLimitCents < 0 {
		wrong.Add("batch_limit", "min_value", "A limit is zero or more.")
	}
	t.Grants = kept
	return t
}

// same tells whether nothing changes.
func (t Terms) same(o Terms) bool {
	limits := (t.BatchLimitCents == nil) == (o.BatchLimitCents == nil) &&
		(t.BatchLimitCents == nil || *t.BatchLimitCents == *o.BatchLimitCents)
	return limits && t.Role == o.Role && maps.Equal(t.Grants, o.Grants)
}

// record is what the audit keeps of them.
func (t Terms) record() map[string]any {
	out := map[string]any{"role": string(t.Role), "batch_limit_cents": nil}
	grants := map[string]any{}
	for act, yes := range t.Grants {
		grants[string(act)] = yes
	}
	out["grants"] = grants
	if t.BatchLimitCents != nil {
		out["batch_limit_cents"] = *t.BatchLimitCents
	}
	return out
}
