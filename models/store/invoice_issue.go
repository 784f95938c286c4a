package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/billing"
	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/purchase"
)

// TakeSerials implements billing.Tx. The row stays locked until the commit, so that
// a transaction that fails gives its numbers back.
func (t *Tx) TakeSerials(brandID uuid.UUID, kind billing.Kind, year, n int) (s billing.Serials, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `INSERT INTO invoice_series AS s (brand_id, kind, year, next, prefix)
			VALUES ($1, $2, $3, $4 + 1, CASE $2 WHEN 'invoice' THEN (SELECT invoice_prefix FROM brands WHERE id = $1) END)
			ON CONFLICT (brand_id, kind, year) DO UPDATE SET next = s.next + $4 RETURNING next - $4, COALESCE(prefix, '')`,
			brandID, string(kind), year, int64(n)).Scan(&s.First, &s.Prefix)
	})
	if err != nil {
		return s, fmt.Errorf("take serial numbers: %w", err)
	}
	return s, nil
}

// InsertIssued implements billing.Tx.
func (t *Tx) InsertIssued(who actor.Actor, issued []billing.Issued) error {
	purchases, invoices := make([]purchase.Purchase, len(issued)), make([]billing.Invoice, len(issued))
	entries, mails := make([]audit.Entry, len(issued)), []mail.Mail(nil)
	for n, i := range issued {
		purchases[n], invoices[n], entries[n] = versioned(i.Purchase), i.Invoice, t.Signed(who, i.Audit)
		if i.Mail != nil {
			mails = append(mails, database.Queued(*i.Mail))
		}
		t.tellMade(i.Purchase)
	}
	return t.Pgx(func(tx pgx.Tx) error {
		if err := purchaseTable.Copy(t.Context(), tx, t.s.Seal, purchases); err != nil {
			return err
		}
		if err := billing.Table.Copy(t.Context(), tx, t.s.Seal, invoices); err != nil {
			return err
		}
		if err := database.Audits.Copy(t.Context(), tx, t.s.Seal, entries); err != nil {
			return err
		}
		return database.Mails.Copy(t.Context(), tx, t.s.Seal, mails)
	})
}

// DocumentsHeld implements billing.Tx.
func (t *Tx) DocumentsHeld(merchantID, purchaseID uuid.UUID) (billing.Documents, error) {
	found, err := database.All(t.Context(), t.s.DB, billing.Table,
		"merchant_id = $1 AND purchase_id = $2 ORDER BY id FOR NO KEY UPDATE", merchantID, purchaseID)
	return billing.DocumentsBy(found)[purchaseID], err
}

// InsertInvoice implements billing.Tx.
func (t *Tx) InsertInvoice(inv billing.Invoice) { database.Insert(t.Tx, billing.Table, inv) }

// PurchasesOf implements purchase.Lister.
func (s *Store) PurchasesOf(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]purchase.Purchase, error) {
	found, err := database.All(ctx, s.DB, purchaseTable, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
	out := make(map[uuid.UUID]purchase.Purchase, len(found))
	for _, p := range found {
		out[p.ID] = p
	}
	return out, err
}
