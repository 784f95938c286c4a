package merchant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
)

// LockBrand reads a brand of the merchant with its profiles and keeps it from other
// changes until the end; NotFound otherwise. It keeps nobody from making purchases
// meanwhile.
func LockBrand(tx *database.Tx, merchantID, brandID uuid.UUID) (Brand, error) {
	brands, err := database.All(tx.Context(), tx.DB(), brandTable,
		"merchant_id = $1 AND id = $2 FOR NO KEY UPDATE", merchantID, brandID)
	if err != nil {
		return Brand{}, err
	}
	profiles, err := database.All(tx.Context(), tx.DB(), profileTable, "merchant_id = $1 AND brand_id = $2"+defaultFirst,
		merchantID, brandID)
	return database.First(withProfiles(brands, profiles), err)
}

// UpdateBrand writes what people say about a brand, and counts its version.
func UpdateBrand(tx *database.Tx, b Brand) {
	database.CompareAndSet(tx, brandUpdate, b, tx.Now())
	changed(tx, b.ID)
}

// deleteBrand fails with Conflict when something hangs on the brand or it is the last.
// The merchant's row keeps two people from deleting the last two brands at once; what
// hangs on a brand keeps it by its foreign key.
func deleteBrand(tx *database.Tx, merchantID, brandID uuid.UUID) error {
	if err := Lock(tx, merchantID); err != nil {
		return err
	}
	var left struct{ Others, Debts int64 }
	err := tx.Gorm().Raw(`SELECT (SELECT count(*) FROM brands WHERE merchant_id = ? AND id <> ?) AS others,
		(SELECT count(*) FROM invoice_series WHERE brand_id = ?) AS debts`, merchantID, brandID, brandID).Take(&left).Error
	switch {
	case err != nil:
		return fmt.Errorf("count brands: %w", err)
	case left.Others == 0:
		return fault.New(fault.Conflict, "brand_is_last", "A business needs one brand at least.")
	case left.Debts > 0:
		return brandInUse()
	}
	for _, statement := range []string{`DELETE FROM brand_counters WHERE brand_id = ?`,
		`DELETE FROM debit_profiles WHERE brand_id = ?`,
		`DELETE FROM message_words WHERE brand_id = ?`, `DELETE FROM notice_settings WHERE brand_id = ?`,
		`DELETE FROM brand_logos WHERE brand_id = ?`,
		`DELETE FROM brands WHERE id = ?`} {
		if err := tx.Gorm().Exec(statement, brandID).Error; err != nil {
			var pg *pgconn.PgError
			if errors.As(err, &pg) && pg.Code == "23503" {
				return brandInUse()
			}
			return fmt.Errorf("delete brand: %w", err)
		}
	}
	changed(tx, brandID)
	return nil
}

func brandInUse() error {
	return fault.New(fault.Conflict, "brand_in_use",
		"This brand was used: its purchases, mandates and invoices name it, and they are kept.")
}

func insertProfile(tx *database.Tx, merchantID, brandID uuid.UUID, p Profile) error {
	database.Write(tx, profileInsert, profileOf{p, brandID}, merchantID, tx.Now())
	changed(tx, brandID)
	switch err := tx.Flush(); {
	case database.Violates(err, "debit_profiles_brand_id_profile_code_abbreviated_name_accou_key"):
		return fault.At("profile_code", "unique", "This brand has that profile already.")
	case err != nil:
		return fmt.Errorf("add profile: %w", err)
	}
	return nil
}

// OwnerOf finds whose clearing account that is; NotFound when it is nobody's. An account has one owner: where two
// businesses typed it in before that was asked, it is who did so first.
func OwnerOf(tx *database.Tx, account bank.AccountNumber) (id uuid.UUID, err error) {
	key := account.Key()
	if key == "" {
		return uuid.Nil, fault.Missing()
	}
	var first struct{ MerchantID uuid.UUID }
	err = tx.Gorm().Table("debit_profiles").Scopes(database.AcrossMerchants).Select("merchant_id").
		Where("ltrim(account_number, '0') = ?", key).Order("created_at, id").Take(&first).Error
	return first.MerchantID, err
}

// claim keeps two businesses from registering one clearing account.
func claim(tx *database.Tx, merchantID uuid.UUID, account bank.AccountNumber) error {
	if err := tx.Gorm().Exec(`SELECT pg_advisory_xact_lock(hashtextextended('clearing account ' || ?, 0))`,
		account.Key()).Error; err != nil {
		return fmt.Errorf("claim an account: %w", err)
	}
	owner, err := OwnerOf(tx, account)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && owner == merchantID:
		return nil
	case err != nil:
		return err
	}
	return fault.At("account_number", "taken", "Another business here is paid into this account. Movements on an account "+
		"belong to one business: check the number, or ask the operator of this installation.")
}

func setDefaultProfile(tx *database.Tx, merchantID, brandID, profileID uuid.UUID) {
	tx.Exec(`UPDATE debit_profiles SET is_default = (id = ?) WHERE merchant_id = ? AND brand_id = ?`,
		profileID, merchantID, brandID)
	changed(tx, brandID)
}

func deleteProfile(tx *database.Tx, merchantID, brandID, profileID uuid.UUID) {
	tx.Exec(`DELETE FROM debit_profiles WHERE merchant_id = ? AND brand_id = ? AND id = ?`, merchantID,
		brandID, profileID)
	changed(tx, brandID)
}

// BrandUse tells what hangs on a brand.
func (s Store) BrandUse(ctx context.Context, merchantID, brandID uuid.UUID) (u Use, err error) {
	first := func(table, by string) string { // the first that an index leads to
		return "(SELECT true FROM " + table + " WHERE merchant_id = $1 AND brand_id = $2 ORDER BY " + by +
			" LIMIT 1) IS NOT NULL, "
	}
	bound := strings.NewReplacer("merchant_id = $1", database.BoundTo("merchant_id", "$1"))
	// Every purchase takes a number of its brand's counter: where none was taken, none is looked for.
	err = s.Pool.QueryRow(
		ctx,
		"SELECT EXISTS (SELECT FROM brand_counters WHERE brand_id = $2 AND name = 'purchase') AND "+
			bound.Replace(first("purchases", "merchant_id DESC, id DESC"))+
			strings.Replace(first("mandates", "brand_id"), "brand_id = $2", database.BoundTo("brand_id", "$2"), 1)+
			bound.Replace(first("batches", "merchant_id")+first("billing_templates", "merchant_id"))+
			`EXISTS (SELECT FROM invoice_series WHERE brand_id = $2)`,
		merchantID,
		brandID,
	).Scan(&u.Purchases, &u.Mandates,
		&u.Batches, &u.Templates, &u.Invoices)
	if err != nil {
		return u, fmt.Errorf("find what uses a brand: %w", err)
	}
	return u, nil
}

// MostUses is where the live mandates of a profile are no longer counted.
const MostUses = 1_000

// ProfileUse counts the live mandates that were given for a profile, up to one more than
// MostUses. A mandate keeps its own copy of the profile.
func (s Store) ProfileUse(ctx context.Context, merchantID, brandID uuid.UUID,
	p Profile) (n int64, err error) {
	err = s.Gorm(ctx).Raw(`SELECT count(*) FROM (SELECT FROM mandates m CROSS JOIN LATERAL
			(SELECT FROM tokens t WHERE t.id = m.id AND t.state NOT IN ('deleted', 'superseded') OFFSET 0) AS live
		WHERE m.merchant_id = ? AND `+database.Bound("m.brand_id")+` AND m.profile_code = ? AND m.abbreviated_name = ?
		AND m.clearing_account = ?
		ORDER BY m.brand_id LIMIT ?) AS uses`, merchantID, brandID, p.ProfileCode, p.AbbreviatedName, p.AccountNumber,
		MostUses+1).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count mandates of a profile: %w", err)
	}
	return n, nil
}

// NextInvoice is the prefix of the brand's series of a year and its next number; a
// series that has not begun would take the brand's prefix.
func (s Store) NextInvoice(ctx context.Context, b Brand, year int) (prefix string, serial int64, err error) {
	var series struct {
		Prefix string
		Next   int64
	}
	err = s.Gorm(ctx).Raw(`SELECT coalesce(prefix, ?) AS prefix, next FROM invoice_series
		WHERE brand_id = ? AND kind = 'invoice' AND year = ?`, DefaultInvoicePrefix, b.ID, year).Take(&series).Error
	switch {
	case fault.Is(err, fault.NotFound):
		return b.InvoicePrefix, 1, nil
	case err != nil:
		return "", 0, fmt.Errorf("find the next invoice number: %w", err)
	}
	return series.Prefix, series.Next, nil
}

// FromSnapshot reads a brand with its profiles as an event kept them.
func FromSnapshot(box *seal.Box, brand []byte, profiles []json.RawMessage) (Brand, error) {
	b, err := brandTable.FromJSON(box, brand)
	if err != nil {
		return b, err
	}
	for _, raw := range profiles {
		p, err := profileTable.FromJSON(box, raw)
		if err != nil {
			return b, err
		}
		b.Profiles = append(b.Profiles, p.Profile)
	}
	return b, nil
}
