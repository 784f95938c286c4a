package credential

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
)

// The command line names a credential by its id alone, whichever merchant has it.

// ListAll gives the credentials of every merchant, newest first.
func (s *Service) ListAll(ctx context.Context) ([]Credential, error) {
	return s.Store.AllCredentials(ctx)
}

// RevokeAny revokes a credential of whichever merchant; NotFound for an unknown id.
func (s *Service) RevokeAny(ctx context.Context, id uuid.UUID) (Credential, error) {
	c, err := s.Store.CredentialByID(ctx, id)
	if err != nil {
		return Credential{}, err
	}
	return s.Revoke(ctx, actor.OperatorOf(c.MerchantID), id)
}
