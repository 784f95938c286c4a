package handlers_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/user"
)

// browser keeps all cookies of a sign-in, as a browser does.
func (h *signInServer) browser(email string) handlertest.Person {
	h.t.Helper()
	got := h.Call("POST", "/login", url.Values{"email": {email}, "password": {gatePassword}},
		"Accept: text/html").Want(http.StatusSeeOther)
	return handlertest.Person{User: h.A.Owner.User, Cookie: cookiesOf(got)}
}

func cookiesOf(got handlertest.Answer) string {
	var all []string
	for _, c := range (&http.Response{Header: got.Header}).Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

// over ends every session; the browser still has its cookies.
func (h *signInServer) over() {
	h.t.Helper()
	if _, err := h.Store.Pool.Exec(context.Background(), `DELETE FROM sessions`); err != nil {
		h.t.Fatal(err)
	}
}

// back signs the person in again by way of the page that refused the form, and
// opens where that leads.
func (h *signInServer) back(refused handlertest.Answer, email string) handlertest.Answer {
	h.t.Helper()
	to := refused.Header.Get("Location") + refused.Header.Get("HX-Redirect")
	at, err := url.Parse(to)
	if err != nil || at.Path != "/login" || strings.Contains(to, "Nomvula") || strings.Contains(to, "6200000001") {
		h.t.Fatalf("sent to %s", to)
	}
	got := h.Call("POST", "/login", url.Values{"email": {email}, "password": {gatePassword},
		"next": {at.Query().Get("next")}}, "Accept: text/html").Want(http.StatusSeeOther)
	return h.Page(handlertest.Person{Cookie: cookiesOf(got)}, "GET", got.Header.Get("Location"), nil)
}

const owner, colleague = "nomsa@a.example", "sipho@a.example"

func TestAFormIsBackAfterTheSessionHasEnded(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	client := url.Values{"full_name": {"Nomvula <b>Zulu</b>"}, "email": {"nomvula@example.com"}, "country": {"NA"},
		"bank_account": {"6200000001"}, "bank_code": {"470010"},
		"account_type": {"SAVINGS"}, "form_key": {"0192d1a0-0000-7000-8000-000000000001"}}
	purchase := url.Values{"name": {"Nomvula’s gloves", "Ball", "Bag"}, "price": {"10", "20", "30,50"},
		"quantity": {"1", "2", "3"}, "reference": {"R-77"}, "way": {"link"},
		"form_key": {"0192d1a0-0000-7000-8000-000000000002"}}
	for name, c := range map[string]struct {
		path, from string
		form       url.Values
		htmx       bool
		want       []string
	}{
		"a client": {"/clients", "/clients/new", client, false,
			[]string{`value="Nomvula &lt;b&gt;Zulu&lt;/b&gt;"`, `value="6200000001"`, `value="NA" selected`,
				`value="SAVINGS" selected`, "0192d1a0-0000-7000-8000-000000000001"}},
		"a client whose form was refused before": {"/clients", "/clients", client, false, []string{`value="6200000001"`}},
		"a purchase of three lines": {"/purchases", "/purchases/new", purchase, false,
			[]string{"Nomvula’s gloves", `value="Ball"`, `value="Bag"`, `value="30,50"`, `value="R-77"`,
				"0192d1a0-0000-7000-8000-000000000002"}},
		"a preview of it": {"/purchases/preview", "/purchases/new", purchase, true,
			[]string{`value="Bag"`, `value="R-77"`}},
	} {
		who := h.browser(owner)
		h.over()
		headers := []string{"Referer: https://desk.example" + c.from}
		if c.htmx {
			headers = []string{"HX-Request: true", "HX-Current-URL: https://desk.example" + c.from}
		}
		refused := h.Page(who, "POST", c.path, c.form, headers...)
		page := h.back(refused, owner).Want(http.StatusOK)
		page.Contains("You are signed in again, and the form is back").Lacks("<b>Zulu")
		page.Contains(c.want...)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	if n := h.Count(`SELECT count(*) FROM clients WHERE email = 'nomvula@example.com'`) +
		h.Count(`SELECT count(*) FROM purchases`); n != 0 {
		t.Errorf("%d things were made by signing in", n)
	}
	if n := h.Count(`SELECT count(*) FROM kept_forms WHERE encode(sealed, 'escape') LIKE '%6200000001%'`); n != 0 {
		t.Error("a number lies open")
	}
}

// A form that was opened inside another page comes back too, and nothing that was looked at on the way fails.
func TestANoteIsBackAfterTheSessionHasEnded(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who := h.browser(owner)
	made := h.Page(who, "POST", "/clients", url.Values{"full_name": {"Nomvula Zulu"}, "email": {"nomvula@example.com"},
		"form_key": {"0192d1a0-0000-7000-8000-000000000001"}}).Want(http.StatusSeeOther).Header.Get("Location")
	path := strings.TrimSuffix(made, "/")
	note := url.Values{"do": {"note"}, "text": {"Called; pays on Friday"}}
	for name, from := range map[string]string{
		"the page of the client": path, "the page of the form": path + "/notes?do=note",
	} {
		for _, headers := range [][]string{
			{"Referer: https://desk.example" + from},
			{"HX-Request: true", "HX-Current-URL: https://desk.example" + from},
		} {
			h.over()
			refused := h.Page(who, "POST", path+"/notes?do=note", note, headers...)
			h.back(refused, owner).Want(http.StatusOK).Contains("You are signed in again", "Called; pays on Friday")
			who = h.browser(owner)
			if t.Failed() {
				t.Fatal(name, headers)
			}
		}
	}
}

func TestAKeptFormIsForItsPersonAndNotForLong(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	if _, err := h.People.Create(t.Context(), h.A.Actor,
		user.Input{Email: colleague, Name: "Sipho", Password: gatePassword, Role: "admin"}); err != nil {
		t.Fatal(err)
	}
	send := func() handlertest.Answer {
		who := h.browser(owner)
		h.over()
		return h.Page(who, "POST", "/clients", url.Values{"full_name": {"Nomvula"}, "bank_account": {"6200000001"}},
			"Referer: https://desk.example/clients/new")
	}
	refused := send()
	if got := h.back(refused, colleague); got.Status != http.StatusSeeOther || strings.Contains(got.Body, "Nomvula") {
		t.Errorf("another person got %d %s", got.Status, got.Body)
	}
	h.back(refused, owner).Want(http.StatusOK).Contains(`value="6200000001"`)
	h.Wait(31 * time.Minute)
	if got := h.back(refused, owner); got.Status != http.StatusSeeOther {
		t.Errorf("after half an hour: %d", got.Status)
	}
	for range 8 {
		send()
	}
	if n := h.Count(`SELECT count(*) FROM kept_forms`); n != 5 {
		t.Errorf("%d forms are kept", n)
	}
	stranger := h.Call("POST", "/clients", url.Values{"full_name": {"Nomvula"}}, "Accept: text/html",
		"Sec-Fetch-Site: same-origin").Want(http.StatusSeeOther)
	forged := h.Page(handlertest.Person{Cookie: "__Host-debitdesk-person=" + h.A.Owner.ID.String() + ".nonsense"}, "POST",
		"/clients", url.Values{"full_name": {"Nomvula"}})
	secret := h.Page(h.browserOver(), "POST", "/account/password", url.Values{"current": {"x"}, "password": {"y"}})
	for name, got := range map[string]handlertest.Answer{"a stranger's": stranger, "a forged": forged,
		"a password": secret} {
		if strings.Contains(got.Header.Get("Location"), "kept") {
			t.Errorf("%s form was kept", name)
		}
	}
}

func (h *signInServer) browserOver() handlertest.Person {
	h.t.Helper()
	who := h.browser(owner)
	h.over()
	return who
}
