package credential

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// MaxOverlap is how long an old credential may work beside its successor at most.
const MaxOverlap = 7 * 24 * time.Hour

// Rotated is a successor with its secret, which nobody can read a second time, and
// the credential whose place it takes.
type Rotated struct {
	Credential        // the successor
	Token      string // of a token
	Secret     string // of a client
	Old        Credential
}

// Rotate issues a successor with the same name and scopes, which works at once. The
// old one goes on for the overlap, or to its own end if that comes first; with no
// overlap it stops at once, on every process. Tokens that were exchanged for an old
// client end with it. A token's successor lives as long as the old one was issued
// for. Errors: NotFound; Conflict credential_not_active for one that is revoked,
// expired or replaced already; Invalid at overlap.
func (s *Service) Rotate(ctx context.Context, who actor.Actor, id uuid.UUID, overlap time.Duration) (Rotated, error) {
	old, err := s.Find(ctx, who, id)
	if err != nil {
		return Rotated{}, err
	}
	if overlap < 0 || overlap > MaxOverlap {
		return Rotated{}, fault.At("overlap", "invalid", "An overlap can be at most seven days.")
	}
	if err := old.rotatable(s.Now()); err != nil {
		return Rotated{}, err
	}
	test, err := s.Store.IsTestMerchant(ctx, who.MerchantID)
	if err != nil {
		return Rotated{}, err
	}
	var out Rotated
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		out, err = s.succeed(tx, who, old, overlap, test)
		return err
	})
	return out, err
}

func (c Credential) rotatable(now time.Time) error {
	switch {
	case c.ParentID != uuid.Nil:
		return fault.Missing() // of an exchanged token the client is rotated
	case c.ReplacedBy != uuid.Nil:
		return fault.New(fault.Conflict, "credential_not_active",
			"This credential was already replaced. Rotate the new one.")
	case c.State(now) != Active:
		return fault.New(fault.Conflict, "credential_not_active",
			"This credential is %s. Create a new one.", c.State(now))
	}
	return nil
}

func (s *Service) succeed(tx *database.Tx, who actor.Actor, old Credential, overlap time.Duration,
	test bool) (Rotated, error) {
	now := s.now()
	next := Credential{ID: tx.NewID(), MerchantID: old.MerchantID, Kind: old.Kind, Name: old.Name, Scopes: old.Scopes,
		CreatedBy: personID(who), CreatedAt: now, Replaces: old.ID}
	if !old.ExpiresAt.IsZero() {
		next.ExpiresAt = now.Add(old.ExpiresAt.Sub(old.CreatedAt)).Truncate(time.Second)
	}
	out := Rotated{}
	if old.Kind == Client {
		secret := make([]byte, 32)
		_, _ = rand.Read(secret) // never fails since Go 1.24
		hash := sha256.Sum256(secret)
		next.SecretHash, out.Secret = hash[:], base64.RawURLEncoding.EncodeToString(secret)
	} else {
		var err error
		if out.Token, err = s.sign(next, test); err != nil {
			return out, err
		}
	}
	ends := now.Add(overlap)
	if !old.ExpiresAt.IsZero() && old.ExpiresAt.Before(ends) {
		ends = old.ExpiresAt
	}
	tx.Create(&next)
	done, err := replaceCredential(tx, old.MerchantID, old.ID, next.ID, now, ends)
	if err != nil {
		return out, err
	}
	if !done {
		return out, fault.New(fault.Conflict, "credential_not_active",
			"This credential was revoked or replaced just now.")
	}
	old.ExpiresAt, old.ReplacedBy = ends, next.ID
	out.Credential, out.Old = next, old
	tx.Audit(who, audit.Entry{Action: "credential.issued", ObjectType: "credential", ObjectID: next.ID, After: facts(next),
		Text: "Issued the credential " + next.Name + " in place of another."})
	tx.Audit(who, audit.Entry{Action: "credential.replaced", ObjectType: "credential", ObjectID: old.ID, After: facts(old),
		Text: fmt.Sprintf("The credential %s was replaced and ends on %s SAST.", old.Name,
			ends.In(calendar.SAST).Format("2 Jan 2006, 15:04"))})
	return out, nil
}

// RotateAny rotates a credential of whichever merchant, as RevokeAny revokes one.
func (s *Service) RotateAny(ctx context.Context, id uuid.UUID, overlap time.Duration) (Rotated, error) {
	c, err := s.Store.CredentialByID(ctx, id)
	if err != nil {
		return Rotated{}, err
	}
	return s.Rotate(ctx, actor.OperatorOf(c.MerchantID), id, overlap)
}
