package report

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
)

// late reads the purchases that were due before a moment and are not paid.
func (s Store) late(ctx context.Context, merchantID uuid.UUID, before time.Time) (out []late, err error) {
	err = s.Gorm(ctx).Raw(`SELECT p.client_id, p.due, p.currency, `+StandingColumns+` FROM purchases p `+StandingNotes+`
		WHERE p.merchant_id = ? AND p.status IN ? AND p.due < ? AND p.total_cents > 0 AND p.client_id IS NOT NULL`,
		merchantID, InArrears, before).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("arrears: %w", err)
	}
	return out, nil
}

// nameDebtors fills in the names of clients.
func (s Store) nameDebtors(ctx context.Context, merchantID uuid.UUID, clients []ClientArrears) error {
	ids := make([]uuid.UUID, len(clients))
	for i, c := range clients {
		ids[i] = c.ClientID
	}
	var named []struct {
		ID   uuid.UUID
		Name string
	}
	err := s.Gorm(ctx).Raw(`SELECT c.id, `+client.NameIn("c.")+` AS name FROM clients c
		WHERE c.merchant_id = ? AND c.id = ANY(?::uuid[])`, merchantID, database.IDs(ids)).Find(&named).Error
	if err != nil {
		return fmt.Errorf("names of debtors: %w", err)
	}
	of := make(map[uuid.UUID]string, len(named))
	for _, n := range named {
		of[n.ID] = n.Name
	}
	for i := range clients {
		clients[i].Name = of[clients[i].ClientID]
	}
	return nil
}
