// Package credential knows the bearer credentials by which programs call the
// API: how they are issued, checked, exchanged and revoked. It must not know
// how they travel in a request.
package credential

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// Kind says what a credential is used for.
type Kind string

// The kinds of credential.
const (
	Token  Kind = "token"  // a signed token that calls the API; its id is the jti
	Client Kind = "client" // an id and a secret that are exchanged for tokens
)

// Key signs tokens. Its ID travels as kid, so that keys can be replaced.
type Key struct {
	ID      string
	Private ed25519.PrivateKey
}

// State is what a credential is good for now.
type State string

// The states of a credential.
const (
	Active  State = "active"
	Expired State = "expired"
	Revoked State = "revoked"
)

// Lifetimes (ours: API contract 1.2).
const (
	ExchangedLifetime = 24 * time.Hour            // of a token from /oauth/token
	DefaultLifetime   = 24 * time.Hour            // of a token when none is chosen
	MaxLifetime       = 10 * 366 * 24 * time.Hour // of any token
)

const maxName = 100

// Credential is one bearer credential. Times are real time; the zero time
// means never.
type Credential struct {
	ID         uuid.UUID // the jti of a token, the client_id of a client
	MerchantID uuid.UUID
	Kind       Kind
	ParentID   uuid.UUID // the client that this token was exchanged from
	Name       string
	Scopes     []actor.Scope `gorm:"type:text[];serializer:texts"`
	SecretHash []byte        // SHA-256, kind client only
	CreatedBy  uuid.UUID
	CreatedAt  time.Time
	ExpiresAt  time.Time
	LastUsedAt time.Time
	RevokedAt  time.Time
	Replaces   uuid.UUID // the credential whose successor this is
	ReplacedBy uuid.UUID // its successor, beside which it works until ExpiresAt
}

// State tells whether it still works at that moment.
func (c Credential) State(now time.Time) State {
	switch {
	case !c.RevokedAt.IsZero():
		return Revoked
	case !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt):
		return Expired
	}
	return Active
}

// Input is what somebody chooses when a credential is issued.
type Input struct {
	Name   string
	Scopes []actor.Scope // nil: all of them
	// Lifetime of a token, DefaultLifetime when zero; a client without one works until revoked.
	Lifetime time.Duration
}

func (in Input) checked() (Input, error) {
	var problems fault.Problems
	in.Name = strings.TrimSpace(in.Name)
	switch n := len([]rune(in.Name)); {
	case n == 0:
		problems.Add("name", "required", "Give the credential a name, for example the program that will use it.")
	case n > maxName:
		problems.Add("name", "max_length", "Ensure this value has at most %d characters.", maxName)
	}
	problems.OneLine("name", in.Name)
	if in.Scopes == nil {
		in.Scopes = actor.AllScopes
	}
	if len(in.Scopes) == 0 {
		problems.Add("scopes", "required", "Choose at least one scope.")
	}
	for _, s := range in.Scopes {
		if !slices.Contains(actor.AllScopes, s) {
			problems.Add("scopes", "invalid_choice", "%q is not a scope. Scopes are %s.", s,
				Spaced(actor.AllScopes, ", "))
		}
	}
	if in.Lifetime < 0 || in.Lifetime > MaxLifetime {
		problems.Add("lifetime", "invalid", "A lifetime must be more than zero and at most ten years.")
	}
	in.Scopes = inOrder(in.Scopes)
	return in, problems.Err()
}

// Spaced writes scopes one after the other, "read write" for a blank.
func Spaced(scopes []actor.Scope, between string) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, between)
}

// inOrder names each known scope once.
func inOrder(scopes []actor.Scope) []actor.Scope {
	var out []actor.Scope
	for _, s := range actor.AllScopes {
		if slices.Contains(scopes, s) {
			out = append(out, s)
		}
	}
	return out
}
