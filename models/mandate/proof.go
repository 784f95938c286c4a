package mandate

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
)

// Reader finds mandates and what proves them.
type Reader interface {
	// Mandate finds one; NotFound for unknown ids and those of others.
	Mandate(ctx context.Context, merchantID, id uuid.UUID) (Mandate, error)
	// EvidenceOf lists the files that prove a mandate, without their content.
	EvidenceOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]Evidence, error)
	// Evidence opens one file.
	Evidence(ctx context.Context, merchantID, id uuid.UUID) (Evidence, error)
}

// Service holds what people read about mandates.
type Service struct {
	Read Reader
}

// Proof gives a mandate with the list of its files.
func (s *Service) Proof(ctx context.Context, who actor.Actor, id uuid.UUID) (Mandate, []Evidence, error) {
	if err := who.May(actor.Read); err != nil {
		return Mandate{}, nil, err
	}
	m, err := s.Read.Mandate(ctx, who.MerchantID, id)
	if err != nil {
		return m, nil, err
	}
	files, err := s.Read.EvidenceOf(ctx, who.MerchantID, id)
	return m, files, err
}

// File opens one file that proves a mandate.
func (s *Service) File(ctx context.Context, who actor.Actor, id uuid.UUID) (Evidence, error) {
	if err := who.May(actor.Read); err != nil {
		return Evidence{}, err
	}
	return s.Read.Evidence(ctx, who.MerchantID, id)
}
