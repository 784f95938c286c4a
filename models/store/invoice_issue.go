package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
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
		if err := invoiceTable.Copy(t.Context(), tx, t.s.Seal, invoices); err != nil {
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
	found, err := database.All(t.Context(), t.s.DB, invoiceTable,
		"merchant_id = $1 AND purchase_id = $2 ORDER BY id FOR NO KEY UPDATE", merchantID, purchaseID)
	return documents(found)[purchaseID], err
}

// InsertInvoice implements billing.Tx.
func (t *Tx) InsertInvoice(inv billing.Invoice) { database.Insert(t.Tx, invoiceTable, inv) }

// Invoice implements billing.Reader.
func (s *Store) Invoice(ctx context.Context, merchantID, id uuid.UUID) (billing.Invoice, error) {
	return database.One(ctx, s.DB, invoiceTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// PurchasesOf implements billing.Reader.
func (s *Store) PurchasesOf(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]purchase.Purchase, error) {
	found, err := database.All(ctx, s.DB, purchaseTable, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
	out := make(map[uuid.UUID]purchase.Purchase, len(found))
	for _, p := range found {
		out[p.ID] = p
	}
	return out, err
}

// DocumentsOf implements billing.Reader.
func (s *Store) DocumentsOf(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs []uuid.UUID) (map[uuid.UUID]billing.Documents, error) {
	found, err := database.All(ctx, s.DB, invoiceTable, "merchant_id = $1 AND purchase_id = ANY($2) ORDER BY id",
		merchantID, purchaseIDs)
	return documents(found), err
}

// documents are those of each purchase, in the order in which they were written.
func documents(found []billing.Invoice) map[uuid.UUID]billing.Documents {
	out := map[uuid.UUID]billing.Documents{}
	for _, inv := range found {
		docs := out[inv.PurchaseID]
		if inv.Kind == billing.Credited {
			docs.Credits = append(docs.Credits, inv)
		} else {
			docs.Invoice = &inv
		}
		out[inv.PurchaseID] = docs
	}
	return out
}

// DebitsOf implements billing.Reader.
func (s *Store) DebitsOf(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs []uuid.UUID) (map[uuid.UUID]billing.Debit, error) {
	var rows []struct {
		PurchaseID            uuid.UUID
		ActionDate, CreatedAt time.Time
		State                 string
		BankCode, AccountMask string
		Deleting              bool
	}
	err := s.Gorm(ctx).Raw(
		`SELECT DISTINCT ON (c.purchase_id) c.purchase_id, c.action_date, c.created_at, c.state, t.bank_code, t.account_mask,
			t.state = 'deleting' AS deleting
		FROM collections c JOIN tokens t ON t.id = c.token_id WHERE c.merchant_id = ? AND c.purchase_id = ANY(?::uuid[])
		ORDER BY c.purchase_id, c.attempt DESC`,
		merchantID, database.IDs(purchaseIDs)).
		Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find debits: %w", err)
	}
	out := make(map[uuid.UUID]billing.Debit, len(rows))
	for _, r := range rows {
		y, m, d := r.ActionDate.Date()
		out[r.PurchaseID] = billing.Debit{On: calendar.On(y, m, d), BankCode: r.BankCode, Mask: r.AccountMask,
			State: collection.State(r.State), PlannedAt: r.CreatedAt.UTC(),
			OnHold: r.Deleting && r.State == string(collection.Scheduled)}
	}
	return out, nil
}
