package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
)

func ownWords(version, opening, closing string) url.Values {
	return url.Values{"version": {version}, "language": {"en"}, "opening": {opening}, "closing": {closing}}
}

// mailed sends what waits, and gives the newest mail of the business.
func mailed(t *testing.T, h *handlertest.Server) string {
	t.Helper()
	post := &outbox.Service{Store: outbox.Store{DB: h.Store}, Sender: outbox.Keep{}, Sent: h.Purchases.Mailed,
		Compose: h.Billing.Compose}
	if _, err := post.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent, err := outbox.Store{DB: h.Store}.Mails(t.Context(), h.A.ID, outbox.Filter{}, paging.Ask{Limit: 1})
	if err != nil || len(sent) == 0 {
		t.Fatalf("%d mails, %v", len(sent), err)
	}
	return sent[0].Text
}

// The words that a business saves stand in the mails from then on, and in those alone.
func TestOwnWordsStandInTheMailsThatAreSent(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/settings/brands/" + h.A.BrandID.String() + "/messages/invoice"
	invoice := func() string {
		id := h.API("POST", "/purchases/", map[string]any{"brand_id": h.A.BrandID.String(),
			"client":   map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi"},
			"purchase": map[string]any{"products": []map[string]any{{"name": "Membership", "price": 30007}}}}).
			Want(201).Text("id")
		h.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(200)
		return mailed(t, h)
	}
	before := invoice()
	h.Page(h.A.Owner, "POST", at+"/words", ownWords("0", "Thank you, {name}.\r\n\r\n<b>Train</b> on",
		"Pay {amount} as {reference}.")).
		Want(http.StatusSeeOther)
	after := invoice()
	for _, want := range []string{"Thank you, Thandi Nkosi.\n\n<b>Train</b> on\n", "Pay R\u00a0300,07 as "} {
		if !strings.Contains(after, want) || strings.Contains(before, want) {
			t.Errorf("%q:\n%s\nafter\n%s", want, after, before)
		}
	}
	h.Page(h.A.Reader, "GET", at+"?look=text", nil).Contains("Thank you, Thandi Nkosi.")
	h.Page(h.A.Reader, "GET", at, nil).Contains("&amp;lt;b&amp;gt;Train").Lacks("Change your words")
	h.Page(h.A.Reader, "GET", strings.TrimSuffix(at, "/invoice"), nil).Contains("English")
	h.Page(h.A.Owner, "GET", at, nil).Contains("Change your words")
	h.Page(h.B.Owner, "GET", at+"/words", nil).Want(http.StatusNotFound)
	h.Page(h.B.Owner, "POST", at+"/words", ownWords("1", "Mine", "")).Want(http.StatusNotFound)
	h.Page(h.A.Staff, "POST", at+"/words", ownWords("1", "Mine", "")).Want(http.StatusForbidden)

	h.Page(h.A.Owner, "POST", at+"/words", ownWords("1", "", "")).Want(http.StatusSeeOther)
	if last := invoice(); strings.Contains(last, "Thank you, Thandi") {
		t.Errorf("words that were taken away:\n%s", last)
	}
	h.Page(h.A.Owner, "GET", at+"/history", nil).Contains("Version 2", "Version 1", "Use version 1 again", "{reference}").
		Lacks("Use version 2 again")
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'message.worded'`); n != 2 {
		t.Errorf("%d are in the audit", n)
	}
}

func TestWordsThatWouldBreakAreRefusedAllAtOnce(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/settings/brands/" + h.A.BrandID.String() + "/messages/reminder/words"
	got := h.Page(h.A.Owner, "POST", at,
		ownWords("0", "Pay {amont} for {reference}, {name", "Bye } "+strings.Repeat("x", 600)))
	got.Want(http.StatusUnprocessableEntity).Contains("“{amont}” is not a placeholder of this message",
		"“{reference}” is not a placeholder", "The brace in “{name” has no partner", "The brace in “} xxx",
		"At most 600 characters; this has 606",
		"{name}, {amount}, {brand}", "Pay {amont} for")
	h.Page(h.A.Owner, "POST", at, url.Values{"version": {"0"}, "language": {"zu"}, "opening": {"Sawubona"}}).
		Want(http.StatusUnprocessableEntity).Contains("does not offer that language")
	h.Page(h.A.Owner, "POST", strings.Replace(at, "reminder", "client_page_code", 1), ownWords("0", "Hello", "")).
		Want(http.StatusNotFound)
	if n := h.Count(`SELECT count(*) FROM message_words`); n != 0 {
		t.Errorf("%d were kept", n)
	}
}

func TestTheWordsOfAnotherPersonAreNotOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/settings/brands/" + h.A.BrandID.String() + "/messages/reminder/words"
	h.Page(h.A.Owner, "POST", at, ownWords("0", "Theirs", "")).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "POST", at, ownWords("0", "Yours", "")).Want(http.StatusConflict).
		Contains("Another person changed these words", "Theirs", "Yours", `name="version" value="1"`)
	h.Page(h.A.Owner, "POST", at, ownWords("1", "Theirs", "")).Want(http.StatusSeeOther) // nothing changes
	h.Page(h.A.Owner, "POST", at, ownWords("1", "Yours", "")).Want(http.StatusSeeOther)
	b, err := merchant.Store{DB: h.Store}.Brand(t.Context(), h.A.ID, h.A.BrandID)
	if err != nil || len(b.OwnWords) != 1 || b.OwnWords[0].Opening != "Yours" {
		t.Errorf("%+v, %v", b.OwnWords, err)
	}
}

// What is typed can be looked at before it is kept, with a script and without.
func TestWordsCanBeLookedAtBeforeTheyAreKept(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/settings/brands/" + h.A.BrandID.String() + "/messages/invoice/words"
	only := []string{"HX-Request: true", "HX-Target: preview"}
	h.Page(h.A.Owner, "GET", at, nil).Want(http.StatusOK).Contains(`hx-post="`+at+`/preview"`,
		`formaction="`+at+`/preview"`, "<iframe").Lacks("Thank you, ")
	typed := ownWords("0", "Thank you, {name}.", "<b>{amount}</b>")
	h.Page(h.A.Owner, "POST", at+"/preview", typed, only...).Want(http.StatusOK).Contains(`id="preview"`,
		"Thank you, Thandi Nkosi.", "&amp;lt;b&amp;gt;R").Lacks("<form", "cannot be saved")
	page := h.Page(h.A.Owner, "POST", at+"/preview", typed).Want(http.StatusOK).Contains("Thank you, {name}.</textarea>",
		"Thank you, Thandi Nkosi.", `name="version" value="0"`)
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "style-src 'self' 'sha256-") {
		t.Errorf("the mail has no style: %s", policy)
	}
	h.Page(h.A.Owner, "POST", at+"/preview", ownWords("0", "Pay {amont}", "{name"), only...).Want(http.StatusOK).
		Contains("cannot be saved yet", "“{amont}” is not a placeholder", "has no partner")
	h.Page(h.B.Owner, "POST", at+"/preview", typed, only...).Want(http.StatusNotFound)
	h.Page(h.A.Staff, "POST", at+"/preview", typed, only...).Want(http.StatusForbidden)
	h.Page(h.A.Owner, "POST", strings.Replace(at, "invoice", "client_page_code", 1)+"/preview", typed, only...).
		Want(http.StatusNotFound)
	if n := h.Count(`SELECT count(*) FROM message_words`) + h.Count(
		`SELECT count(*) FROM audit_entries WHERE action = 'message.worded'`); n != 0 {
		t.Errorf("%d were kept", n)
	}
}
