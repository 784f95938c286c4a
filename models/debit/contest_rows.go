package debit

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
)

// contest is a dispute whose proof is recorded and has yet to be sent.
type contest struct {
	Collection collection.Collection
	Mandate    mandate.Mandate
	Evidence   *mandate.Evidence // the newest file, opened; nil when the recorded consent is all there is
}

func (s Store) mandates() mandate.Store { return mandate.Store{DB: s.DB} }

// recallable: a recall waits until no hand-over of the collection is under way.
const recallable = `recall_due AND (claimed_until IS NULL OR claimed_until < now())`

// recallsDue lists collections whose recall the bank has yet to hear of.
func (s Store) recallsDue(ctx context.Context, limit int) (due []collection.Collection, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Where(recallable).Order("id").Limit(limit).Find(&due).Error
	return due, err
}

// contestable: what the client agreed to on our page or confirmed at the bank is a
// record; a permission that the merchant vouched for needs a document.
const contestable = `c.proof_due AND (m.consent_channel = 'pay_page' OR m.bank_reference <> ''
	OR EXISTS (SELECT FROM mandate_evidence e WHERE e.mandate_id = m.id))`

// contestsDue lists disputes that can be answered with a recorded mandate.
func (s Store) contestsDue(ctx context.Context, limit int) ([]contest, error) {
	var due []collection.Collection
	err := s.Gorm(ctx).Raw(
		`SELECT c.* FROM collections c JOIN mandates m ON m.id = c.mandate_id WHERE `+
			contestable+` ORDER BY c.id LIMIT ?`, limit).Find(&due).Error
	if err != nil {
		return nil, fmt.Errorf("find contests: %w", err)
	}
	out := make([]contest, len(due))
	for i, c := range due {
		out[i].Collection = c
		if out[i].Mandate, err = s.mandates().Mandate(ctx, c.MerchantID, c.MandateID); err != nil {
			return nil, err
		}
		if out[i].Evidence, err = s.newestEvidence(ctx, c.MerchantID, c.MandateID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s Store) newestEvidence(ctx context.Context, merchantID, mandateID uuid.UUID) (*mandate.Evidence, error) {
	files, err := s.mandates().EvidenceOf(ctx, merchantID, mandateID)
	for _, f := range slices.Backward(files) {
		e, err := s.mandates().Evidence(ctx, merchantID, f.ID)
		if err != nil {
			return nil, err
		}
		if !e.Any() { // one that is damaged proves nothing
			return &e, nil
		}
	}
	return nil, err
}
