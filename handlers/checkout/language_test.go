package checkout_test

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/letters"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/views/documents/pdftest"
)

// offers has the brand of merchant A offer languages.
func offers(t *testing.T, h *handlertest.Server, languages string) {
	t.Helper()
	brands := h.Approvals.Brands
	b, err := brands.Store.Brand(t.Context(), h.A.ID, h.A.BrandID)
	if err != nil {
		t.Fatal(err)
	}
	in := b.BrandInput
	in.OfferedLanguages = languages
	if _, err := brands.ChangeBrand(t.Context(), actor.OperatorOf(h.A.ID), b.ID, b.Version, in); err != nil {
		t.Fatal(err)
	}
}

// purchaseIn is a purchase whose client reads in a language.
func (d desk) purchaseIn(l locale.Language, client, more string, cents int) string {
	d.t.Helper()
	got := d.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q%s,"purchase":{"currency":"ZAR",
		"language":%q,"products":[{"name":"Gym membership","price":%d}]}}`, client, d.A.BrandID, more, l, cents)).Want(201)
	return "/p/" + got.Text("id") + "/"
}

var (
	unread = regexp.MustCompile(`(?s)<div class="stack-s" lang="en-ZA">.*?</details>|<div class="tick" lang="en-ZA">.*?</div>|` +
		`<(\w+)[^>]* lang="en-ZA"[^>]*>.*?</(?:aside|ol|label|p)>|<option[^>]*>.*?</option>|<[^>]+>`)
	digits  = regexp.MustCompile(`\d(?:[\d\x{a0},:]*\d)?`)
	anyWord = regexp.MustCompile(`\p{L}{2,}`)
)

// texts are what a person reads of a page in the language of the page.
func texts(page string) string {
	_, body, _ := strings.Cut(page, "<body>")
	return html.UnescapeString(unread.ReplaceAllString(body, "\n"))
}

// inStates are the pages of purchases in several states.
func (d desk) inStates(l locale.Language) map[string]string {
	d.t.Helper()
	client := d.client()
	storingPage := d.purchaseIn(l, client, storing, 0)
	pages := map[string]string{"storing": d.get(storingPage).Want(200).Body,
		"wrong": d.give(storingPage, filled("account_number", "", "consent", "")).Want(422).Body}
	d.give(storingPage, filled()).Want(303)
	pages["stored"] = d.get(storingPage).Want(200).Body
	open := d.purchaseIn(l, client, "", 49900)
	pages["open"] = d.get(open).Want(200).Body
	pages["invoice"] = d.get(open + "invoice/").Want(200).Body
	d.give(open, map[string][]string{"recurring_token": {idOf(storingPage).String()}}).Want(303)
	pages["planned"] = d.get(open).Want(200).Body
	return pages
}

// bankStates are the pages of DebiCheck mandates, whatever their bank answers, and of errors.
func bankStates(t *testing.T, l locale.Language) map[string]string {
	t.Helper()
	d := bankDesk(t)
	offers(t, d.Server, "af,zu,xh")
	inLanguage := func(path string) handlertest.Answer {
		return d.Call("GET", path, nil, "Accept: text/html", "Cookie: debitdesk_payer_language="+string(l))
	}
	give := func(path string, form url.Values) handlertest.Answer {
		return d.Call("POST", path, []byte(form.Encode()), "Accept: text/html", "Sec-Fetch-Site: same-origin",
			"Content-Type: application/x-www-form-urlencoded", "Cookie: debitdesk_payer_language="+string(l))
	}
	terms := map[string][]string{
		"ask fixed": {"value_type", `"FIXED"`, "adjustment_category", `"NEVER"`, "adjustment_rate", "null",
			"max_amount_cents", "10000", "allow_date_adjustment", "false", "deduction_day", "99", "authentication_type",
			`"DELAYED"`},
		"ask once": {"value_type", `"USAGEBASED"`, "adjustment_category", `"REPO"`, "adjustment_rate", "null",
			"adjustment_amount_cents", "-500", "debit_sequence", `"OOFF"`, "do_delayed_on_auth_failure", "true",
			"total", `,"total_override":0`},
		"ask": nil}
	pages := map[string]string{}
	for name, more := range terms {
		pages[name] = inLanguage(d.mandated(more...)).Want(200).Body
	}
	path := d.mandated("do_delayed_on_auth_failure", "true", "total", `,"total_override":0`)
	pages["bank wrong"] = give(path, filled("phone", "", "id_number", "")).Want(422).Body
	pages["changed"] = give(path, filled("terms", "old")).Want(409).Body
	open := d.Purchases.Window
	d.Purchases.Window = mandate.Window{}
	pages["bank closed"] = inLanguage(path).Want(200).Body
	pages["nothing sent"] = give(path, filled()).Want(422).Body
	d.Purchases.Window = open
	give(path, filled()).Want(303)
	pages["passing"] = inLanguage(path).Want(200).Body
	pages["twice"] = give(path, filled()).Want(409).Body
	d.sent(path, 100*time.Second)
	for _, method := range []string{"REALTIME", "DELAYED", "FALLBACK"} {
		d.sql(`UPDATE mandate_authentications SET method = $2 WHERE mandate_id = $1`, idOf(path), method)
		pages["waiting "+method] = inLanguage(path).Want(200).Body
	}
	for name, c := range map[string]struct {
		auth   mandate.AuthState
		code   string
		state  mandate.State
		status purchase.Status
	}{"accepted": {mandate.AuthAccepted, "", mandate.ActiveState, purchase.Preauthorized},
		"registered":   {mandate.AuthNoResponse, "NOAS", mandate.Registered, purchase.Preauthorized},
		"declined":     {mandate.AuthRejected, "MS02", mandate.Rejected, purchase.Failed},
		"account":      {mandate.AuthRejected, "AC04", mandate.Rejected, purchase.Failed},
		"branch":       {mandate.AuthRejected, "RC01", mandate.Rejected, purchase.Failed},
		"other reason": {mandate.AuthRejected, "MD10", mandate.Rejected, purchase.Failed},
		"no answer":    {mandate.AuthNoResponse, "NOAS", mandate.NoResponse, purchase.Failed},
		"bank failed":  {mandate.AuthFailed, "EERR", mandate.FailedAtBank, purchase.Failed},
		"suspended":    {mandate.AuthAccepted, "CTCA", mandate.Suspended, purchase.Preauthorized},
		"cancelled":    {mandate.AuthAccepted, "", mandate.Cancelled, purchase.Preauthorized},
		"superseded":   {mandate.AuthAccepted, "", mandate.Superseded, purchase.Preauthorized}} {
		d.answered(path, c.auth, c.code, c.state, c.status)
		pages["bank "+name] = inLanguage(path).Want(200).Body
	}
	pages["no such page"] = inLanguage("/p/0193b5a2-0000-7000-8000-000000000000/").Want(404).Body
	pages["no such file"] = inLanguage(path + "receipt.pdf").Want(404).Body
	pages["not payable"] = inLanguage(d.purchase(d.client(), `,"payment_method_whitelist":["debicheck"]`, 100)).Want(200).Body
	return pages
}

func TestThePageIsInTheLanguageOfThePurchase(t *testing.T) {
	d := newDesk(t)
	path := d.purchaseIn(locale.Zulu, d.client(), storing, 0)
	d.get(path).Want(200).Contains(`<html lang="en-ZA"`, "Set up your debit order")
	offers(t, d.Server, "zu")
	d.get(path).Want(200).Contains(`<html lang="zu-ZA"`, "Misa i-debit order yakho",
		"Isivumelwano singesiNgisi.", `lang="en-ZA"`).Lacks("Set up your debit order", "Account holder")
	d.get(d.purchaseIn(locale.Xhosa, d.client(), storing, 0)).Want(200).Contains(`<html lang="en-ZA"`)
	at := d.client()
	if _, err := d.Store.Pool.Exec(t.Context(), `UPDATE clients SET chosen_language = 'zu' WHERE id = $1`,
		at); err != nil {
		t.Fatal(err)
	}
	d.get(d.purchase(at, storing, 0)).Want(200).Contains(`<html lang="zu-ZA"`)
}

// Whoever has the link can read the page in another language; it is kept in this browser alone.
func TestThePageHasLinksToTheOtherLanguages(t *testing.T) {
	d := newDesk(t)
	path := d.purchaseIn(locale.English, d.client(), storing, 0)
	at := strings.TrimSuffix(path, "/")
	d.get(path).Want(200).Lacks("?language=")
	d.get(path + "?language=zu").Want(200).Contains(`<html lang="en-ZA"`) // which the business does not offer
	offers(t, d.Server, "zu,af")
	d.get(path).Want(200).Contains(`<html lang="en-ZA"`, `href="`+at+`?language=zu"`, `href="`+at+`?language=af"`)
	d.get(path + "?language=xh").Want(200).Contains(`<html lang="en-ZA"`)
	chosen := d.get(path+"?language=zu").Want(200).Contains(`<html lang="zu-ZA"`, `href="`+at+`?language=en"`)
	kept, _, _ := strings.Cut(chosen.Header.Get("Set-Cookie"), ";")
	d.Call("GET", path, nil, "Accept: text/html", "Cookie: "+kept).Want(200).Contains(`<html lang="zu-ZA"`)
	form := url.Values(filled("account_number", "")).Encode()
	d.Call("POST", path, []byte(form), "Accept: text/html", "Content-Type: application/x-www-form-urlencoded",
		"Sec-Fetch-Site: same-origin", "Cookie: "+kept).Want(422).Contains(`<html lang="zu-ZA"`,
		`href="`+path+`?language=af"`)
	d.Call("GET", path+"?language=en", nil, "Accept: text/html", "Cookie: "+kept).Want(200).Contains(`<html lang="en-ZA"`)
	d.get(path).Want(200).Contains(`<html lang="en-ZA"`) // nobody else's page is another
	d.Call("GET", path, nil, "Accept: text/html", "Cookie: "+"debitdesk_payer_language=%zz").Want(200).Contains(`<html lang="en-ZA"`)
	d.sql(`UPDATE clients SET chosen_language = 'zu'`)
	d.get(path).Want(200).Contains(`<html lang="zu-ZA"`)
	d.get(path + "?language=en").Want(200).Contains(`<html lang="en-ZA"`)
}

// The pages of a DebiCheck mandate are in the language of their client; what is agreed stands in English beside it.
func TestWhatABankAsksIsInTheLanguageOfTheClient(t *testing.T) {
	d := bankDesk(t)
	offers(t, d.Server, "zu")
	path := d.mandated()
	d.get(path).Want(200).Contains("Set up your DebiCheck debit order").Lacks("The same in English")
	d.sql(`UPDATE clients SET chosen_language = 'zu'`)
	d.get(path).Want(200).Contains(`<html lang="zu-ZA"`, "Misa i-debit order yakho ye-DebiCheck", "Umnikazi",
		"Okufanayo ngesiNgisi", "Each month on the 1st", "Njalo ngenyanga, usuku: 1", `lang="en-ZA"`, "?language=en").
		Lacks("What happens next", "Set up your DebiCheck debit order")
	d.give(path, filled()).Want(303)
	d.sent(path, 100*time.Second)
	d.get(path).Want(200).Contains(`<html lang="zu-ZA"`, "Ibhange lakho liyakubuza", "Each month on the 1st",
		"?language=en").Lacks("Your bank is asking you")
}

// What stands outside of the marks around every text of the catalogue is in no catalogue.
func TestNoTextOfThePaymentPagesIsOutsideTheCatalogue(t *testing.T) {
	d := newDesk(t)
	offers(t, d.Server, "zu")
	defer locale.Pretend(locale.Zulu, func(text string) string { return "⟦" + text + "⟧" })()
	marked := regexp.MustCompile(`⟦[^⟦⟧]*⟧`)
	b, err := d.Approvals.Brands.Store.Brand(t.Context(), d.A.ID, d.A.BrandID)
	if err != nil {
		t.Fatal(err)
	}
	known := append([]string{b.LegalName, b.Name, b.Email, b.StreetAddress, b.City, "Thandi Nkosi", "thandi@example.com",
		"Gym membership", "Membership", "Capitec", "TESTMERCH1", "BA", b.RegistrationNumber}, b.Website)
	pages := d.inStates(locale.Zulu)
	maps.Copy(pages, bankStates(t, locale.Zulu))
	for name, page := range pages {
		text := texts(page)
		if !strings.Contains(text, "⟦") {
			t.Errorf("%s is not in the language at all", name)
			continue
		}
		for marked.MatchString(text) {
			text = marked.ReplaceAllString(text, "")
		}
		for _, value := range known {
			if value != "" {
				text = strings.ReplaceAll(text, value, "")
			}
		}
		text = regexp.MustCompile(`(?:(?:ISonto|UMsombuluko|ULwesi\p{L}+|UMgqibelo) )?\d{1,2} \p{L}+ \d{4}|DD\w+`).
			ReplaceAllString(text, "")
		if found := anyWord.FindAllString(text, -1); len(found) > 0 {
			t.Errorf("%s says outside of the catalogue: %q", name, found)
		}
	}
}

func TestThePaymentPagesNameTheSameFiguresInEveryLanguage(t *testing.T) {
	reference := regexp.MustCompile(`DD\w+`)
	figures := func(l locale.Language) map[string][]string {
		d := newDesk(t)
		offers(t, d.Server, "af,zu,xh")
		out, pages := map[string][]string{}, d.inStates(l)
		maps.Copy(pages, bankStates(t, l))
		for name, page := range pages {
			if !strings.Contains(page, `<html lang="`+l.Tag()+`"`) {
				t.Errorf("%s is not in %s", name, l.Name())
			}
			if len(page) > 20_000 {
				t.Errorf("%s in %s has %d bytes", name, l.Name(), len(page))
			}
			if name != "wrong" { // in other languages it says less, and no numbers
				out[name] = digits.FindAllString(reference.ReplaceAllString(texts(page), ""), -1)
				slices.Sort(out[name])
			}
		}
		return out
	}
	want := figures(locale.English)
	for _, l := range locale.Languages[1:] {
		for name, got := range figures(l) {
			// English pages keep the agreement and the consent among their texts: only what others name is compared.
			for _, one := range got {
				if !slices.Contains(want[name], one) {
					t.Errorf("%s in %s names %s, which English does not: %v", name, l.Name(), one, want[name])
				}
			}
		}
	}
}

func TestMailsAreInTheLanguageOfTheirReader(t *testing.T) {
	b := merchant.Brand{BrandInput: merchant.BrandInput{Name: "Karoo Gym", Email: "pay@example.com", Language: "en",
		OfferedLanguages: "af,zu"}}
	writer := letters.Writer{Base: "https://desk.example.co.za"}
	rec := purchase.Record{Brand: b, Purchase: purchase.Purchase{Currency: "ZAR", TotalCents: 12345, Reference: "R-1",
		Status: purchase.Overdue, Payer: client.Details{FullName: "Thandi Nkosi", Language: "zu"}}}
	for name, l := range map[string]string{"failed": writer.Failed(rec, "INV-1").HTML,
		"receipt":  writer.Receipt(rec.Purchase, b).HTML,
		"account":  writer.AccountLink(rec.Purchase, b).HTML,
		"reminder": writer.Reminder(rec.Payer, b, []purchase.Record{rec}).HTML,
		"stopped":  writer.Stopped(rec.Purchase, b, purchase.Stop{Title: "Gym"}).HTML,
		"all":      writer.AllStopped(rec.Payer, b, purchase.Stop{}).HTML} {
		if !strings.Contains(l, `<html lang="zu-ZA"`) || !strings.Contains(l, "Sawubona Thandi Nkosi,") ||
			!strings.Contains(l, "R-1") && name != "stopped" && name != "all" {
			t.Errorf("%s is not in isiZulu: %s", name, l)
		}
	}
	b.OfferedLanguages = "af"
	if l := writer.Receipt(rec.Purchase, b); !strings.Contains(l.HTML, `<html lang="en-ZA"`) ||
		l.Subject != "Karoo Gym has received your payment" {
		t.Errorf("a language that is off is used: %s", l.Subject)
	}
}

// What was mailed stays what it was: a client who chooses another language reads new documents in it.
func TestDocumentsAreInTheLanguageOfTheirReader(t *testing.T) {
	d := newDesk(t)
	offers(t, d.Server, "zu,af")
	client := d.client()
	d.sql(`UPDATE clients SET chosen_language = 'zu'`)
	d.give(d.purchase(client, storing, 0), filled()).Want(303)
	added := d.subscribes(client, d.gym())
	path := "/p/" + added.Purchase.ID.String() + "/"
	d.later(added.Purchase.Collection.ActionDate.At(23, 0).Sub(d.Store.Now()) + 72*time.Hour)
	d.sql(`UPDATE clients SET chosen_language = 'af'`)
	drawn := map[string]string{}
	for _, l := range d.letters() {
		drawn[l.Kind] += d.draws(l)
	}
	for kind, want := range map[string][]string{
		purchase.MailAgreement: {"Ikhophi yekhasimende", "Igunya lokudonsa imali", "I, Thandi Nkosi, authorise"},
		purchase.MailReceipt:   {"Irisidi", "Kukhokhiwe", "R\u00a0449,00"}} {
		for _, text := range want {
			if !strings.Contains(drawn[kind], text) {
				t.Errorf("the file of %s does not say %q:\n%s", kind, text, drawn[kind])
			}
		}
	}
	for language, want := range map[string]string{"": "Kwitansie", "?language=en": "Receipt", "?language=zu": "Irisidi"} {
		if said := pdftest.Text(t, []byte(d.get(path+"receipt.pdf"+language).Want(200).Body)); !strings.Contains(said, want) {
			t.Errorf("the receipt does not say %q:\n%s", want, said)
		}
	}
}
