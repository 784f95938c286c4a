package merchant_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

type house struct {
	*merchant.Service
	t        *testing.T
	store    *database.DB
	who      actor.Actor
	stranger actor.Actor
	brand    merchant.Brand
}

func open(t *testing.T) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box, Sandbox: true, MaxConns: 8,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	h := &house{Service: &merchant.Service{Store: merchant.Store{DB: s}, Test: true}, t: t, store: s}
	m, b, err := h.Create(t.Context(), merchant.New{Slug: "acme", Name: "Acme"})
	must(t, err)
	other, _, err := h.Create(t.Context(), merchant.New{Slug: "other", Name: "Other"})
	must(t, err)
	h.brand, h.who = b, actor.Actor{Kind: actor.User, ID: uuid.New(), Name: "Nomsa", MerchantID: m.ID, Role: actor.Admin}
	h.stranger = actor.Actor{Kind: actor.User, ID: uuid.New(), Name: "Stranger", MerchantID: other.ID, Role: actor.Admin}
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (h *house) count(sql string, args ...any) (n int) {
	h.t.Helper()
	must(h.t, h.store.Pool.QueryRow(h.t.Context(), sql, args...).Scan(&n))
	return n
}

func (h *house) audited(action string) int {
	return h.count(`SELECT count(*) FROM audit_entries WHERE merchant_id = $1 AND action = $2`, h.who.MerchantID, action)
}

func code(err error) string {
	f, _ := fault.From(err)
	if f == nil {
		return ""
	}
	return f.Code
}

func TestEveryRuleOfABrandIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	good := merchant.NewBrand()
	good.Name, good.TaxNumber, good.Email, good.Phone, good.Website, good.ZipCode = "Acme Gym", "4290271835",
		"a@acme.example", "021 422 0199", "https://acme.example", "8001"
	n := 0
	for name, c := range map[string]struct {
		change func(*merchant.BrandInput)
		wrong  string
	}{
		"as it is":                    {func(*merchant.BrandInput) {}, ""},
		"no name":                     {func(in *merchant.BrandInput) { in.Name = "  " }, "name"},
		"a name of 128":               {func(in *merchant.BrandInput) { in.Name = strings.Repeat("é", 128) }, ""},
		"a name of 129":               {func(in *merchant.BrandInput) { in.Name = strings.Repeat("é", 129) }, "name"},
		"no VAT":                      {func(in *merchant.BrandInput) { in.TaxNumber = "" }, ""},
		"a VAT number with spaces":    {func(in *merchant.BrandInput) { in.TaxNumber = "429 027 1835" }, ""},
		"nine digits of VAT":          {func(in *merchant.BrandInput) { in.TaxNumber = "429027183" }, "tax_number"},
		"VAT that begins with 5":      {func(in *merchant.BrandInput) { in.TaxNumber = "5290271835" }, "tax_number"},
		"an address with a name":      {func(in *merchant.BrandInput) { in.Email = "A <a@acme.example>" }, "email"},
		"a script as a website":       {func(in *merchant.BrandInput) { in.Website = "javascript:alert(1)" }, "website"},
		"a website with a password":   {func(in *merchant.BrandInput) { in.Website = "https://a:b@acme.example" }, "website"},
		"a postal code of three":      {func(in *merchant.BrandInput) { in.ZipCode = "800" }, "zip_code"},
		"a prefix of eight":           {func(in *merchant.BrandInput) { in.InvoicePrefix = "abcdefg8" }, ""},
		"a prefix of nine":            {func(in *merchant.BrandInput) { in.InvoicePrefix = "ABCDEFG89" }, "invoice_prefix"},
		"the prefix of credit notes":  {func(in *merchant.BrandInput) { in.InvoicePrefix = "cn" }, "invoice_prefix"},
		"a reference prefix of 1":     {func(in *merchant.BrandInput) { in.ReferencePrefix = "D" }, ""},
		"a reference prefix of digit": {func(in *merchant.BrandInput) { in.ReferencePrefix = "1D" }, "reference_prefix"},
		"a language of Mars":          {func(in *merchant.BrandInput) { in.Language = "xx" }, "language"},
		"a shift sideways":            {func(in *merchant.BrandInput) { in.DebiCheckShift = "sideways" }, "debicheck_shift"},
	} {
		in := good
		in.ReferencePrefix = "R" + string(rune('A'+n))
		n++
		c.change(&in)
		_, err := h.AddBrand(t.Context(), h.who, in)
		f, _ := fault.From(err)
		if c.wrong == "" && err != nil || c.wrong != "" && (f == nil || len(f.Fields) != 1 || f.Fields[0].Path != c.wrong) {
			t.Errorf("%s: %v, want a problem at %q alone", name, err, c.wrong)
		}
	}
	if _, err := h.AddBrand(t.Context(), h.who, merchant.BrandInput{TaxNumber: "x", Email: "x"}); err == nil {
		t.Error("an empty brand was added")
	} else if f, _ := fault.From(err); len(f.Fields) < 7 {
		t.Errorf("%d problems of many were told: %v", len(f.Fields), err)
	}
}

func TestOfTwoAdminsWhoEditOneBrandTheSecondSeesTheFirst(t *testing.T) {
	t.Parallel()
	h := open(t)
	in := h.brand.BrandInput
	before, err := h.Service.Store.Brands(t.Context(), h.who.MerchantID)
	must(t, err)
	version := before[0].Version
	const admins = 6
	var wait sync.WaitGroup
	var mu sync.Mutex
	won, lost := 0, 0
	for i := range admins {
		wait.Go(func() {
			mine := in
			mine.City = strings.Repeat("x", i+1)
			b, err := h.ChangeBrand(t.Context(), h.who, h.brand.ID, version, mine)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case code(err) == "brand_changed" && b.Version == version+1:
				lost++
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if won != 1 || lost != admins-1 || h.audited("brand.changed") != 1 {
		t.Errorf("%d saved, %d were told, %d entries", won, lost, h.audited("brand.changed"))
	}
	again := in
	again.City = "Paarl"
	if _, err := h.ChangeBrand(t.Context(), h.who, h.brand.ID, version+1, again); err != nil {
		t.Errorf("saving on top of what was seen: %v", err)
	}
	if _, err := h.ChangeBrand(t.Context(), h.who, h.brand.ID, version+2, again); err != nil ||
		h.audited("brand.changed") != 2 {
		t.Errorf("a change of nothing: %v, %d entries", err, h.audited("brand.changed"))
	}
}

func TestAChangeOfABrandIsReadAtOnceByTheProcessThatMadeIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	kept, err := h.Service.Store.Brand(t.Context(), h.who.MerchantID, h.brand.ID)
	must(t, err)
	in := kept.BrandInput
	in.Shift, in.Name = "next", "Acme Two"
	_, err = h.ChangeBrand(t.Context(), h.who, h.brand.ID, kept.Version, in)
	must(t, err)
	if now, err := h.Service.Store.Brand(t.Context(), h.who.MerchantID, h.brand.ID); err != nil || now.Shift != "next" ||
		now.Name != "Acme Two" {
		t.Errorf("it still reads %v %s %v", now.Shift, now.Name, err)
	}
}

func TestOnlyAnUnusedBrandGoesAndNeverTheLast(t *testing.T) {
	t.Parallel()
	h := open(t)
	if _, err := h.RemoveBrand(t.Context(), h.who, h.brand.ID); code(err) != "brand_is_last" {
		t.Errorf("the last brand: %v", err)
	}
	in := merchant.NewBrand(h.brand)
	in.Name = "Second"
	second, err := h.AddBrand(t.Context(), h.who, in)
	must(t, err)
	if _, err := h.store.Pool.Exec(t.Context(),
		`INSERT INTO invoice_series (brand_id, kind, year, next) VALUES ($1, 'invoice', 2026, 2)`, h.brand.ID); err != nil {
		t.Fatal(err)
	}
	if use, err := h.Service.Store.BrandUse(t.Context(), h.who.MerchantID, h.brand.ID); err != nil || !use.Invoices ||
		use.Purchases {
		t.Errorf("what uses it: %+v %v", use, err)
	}
	if _, err := h.RemoveBrand(t.Context(), h.who, h.brand.ID); code(err) != "brand_in_use" {
		t.Errorf("a brand with invoices: %v", err)
	}
	if _, err := h.RemoveBrand(t.Context(), h.who, second.ID); err != nil {
		t.Errorf("one that was not used: %v", err)
	}
	if n := h.audited("brand.removed"); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func TestProfilesKeepTheBanksRules(t *testing.T) {
	t.Parallel()
	h := open(t)
	good := merchant.ProfileInput{ProfileCode: "gym01", AbbreviatedName: "kloofgym10", AccountNumber: "62 0000 00001",
		BranchCode: "250655"}
	first, err := h.AddProfile(t.Context(), h.who, h.brand.ID, good)
	if err != nil || !first.IsDefault || first.ProfileCode != "GYM01" || first.AbbreviatedName != "KLOOFGYM10" ||
		first.AccountNumber != "62000000001" {
		t.Fatalf("%+v %v", first, err)
	}
	for name, c := range map[string]struct {
		change func(*merchant.ProfileInput)
		wrong  string
	}{
		"the same again": {func(*merchant.ProfileInput) {}, "profile_code"},
		"a name of 11": {func(in *merchant.ProfileInput) { in.AbbreviatedName = "KLOOFGYM101" },
			"abbreviated_name"},
		"a name with an é":       {func(in *merchant.ProfileInput) { in.AbbreviatedName = "CAFÉ" }, "abbreviated_name"},
		"a code of 11":           {func(in *merchant.ProfileInput) { in.ProfileCode = "ABCDEFGHIJ1" }, "profile_code"},
		"no branch":              {func(in *merchant.ProfileInput) { in.BranchCode = "" }, "branch_code"},
		"a branch without zero":  {func(in *merchant.ProfileInput) { in.BranchCode = "51001" }, "branch_code"},
		"ten digits at FNB":      {func(in *merchant.ProfileInput) { in.AccountNumber = "6200000000" }, "account_number"},
		"letters in the account": {func(in *merchant.ProfileInput) { in.AccountNumber = "62x00000001" }, "account_number"},
	} {
		in := good
		c.change(&in)
		_, err := h.AddProfile(t.Context(), h.who, h.brand.ID, in)
		if f, _ := fault.From(err); f == nil || len(f.Fields) != 1 || f.Fields[0].Path != c.wrong {
			t.Errorf("%s: %v, want a problem at %s", name, err, c.wrong)
		}
	}
	good.ProfileCode = "GYM02"
	second, err := h.AddProfile(t.Context(), h.who, h.brand.ID, good)
	if err != nil || second.IsDefault {
		t.Fatalf("%+v %v", second, err)
	}
	if _, err := h.RemoveProfile(t.Context(), h.who, h.brand.ID, first.ID); code(err) != "profile_is_default" {
		t.Errorf("the default went: %v", err)
	}
	_, err = h.DefaultTo(t.Context(), h.who, h.brand.ID, second.ID)
	must(t, err)
	if b, _ := h.Service.Store.Brand(t.Context(), h.who.MerchantID, h.brand.ID); b.Profiles[0].ID != second.ID ||
		!b.Profiles[0].IsDefault || b.Profiles[1].IsDefault {
		t.Errorf("%+v", b.Profiles)
	}
	_, err = h.RemoveProfile(t.Context(), h.who, h.brand.ID, first.ID)
	must(t, err)
	if h.audited("profile.added") != 2 || h.audited("profile.default") != 1 || h.audited("profile.removed") != 1 {
		t.Error("an entry is missing")
	}
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE after::text LIKE '%62000000001%' OR before::text LIKE '%62000000001%'`,
	); n != 0 {
		t.Error("an account number lies in the audit")
	}
}

func TestAClearingAccountHasOneOwner(t *testing.T) {
	t.Parallel()
	h := open(t)
	in := merchant.ProfileInput{ProfileCode: "A", AbbreviatedName: "A", AccountNumber: "62000000001", BranchCode: "250655"}
	mine, err := h.AddProfile(t.Context(), h.who, h.brand.ID, in)
	must(t, err)
	m, b, err := h.Create(t.Context(), merchant.New{Slug: "second", Name: "Second"})
	must(t, err)
	other := h.who
	other.MerchantID = m.ID
	_, err = h.AddProfile(t.Context(), other, b.ID, in)
	if f, _ := fault.From(err); f == nil || len(f.Fields) != 1 || f.Fields[0].Path != "account_number" ||
		f.Fields[0].Code != "taken" {
		t.Fatalf("another business registered it, too: %v", err)
	}
	in.ProfileCode = "B"
	second, err := h.AddProfile(t.Context(), h.who, h.brand.ID, in)
	must(t, err)
	_, err = h.RemoveProfile(t.Context(), h.who, h.brand.ID, second.ID)
	must(t, err)
	_, err = h.RemoveProfile(t.Context(), h.who, h.brand.ID, mine.ID)
	must(t, err)
	if _, err = h.AddProfile(t.Context(), other, b.ID, in); err != nil {
		t.Errorf("after its owner let go of it: %v", err)
	}
}

func TestSettingsAreAnothersOnlyToThemAndNobodysWithoutPermission(t *testing.T) {
	t.Parallel()
	h := open(t)
	p, err := h.AddProfile(t.Context(), h.who, h.brand.ID, merchant.ProfileInput{ProfileCode: "A", AbbreviatedName: "A",
		AccountNumber: "62000000001", BranchCode: "250655"})
	must(t, err)
	staff := h.who
	staff.Role = actor.Finance
	in := h.brand.BrandInput
	in.City = "Elsewhere"
	for name, act := range map[string]func(actor.Actor) error{
		"change": func(a actor.Actor) error { _, err := h.ChangeBrand(t.Context(), a, h.brand.ID, 1, in); return err },
		"remove": func(a actor.Actor) error { _, err := h.RemoveBrand(t.Context(), a, h.brand.ID); return err },
		"profile": func(a actor.Actor) error {
			_, err := h.AddProfile(t.Context(), a, h.brand.ID, merchant.ProfileInput{})
			return err
		},
		"default": func(a actor.Actor) error { _, err := h.DefaultTo(t.Context(), a, h.brand.ID, p.ID); return err },
		"drop":    func(a actor.Actor) error { _, err := h.RemoveProfile(t.Context(), a, h.brand.ID, p.ID); return err },
	} {
		if err := act(h.stranger); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s by a stranger: %v", name, err)
		}
		if err := act(staff); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s without permission: %v", name, err)
		}
	}
	if _, err := h.AddBrand(t.Context(), staff, in); !fault.Is(err, fault.Forbidden) {
		t.Error("a brand was added without permission")
	}
	if h.audited("brand.changed")+h.audited("brand.removed")+h.audited("profile.removed") != 0 {
		t.Error("something was done all the same")
	}
}

// References of two brands of a business are never the same, of purchases and of mandates.
func TestTwoBrandsNeverMakeTheSameReference(t *testing.T) {
	t.Parallel()
	h := open(t) // its brand has the prefix DD
	in := merchant.NewBrand(h.brand)
	in.Name, in.ReferencePrefix = "Second", "KLOOF"
	second, err := h.AddBrand(t.Context(), h.who, in)
	must(t, err)
	for prefix, free := range map[string]bool{"dd": false, "DD1": false, "DD22": false, "D": true, "DDA": true,
		"KLOOFGYM": false, "KLOO": false, "KLO": true, "KLO7": true} {
		other := in
		other.ReferencePrefix = prefix
		b, err := h.AddBrand(t.Context(), h.who, other)
		f, _ := fault.From(err)
		if refused := f != nil && len(f.Fields) == 1 && f.Fields[0].Path == "reference_prefix"; refused == free {
			t.Errorf("%s: %v", prefix, err)
		}
		if err == nil {
			_, err = h.RemoveBrand(t.Context(), h.who, b.ID)
			must(t, err)
		}
	}
	in.ReferencePrefix = "DD"
	if _, err := h.ChangeBrand(t.Context(), h.who, second.ID, second.Version, in); err == nil {
		t.Error("a brand took the prefix of another")
	}
	in.ReferencePrefix, in.City = "KLOOF", "Paarl"
	if _, err := h.ChangeBrand(t.Context(), h.who, second.ID, second.Version, in); err != nil {
		t.Errorf("a brand that keeps its prefix: %v", err)
	}
}
