package credential

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// usedEvery is how exactly the last use is known.
const usedEvery = time.Minute

type claims struct {
	Scopes []actor.Scope `json:"scopes"`
	Test   bool          `json:"test"`
	jwt.RegisteredClaims
}

func (s *Service) sign(c Credential, test bool) (string, error) {
	if len(s.Keys) == 0 {
		return "", errors.New("sign token: there is no signing key")
	}
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{
		Scopes: c.Scopes, Test: test,
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: s.Issuer, Subject: c.MerchantID.String(), ID: c.ID.String(),
			IssuedAt: jwt.NewNumericDate(c.CreatedAt), ExpiresAt: jwt.NewNumericDate(c.ExpiresAt),
		},
	})
	t.Header["kid"] = s.Keys[0].ID
	signed, err := t.SignedString(s.Keys[0].Private)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return signed, nil
}

// Verify tells who calls with this token. The credential is looked up on every
// call, so that a revoked one stops at once. Any refusal is Unauthenticated.
func (s *Service) Verify(ctx context.Context, token string) (actor.Actor, error) {
	given, err := s.parse(token)
	if err != nil {
		return actor.Actor{}, err
	}
	id, err := uuid.Parse(given.ID)
	if err != nil {
		return actor.Actor{}, refused("Incorrect bearer credential")
	}
	c, err := s.Store.CredentialByID(ctx, id)
	switch {
	case fault.Is(err, fault.NotFound):
		return actor.Actor{}, refused("Incorrect bearer credential")
	case err != nil:
		return actor.Actor{}, err
	case c.Kind != Token || c.MerchantID.String() != given.Subject:
		return actor.Actor{}, refused("Incorrect bearer credential")
	}
	now := s.Now()
	switch c.State(now) {
	case Revoked:
		return actor.Actor{}, refused("This bearer credential was revoked")
	case Expired:
		return actor.Actor{}, refused("This bearer credential has expired")
	case Active:
	}
	if since := now.Sub(c.LastUsedAt); since >= usedEvery || since < 0 {
		if err := s.Store.CredentialUsed(ctx, c.ID, now, usedEvery); err != nil {
			return actor.Actor{}, err
		}
	}
	return actor.Actor{Kind: actor.Credential, ID: c.ID, Name: c.Name, MerchantID: c.MerchantID, Scopes: c.Scopes}, nil
}

// parse checks signature, algorithm and the times a token states about itself.
func (s *Service) parse(token string) (claims, error) {
	if known, ok := s.seen.of(token); ok && known.ExpiresAt.After(s.Now()) && s.holds(known.key) {
		return known.claims, nil
	}
	var signer string
	var given claims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithExpirationRequired(),
		jwt.WithIssuer(s.Issuer), jwt.WithTimeFunc(s.Now))
	_, err := parser.ParseWithClaims(token, &given, func(t *jwt.Token) (any, error) {
		for _, k := range s.Keys {
			if t.Header["kid"] == k.ID {
				signer = k.ID
				return k.Private.Public(), nil
			}
		}
		return nil, errors.New("unknown kid")
	})
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return claims{}, refused("This bearer credential has expired")
	case err != nil:
		return claims{}, refused("Incorrect bearer credential")
	}
	s.seen.keep(token, checked{given, signer})
	return given, nil
}

func (s *Service) holds(key string) bool {
	return slices.ContainsFunc(s.Keys, func(k Key) bool { return k.ID == key })
}
