// Package actor knows who acts and what they may do. It does not know how
// they proved who they are.
package actor

import (
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/fault"
)

// Kind says what sort of actor it is.
type Kind string

// The kinds of actor that an audit entry can name.
const (
	User       Kind = "user"       // a person at the dashboard
	Credential Kind = "credential" // a program with a bearer credential
	Payer      Kind = "payer"      // the client on the hosted page
	Bank       Kind = "bank"       // an answer of the bank
	System     Kind = "system"     // the product itself: due dates, sweeps
	Operator   Kind = "operator"   // whoever runs the product's command line
)

// Role is what a dashboard user is.
type Role string

// The roles of dashboard users.
const (
	Admin    Role = "admin"
	Finance  Role = "finance"
	Staff    Role = "staff"
	ReadOnly Role = "readonly"
)

// Roles are those a person can have, the mightiest first.
var Roles = []Role{Admin, Finance, Staff, ReadOnly}

// Scope is what a bearer credential was issued for.
type Scope string

// The scopes of bearer credentials (ours: API contract 12.1).
const (
	ScopeRead         Scope = "read"
	ScopeWrite        Scope = "write"
	ScopeTokensDelete Scope = "tokens:delete"
	ScopeBilling      Scope = "billing"
	ScopeNumbers      Scope = "numbers" // bank and identity numbers in full under /clients/
)

// AllScopes is what a credential gets when none is named on the command line.
var AllScopes = []Scope{ScopeRead, ScopeWrite, ScopeTokensDelete, ScopeBilling, ScopeNumbers}

// FirstScopes are those that the dashboard offers ticked: what most programs need.
var FirstScopes = []Scope{ScopeRead, ScopeWrite}

// Action is something that needs permission.
type Action string

// The actions that are granted one by one; what is not granted is refused.
const (
	Read         Action = "read"          // see records of the merchant
	Write        Action = "write"         // clients, purchases, charges
	Bill         Action = "bill"          // invoices to many
	Refund       Action = "refund"        // money goes back
	DeleteTokens Action = "delete_tokens" // end the use of a stored account
	Manage       Action = "manage"        // users, credentials, settings
	Reveal       Action = "reveal"        // see a full account or identity number
	MoveClock    Action = "move_clock"    // sandbox control
	Approve      Action = "approve"       // agree to what another person asked for
	Exchange     Action = "exchange"      // files to and from the bank
	Books        Action = "books"         // export the journal, record fees and payouts, close months
)

// Actor is who a use case runs for. MerchantID bounds everything it can see.
type Actor struct {
	Kind       Kind
	ID         uuid.UUID // of the user or credential; zero for client, bank, system
	Name       string    // as shown in the time line
	MerchantID uuid.UUID
	Role       Role   // users
	Grants     Grants // users: what differs from the role
	// BatchLimitCents is above what amount this person sends no batch and no billing; nil: no limit.
	BatchLimitCents *int64
	Scopes          []Scope // credentials
	IP              string
	RequestID       string
}

// SystemOf acts for the product itself within one merchant.
func SystemOf(merchantID uuid.UUID) Actor {
	return Actor{Kind: System, Name: "Debitdesk", MerchantID: merchantID}
}

// OperatorOf acts for the command line within one merchant; nothing is refused there.
func OperatorOf(merchantID uuid.UUID) Actor {
	return Actor{Kind: Operator, Name: "Command line", MerchantID: merchantID}
}

// BankOf acts for the bank's answers within one merchant.
func BankOf(merchantID uuid.UUID) Actor {
	return Actor{Kind: Bank, Name: "Bank", MerchantID: merchantID}
}

// PayerOf acts for the client on the hosted page of one purchase.
func PayerOf(merchantID uuid.UUID, name, ip, requestID string) Actor {
	return Actor{Kind: Payer, Name: name, MerchantID: merchantID, IP: ip, RequestID: requestID}
}

// Can tells whether the action is granted. Payer, bank and system run only the
// use cases made for them and are granted what those need.
func (a Actor) Can(act Action) bool {
	switch a.Kind {
	case User:
		return a.Grants.allow(a.Role, act)
	case Credential:
		return slices.ContainsFunc(a.Scopes, func(s Scope) bool { return scopeAllows(s, act) })
	case Bank, System:
		return act == Read || act == Write
	case Operator:
		return true
	case Payer:
		return false
	}
	return false
}

// May is nil when the action is granted, else a Forbidden fault.
func (a Actor) May(act Action) error {
	if a.Can(act) {
		return nil
	}
	if a.Kind == Credential {
		return fault.New(fault.Forbidden, "permission_denied", "This credential does not have the scope for that.")
	}
	return fault.New(fault.Forbidden, "permission_denied",
		"Your role does not allow that. An admin of your business can do it or change your role.")
}
