package main

import (
	"testing"

	"debitdesk/models/merchant"
)

// The form in which a brand takes a colour, and the payer's page in colours that are hard to read, shut nobody out.
func TestAGarishBrandCanStillBeRead(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	b := site.tab(t, browser(t))
	b.bringsAxe()
	heard := b.listens()
	b.signIn()
	merchants, err := merchant.Store{DB: site.app.Store}.Merchants(t.Context())
	if err != nil || len(merchants) != 1 {
		t.Fatalf("%d merchants, %v", len(merchants), err)
	}
	brands, err := merchant.Store{DB: site.app.Store}.Brands(t.Context(), merchants[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, colour := range []string{"#ffe600", "#0b0b0b", "#ff00ff", "#777777"} {
		b.show(1280, 900, "light")
		b.open("/settings/brands/" + brands[0].ID.String())
		b.fill("colour", colour)
		b.sees("Buttons have your colour")
		b.click("Save")
		b.sees("is saved")
		b.open("/my/ask/" + merchants[0].Slug)
		for _, l := range looks {
			b.show(l.width, l.height, l.scheme)
			if found := b.barriers(0); found != "" {
				t.Errorf("%s (%d pixels, %s) shuts people out:\n%s", colour, l.width, l.scheme, found)
			}
		}
		if said := heard.take(); len(said) > 0 {
			t.Errorf("%s: the browser complains: %q", colour, said)
		}
	}
}
