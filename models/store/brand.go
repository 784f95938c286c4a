package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"debitdesk/models/billing"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

// LockBrand implements merchant.Tx. It keeps nobody from making purchases meanwhile.
func (t *Tx) LockBrand(merchantID, brandID uuid.UUID) (merchant.Brand, error) {
	brands, err := all(t.Context(), t.s, brandTable, "merchant_id = $1 AND id = $2 FOR NO KEY UPDATE", merchantID, brandID)
	if err == nil {
		err = t.s.withProfiles(t.Context(), brands, "merchant_id = $1 AND brand_id = $2", merchantID, brandID)
	}
	return first(brands, err)
}

// UpdateBrand implements merchant.Tx.
func (t *Tx) UpdateBrand(b merchant.Brand) {
	move(t, updateBrand, b, t.now)
	t.s.kept.drop(b.ID)
}

// DeleteBrand implements merchant.Tx. The merchant's row keeps two people from
// deleting the last two brands at once; what hangs on a brand keeps it by its
// foreign key.
func (t *Tx) DeleteBrand(merchantID, brandID uuid.UUID) error {
	if _, err := t.exec(`SELECT 1 FROM merchants WHERE id = $1 FOR NO KEY UPDATE`, merchantID); err != nil {
		return fmt.Errorf("lock merchant: %w", err)
	}
	var others, debts int64
	err := t.Pgx(func(tx pgx.Tx) error {
		return tx.QueryRow(t.ctx,
			`SELECT (SELECT count(*) FROM brands WHERE merchant_id = $1 AND id <> $2), (SELECT count(*) FROM invoice_series WHERE brand_id = $2)`,
			merchantID, brandID).Scan(&others, &debts)
	})
	switch {
	case err != nil:
		return fmt.Errorf("count brands: %w", err)
	case others == 0:
		return fault.New(fault.Conflict, "brand_is_last", "A business needs one brand at least.")
	case debts > 0:
		return brandInUse()
	}
	for _, statement := range []string{`DELETE FROM brand_counters WHERE brand_id = $1`,
		`DELETE FROM debit_profiles WHERE brand_id = $1`, `DELETE FROM brands WHERE id = $1`} {
		if _, err := t.exec(statement, brandID); err != nil {
			var pg *pgconn.PgError
			if errors.As(err, &pg) && pg.Code == "23503" {
				return brandInUse()
			}
			return fmt.Errorf("delete brand: %w", err)
		}
	}
	t.s.kept.drop(brandID)
	return nil
}

func brandInUse() error {
	return fault.New(fault.Conflict, "brand_in_use",
		"This brand was used: its purchases, mandates and invoices name it, and they are kept.")
}

// InsertProfile implements merchant.Tx.
func (t *Tx) InsertProfile(merchantID, brandID uuid.UUID, p merchant.Profile) error {
	write(t, insertProfile, profileOf{p, brandID}, merchantID, t.now)
	t.s.kept.drop(brandID)
	switch err := t.flush(); {
	case violates(err, "debit_profiles_brand_id_profile_code_abbreviated_name_accou_key"):
		return fault.At("profile_code", "unique", "This brand has that profile already.")
	case err != nil:
		return fmt.Errorf("add profile: %w", err)
	}
	return nil
}

// SetDefaultProfile implements merchant.Tx.
func (t *Tx) SetDefaultProfile(merchantID, brandID, profileID uuid.UUID) {
	t.later(`UPDATE debit_profiles SET is_default = (id = $3) WHERE merchant_id = $1 AND brand_id = $2`, merchantID,
		brandID, profileID)
	t.s.kept.drop(brandID)
}

// DeleteProfile implements merchant.Tx.
func (t *Tx) DeleteProfile(merchantID, brandID, profileID uuid.UUID) {
	t.later(`DELETE FROM debit_profiles WHERE merchant_id = $1 AND brand_id = $2 AND id = $3`, merchantID, brandID,
		profileID)
	t.s.kept.drop(brandID)
}

// BrandUse implements merchant.Reader.
func (s *Store) BrandUse(ctx context.Context, merchantID, brandID uuid.UUID) (u merchant.Use, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT EXISTS (SELECT FROM purchases WHERE merchant_id = $1 AND brand_id = $2), EXISTS (SELECT FROM mandates WHERE merchant_id = $1 AND brand_id = $2),
		EXISTS (SELECT FROM batches WHERE merchant_id = $1 AND brand_id = $2), EXISTS (SELECT FROM billing_templates WHERE merchant_id = $1 AND brand_id = $2),
		EXISTS (SELECT FROM invoice_series WHERE brand_id = $2)`, merchantID, brandID).Scan(&u.Purchases, &u.Mandates,
		&u.Batches, &u.Templates, &u.Invoices)
	if err != nil {
		return u, fmt.Errorf("find what uses a brand: %w", err)
	}
	return u, nil
}

// ProfileUse implements merchant.Reader. A mandate keeps its own copy of the profile.
func (s *Store) ProfileUse(ctx context.Context, merchantID, brandID uuid.UUID,
	p merchant.Profile) (n int64, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM mandates m JOIN tokens t ON t.mandate_id = m.id
		WHERE m.merchant_id = $1 AND m.brand_id = $2 AND m.profile_code = $3 AND m.abbreviated_name = $4 AND m.clearing_account = $5
		AND t.state NOT IN ('deleted', 'superseded')`, merchantID, brandID, p.ProfileCode, p.AbbreviatedName,
		p.AccountNumber).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count mandates of a profile: %w", err)
	}
	return n, nil
}

// NextInvoice implements merchant.Reader.
func (s *Store) NextInvoice(ctx context.Context, b merchant.Brand, year int) (prefix string, serial int64, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT COALESCE(prefix, $4), next FROM invoice_series WHERE brand_id = $1 AND kind = $2 AND year = $3`,
		b.ID, string(billing.Invoiced), year, merchant.DefaultInvoicePrefix).Scan(&prefix, &serial)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return b.InvoicePrefix, 1, nil
	case err != nil:
		return "", 0, fmt.Errorf("find the next invoice number: %w", err)
	}
	return prefix, serial, nil
}
