package main

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/locale"
	"debitdesk/models/locale/localetest"
)

// Clients read their pages in four languages; words that are half as long again fit the narrowest phone.
func TestClientsReadTheirPagesInFourLanguages(t *testing.T) {
	t.Parallel()
	site := openDemo(t, 26)
	phone := site.tab(t, browser(t))
	purchase := site.offersLanguages(t)
	phone.open("/my/link/languages")
	phone.click("Open my page")
	phone.sees("What you owe")
	for _, l := range locale.Languages {
		pages := []string{"/my/?language=" + string(l), "/my/acts/privacy/", "/my/link/languages",
			"/my/accessibility/?language=" + string(l)}
		if l != locale.English { // other tests read English meanwhile
			restore := locale.Pretend(l, localetest.Longer)
			site.reads(t, purchase, l)
			phone.show(320, 800, "light")
			for _, page := range append(pages, "/p/"+purchase.String()+"/") {
				phone.open(page)
				phone.speaks(page, l)
				if wide := phone.overflow(); wide != "" {
					t.Errorf("%s in %s is wider than its window: %s", page, l.Name(), wide)
				}
			}
			restore()
		}
		for n, scheme := range []string{"light", "dark"} {
			phone.show(390, 844, scheme)
			phone.open(pages[0])
			phone.speaks(pages[0], l)
			if found := phone.barriers(n); found != "" {
				t.Errorf("%s in %s (%s) shuts people out:\n%s", pages[0], l.Name(), scheme, found)
			}
			if small := phone.smallTargets(true); small != "" {
				t.Errorf("%s in %s has small targets: %s", pages[0], l.Name(), small)
			}
		}
	}
}

func (b *tab) speaks(page string, l locale.Language) {
	b.t.Helper()
	if got := b.attribute("html", "lang"); got != l.Tag() {
		b.t.Errorf("%s is in %s, not %s", page, got, l.Tag())
	}
}

// offersLanguages has the demo's brand offer every language, and gives a client who owes something a link to its page.
func (s *site) offersLanguages(t *testing.T) (purchase uuid.UUID) {
	t.Helper()
	var merchant, client, brand uuid.UUID
	scan := func(to *uuid.UUID) any { return (*[16]byte)(to) }
	if err := s.app.Store.Pool.QueryRow(t.Context(), `SELECT merchant_id, client_id, brand_id, id FROM purchases
		WHERE status IN ('overdue', 'failed', 'sent') AND client_id IS NOT NULL AND method <> 'debicheck'
		ORDER BY id DESC LIMIT 1`).Scan(scan(&merchant), scan(&client), scan(&brand), scan(&purchase)); err != nil {
		t.Fatal(err)
	}
	s.offers(t, merchant, brand, "af,zu,xh")
	hash := sha256.Sum256([]byte("client page languages"))
	s.execute(t, `INSERT INTO client_page_links (id, merchant_id, client_id, brand_id, token_hash, purpose, asked_by,
		created_at, expires_at) VALUES ($1, $2, $3, $4, $5, 'sent', 'Staff', $6, $7)`, uuid.New(), merchant, client, brand,
		hash[:], time.Now(), time.Now().Add(time.Hour))
	return purchase
}

// offers has a brand offer languages beside English.
func (s *site) offers(t *testing.T, merchant, brand uuid.UUID, languages string) {
	t.Helper()
	brands := s.app.Services.Merchants
	b, err := brands.Store.Brand(t.Context(), merchant, brand)
	if err != nil {
		t.Fatal(err)
	}
	in := b.BrandInput
	in.OfferedLanguages = languages
	if _, err := brands.ChangeBrand(t.Context(), actor.OperatorOf(merchant), brand, b.Version, in); err != nil {
		t.Fatal(err)
	}
}

// reads sets the language of the client of a purchase.
func (s *site) reads(t *testing.T, purchase uuid.UUID, l locale.Language) {
	t.Helper()
	s.execute(t, `UPDATE clients SET language = $2 WHERE id = (SELECT client_id FROM purchases WHERE id = $1)`, purchase,
		string(l))
}

func (s *site) execute(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := s.app.Store.Pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}
