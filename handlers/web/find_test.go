package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

// found asks the search as its page does.
func found(h *handlertest.Server, who handlertest.Person, typed string) handlertest.Answer {
	return h.Page(who, "GET", "/find?q="+url.QueryEscape(typed), nil).Want(http.StatusOK)
}

func TestOneSearchFindsRecordsNumbersPagesAndActs(t *testing.T) {
	k := withAccount(t)
	h, staff := k.Server, k.A.Staff
	sipho := add(h, url.Values{"full_name": {"Sipho Zöllner"}, "email": {"sipho@example.com"}, "phone": {"083 765 4321"}})
	client, token := "/clients/"+k.client, "/tokens/"+k.token
	for typed, want := range map[string][]string{
		"nkosi THANDI":      {client, token[len("/tokens/"):]},
		"  thandi   nko ":   {client},
		"zollner":           {sipho},
		"ZÖLLNER sipho":     {sipho},
		"sipho@example.com": {sipho},
		"083 765":           {sipho},
		"+27 83 765 4321":   {sipho},
		"3456":              {client, token},
		"•••• 3456":         {token},
		"8001015009087":     {client},
		"800101 5009 087":   {client},
		k.client:            {client},
		"at https://x/clients/" + k.client + "?a=b": {client},
		k.token:                       {token, "/mandates/" + k.token, "/purchases/" + k.token},
		strings.ToUpper(k.token[:13]): {token},
		"purchases fail":              {"/purchases?attention="},
		"failed":                      {"/purchases/debits?outcome=failed"},
		"disputed":                    {"/purchases/debits?outcome=disputed"},
		"new purch":                   {"/purchases/new"},
		"set up mandate":              {"/mandates/new"},
		"move the clock":              {"/sandbox/clock"},
		"tomorrow":                    {"/purchases/debits?debit_from="},
		"1 Dec":                       {"/purchases/debits?debit_from="},
		"cut-off":                     {"/manual/"},
	} {
		page := found(h, staff, typed)
		for _, href := range want {
			if !strings.Contains(page.Body, href) {
				t.Errorf("%q does not find %s", typed, href)
			}
		}
		page.Lacks("4055123456")
	}
	undated := h.API("POST", "/purchases/", map[string]any{"client_id": k.client, "brand_id": h.A.BrandID,
		"purchase": map[string]any{"products": []map[string]any{{"name": "Towel", "price": 1000}}}}).Want(201).Text("id")
	found(h, staff, undated).Contains("/purchases/" + undated).Lacks("due ") // none was given
	found(h, staff, "4055123456").Contains("Nothing was found")
	found(h, staff, "zzzqq").Contains("Nothing was found")
	found(h, staff, "invite a person").Lacks("/settings/people/invite")
	found(h, k.A.Owner, "invite a person").Contains("/settings/people/invite")
	for _, typed := range []string{"thandi", "3456", "8001015009087", k.client, k.token, k.token[:13], "R 649"} {
		found(h, k.B.Owner, typed).Lacks(client, token, "/purchases/"+k.token, "Nkosi")
	}
	for _, odd := range []string{"'", `\`, "a'b & c | !d:*", "\x00\x01", "%", strings.Repeat("x ", 400),
		"\xff\xfe", "<b>", "'':*", "_ _"} {
		found(h, staff, odd)
	}
}

// Names are found that were typed wrongly, phone numbers by any part, and acts by the words that people have for them.
func TestTheSearchForgivesAndKnowsOtherWords(t *testing.T) {
	h := handlertest.New(t)
	client := func(name, email, phone string) string {
		return add(h, url.Values{"full_name": {name}, "email": {email}, "phone": {phone}})
	}
	govender := client("Priya Govender", "priya@example.com", "083 765 4321")
	thabo := client("Thabo Mokoena", "thabo@example.com", "")
	client("Sarel van der Merwe", "sarel@example.com", "")
	for typed, want := range map[string]string{"Govendr": govender, "govneder": govender, "Gvender": govender,
		"goveender priya": govender, "Tahbo": thabo, "Thbao Mokena": thabo, "765 4321": govender, "7654": govender,
		"4321": govender, "log out": "/account#sign-out", "logout": "/account#sign-out", "pause": "/templates",
		"refund": "/purchases?status=paid", "dark mode": "/account"} {
		if page := found(h, h.A.Staff, typed); !strings.Contains(page.Body, `href="`+want) {
			t.Errorf("%q does not find %s", typed, want)
		}
	}
	found(h, h.A.Staff, "Govendr").Contains("Clients with a similar name").Lacks("Thabo", "All ")
	found(h, h.A.Staff, "Grobler").Contains("Nothing was found")
	found(h, h.B.Owner, "Govendr").Lacks("Priya")
	found(h, h.B.Owner, "765 4321").Lacks("Priya")
	h.Page(h.A.Staff, "GET", "/clients?q=765+4321", nil).Contains("Priya Govender")
	h.Page(h.A.Staff, "GET", "/account", nil).Contains(`id="sign-out"`)
}

func TestTheSearchOffersWhatAPersonOpenedLast(t *testing.T) {
	k := withAccount(t)
	h := k.Server
	client := "/clients/" + k.client
	h.Page(k.A.Staff, "GET", "/find", nil).Want(http.StatusOK).Lacks("Recently opened")
	h.Page(k.A.Staff, "GET", client, nil).Want(http.StatusOK)
	h.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK)
	list := h.Page(k.A.Staff, "GET", "/find", nil, "HX-Request: true", "HX-Target: palette-found").Want(http.StatusOK).
		Contains("Recently opened", `role="listbox"`, `role="option"`).Lacks("<html")
	if at, before := strings.Index(list.Body, client), strings.Index(list.Body, "/tokens/"+k.token); before < 0 ||
		at < before {
		t.Error("the last page does not come first")
	}
	h.Page(k.A.Finance, "GET", "/find", nil).Lacks("Recently opened")
	h.Page(k.B.Owner, "GET", client, nil).Want(http.StatusNotFound)
	h.Page(k.B.Owner, "GET", "/find", nil).Lacks("Recently opened")
	h.Page(k.A.Staff, "POST", client+"/deletion", url.Values{"confirm": {"3456"}})
	if n := k.Count(`SELECT count(*) FROM recently_opened`); n != 2 {
		t.Errorf("%d pages are remembered, want 2", n)
	}
}

func TestAPersonTurnsTheKeysOff(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Staff, "GET", "/account", nil).Contains("Turn keyboard shortcuts off", `data-keys=""`)
	h.Page(h.A.Staff, "POST", "/account/keys", url.Values{"keys": {"off"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "GET", "/account", nil).Contains("Turn keyboard shortcuts on", `data-keys="off"`, "are off.")
	h.Page(h.A.Finance, "GET", "/account", nil).Contains("Turn keyboard shortcuts off")
	h.Page(h.A.Staff, "POST", "/account/keys", url.Values{"keys": {"on"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "GET", "/account", nil).Contains("Turn keyboard shortcuts off")
}
