package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/paging"
)

// Timeline implements audit.Reader.
func (s *Store) Timeline(ctx context.Context, merchantID uuid.UUID, of audit.Subject, ask paging.Ask) (paging.Page[audit.Entry], error) {
	about, id := "purchase_id", of.PurchaseID
	if id == uuid.Nil {
		about, id = "client_id", of.ClientID
	}
	entries, err := find(ctx, s, auditTable, beside(list(ctx, s, auditTable).Where("merchant_id = ? AND "+about+" = ?", merchantID, id), ask))
	if err != nil {
		return paging.Page[audit.Entry]{}, fmt.Errorf("time line: %w", err)
	}
	return paging.Cut(ask, entries), nil
}
