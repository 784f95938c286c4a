package credential

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Service issues, checks and revokes credentials.
type Service struct {
	seen   seen
	Store  Store
	Keys   []Key            // newest first
	Now    func() time.Time // real time: no clock of the sandbox ends or prolongs a credential
	Issuer string           // claim iss
}

// Issued is a new token; nobody can read it a second time.
type Issued struct {
	Credential
	Token string
}

// Issue makes a token with the chosen scopes and lifetime.
func (s *Service) Issue(ctx context.Context, who actor.Actor, in Input) (Issued, error) {
	if err := who.May(actor.Manage); err != nil {
		return Issued{}, err
	}
	in, err := in.checked()
	if err != nil {
		return Issued{}, err
	}
	if in.Lifetime == 0 {
		in.Lifetime = DefaultLifetime
	}
	return s.issue(ctx, who, in, uuid.Nil)
}

// List gives the credentials of the merchant, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor) ([]Credential, error) {
	if err := who.May(actor.Manage); err != nil {
		return nil, err
	}
	return s.Store.Credentials(ctx, who.MerchantID)
}

// Find gives one credential of the merchant.
func (s *Service) Find(ctx context.Context, who actor.Actor, id uuid.UUID) (Credential, error) {
	if err := who.May(actor.Manage); err != nil {
		return Credential{}, err
	}
	return s.Store.Credential(ctx, who.MerchantID, id)
}

// Revoke ends a credential, and every token exchanged from it, at once and on
// every process. Revoking again changes nothing.
func (s *Service) Revoke(ctx context.Context, who actor.Actor, id uuid.UUID) (Credential, error) {
	c, err := s.Find(ctx, who, id)
	if err != nil {
		return Credential{}, err
	}
	now := s.now()
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		done, err := revokeCredential(tx, who.MerchantID, id, now)
		if err != nil || !done {
			return err
		}
		c.RevokedAt = now
		tx.Audit(who, audit.Entry{Action: "credential.revoked", ObjectType: "credential", ObjectID: id,
			Text: "Revoked the credential " + c.Name + "."})
		return nil
	})
	return c, err
}

func (s *Service) issue(ctx context.Context, who actor.Actor, in Input, parent uuid.UUID) (Issued, error) {
	test, err := s.Store.IsTestMerchant(ctx, who.MerchantID)
	if err != nil {
		return Issued{}, err
	}
	var out Issued
	now := s.now()
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		c := Credential{ID: tx.NewID(), MerchantID: who.MerchantID, Kind: Token, ParentID: parent, Name: in.Name,
			Scopes: in.Scopes, CreatedBy: personID(who), CreatedAt: now, ExpiresAt: now.Add(in.Lifetime).Truncate(time.Second)}
		out.Credential = c
		if out.Token, err = s.sign(c, test); err != nil {
			return err
		}
		tx.Create(&c)
		entry := audit.Entry{Action: "credential.issued", ObjectType: "credential", ObjectID: c.ID, After: facts(c),
			Text: "Issued the credential " + c.Name + "."}
		if parent != uuid.Nil {
			entry.Action, entry.Text = "credential.exchanged", "Exchanged the client credential "+c.Name+" for a token."
		}
		tx.Audit(who, entry)
		return nil
	})
	return out, err
}

// now is the moment as it is stored.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func personID(who actor.Actor) uuid.UUID {
	if who.Kind == actor.User {
		return who.ID
	}
	return uuid.Nil
}

func facts(c Credential) map[string]any {
	f := map[string]any{"name": c.Name, "kind": string(c.Kind), "scopes": Spaced(c.Scopes, " ")}
	if !c.ExpiresAt.IsZero() {
		f["expires"] = c.ExpiresAt.Format(time.RFC3339)
	}
	return f
}

func refused(sentence string) error {
	return fault.New(fault.Unauthenticated, "authentication_failed", "%s", sentence)
}
