package merchant_test

import (
	"strings"
	"testing"
	"time"

	"debitdesk/models/fault"
	"debitdesk/models/logo"
	"debitdesk/models/logo/logotest"
	"debitdesk/models/merchant"
)

func TestABrandTakesALogoAndGivesItUp(t *testing.T) {
	h := open(t)
	in := h.brand.BrandInput
	in.Choose(logotest.PNG(960, 320))
	b, err := h.ChangeBrand(t.Context(), h.who, h.brand.ID, 1, in)
	must(t, err)
	name, known := logo.Parse(b.Logo)
	if !known || b.Picture() != name {
		t.Fatalf("the logo is %q", b.Logo)
	}
	picture, err := h.Store.Logo(t.Context(), name)
	must(t, err)
	if want, _ := logo.Read(logotest.PNG(960, 320)); string(picture) != string(want.PNG) {
		t.Error("another picture was kept")
	}
	again, err := h.Store.Brand(t.Context(), h.who.MerchantID, b.ID)
	must(t, err)
	if again.Logo != b.Logo {
		t.Errorf("the brand is read with %q", again.Logo)
	}

	in = again.BrandInput
	in.Logo = ""
	_, err = h.ChangeBrand(t.Context(), h.who, h.brand.ID, 2, in)
	must(t, err)
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'brand.changed' AND (after->>'logo' = $1 OR
		before->>'logo' = $1 AND after->>'logo' = '')`, b.Logo); n != 2 {
		t.Errorf("%d entries tell of it", n)
	}
	if _, err := h.Store.Logo(t.Context(), name); err != nil { // it stands in mails that were sent
		t.Error(err)
	}
	if picture, err := h.Store.Letterhead(t.Context(), logo.Name(strings.Repeat("0", 32)+"-10x10")); picture != nil ||
		err != nil {
		t.Errorf("a picture that is gone: %d bytes, %v", len(picture), err)
	}
}

func TestAFileThatIsNoLogoIsSaidWithAllElse(t *testing.T) {
	h := open(t)
	in := h.brand.BrandInput
	in.Choose([]byte("GIF89a"))
	in.Email = "nobody"
	_, err := h.ChangeBrand(t.Context(), h.who, h.brand.ID, 1, in)
	f, _ := fault.From(err)
	if f == nil || len(f.Fields) != 2 {
		t.Fatalf("%+v", f)
	}
	if name, err := h.KeepLogo(t.Context(), h.who, []byte("GIF89a")); name != "" || err != nil {
		t.Errorf("kept as %q, %v", name, err)
	}
	if n := h.count(`SELECT count(*) FROM brand_logos`); n != 0 {
		t.Errorf("%d pictures were kept", n)
	}
}

// A form that was refused keeps its picture, for its business and for a day.
func TestAPictureWaitsForItsForm(t *testing.T) {
	h := open(t)
	file := logotest.PNG(64, 64)
	name, err := h.KeepLogo(t.Context(), h.who, file)
	must(t, err)
	_, err = h.KeepLogo(t.Context(), h.who, file)
	must(t, err)
	if n := h.count(`SELECT count(*) FROM brand_logos WHERE brand_id IS NULL`); n != 1 {
		t.Errorf("%d pictures wait", n)
	}
	in := merchant.NewBrand()
	in.Name, in.Logo = "Second", string(name)
	theirs, err := h.Store.Brands(t.Context(), h.stranger.MerchantID)
	must(t, err)
	in.ReferencePrefix = "QQ"
	if _, err := h.AddBrand(t.Context(), h.stranger, in); !fault.Is(err, fault.Invalid) {
		t.Errorf("another business took it: %v", err)
	}
	if now, err := h.Store.Brands(t.Context(), h.stranger.MerchantID); err != nil || len(now) != len(theirs) {
		t.Errorf("a brand was added all the same: %v", err)
	}
	b, err := h.AddBrand(t.Context(), h.who, in)
	must(t, err)
	if n := h.count(`SELECT count(*) FROM brand_logos WHERE brand_id = $1`, b.ID); n != 1 {
		t.Errorf("the brand has %d pictures", n)
	}
	_, err = h.RemoveBrand(t.Context(), h.who, b.ID)
	must(t, err)
	if n := h.count(`SELECT count(*) FROM brand_logos WHERE brand_id IS NOT NULL`); n != 0 {
		t.Errorf("%d pictures are left of a brand that was removed", n)
	}
	_, err = h.store.Pool.Exec(t.Context(), `UPDATE brand_logos SET created_at = created_at - $1::interval`, 25*time.Hour)
	must(t, err)
	_, err = h.KeepLogo(t.Context(), h.who, logotest.PNG(32, 32))
	must(t, err)
	if _, err := h.Store.Logo(t.Context(), name); !fault.Is(err, fault.NotFound) {
		t.Errorf("what nobody saved is still there: %v", err)
	}
}
