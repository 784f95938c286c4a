package report

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
)

// inArrears is the condition of the index purchases_in_arrears, word for word, so that its rows alone are read: a
// purchase is large, and a merchant has hundreds of thousands that were paid.
func inArrears() string {
	return `p.status IN ('` + strings.Join(purchase.StatusNames(InArrears), "', '") + `') AND p.total_cents > 0
		AND p.client_id IS NOT NULL`
}

// eachLate reads the purchases that were due before a moment and are not paid. Credit notes are few, and are looked
// at together; what has one was invoiced.
func (s Store) eachLate(ctx context.Context, merchantID uuid.UUID, before time.Time, each func(late)) error {
	var l late
	fields := []any{(*[16]byte)(&l.ClientID), &l.Due, &l.Currency, &l.Status, &l.TotalCents, &l.ReceivedCents,
		&l.RefundedCents, &l.AllowedCents, &l.NotesCents, &l.Invoiced}
	err := s.Each(ctx, fields, func() error { each(l); return nil }, lateQuery(), merchantID, merchantID, before)
	if err != nil {
		return fmt.Errorf("arrears: %w", err)
	}
	return nil
}

func lateQuery() string {
	return `SELECT p.client_id, p.due, p.currency, ` + StandingColumns + ` FROM purchases p
		LEFT JOIN (SELECT i.purchase_id, sum(i.total_cents) AS credited, true AS invoiced FROM invoices i
			WHERE i.merchant_id = ? AND i.kind = 'credit_note' GROUP BY 1) AS d ON d.purchase_id = p.id
		WHERE p.merchant_id = ? AND p.due < ? AND ` + inArrears()
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
