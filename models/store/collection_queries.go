package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/collection"
)

// LatestCollections gives the newest collection of each purchase that has one.
func (s *Store) LatestCollections(ctx context.Context, merchantID uuid.UUID, purchaseIDs ...uuid.UUID) (map[uuid.UUID]collection.Collection, error) {
	if len(purchaseIDs) == 0 {
		return map[uuid.UUID]collection.Collection{}, nil
	}
	var rows []struct {
		Collection collectionRow `gorm:"embedded"`
		Held       bool
	}
	err := s.read(ctx).Raw(`SELECT DISTINCT ON (purchase_id) *, EXISTS (SELECT FROM tokens t WHERE t.id = token_id AND t.state = 'deleting') AS held
		FROM collections WHERE merchant_id = ? AND purchase_id IN ? ORDER BY purchase_id, attempt DESC`, merchantID, purchaseIDs).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find collections: %w", err)
	}
	latest := make(map[uuid.UUID]collection.Collection, len(rows))
	for _, r := range rows {
		c := r.Collection.domain()
		c.Held = r.Held
		latest[c.PurchaseID] = c
	}
	return latest, nil
}

// CollectionsUnder gives the newest debits under a mandate, the newest first.
func (s *Store) CollectionsUnder(ctx context.Context, merchantID, mandateID uuid.UUID, limit int) ([]collection.Collection, error) {
	var rows []collectionRow
	err := s.read(ctx).Order("id DESC").Limit(limit).Find(&rows, "merchant_id = ? AND mandate_id = ?", merchantID, mandateID).Error
	if err != nil {
		return nil, fmt.Errorf("list collections of a mandate: %w", err)
	}
	out := make([]collection.Collection, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out, nil
}
