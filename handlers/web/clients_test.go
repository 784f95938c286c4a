package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

var (
	versionField = regexp.MustCompile(`name="version" value="(\d+)"`)
	keyField     = regexp.MustCompile(`name="form_key" value="([0-9a-f-]+)"`)
)

func thandi() url.Values {
	return url.Values{"full_name": {"Thandi Nkosi"}, "email": {"thandi@example.com"}, "phone": {"082 123 4567"},
		"personal_code": {"800101 5009 087"},
		"bank_account":  {"4055 123 456"}, "bank_code": {"632005"}, "account_type": {"CURRENT"}, "country": {"ZA"}}
}

func with(form url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// add creates a client on the page and gives its address.
func add(h *handlertest.Server, form url.Values) string {
	return h.Page(h.A.Staff, "POST", "/clients/", form).Want(http.StatusSeeOther).Header.Get("Location")
}

func TestStaffAddAClientAndSeeItsPage(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Staff, "GET", "/clients/new/", nil).Want(http.StatusOK).Contains(`name="bank_account"`, `name="form_key"`)
	page := add(h, thandi())
	h.Page(h.A.Staff, "GET", page, nil).Want(http.StatusOK).
		Contains("Thandi Nkosi was added.", "Thandi Nkosi added.", "•••• 3456", "800101•••••87", "082 123 4567",
			"Absa, 632005").
		Lacks("4055123456", "8001015009087")
	h.Page(h.A.Staff, "GET", page, nil).Lacks("Thandi Nkosi added.")
}

func TestAFormComesBackWithWhatWasTypedAndEveryProblem(t *testing.T) {
	h := handlertest.New(t)
	form := with(thandi(), "email", "nobody", "phone", "12", "personal_code", "9001015000087", "bank_account", "12",
		"bank_code", "51001", "full_name", "<Thandi>")
	h.Page(h.A.Staff, "POST", "/clients", form).Want(http.StatusUnprocessableEntity).
		Contains("There are 5 problems", "Enter a valid e-mail address.", "check digit of the ID", "051001, with the zero",
			`value="nobody"`, "&lt;Thandi&gt;", `href="#email"`)
	if n := h.Count("SELECT count(*) FROM clients"); n != 0 {
		t.Errorf("%d clients, want none", n)
	}
}

func TestAFormSentTwiceCountsOnce(t *testing.T) {
	h := handlertest.New(t)
	key := keyField.FindStringSubmatch(h.Page(h.A.Staff, "GET", "/clients/new", nil).Body)[1]
	first, second := add(h, with(thandi(), "form_key", key)), add(h, with(thandi(), "form_key", key))
	if first != second || h.Count("SELECT count(*) FROM clients") != 1 {
		t.Errorf("first %s, second %s", first, second)
	}
	h.Page(h.A.Staff, "POST", "/clients", with(thandi(), "form_key", key, "city", "Durban")).Want(
		http.StatusConflict).Contains("sent before")
}

func TestAnEditKeepsMaskedNumbersAndWritesTheTimeLine(t *testing.T) {
	h := handlertest.New(t)
	page := add(h, thandi())
	edit := h.Page(h.A.Staff, "GET", page+"/edit", nil).Want(http.StatusOK).Contains(`value="•••• 3456"`).Lacks(
		"4055123456")
	form := with(thandi(), "version", versionField.FindStringSubmatch(edit.Body)[1], "bank_account", "•••• 3456",
		"personal_code", "800101•••••87", "city", "Durban")
	h.Page(h.A.Staff, "POST", page, form).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "GET", page, nil).Contains("•••• 3456", "city: nothing → Durban",
		"The details of Thandi Nkosi were changed.")
	h.Page(h.A.Staff, "POST", page, with(form, "city", "Pretoria")).Want(http.StatusConflict).
		Contains("Another person changed this client in the meantime", "now stored is “Durban”, you typed “Pretoria”")
}

func TestOnlyAdminsSeeNumbersInFullAndTheAuditKeepsIt(t *testing.T) {
	h := handlertest.New(t)
	page := add(h, thandi())
	for _, who := range []handlertest.Person{h.A.Staff, h.A.Finance} {
		h.Page(who, "GET", page, nil).Lacks("Show in full")
		h.Page(who, "POST", page+"/numbers", url.Values{}).Want(http.StatusForbidden).Lacks("4055123456")
	}
	h.Page(h.A.Owner, "GET", page, nil).Contains("Show in full").Lacks("4055123456")
	h.Page(h.A.Owner, "POST", page+"/numbers", url.Values{}).Want(http.StatusOK).Contains("<html", "4055123456",
		"8001015009087")
	h.Page(h.A.Owner, "POST", page+"/numbers", url.Values{}, "HX-Request: true",
		"HX-Target: numbers").Contains("4055123456").Lacks("<html")
	if n := h.Count("SELECT count(*) FROM audit_entries WHERE action = 'client.revealed'"); n != 2 {
		t.Errorf("%d audit entries, want 2", n)
	}
	h.Page(h.A.Owner, "GET", page, nil).Contains("were shown in full", "admin of a").Lacks("4055123456")
}

func TestDeletingAsksForTheLastFourDigits(t *testing.T) {
	h := handlertest.New(t)
	page := add(h, thandi())
	h.Page(h.A.Staff, "GET", page+"/deletion", nil).Want(http.StatusOK).Contains("Delete Thandi Nkosi?", "Type 3456")
	h.Page(h.A.Staff, "POST", page+"/deletion", url.Values{"confirm": {"1111"}}).Want(http.StatusUnprocessableEntity)
	h.Page(h.A.Staff, "POST", page+"/deletion", url.Values{"confirm": {"3456"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "GET", page, nil).Want(http.StatusNotFound).Contains("Not found")
}

func TestTheListFollowsItsAddress(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Staff, "GET", "/clients", nil).Want(http.StatusOK).Contains("No client yet")
	add(h, thandi())
	h.Page(h.A.Staff, "GET", add(h, url.Values{"full_name": {"Sipho Zulu"}, "email": {"sipho@example.com"}}),
		nil).Contains("Sipho Zulu added.")
	h.Page(h.A.Staff, "GET", "/clients/?q=nko", nil).Contains("Thandi Nkosi", "1 client", `value="nko"`).Lacks("Sipho")
	h.Page(h.A.Staff, "GET", "/clients?account=without", nil).Contains("Sipho").Lacks("Thandi")
	h.Page(h.A.Staff, "GET", "/clients?q=0821234567&account=with", nil).Contains("Thandi").Lacks("Sipho")
	h.Page(h.A.Staff, "GET", "/clients?q=none", nil).Contains("Nothing matches", "“none”", `href="/clients"`)
	h.Page(h.A.Staff, "GET", "/clients?account=wrong&after=x&page=2",
		nil).Want(http.StatusOK).Contains("‘wrong’ is not a filter by account. The filter was ignored.",
		"That page of the list is not known", "Thandi")
	h.Page(h.A.Staff, "GET", "/clients?q=tha", nil, "HX-Request: true", "HX-Target: results").Contains(`id="results"`,
		"Thandi").Lacks("<html")
}

func TestPagesOfTheListStayPut(t *testing.T) {
	h := handlertest.New(t)
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			h.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("p%03d@example.com", i),
				"full_name": fmt.Sprintf("Payer %03d", i)}).Want(http.StatusCreated)
		}
	}
	fill(0, 60)
	first := h.Page(h.A.Staff, "GET", "/clients?q=payer", nil).Contains("Payer 059", "Payer 010",
		"60 clients").Lacks("Payer 009")
	fill(60, 63)
	older := regexp.MustCompile(`href="(/clients\?after=[^"]+)"`).FindStringSubmatch(first.Body)[1]
	second := h.Page(h.A.Staff, "GET", strings.ReplaceAll(older, "&amp;", "&"), nil).Contains("Payer 009",
		"Payer 000").Lacks("Payer 010", "Payer 062")
	newer := regexp.MustCompile(`href="(/clients\?before=[^"]+)"`).FindStringSubmatch(second.Body)[1]
	h.Page(h.A.Staff, "GET", strings.ReplaceAll(newer, "&amp;", "&"), nil).Contains("Payer 010",
		"Payer 059").Lacks("Payer 060", "Payer 009")
}

func TestAnotherSiteCannotPost(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Staff, "POST", "/clients", thandi(), "Sec-Fetch-Site: cross-site").Want(http.StatusForbidden)
	if n := h.Count("SELECT count(*) FROM clients"); n != 0 {
		t.Errorf("%d clients, want none", n)
	}
}

func TestTheAddressFillsTheForm(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Staff, "GET", "/clients/new?full_name=Ann&email=ann@example.com", nil).Contains(`value="Ann"`,
		`value="ann@example.com"`)
}

func TestAClientWhoIsThereAlreadyIsNoticed(t *testing.T) {
	h := handlertest.New(t)
	first := h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"phone": "0821234567", "personal_code": "8001015009087"}).Want(http.StatusCreated).Text("id")
	for same, form := range map[string]url.Values{
		"e-mail address":  {"full_name": {"T Nkosi"}, "email": {"Thandi@Example.com"}},
		"phone number":    {"full_name": {"T Nkosi"}, "email": {"other@example.com"}, "phone": {"+27 82 123 4567"}},
		"identity number": {"full_name": {"T Nkosi"}, "email": {"other@example.com"}, "personal_code": {"800101 5009 087"}},
	} {
		form.Set("form_key", uuid.NewString())
		before := h.Count(`SELECT count(*) FROM clients`)
		h.Page(h.A.Staff, "POST", "/clients", form).Want(http.StatusConflict).Contains("You may have this client already",
			"the same "+same, `href="/clients/`+first+`"`, `value="T Nkosi"`, "Add client anyway")
		if n := h.Count(`SELECT count(*) FROM clients`); n != before {
			t.Fatalf("%s: it was added", same)
		}
		form.Set("even_so", "yes")
		made := h.Page(h.A.Staff, "POST", "/clients", form).Want(http.StatusSeeOther).Header.Get("Location")
		if again := h.Page(h.A.Staff, "POST", "/clients",
			form).Want(http.StatusSeeOther).Header.Get("Location"); again != made {
			t.Errorf("%s: sent again it leads to %s", same, again)
		}
	}
	plain := url.Values{"full_name": {"New One"}, "email": {"new@example.com"}, "form_key": {uuid.NewString()}}
	made := h.Page(h.A.Staff, "POST", "/clients", plain).Want(http.StatusSeeOther).Header.Get("Location")
	if again := h.Page(h.A.Staff, "POST", "/clients",
		plain).Want(http.StatusSeeOther).Header.Get("Location"); again != made {
		t.Errorf("the same form leads to %s", again)
	}
	h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com"}).Want(
		http.StatusCreated) // programs decide for themselves
}

func TestAddingAClientDoesNotLoseThePurchase(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Staff, "GET", "/purchases/new", nil).Want(http.StatusOK).Contains(`name="new_client"`)
	form := url.Values{"name": {"Gloves", "Bag"}, "price": {"10", "20,50"}, "quantity": {"1", "3"}, "reference": {"R-77"},
		"way": {"record"}, "new_client": {"yes"}, "form_key": {uuid.NewString()}}
	to := h.Page(h.A.Staff, "POST", "/purchases", form).Want(http.StatusSeeOther).Header.Get("Location")
	at, _ := url.Parse(to)
	back := at.Query().Get("back")
	h.Page(h.A.Staff, "GET", to, nil).Want(http.StatusOK).Contains(back, "/account/form?kept="+back)
	to = h.Page(h.A.Staff, "POST", "/clients", url.Values{"full_name": {"Thandi Nkosi"}, "email": {"thandi@example.com"},
		"back": {back}, "form_key": {uuid.NewString()}}).Want(http.StatusSeeOther).Header.Get("Location")
	client := to[strings.Index(to, "client=")+len("client="):]
	client, _, _ = strings.Cut(client, "&")
	h.Page(h.A.Staff, "GET", to, nil).
		Want(http.StatusOK).
		Contains("The client was added and is chosen here", `value="Bag"`,
			`value="20,50"`, `value="R-77"`, client, form.Get("form_key"), "Thandi Nkosi")
	h.Page(h.A.Finance, "GET", to, nil).Want(http.StatusSeeOther) // another person gets nothing
	if n := h.Count(`SELECT count(*) FROM purchases`); n != 0 {
		t.Errorf("%d purchases were made on the way", n)
	}
}

func TestAClientWithoutAnythingIsAskedForInWords(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Owner, "POST", "/clients", url.Values{}).Want(http.StatusUnprocessableEntity).
		Contains("Enter an e-mail address, or a bank account with its branch code.").Lacks("bank_code.")
}
