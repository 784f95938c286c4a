package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/dryrun"
)

type invoiceRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	MerchantID uuid.UUID
	BrandID    uuid.UUID
	ClientID   *uuid.UUID
	PurchaseID uuid.UUID
	Kind       string
	Year       int
	Serial     int64
	Number     string
	Issued     calendar.Date
	Currency   string
	TotalCents int64
	VATCents   *int64 `gorm:"column:vat_cents"`
	VATNumber  string `gorm:"column:vat_number"`

	Particulars string
	CreatedAt   time.Time
}

func (invoiceRow) TableName() string { return "invoices" }

func (r invoiceRow) domain() (billing.Invoice, error) {
	i := billing.Invoice{ID: r.ID, MerchantID: r.MerchantID, BrandID: r.BrandID, ClientID: orZero(r.ClientID), PurchaseID: r.PurchaseID,
		Kind: billing.Kind(r.Kind), Year: r.Year, Serial: r.Serial, Number: r.Number, Issued: r.Issued, Currency: r.Currency, TotalCents: r.TotalCents,
		VATCents: r.VATCents, VATNumber: r.VATNumber, CreatedAt: r.CreatedAt.UTC()}
	if err := json.Unmarshal([]byte(r.Particulars), &i.Particulars); err != nil {
		return i, fmt.Errorf("read invoice %s: %w", r.Number, err)
	}
	return i, nil
}

func invoiceRowOf(i billing.Invoice) *invoiceRow {
	particulars, _ := json.Marshal(i.Particulars) // texts alone
	return &invoiceRow{ID: i.ID, MerchantID: i.MerchantID, BrandID: i.BrandID, ClientID: orNull(i.ClientID), PurchaseID: i.PurchaseID, Kind: string(i.Kind),
		Year: i.Year, Serial: i.Serial, Number: i.Number, Issued: i.Issued, Currency: i.Currency, TotalCents: i.TotalCents,
		VATCents: i.VATCents, VATNumber: i.VATNumber, Particulars: string(particulars), CreatedAt: Instant(i.CreatedAt)}
}

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
	var mails []mailRow
	for _, i := range issued {
		if i.Mail != nil {
			mails = append(mails, t.s.mailRowOf(*i.Mail))
		}
		t.tellMade(i.Purchase)
	}
	return t.Pgx(func(tx pgx.Tx) error {
		n := len(issued)
		if err := copyRows(t.ctx, t, tx, n, func(i int) (*purchaseRow, error) { return t.s.purchaseRowOf(issued[i].Purchase) }); err != nil {
			return err
		}
		if err := copyRows(t.ctx, t, tx, n, func(i int) (*invoiceRow, error) { return invoiceRowOf(issued[i].Invoice), nil }); err != nil {
			return err
		}
		if err := copyRows(t.ctx, t, tx, n, func(i int) (*auditRow, error) { return t.auditRowOf(who, issued[i].Audit), nil }); err != nil {
			return err
		}
		return copyRows(t.ctx, t, tx, len(mails), func(i int) (*mailRow, error) { return &mails[i], nil })
	})
}

// DetailsOf implements billing.Reader.
func (s *Store) DetailsOf(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]client.Details, error) {
	var rows []clientRow
	if err := s.read(ctx).Raw(`SELECT * FROM clients WHERE merchant_id = ? AND deleted_at IS NULL AND erased_at IS NULL AND id = ANY(?::uuid[])`, merchantID, idsText(ids)).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("find clients: %w", err)
	}
	out := make(map[uuid.UUID]client.Details, len(rows))
	for _, r := range rows {
		c, err := s.clientOf(r)
		if err != nil {
			return nil, err
		}
		out[c.ID] = c.Details
	}
	return out, nil
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
