package merchant

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// MaxBrands is how many brands a business can have.
const MaxBrands = 50

// Use is what hangs on a brand.
type Use struct{ Purchases, Mandates, Batches, Templates, Invoices bool }

// Any tells whether anything does.
func (u Use) Any() bool { return u != Use{} }

// AddBrand makes another name that the business trades as.
func (s *Service) AddBrand(ctx context.Context, who actor.Actor, in BrandInput) (b Brand, err error) {
	if err := who.May(actor.Manage); err != nil {
		return b, err
	}
	if in, err = in.checked(); err != nil {
		return b, err
	}
	m, err := s.Store.Merchant(ctx, who.MerchantID)
	if err != nil {
		return b, err
	}
	all, err := s.Store.Brands(ctx, who.MerchantID)
	if err != nil {
		return b, err
	}
	if len(all) >= MaxBrands {
		return b, fault.New(fault.Conflict, "too_many_brands", "A business can have at most %d brands.", MaxBrands)
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		b = Brand{}
		if err := ownPrefix(tx, m.ID, b.ID, in.ReferencePrefix); err != nil {
			return err
		}
		b.BrandInput = in
		b = b.withDefaults(m)
		b.ID, b.Version = tx.NewID(), 1
		InsertBrand(tx, b)
		if err := takeLogo(tx, b); err != nil {
			return err
		}
		_, is := BrandInput{}.changed(in)
		tx.Audit(who, audit.Entry{Action: "brand.added", ObjectType: "brand", ObjectID: b.ID, Text: "Brand " + b.Name +
			" was added.", After: is})
		return nil
	})
	return b, err
}

// ChangeBrand changes what is said about a brand. version is what the caller saw:
// when somebody else changed the brand meanwhile, nothing is written, and the brand
// as it is comes back with a Conflict of code "brand_changed". A change that
// changes nothing is no change. What was issued and agreed before stays as it is.
func (s *Service) ChangeBrand(ctx context.Context, who actor.Actor, id uuid.UUID, version int,
	in BrandInput) (b Brand, err error) {
	if err := who.May(actor.Manage); err != nil {
		return b, err
	}
	in, wrong := in.checked()
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if b, err = LockBrand(tx, who.MerchantID, id); err != nil {
			return err
		}
		if wrong != nil {
			return wrong
		}
		if b.Version != version {
			return fault.New(fault.Conflict, "brand_changed",
				"This brand was changed by another person while your form was open. Your changes are not saved yet.")
		}
		was, is := b.BrandInput.changed(in)
		if len(is) == 0 {
			return nil
		}
		if is["reference_prefix"] != nil {
			if err := ownPrefix(tx, who.MerchantID, b.ID, in.ReferencePrefix); err != nil {
				return err
			}
		}
		b.BrandInput = in
		if is["logo"] != nil {
			if err := takeLogo(tx, b); err != nil {
				return err
			}
		}
		b.Version++
		UpdateBrand(tx, b)
		tx.Audit(who, audit.Entry{Action: "brand.changed", ObjectType: "brand", ObjectID: b.ID,
			Text: "Brand " + b.Name + " was changed.", Before: was, After: is})
		return nil
	})
	return b, err
}

// RemoveBrand deletes a brand that was never used; Conflict says why one cannot go.
func (s *Service) RemoveBrand(ctx context.Context, who actor.Actor, id uuid.UUID) (b Brand, err error) {
	if err := who.May(actor.Manage); err != nil {
		return b, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if b, err = LockBrand(tx, who.MerchantID, id); err != nil {
			return err
		}
		if err := deleteBrand(tx, who.MerchantID, id); err != nil {
			return err
		}
		was, _ := b.BrandInput.changed(BrandInput{})
		tx.Audit(who, audit.Entry{Action: "brand.removed", ObjectType: "brand", ObjectID: b.ID,
			Text: "Brand " + b.Name + " was removed. It had not been used.", Before: was})
		return nil
	})
	return b, err
}
