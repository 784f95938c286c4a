package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/mail/outbox"
	"debitdesk/models/message"
)

// What went to clients by e-mail and by SMS is one list, and each message shows what it said. A link that lets a client
// in is shown to nobody else.
func TestMessagesToClientsAreOneList(t *testing.T) {
	t.Parallel()
	h, at := texted(t)
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm("Please call us.")).Want(http.StatusSeeOther)
	sendSMS(h, t)
	h.At(h.Store.Now().Add(time.Minute))
	h.Page(h.A.Staff, "POST", at+"/page/sms", url.Values{"form_key": {"sms:" + uuid.NewString()}}).
		Want(http.StatusSeeOther)
	brand := h.A.BrandID.String()
	id := h.API("POST", "/purchases/", map[string]any{"client_id": strings.TrimPrefix(at, "/clients/"), "brand_id": brand,
		"purchase": map[string]any{"products": []map[string]any{{"name": "Membership", "price": 30007}}}}).Want(201).Text("id")
	h.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(200)
	post := &outbox.Service{Store: outbox.Store{DB: h.Store}, Sender: outbox.Keep{}, Sent: h.Purchases.Mailed,
		Compose: h.Billing.Compose}
	if _, err := post.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE mails SET state = 'failed', error = 'Mailbox unavailable.'
		WHERE purchase_id = $1`, id); err != nil {
		t.Fatal(err)
	}

	all := h.Page(h.A.Reader, "GET", "/messages", nil).Want(http.StatusOK).Contains("Please call us.",
		"The link to the client’s own page", "Thandi Nkosi", "082 123 4567", "thandi@example.com", "3 messages").
		Lacks("/my/link/")
	for query, want := range map[string]struct{ has, lacks string }{
		"state=waiting":              {"own page", "Please call us."},
		"state=sent":                 {"Please call us.", "own page"},
		"state=unsent":               {"Failed", "Please call us."},
		"channel=sms":                {"own page", "Invoice"},
		"channel=mail":               {"thandi@example.com", "own page"},
		"q=082+123":                  {"own page", "thandi@example.com"},
		"q=nkosi":                    {"Please call us.", "No messages"},
		"q=%25":                      {"match", "Thandi"},
		"when=yesterday":             {"match", "Thandi"},
		"from=2031-03-03":            {"Please call us.", "match"},
		"client=" + at[9:]:           {"Please call us.", "match"},
		"client=" + uuid.NewString(): {"match", "Thandi"},
	} {
		h.Page(h.A.Reader, "GET", "/messages?"+query, nil, "HX-Request: true", "HX-Target: results").Want(http.StatusOK).
			Contains(want.has).Lacks(want.lacks)
	}
	h.Page(h.B.Owner, "GET", "/messages", nil).Want(http.StatusOK).Contains("No message yet")
	h.Page(h.A.Reader, "GET", "/messages/export?format=csv", nil).Want(http.StatusOK)

	read := func(title string) (path string) {
		before, _, found := strings.Cut(all.Body, title)
		n := strings.LastIndex(before, "/messages/")
		if !found || n < 0 {
			t.Fatalf("the list has no %q", title)
		}
		return before[n : n+len("/messages/")+36]
	}
	said, link := read("Please call us."), read("The link to")
	h.Page(h.A.Reader, "GET", said, nil).Want(http.StatusOK).Contains(": Please call us.", "Sent", "082 123 4567")
	h.Page(h.A.Owner, "GET", link, nil).Want(http.StatusOK).Contains("for the client alone").Lacks("/my/link/")
	h.Page(h.B.Owner, "GET", said, nil).Want(http.StatusNotFound)
	reads := &message.Service{Store: message.Store{DB: h.Store}, Mails: outbox.Store{DB: h.Store}}
	of, _ := strings.CutPrefix(link, "/messages/")
	if got, err := reads.Get(t.Context(), h.A.Owner.Actor(), uuid.MustParse(of)); err != nil || got.Words+got.Text != "" {
		t.Errorf("whoever reads the link's message is given %q, %v", got.Words+got.Text, err)
	}
	var mail string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM mails WHERE purchase_id = $1`, id).
		Scan(&mail); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Staff, "GET", "/messages/"+mail, nil).Want(http.StatusOK).Contains("Mailbox unavailable.", "300,07",
		"Correct the address", "/purchases/"+id+"/address")
	h.Page(h.A.Reader, "GET", "/messages/"+mail, nil).Want(http.StatusOK).Lacks("Correct the address")
}
