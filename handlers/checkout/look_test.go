package checkout_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"debitdesk/models/logo"
	"debitdesk/models/logo/logotest"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/tint"
	"debitdesk/static"
)

var sheetHref = regexp.MustCompile(`href="(/p/look/[^"]+)"`)

func (d desk) colours(colour string) {
	d.t.Helper()
	d.sql(`UPDATE brands SET colour = $2 WHERE id = $1`, d.A.BrandID, colour)
	merchant.Store{DB: d.Store}.Forget(d.A.ID)
}

func TestThePayersPageHasTheColourOfItsBrand(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 49900)
	d.get(path).Want(200).Lacks("/p/look/")
	d.colours("#c0392b")
	page := d.get(path).Want(200).Lacks("style=").Body
	m := sheetHref.FindStringSubmatch(page)
	if m == nil || !strings.HasPrefix(m[1], "/p/look/c0392b-") || strings.Index(page, m[0]) <
		strings.Index(page, static.URL("css/payer.css")) {
		t.Fatalf("the page does not have the sheet after that of the house: %v", m)
	}
	look := tint.LookOf(tint.Colour{R: 0xc0, G: 0x39, B: 0x2b})
	sheet := d.get(m[1]).Want(200).Contains("light-dark("+look.Light.String()+","+look.Dark.String()+")",
		"--fill:#c0392b", "color:#ffffff")
	if kept := sheet.Header.Get("Cache-Control"); !strings.Contains(kept, "immutable") ||
		!strings.HasPrefix(sheet.Header.Get("Content-Type"), "text/css") || len(sheet.Body) > 500 {
		t.Errorf("%s, %s, %d bytes", kept, sheet.Header.Get("Content-Type"), len(sheet.Body))
	}
	other := d.get("/p/look/c0392b-00000000.css").Want(200) // of another release
	if other.Body != sheet.Body || other.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("%s: %s", other.Header.Get("Cache-Control"), other.Body)
	}
	for _, none := range []string{"red.css", "c0392b", "c0392b.js", "%7Bc0392b.css", "c0392b%3B}-1.css"} {
		d.get("/p/look/" + none).Want(http.StatusNotFound)
	}
	d.colours("#ffe600")
	if again := sheetHref.FindStringSubmatch(d.get(path).Body); again == nil || again[1] == m[1] {
		t.Errorf("another colour has the sheet %v", again)
	}
}

// The tones are made for the worst ground of each colour scheme, so no ground of a sheet may be worse.
func TestNoGroundIsWorseThanTheTonesAreMadeFor(t *testing.T) {
	css, _ := static.Bytes("css/payer.css")
	seen := 0
	for _, m := range regexp.MustCompile(`--(?:bg|surface|sunken): light-dark\((#\w+), (#\w+)\)`).
		FindAllSubmatch(css, -1) {
		seen++
		for n, worst := range []tint.Colour{tint.LightGround, tint.DarkGround} {
			ground, err := tint.Parse(string(m[n+1]))
			if err != nil {
				t.Fatal(err)
			}
			if l := ground.Luminance(); n == 0 && l < worst.Luminance() || n == 1 && l > worst.Luminance() {
				t.Errorf("%s is worse than %s", ground, worst)
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d grounds were found", seen)
	}
}

func TestThePayersPageHasTheLogoOfTheirBrand(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 49900)
	d.get(path).Want(200).Contains(`<span class="mark"`).Lacks(`<img class="logo"`)
	picture := d.logo()
	src := "/p/look/" + string(picture.Name) + ".png"
	page := d.get(path).Want(200).Contains(`<img class="logo" src="` + src + `" width="240" height="80" alt="">`).
		Lacks(`<span class="mark"`).Body
	if len(page) > 30_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	if got := d.get(src).Want(200).Body; got != string(picture.PNG) {
		t.Errorf("the picture has %d bytes", len(got))
	}
}

func (d desk) logo() logo.Logo {
	d.t.Helper()
	picture, err := logo.Read(logotest.PNG(960, 320))
	if err != nil {
		d.t.Fatal(err)
	}
	d.sql(`INSERT INTO brand_logos (id, merchant_id, brand_id, name, picture, created_at)
		VALUES (gen_random_uuid(), $1, $2, $3, $4, now())`, d.A.ID, d.A.BrandID, string(picture.Name), picture.PNG)
	d.sql(`UPDATE brands SET logo = $2 WHERE id = $1`, d.A.BrandID, string(picture.Name))
	merchant.Store{DB: d.Store}.Forget(d.A.ID)
	return picture
}

// papersWithLogo gives the address of a purchase that was debited from an account, and how many files the mails of
// each kind brought. Each has the logo.
func papersWithLogo(d desk, change ...string) (path string, files map[string]int) {
	client := d.client()
	d.give(d.purchase(client, storing, 0), filled(change...)).Want(303)
	d.logo()
	added := d.subscribes(client, d.gym())
	d.later(added.Purchase.Collection.ActionDate.At(23, 0).Sub(d.Store.Now()) + 72*time.Hour)
	files = map[string]int{}
	for _, l := range d.letters() {
		for _, a := range l.Attachments {
			files[l.Kind]++
			if pdf, err := d.Billing.File(d.t.Context(), d.A.ID, a.Ref); err != nil ||
				!strings.Contains(string(pdf), anImage) {
				d.t.Errorf("%s of the mail %q has no logo: %v", a.Name, l.Subject, err)
			}
		}
	}
	return "/p/" + added.Purchase.ID.String() + "/", files
}

const anImage = "/Subtype /Image"

func TestReceiptsAndCopiesOfMandatesHaveTheLogo(t *testing.T) {
	if _, files := papersWithLogo(newDesk(t)); files[purchase.MailAgreement] == 0 || files[purchase.MailReceipt] == 0 {
		t.Errorf("the mails brought %v", files)
	}
}

func TestAnInvoiceKeepsTheLogoOfItsDay(t *testing.T) {
	d := newDesk(t)
	path, files := papersWithLogo(d, "account_number", "6200009002")
	if files[purchase.MailFailed] == 0 {
		t.Errorf("the mails brought %v", files)
	}
	d.sql(`UPDATE brands SET logo = '' WHERE id = $1`, d.A.BrandID)
	merchant.Store{DB: d.Store}.Forget(d.A.ID)
	if pdf := d.get(path + "invoice.pdf").Want(200).Body; !strings.Contains(pdf, anImage) {
		t.Error("the invoice lost the logo under which it was issued")
	}
	d.get(path).Want(200).Lacks(`<img class="logo"`)
}
