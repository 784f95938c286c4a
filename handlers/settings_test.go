package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
)

// brandForm is the form of a brand as a browser would send it.
func brandForm(in merchant.BrandInput, version string) url.Values {
	form := url.Values{"version": {version}}
	for _, f := range in.Fields() {
		form.Set(f.Name, f.Value)
	}
	return form
}

func TestASecondAdminSeesBothVersionsAndSavesKnowingly(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	href := "/settings/brands/" + s.A.BrandID.String()
	version := between(s.Page(s.A.Owner, "GET", href, nil).Want(200).Body, `name="version" value="`, `"`)
	b, err := merchant.Store{DB: s.Store}.Brand(t.Context(), s.A.ID, s.A.BrandID)
	if err != nil {
		t.Fatal(err)
	}
	in := b.BrandInput
	in.City = "Cape Town"
	s.Page(s.A.Owner, "POST", href, brandForm(in, version)).Want(303)
	in.City = "Paarl"
	late := s.Page(s.A.Owner, "POST", href, brandForm(in, version)).Want(409).Contains(
		"Another person changed this brand in the meantime", "Cape Town", "Paarl")
	s.Page(s.A.Owner, "POST", href, brandForm(in, between(late.Body, `name="version" value="`, `"`))).Want(303)
	s.Page(s.A.Owner, "GET", href, nil).Want(200).Contains(`value="Paarl"`)
	in.TaxNumber, in.Email = "12", "nobody"
	s.Page(s.A.Owner, "POST", href, brandForm(in, "1")).Want(422).Contains("A VAT number has ten digits",
		"That is not an e-mail address", `value="nobody"`)
	s.Page(s.A.Owner, "POST", "/settings/brands", brandForm(in, "")).Want(422)
}

func TestABrandThatIsUsedStaysAndSoDoesItsProfile(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	href := "/settings/brands/" + s.A.BrandID.String()
	s.Page(s.A.Owner, "GET", href, nil).Want(200).Contains("3 live mandates", "In use, so it stays", "12345678")
	s.Page(s.A.Owner, "GET", href+"/removal", nil).Want(409)
	s.Page(s.A.Owner, "POST", href+"/removal", url.Values{}).Want(409).Contains("business needs one brand")
	s.Page(s.A.Owner, "POST", href+"/profiles/"+s.profile+"/removal",
		url.Values{}).Want(409).Contains("3 live mandates were given for this profile: their debits")
	in := merchant.NewBrand()
	in.Name = "Second"
	s.Page(s.A.Owner, "POST", "/settings/brands", brandForm(in, "")).Want(422).Contains("has the prefix DD")
	s.Page(s.A.Owner, "GET", "/settings/brands/new", nil).Contains(`value="DE"`)
	in.ReferencePrefix = "DE"
	s.Page(s.A.Owner, "POST", "/settings/brands", brandForm(in, "")).Want(303)
	s.Page(s.A.Owner, "POST", href+"/removal", url.Values{}).Want(409).Contains("they are kept")
	if n := s.Count(`SELECT count(*) FROM debit_profiles WHERE merchant_id = $1`, s.A.ID); n != 1 {
		t.Errorf("%d profiles are left", n)
	}
}

func TestTheStatementLineFollowsWhatIsTyped(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	href := "/settings/brands/" + s.A.BrandID.String() + "/profiles"
	typed := url.Values{"abbreviated_name": {"kloof gym"}}
	s.Page(s.A.Owner, "POST", href, typed, "HX-Request: true", "HX-Target: line").Want(200).Contains("KLOOF GYM ",
		"DD##########").Lacks("<form")
	s.Page(s.A.Owner, "POST", href, typed).Want(200).Contains("KLOOF GYM ", "<form")
	typed.Set("abbreviated_name", "kloof gym 11")
	s.Page(s.A.Owner, "POST", href, typed, "HX-Request: true", "HX-Target: line").Want(200).Contains("does not fit")
	if n := s.Count(`SELECT count(*) FROM debit_profiles WHERE merchant_id = $1`, s.A.ID); n != 1 {
		t.Errorf("looking made a profile: %d", n)
	}
	s.Page(s.A.Owner, "POST", href, url.Values{"save": {"yes"}, "profile_code": {"G1"}, "abbreviated_name": {"gym"},
		"branch_code": {"250655"}, "account_number": {"62000000001"}}).Want(303)
}

func TestASeriesKeepsItsPrefixUntilTheYearEnds(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	send := func() string {
		t.Helper()
		s.API("POST", "/billing/",
			fmt.Sprintf(
				`{"brand_id":%q,"due":%d,"clients":[{"client_id":%q}],"purchase":{"products":[{"name":"m","price":100}]}}`,
				s.A.BrandID, s.Store.Now().Add(72*time.Hour).Unix(), s.ids["/clients/"])).Want(200)
		var number string
		if err := s.Store.Pool.QueryRow(t.Context(),
			`SELECT number FROM invoices WHERE merchant_id = $1 ORDER BY year DESC, serial DESC LIMIT 1`,
			s.A.ID).Scan(&number); err != nil {
			t.Fatal(err)
		}
		return number
	}
	first := send()
	if !strings.HasPrefix(first, "INV-") {
		t.Fatalf("the first is %s", first)
	}
	if _, err := s.Store.Pool.Exec(t.Context(), `UPDATE brands SET invoice_prefix = 'GYM' WHERE id = $1`,
		s.A.BrandID); err != nil {
		t.Fatal(err)
	}
	second := send()
	if second == first || !strings.HasPrefix(second, "INV-") {
		t.Errorf("the next of a series that has begun is %s", second)
	}
	s.Page(s.A.Owner, "GET", "/settings/brands/"+s.A.BrandID.String(), nil).Contains("GYM-", "began with INV")
	if err := s.Store.Clock.MoveTo(t.Context(), calendar.On(calendar.DateOf(s.Store.Now()).Year+1, time.January, 2).At(9,
		0)); err != nil {
		t.Fatal(err)
	}
	third := send()
	if !strings.HasPrefix(third, "GYM-") || !strings.HasSuffix(third, "-000001") {
		t.Errorf("the first of a new year is %s", third)
	}
	s.Page(s.A.Owner, "GET", "/invoices?q="+strings.ToLower(third), nil).Want(200).Contains(third)
}

func TestTheSettingsShowTheTableThatTheProductObeys(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.Member(s.A, "given", actor.Staff, actor.Grants{actor.DeleteTokens: true})
	s.Member(s.A, "taken", actor.Admin, actor.Grants{actor.Reveal: false})
	body := s.Page(s.A.Owner, "GET", "/settings/roles", nil).Want(200).Contains("staff of given – given",
		"admin of taken – not: taken away").Body
	opens := handlers.Routes(s.Deps).Opens()
	for _, p := range actor.Permissions {
		if !strings.Contains(body, strings.ReplaceAll(p.Label, "'", "&#39;")) {
			t.Errorf("%s is not shown", p.Action)
		}
		for _, words := range opens[p.Action] {
			if !strings.Contains(body, strings.ReplaceAll(words, "'", "&#39;")) {
				t.Errorf("%q is not shown", words)
			}
		}
	}
	if strings.Contains(body, "of b") {
		t.Error("people of another business are shown")
	}
}

func TestTheCalendarPageShowsTheDaysAndWhereOneGoes(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	if err := s.Store.Clock.MoveTo(t.Context(), calendar.On(2028, time.December, 1).At(9, 0)); err != nil {
		t.Fatal(err)
	}
	at := func(day string) string {
		return s.Page(s.A.Owner, "GET", "/settings/calendar?day="+day, nil).Want(200).Body
	}
	for day, want := range map[string][]string{
		"2028-12-24": {
			"a debit due on Sunday 24 December 2028 goes to the bank by Wednesday 20 December 2028, 12:00 SAST, " +
				"and is debited on Friday 22 December 2028, since banks are closed (Sunday).",
			"goes to the bank by Friday 22 December 2028, 12:00 SAST, and is debited on Wednesday 27 December 2028"},
		"2028-12-20": {
			"goes to the bank by Monday 18 December 2028, 12:00 SAST, and is debited on Wednesday 20 December 2028."},
		"2028-11-01": {"Enter a day of the next ten years."},
		"nonsense":   {"Enter a date, such as"},
	} {
		body := at(day)
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("%s lacks %q:\n%s", day, text, body)
			}
		}
	}
	page := at("2028-12-24")
	for _, text := range []string{"Christmas Day", "Day of Reconciliation", "at 12:00 SAST, two business days before",
		"from 03:00 to 20:30 SAST"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	s.Purchases.Calendar.Replace(calendar.Change{Day: calendar.On(2028, time.December, 22), Name: "Long weekend"})
	if page := at("2028-12-24"); !strings.Contains(page, "Long weekend") ||
		!strings.Contains(page, "debited on Thursday 21 December 2028") {
		t.Error("a proclaimed day is not seen")
	}
}

func TestTheSettingsLeadToPagesThatAreThere(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	body := s.Page(s.A.Owner, "GET", "/settings/business", nil).Want(200).Body
	s.Page(s.A.Owner, "GET", "/settings", nil).Want(303)
	for _, r := range []string{"/settings/roles", "/settings/calendar", "/audit"} {
		if !strings.Contains(body, `href="`+r+`"`) {
			t.Errorf("no way to %s", r)
		}
	}
	if strings.Contains(s.Page(s.A.Staff, "GET", "/", nil).Want(200).Body, `href="/settings"`) {
		t.Error("staff are led to what they may not see")
	}
}

func TestAllAdminsAreToldOfAChangeThatDirectsMoney(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	second := h.Member(h.A, "second", actor.Admin, nil)
	told := func(what string, want int) {
		t.Helper()
		for _, admin := range []string{h.A.Owner.Email, second.Email} {
			if n := h.Count(`SELECT count(*) FROM mails WHERE kind = 'money_alert' AND recipient = '` + admin + `'`); n != want {
				t.Errorf("%s: %d mails to %s, want %d", what, n, admin, want)
			}
		}
		if n := h.Count(`SELECT count(*) FROM mails WHERE kind = 'money_alert'`); n != 2*want {
			t.Errorf("%s: %d mails in all, want %d", what, n, 2*want)
		}
	}
	brand := "/settings/brands/" + h.A.BrandID.String()
	h.Page(h.A.Owner, "POST", brand+"/profiles", url.Values{"save": {"1"}, "profile_code": {"NEW1"},
		"abbreviated_name": {"NEWNAME"}, "account_number": {"62001872440"}, "branch_code": {"250655"}}).Want(303)
	told("another clearing account", 1)
	id := ""
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM debit_profiles WHERE profile_code = 'NEW1'`).
		Scan(&id); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Owner, "POST", brand+"/profiles/"+id+"/default", nil).Want(303)
	told("made the default", 2)
	h.API("POST", "/webhooks/", map[string]any{"title": "One", "callback": "https://a.example", "all_events": true}).Want(201)
	told("a webhook by a program", 3)
	h.API("POST", "/clients/", map[string]any{"email": "a@b.example", "full_name": "A"}).Want(201)
	told("a client, who directs nothing", 3)
}
