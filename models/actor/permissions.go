package actor

import (
	"slices"

	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Permission is one row of the matrix of roles: who has it, and whether an admin
// may give it to a person or take it away.
type Permission struct {
	Action    Action
	Label     string // in plain words, as the settings page shows it
	Roles     []Role
	Scopes    []Scope // of credentials
	Grantable bool
}

// Permissions is the one table of who may do what. The code, the settings page
// and the test of every route read it; what is not in it is refused.
var Permissions = []Permission{
	{Read, "See clients, purchases, accounts (masked), mandates and invoices", []Role{Admin, Finance, Staff, ReadOnly},
		[]Scope{ScopeRead}, false},
	{Write, "Add and change clients, purchases and mandates; charge and cancel", []Role{Admin, Finance, Staff},
		[]Scope{ScopeWrite}, false},
	{Bill, "Send batches, invoices to many clients and subscriptions", []Role{Admin, Finance}, []Scope{ScopeBilling},
		true},
	{Refund, "Refund money", []Role{Admin, Finance}, []Scope{ScopeWrite}, true},
	{DeleteTokens, "Delete tokens", []Role{Admin}, []Scope{ScopeTokensDelete}, true},
	{Reveal, "See full bank account and identity numbers", []Role{Admin}, []Scope{ScopeNumbers}, true},
	{Approve, "Approve what needs a second approver", []Role{Admin, Finance}, nil, true},
	{Exchange, "Work with the bank’s files: cut, download, import, send again", []Role{Admin, Finance}, nil, true},
	{Books, "Keep the books: accounts, fees, payouts, exports and closed months", []Role{Admin, Finance}, nil, true},
	{MoveClock, "Move the sandbox clock and answer as the sandbox bank", []Role{Admin}, []Scope{ScopeWrite}, false},
	{Manage, "People, roles, credentials, webhooks, settings and the audit", []Role{Admin}, nil, false},
}

// PermissionFor is the row of an action; false for an action that is not in the table.
func PermissionFor(act Action) (Permission, bool) {
	i := slices.IndexFunc(Permissions, func(p Permission) bool { return p.Action == act })
	if i < 0 {
		return Permission{}, false
	}
	return Permissions[i], true
}

// Grants is what one person may or may not do, over what the role says. Actions
// that are not grantable are ignored. Its JSON is how it is stored.
type Grants map[Action]bool

func (g Grants) allow(r Role, act Action) bool {
	p, known := PermissionFor(act)
	if !known {
		return false
	}
	if yes, given := g[act]; given && p.Grantable {
		return yes
	}
	return p.Given(r)
}

// Given tells whether the role alone has the permission.
func (p Permission) Given(r Role) bool { return slices.Contains(p.Roles, r) }

// Changes tells whether anything is granted but reading.
func (a Actor) Changes() bool {
	return slices.ContainsFunc(Permissions, func(p Permission) bool { return p.Action != Read && a.Can(p.Action) })
}

// LooksOnly is the refusal for whoever changes nothing.
func LooksOnly() error {
	return fault.New(fault.Forbidden, "permission_denied",
		"Your role lets you look, but not change anything. An admin of your business can do it or change your role.")
}

// Sends is nil when the actor may send invoices of that many cents together, else
// a Forbidden fault. What is over the limit in words tells how much that is.
func (a Actor) Sends(cents int64) error {
	if a.BatchLimitCents == nil || cents <= *a.BatchLimitCents {
		return nil
	}
	return fault.New(fault.Forbidden, "batch_limit",
		"This is %s; you may send up to %s at once. A person without that limit can send it.",
		money.Format(cents, "ZAR"), money.Format(*a.BatchLimitCents, "ZAR"))
}

func scopeAllows(s Scope, act Action) bool {
	p, known := PermissionFor(act)
	return known && slices.Contains(p.Scopes, s)
}
