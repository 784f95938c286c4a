package my_test

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
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

// inLanguage opens the page in a language, which the cookie then keeps.
func (v *visitor) inLanguage(l locale.Language) *visitor {
	v.t.Helper()
	v.cookie = v.get("/my/?language=" + string(l)).Want(200).Header.Get("Set-Cookie")
	return v
}

func TestTheClientChoosesTheLanguageOfThePage(t *testing.T) {
	v := newVisitor(t)
	v.enter()
	v.get("/my/").Want(200).Contains(`<html lang="en-ZA"`, "What you owe").Lacks("hreflang")
	v.get("/my/?language=zu").Want(200).Contains(`<html lang="en-ZA"`).Lacks("Okukweletayo")
	offers(t, v.Server, "zu,af")
	v.get("/my/").Want(200).Contains(`<html lang="en-ZA"`, `hreflang="zu-ZA"`, `hreflang="af-ZA"`, "What you owe").
		Lacks(`hreflang="xh-ZA"`, "/my/language")
	v.inLanguage(locale.Zulu)
	v.get("/my/").Want(200).Contains(`<html lang="zu-ZA"`, "Okukweletayo", "/my/language").Lacks("What you owe")
	if got := v.chosen(); got != "" {
		t.Errorf("a link changed what is known of the client: %s", got)
	}
	v.post("/my/language", url.Values{"language": {"xh"}}).Want(422)
	v.post("/my/language", url.Values{"language": {"zu"}}).Want(303)
	v.post("/my/language", url.Values{"language": {"zu"}}).Want(303)
	if got := v.chosen(); got != "zu" {
		t.Errorf("the client chose %q", got)
	}
	if n := v.Count(`SELECT count(*) FROM audit_entries WHERE action = 'client_page.language'
		AND before->>'chosen_language' = '' AND after->>'chosen_language' = 'zu'`); n != 1 {
		t.Errorf("%d entries", n)
	}
	v.get("/my/").Want(200).Lacks("/my/language")
	v.sent()
	letter := v.letter(mail.ClientPage)
	if !strings.HasPrefix(letter.Subject, "Ikhasi lakho: ") || !strings.Contains(letter.Text, "Sawubona Thandi Nkosi,") {
		t.Errorf("the mail is %q: %s", letter.Subject, letter.Text)
	}
	v.Page(v.A.Staff, "GET", "/clients/"+v.client, nil).Want(200).Contains("isiZulu, chosen by the client")
	v.get("/my/link/"+v.lastOne).Want(200).Contains(`<html lang="zu-ZA"`, "Vula ikhasi lami")
	offers(t, v.Server, "")
	v.get("/my/").Want(200).Contains(`<html lang="en-ZA"`).Lacks("Okukweletayo")
}

func (v *visitor) chosen() (language string) {
	v.t.Helper()
	if err := v.Store.Pool.QueryRow(v.t.Context(), `SELECT chosen_language FROM clients WHERE id = $1`,
		v.client).Scan(&language); err != nil {
		v.t.Fatal(err)
	}
	return language
}

func TestStaffSayInWhichLanguageAClientReads(t *testing.T) {
	v := newVisitor(t)
	offers(t, v.Server, "af,xh")
	form := url.Values{"full_name": {"Thandi Nkosi"}, "email": {v.email}, "language": {"xh"},
		"version": {v.version()}}
	v.Page(v.A.Staff, "POST", "/clients/"+v.client, form).Want(303)
	v.enter()
	v.get("/my/").Want(200).Contains(`<html lang="xh-ZA"`, "Oko ukutyalayo")
	form.Set("version", v.version())
	form.Set("language", "tlh")
	v.Page(v.A.Staff, "POST", "/clients/"+v.client, form).Want(422).Contains("Choose one of the languages.")
	form.Set("version", v.version())
	form.Del("language") // a form that does not ask for it
	v.Page(v.A.Staff, "POST", "/clients/"+v.client, form).Want(303)
	v.get("/my/").Want(200).Contains(`<html lang="xh-ZA"`)
}

func (v *visitor) version() string {
	v.t.Helper()
	found := regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(
		v.Page(v.A.Staff, "GET", "/clients/"+v.client+"/edit", nil).Want(200).Body)
	if found == nil {
		v.t.Fatal("no version")
	}
	return found[1]
}

// pages are all kinds of pages that a client sees, with what is in them.
func (v *visitor) pages(l locale.Language) map[string]string {
	v.t.Helper()
	q := "?language=" + string(l)
	owed := v.purchase(12345)
	held := v.planned()
	token := v.token()
	ask := func(kind string, form url.Values) string { return v.ask(kind, form) }
	wrong := v.post("/my/acts/promise/"+q, url.Values{"object": {owed}, "day": {"2001-01-01"}}).Want(422).Body
	code := ask("details", url.Values{"text": {"abc"}})
	tried := v.post(code+q, url.Values{"code": {"x"}}).Want(422).Body
	done := v.confirm(code).Want(303).Header.Get("Location")
	return map[string]string{"page": v.get("/my/" + q).Want(200).Body, "a wrong day": wrong, "a wrong code": tried,
		"done":    v.get(done + q).Want(200).Body,
		"stop":    v.get("/my/acts/privacy/" + q).Want(200).Body,
		"details": v.get("/my/acts/details/" + q).Want(200).Body,
		"account": v.get("/my/acts/account/" + q + "&object=" + token).Want(200).Body,
		"invoice": v.get("/my/acts/invoice/" + q + "&object=" + owed).Body,
		"door":    v.get("/my/link/" + v.sent() + q).Want(200).Body,
		"ask":     v.get("/my/ask/a/" + q).Want(200).Body,
		"missing": v.post("/my/ask/a/"+q, url.Values{}).Want(422).Body,
		"sent":    v.post("/my/ask/a/"+q, url.Values{"contact": {"x@example.com"}}).Want(200).Body,
		"about":   v.get("/my/accessibility/" + q).Want(200).Body, "planned": v.get("/my/acts/day/" + q + "&object=" + held).Body}
}

var (
	tags    = regexp.MustCompile(`(?s)<head>.*?</head>|<(\w+)[^>]* lang="en-ZA"[^>]*>.*?</(?:aside|a|p|ol)>|<[^>]+>`)
	spoken  = regexp.MustCompile(`(?s)(?:aria-label|title)="([^"]*)"`)
	letters = regexp.MustCompile(`\p{L}{2,}`)
)

// texts are what a person reads, or hears, of a page.
func texts(page string) string {
	_, body, _ := strings.Cut(page, "<body>")
	heard := ""
	for _, one := range spoken.FindAllStringSubmatch(body, -1) {
		heard += "\n" + one[1]
	}
	return html.UnescapeString(tags.ReplaceAllString(body, "\n") + heard)
}

// values are what is not ours to translate, and days, whose names come from a table.
var values = []string{"Karoo Gym (Pty) Ltd", "Karoo Gym", "Thandi Nkosi", "thandi@example.com", "Membership", "English",
	"Afrikaans", "isiZulu", "isiXhosa", "SAST", "Sandbox", "December", "DEC", "Standard Bank", "BA"}

// Every text of the catalogue is put into marks: what then stands outside of them is in no catalogue.
func TestNoTextOfAPageIsOutsideTheCatalogue(t *testing.T) {
	v := newVisitor(t)
	offers(t, v.Server, "zu")
	v.enter()
	defer locale.Pretend(locale.Zulu, func(text string) string { return "⟦" + text + "⟧" })()
	marked := regexp.MustCompile(`⟦[^⟦⟧]*⟧`)
	months := regexp.MustCompile(`(?:(?:ISonto|UMsombuluko|ULwesi\w+|UMgqibelo) )?\d{1,2} \p{L}+ \d{4}`)
	b, err := v.Approvals.Brands.Store.Brand(t.Context(), v.A.ID, v.A.BrandID)
	if err != nil {
		t.Fatal(err)
	}
	known := append(slices.Clone(values), b.Name, b.LegalName, b.Email)
	for name, page := range v.pages(locale.Zulu) {
		if !strings.Contains(page, "⟦") {
			t.Errorf("%s is not in the language at all", name)
			continue
		}
		text := texts(page)
		for marked.MatchString(text) { // one text may stand in another
			text = marked.ReplaceAllString(text, "")
		}
		text = months.ReplaceAllString(text, "")
		for _, value := range known {
			if value != "" {
				text = strings.ReplaceAll(text, value, "")
			}
		}
		text = regexp.MustCompile(`\S+@\S+|R-\d+|\bR\x{a0}`).ReplaceAllString(text, "")
		if found := letters.FindAllString(text, -1); len(found) > 0 {
			t.Errorf("%s says outside of the catalogue: %q", name, found)
		}
	}
}

var figures = regexp.MustCompile(`\d(?:[\d\x{a0},:]*\d)?`)

// A page in another language names the same amounts, days and numbers.
func TestEveryLanguageNamesTheSameFigures(t *testing.T) {
	v := newVisitor(t)
	offers(t, v.Server, "af,zu,xh")
	v.enter()
	v.purchase(12345)
	v.planned()
	figuresOf := func(l locale.Language) []string {
		page := v.get("/my/?language=" + string(l)).Want(200).Body
		if len(page) > 20_000 {
			t.Errorf("the page in %s has %d bytes", l.Name(), len(page))
		}
		if !strings.Contains(page, `<html lang="`+l.Tag()+`"`) {
			t.Errorf("no page in %s", l.Name())
		}
		found := figures.FindAllString(texts(page), -1)
		slices.Sort(found)
		return found
	}
	want := figuresOf(locale.English)
	if len(want) < 5 {
		t.Fatalf("only %v", want)
	}
	for _, l := range locale.Languages[1:] {
		if got := figuresOf(l); !slices.Equal(got, want) {
			t.Errorf("%s names %v, not %v", l.Name(), got, want)
		}
	}
}

func TestTheWordingOfAMandateStaysInEnglish(t *testing.T) {
	v := newVisitor(t)
	offers(t, v.Server, "zu")
	v.enter()
	v.post("/p/"+v.purchase(12345)+"/", url.Values{"full_name": {"Thandi Nkosi"}, "bank_code": {"470010"},
		"account_number": {"1234567890"}, "account_type": {"SAVINGS"}, "consent": {"yes"}, "store": {"yes"}}).Want(303)
	var id string
	if err := v.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM mandates WHERE client_id = $1 ORDER BY id DESC
		LIMIT 1`, v.client).Scan(&id); err != nil {
		t.Fatal(err)
	}
	v.get("/my/mandates/"+id+"/?language=zu").Want(200).Contains(`<html lang="zu-ZA"`, `lang="en-ZA"`,
		"Uvume amagama esiNgisi").Lacks("What you agreed to")
}
