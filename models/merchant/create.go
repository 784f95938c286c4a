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
	var wrong fault.Problems
	in = in.Checked(&wrong, "name", "slug")
	if err := wrong.Err(); err != nil {
		return m, b, err
	}
	if err := s.Free(ctx, in.Slug); err != nil {
		return m, b, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		m, b = s.CreateIn(tx, in)
		return nil
	})
	return m, b, err
}

// Checked is what is meant, with what is wrong noted at the paths of the name and of the short name.
func (in New) Checked(wrong *fault.Problems, name, slug string) New {
	in.Slug, in.Name = strings.TrimSpace(in.Slug), strings.TrimSpace(in.Name)
	if !slugForm.MatchString(in.Slug) {
		wrong.Add(slug, "invalid", "A short name has 1 to 64 lower-case letters, digits and hyphens.")
	}
	if in.Name == "" {
		wrong.Add(name, "required", "A merchant needs a name.")
	}
	CheckBrandName(wrong, name, in.Name) // the name of its first brand, too
	return in
}

// CheckBrandName notes what is wrong with the name of a brand, which may be empty, at the path.
func CheckBrandName(wrong *fault.Problems, at, name string) {
	if utf8.RuneCountInString(name) > maxName {
		wrong.Add(at, "max_length", "A name has at most %d characters.", maxName)
	}
	wrong.OneLine(at, name)
}

// Free is nil when no merchant has that short name.
func (s *Service) Free(ctx context.Context, slug string) error {
	_, err := s.Store.MerchantBySlug(ctx, slug)
	switch {
	case err == nil:
		return fault.At("slug", "invalid", "There is already a merchant %q.", slug)
	case fault.Is(err, fault.NotFound):
		return nil
	}
	return err
}

// CreateIn writes a merchant that was checked, with its brand.
func (s *Service) CreateIn(tx *database.Tx, in New) (Merchant, Brand) {
	m := Merchant{ID: tx.NewID(), Slug: in.Slug, Name: in.Name, IsTest: s.Test, IsDemo: in.Demo}
	b := in.Brand.withDefaults(m)
	b.ID = tx.NewID()
	for i := range b.Profiles {
		b.Profiles[i].ID = tx.NewID()
		b.Profiles[i].IsDefault = i == 0
	}
	Insert(tx, m)
	InsertBrand(tx, b)
	tx.Audit(actor.SystemOf(m.ID), audit.Entry{Action: "merchant.created", ObjectType: "merchant", ObjectID: m.ID,
		Text: "Merchant " + m.Name + " was set up.", After: map[string]any{"slug": m.Slug, "brand": b.Name}})
	return m, b
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
