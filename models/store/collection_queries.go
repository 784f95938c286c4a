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
	var rows []collectionRow
	err := s.read(ctx).Raw(`SELECT DISTINCT ON (purchase_id) * FROM collections WHERE merchant_id = ? AND purchase_id IN ?
		ORDER BY purchase_id, attempt DESC`, merchantID, purchaseIDs).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find collections: %w", err)
	}
	latest := make(map[uuid.UUID]collection.Collection, len(rows))
	for _, r := range rows {
		latest[r.PurchaseID] = r.domain()
	}
	return latest, nil
}
