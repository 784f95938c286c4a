package merchant

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Service sets merchants up.
type Service struct {
	Store Store
	Test  bool // sandbox mode: merchants are test merchants
}

// New is what a merchant is made from.
type New struct {
	Slug, Name string
	Demo       bool
	Brand      Brand // its name defaults to the merchant's
}

var slugForm = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$`)

// Create makes a merchant with one brand.
func (s *Service) Create(ctx context.Context, in New) (m Merchant, b Brand, err error) {
	in.Slug, in.Name = strings.TrimSpace(in.Slug), strings.TrimSpace(in.Name)
	var wrong fault.Problems
	if !slugForm.MatchString(in.Slug) {
		wrong.Add("slug", "invalid", "A short name has 1 to 64 lower-case letters, digits and hyphens.")
	}
	if in.Name == "" {
		wrong.Add("name", "required", "A merchant needs a name.")
	}
	if utf8.RuneCountInString(in.Name) > maxName { // the name of its first brand, too
		wrong.Add("name", "max_length", "A name has at most %d characters.", maxName)
	}
	wrong.OneLine("name", in.Name)
	if err := wrong.Err(); err != nil {
		return m, b, err
	}
	if _, err := s.Store.MerchantBySlug(ctx, in.Slug); !fault.Is(err, fault.NotFound) {
		if err == nil {
			err = fault.At("slug", "invalid", "There is already a merchant %q.", in.Slug)
		}
		return m, b, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		m = Merchant{ID: tx.NewID(), Slug: in.Slug, Name: in.Name, IsTest: s.Test, IsDemo: in.Demo}
		b = in.Brand.withDefaults(m)
		b.ID = tx.NewID()
		for i := range b.Profiles {
			b.Profiles[i].ID = tx.NewID()
			b.Profiles[i].IsDefault = i == 0
		}
		Insert(tx, m)
		InsertBrand(tx, b)
		tx.Audit(actor.SystemOf(m.ID), audit.Entry{Action: "merchant.created", ObjectType: "merchant", ObjectID: m.ID,
			Text: "Merchant " + m.Name + " was set up.", After: map[string]any{"slug": m.Slug, "brand": b.Name}})
		return nil
	})
	return m, b, err
}

func (b Brand) withDefaults(m Merchant) Brand {
	b.MerchantID, b.IsTest = m.ID, m.IsTest
	orElse(&b.Name, m.Name)
	orElse(&b.Country, "ZA")
	orElse(&b.Currency, "ZAR")
	orElse(&b.Language, "en")
	orElse(&b.ReferencePrefix, "DD")
	orElse(&b.InvoicePrefix, DefaultInvoicePrefix)
	if b.Shift == "" {
		b.Shift = calendar.Previous
	}
	if b.DebiCheckShift == "" {
		b.DebiCheckShift = calendar.Next
	}
	return b
}

func orElse(field *string, value string) {
	if *field == "" {
		*field = value
	}
}
