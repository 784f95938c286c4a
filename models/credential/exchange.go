package credential

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// IssuedClient is a new client credential; nobody can read its secret a second time.
type IssuedClient struct {
	Credential
	ClientID string
	Secret   string
}

// IssueClient makes an id and a secret for POST /oauth/token. Only the SHA-256
// of the secret's 32 random bytes is kept.
func (s *Service) IssueClient(ctx context.Context, who actor.Actor, in Input) (IssuedClient, error) {
	if err := who.May(actor.Manage); err != nil {
		return IssuedClient{}, err
	}
	in, err := in.checked()
	if err != nil {
		return IssuedClient{}, err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails since Go 1.24
	hash := sha256.Sum256(secret)
	out := IssuedClient{Secret: base64.RawURLEncoding.EncodeToString(secret)}
	now := s.now()
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		c := Credential{ID: tx.NewID(), MerchantID: who.MerchantID, Kind: Client, Name: in.Name, Scopes: in.Scopes,
			SecretHash: hash[:], CreatedBy: personID(who), CreatedAt: now}
		if in.Lifetime > 0 {
			c.ExpiresAt = now.Add(in.Lifetime)
		}
		out.Credential, out.ClientID = c, c.ID.String()
		tx.Create(&c)
		tx.Audit(who, audit.Entry{Action: "credential.issued", ObjectType: "credential", ObjectID: c.ID, After: facts(c),
			Text: "Issued the client credential " + c.Name + "."})
		return nil
	})
	return out, err
}

// Request is one call of POST /oauth/token.
type Request struct {
	ClientID, Secret string
	Scopes           []actor.Scope // nil: all that the client has
	IP, RequestID    string
}

// ErrScope is the code of a request for more than the client has.
const ErrScope = "invalid_scope"

// Exchange gives a token of 24 hours for a client's id and secret.
// Unauthenticated when they do not fit; Invalid with ErrScope for other scopes.
func (s *Service) Exchange(ctx context.Context, r Request) (Issued, error) {
	c, err := s.client(ctx, r)
	if err != nil {
		return Issued{}, err
	}
	scopes := c.Scopes
	if r.Scopes != nil {
		if scopes = inOrder(r.Scopes); len(scopes) == 0 {
			return Issued{}, fault.New(fault.Invalid, ErrScope, "No known scope was asked for.")
		}
	}
	for _, wanted := range r.Scopes {
		if !slices.Contains(c.Scopes, wanted) {
			return Issued{}, fault.New(fault.Invalid, ErrScope, "This client does not have the scope %q.", wanted)
		}
	}
	lifetime := ExchangedLifetime
	if !c.ExpiresAt.IsZero() {
		lifetime = min(lifetime, c.ExpiresAt.Sub(s.Now()))
	}
	who := actor.Actor{Kind: actor.Credential, ID: c.ID, Name: c.Name, MerchantID: c.MerchantID, Scopes: c.Scopes,
		IP: r.IP, RequestID: r.RequestID}
	if err := s.Store.CredentialUsed(ctx, c.ID, s.Now(), usedEvery); err != nil {
		return Issued{}, err
	}
	return s.issue(ctx, who, Input{Name: c.Name, Scopes: scopes, Lifetime: lifetime}, c.ID)
}

func (s *Service) client(ctx context.Context, r Request) (Credential, error) {
	wrong := refused("Unknown client, or wrong secret.")
	id, err := uuid.Parse(r.ClientID)
	if err != nil {
		return Credential{}, wrong
	}
	secret, err := base64.RawURLEncoding.DecodeString(r.Secret)
	if err != nil {
		return Credential{}, wrong
	}
	c, err := s.Store.CredentialByID(ctx, id)
	switch {
	case fault.Is(err, fault.NotFound):
		return Credential{}, wrong
	case err != nil:
		return Credential{}, err
	}
	hash := sha256.Sum256(secret)
	fits := subtle.ConstantTimeCompare(hash[:], c.SecretHash) == 1
	if !fits || c.Kind != Client || c.State(s.Now()) != Active {
		return Credential{}, wrong
	}
	return c, nil
}
