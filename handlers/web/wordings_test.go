package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/sms"
	"debitdesk/models/wording"
)

// Whoever may read sees how each message reads, in each language of the brand.
func TestEachKindOfMessageIsPreviewed(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/settings/brands/" + h.A.BrandID.String() + "/messages"
	list := h.Page(h.A.Reader, "GET", at, nil).Want(http.StatusOK)
	first := h.Page(h.A.Reader, "GET", "/settings/messages", nil).Want(http.StatusSeeOther)
	if to := first.Header.Get("Location"); to != at {
		t.Errorf("the first brand is at %s", to)
	}
	for _, k := range wording.Kinds {
		list.Contains(k.When, at+"/"+k.Name)
		one := h.Page(h.A.Reader, "GET", at+"/"+k.Name, nil).Want(http.StatusOK)
		if framed := strings.Contains(one.Body, `sandbox="" srcdoc="&lt;!doctype html&gt;`); framed != k.ByMail {
			t.Errorf("%s: a mail is shown: %t", k.Name, framed)
		}
		if k.BySMS {
			one.Contains("1 part", "of 160 characters")
		}
		one.Lacks("Send a test to me", `lang="af-ZA"`)
	}
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE brands SET offered_languages = 'af'`); err != nil {
		t.Fatal(err)
	}
	merchant.Store{DB: h.Store}.Forget(h.A.ID)
	h.Page(h.A.Reader, "GET", at+"/receipt?language=af", nil).Want(http.StatusOK).Contains("af-ZA", "Afrikaans").
		Lacks("not written in")
	h.Page(h.A.Reader, "GET", at+"/receipt?language=zu", nil).Want(http.StatusOK).Lacks("zu-ZA", "isiZulu")
	for _, k := range wording.Kinds {
		one := h.Page(h.A.Reader, "GET", at+"/"+k.Name+"?language=af", nil).Want(http.StatusOK).Lacks("not written in")
		if k.ByMail {
			one.Contains("af-ZA")
		}
		if k.Name == sms.StopNoted {
			one.Contains("u kry geen SMS meer")
		}
	}
	h.Page(h.A.Reader, "GET", at+"/receipt?look=text", nil).Contains("Dear Thandi Nkosi").Lacks("<iframe")
	policy := h.Page(h.A.Reader, "GET", at+"/receipt?look=phone", nil).Contains("mail-frame phone").
		Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "style-src 'self' 'sha256-") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy: %s", policy)
	}
	h.Page(h.A.Reader, "GET", at+"/unknown", nil).Want(http.StatusNotFound)
	h.Page(h.B.Owner, "GET", at+"/receipt", nil).Want(http.StatusNotFound)
}

func TestATestGoesToThePersonWhoAsksAlone(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/settings/brands/" + h.A.BrandID.String() + "/messages/receipt/test"
	h.Page(h.A.Reader, "POST", at, url.Values{}).Want(http.StatusForbidden)
	for range wording.TestsAnHour {
		h.Page(h.A.Staff, "POST", at, url.Values{"language": {"en"}, "to": {"other@example.com"}}).
			Want(http.StatusSeeOther)
	}
	h.Page(h.A.Staff, "POST", at, url.Values{}).Want(http.StatusSeeOther) // one too many
	h.Page(h.A.Staff, "GET", strings.TrimSuffix(at, "/test"), nil).Contains("You have had 10 tests within an hour")
	h.Page(h.A.Owner, "POST", at, url.Values{}).Want(http.StatusSeeOther) // another person
	sent, err := outbox.Store{DB: h.Store}.Mails(t.Context(), h.A.ID, outbox.Filter{}, paging.Ask{Limit: 50})
	if err != nil || len(sent) != wording.TestsAnHour+1 {
		t.Fatalf("%d mails, %v", len(sent), err)
	}
	if sent[0].To != h.A.Owner.Email || sent[1].To != h.A.Staff.Email {
		t.Errorf("to %s and %s", sent[0].To, sent[1].To)
	}
	m := sent[1]
	if !strings.HasPrefix(m.Subject, "[Test] ") || m.State != mail.Queued || len(m.CC)+len(m.BCC) > 0 ||
		!strings.Contains(m.Text, "The client and the amounts are made up") {
		t.Errorf("%+v", m)
	}
	h.Page(h.A.Reader, "GET", "/messages", nil).Contains("No message yet")
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'message.tested'`); n != wording.TestsAnHour+1 {
		t.Errorf("%d are in the audit", n)
	}
}
