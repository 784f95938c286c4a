package mandate

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// Sheet is a mandate with all that hangs on it.
type Sheet struct {
	Mandate
	Authentications []Authentication // newest first
	Evidence        []Evidence       // without their content
	Verifications   []Verification   // newest first
	Replaced        []Replaced       // permissions of before whose debit failed, newest first
}

// Asked is the newest authentication; false when the client was never asked.
func (s Sheet) Asked() (Authentication, bool) {
	if len(s.Authentications) == 0 {
		return Authentication{}, false
	}
	return s.Authentications[0], true
}

// Service holds what people read about mandates.
type Service struct {
	Store Store
}

// Proof gives a mandate with the list of its files.
func (s *Service) Proof(ctx context.Context, who actor.Actor, id uuid.UUID) (Mandate, []Evidence, error) {
	if err := who.May(actor.Read); err != nil {
		return Mandate{}, nil, err
	}
	m, err := s.Store.Mandate(ctx, who.MerchantID, id)
	if err != nil {
		return m, nil, err
	}
	files, err := s.Store.EvidenceOf(ctx, who.MerchantID, id)
	return m, files, err
}

// Show gives a mandate with all that hangs on it.
func (s *Service) Show(ctx context.Context, who actor.Actor, id uuid.UUID) (Sheet, error) {
	m, files, err := s.Proof(ctx, who, id)
	if err != nil {
		return Sheet{}, err
	}
	out := Sheet{Mandate: m, Evidence: files}
	if err := s.Store.markBlocked(ctx, who.MerchantID, &out.Mandate); err != nil {
		return out, err
	}
	if out.Authentications, err = s.Store.AuthenticationsOf(ctx, who.MerchantID, id); err != nil {
		return out, err
	}
	if out.Replaced, err = s.Store.ReplacedBy(ctx, who.MerchantID, id); err != nil {
		return out, err
	}
	out.Verifications, err = s.Store.VerificationsOf(ctx, who.MerchantID, id)
	return out, err
}

// File opens one file that proves a mandate.
func (s *Service) File(ctx context.Context, who actor.Actor, id uuid.UUID) (Evidence, error) {
	if err := who.May(actor.Read); err != nil {
		return Evidence{}, err
	}
	e, err := s.Store.Evidence(ctx, who.MerchantID, id)
	if err == nil && e.Any() {
		err = fault.New(fault.Conflict, "file_unreadable", "This file cannot be read: what is stored of it was damaged. "+
			"Add the document to the mandate again.")
	}
	return e, err
}
