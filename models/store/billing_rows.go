package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/billing"
	"debitdesk/models/client"
	"debitdesk/models/dryrun"
	"debitdesk/models/mail"
	"debitdesk/models/purchase"
	"debitdesk/models/store/table"
)

// particularsColumn keeps what an invoice says, beside its number and total.
func particularsColumn[T any](of func(*T) *billing.Invoice) table.Column[T] {
	return table.JSON("particulars", func(record *T) *billing.Particulars { return &of(record).Particulars }, false)
}

var (
	invoiceTable   = table.New("invoices", particularsColumn(func(i *billing.Invoice) *billing.Invoice { return i }))
	invoiceEntries = table.View(particularsColumn(func(e *billing.Entry) *billing.Invoice { return &e.Invoice }))
)

// TakeSerials implements billing.Tx. The row stays locked until the commit, so that
// a transaction that fails gives its numbers back.
func (t *Tx) TakeSerials(brandID uuid.UUID, kind billing.Kind, year, n int) (s billing.Serials, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		return tx.QueryRow(t.ctx, `INSERT INTO invoice_series AS s (brand_id, kind, year, next, prefix)
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
		purchases[n], invoices[n], entries[n] = versioned(i.Purchase), i.Invoice, t.signed(who, i.Audit)
		if i.Mail != nil {
			mails = append(mails, queued(*i.Mail))
		}
		t.tellMade(i.Purchase)
	}
	return t.Pgx(func(tx pgx.Tx) error {
		if err := purchaseTable.Copy(t.ctx, tx, t.s.seal, purchases); err != nil {
			return err
		}
		if err := invoiceTable.Copy(t.ctx, tx, t.s.seal, invoices); err != nil {
			return err
		}
		if err := auditTable.Copy(t.ctx, tx, t.s.seal, entries); err != nil {
			return err
		}
		return mailTable.Copy(t.ctx, tx, t.s.seal, mails)
	})
}

// DetailsOf implements billing.Reader.
func (s *Store) DetailsOf(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]client.Details, error) {
	found, err := all(ctx, s, clientTable, "merchant_id = $1 AND deleted_at IS NULL AND erased_at IS NULL AND id = ANY($2)", merchantID, ids)
	out := make(map[uuid.UUID]client.Details, len(found))
	for _, c := range found {
		out[c.ID] = c.Details
	}
	return out, err
}

func idsText(ids []uuid.UUID) textArray {
	texts := make(textArray, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return texts
}

// TakeNumbers implements billing.Reader: a block of a counter that may have gaps.
func (s *Store) TakeNumbers(ctx context.Context, brandID uuid.UUID, name string, n int) (first int64, err error) {
	if dryrun.Is(ctx) {
		return s.lookAtNumber(ctx, brandID, name)
	}
	err = s.Pool.QueryRow(ctx, `INSERT INTO brand_counters AS c (brand_id, name, next) VALUES ($1, $2, $3 + 1)
		ON CONFLICT (brand_id, name) DO UPDATE SET next = c.next + $3 RETURNING next - $3`, brandID, name, int64(n)).Scan(&first)
	if err != nil {
		return 0, fmt.Errorf("take %s numbers: %w", name, err)
	}
	return first, nil
}
