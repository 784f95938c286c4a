package my_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"debitdesk/models/mail"
)

// A client who did not agree to a mandate stops its debits at once; staff answer, and may let them go on.
func TestAClientSaysThatItDidNotAgree(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.enter()
	planned := v.planned()
	var token string
	if err := v.Store.Pool.QueryRow(t.Context(), `SELECT token_id::text FROM collections WHERE purchase_id = $1`,
		planned).Scan(&token); err != nil {
		t.Fatal(err)
	}
	other := v.token()
	due := v.Store.Now().Add(20 * 24 * time.Hour).Unix()
	charge := func(token string) map[string]any {
		id := v.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"due":%d,
			"purchase":{"products":[{"name":"January","price":50000}]}}`, v.client, v.A.BrandID, due)).Want(201).Text("id")
		a := v.API("POST", "/purchases/"+id+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token))
		return map[string]any{"status": a.Status, "body": a.Body}
	}
	v.get("/my/").Want(200).Contains("I did not agree to this")
	v.get("/my/acts/objected/?object="+token).Want(200).
		Contains("Nothing more is debited", "within 60 days after the debit")
	at := v.ask("objected", url.Values{"object": {token}})
	if n := v.Count(`SELECT count(*) FROM tokens WHERE held_at IS NOT NULL`); n != 0 {
		t.Fatal("something stopped before the code was entered")
	}
	v.confirm(at).Want(303)
	v.get(at).Want(200).Contains("Nothing more is debited from")
	v.get("/my/").Want(200).Contains("You said that you did not agree to this")
	v.post("/my/acts/objected/", url.Values{"object": {token}}).Want(409).Contains("You said this already")
	if n := v.Count(`SELECT count(*) FROM collections c JOIN purchases p ON p.id = c.purchase_id
		WHERE c.state = 'cancelled' AND p.status = 'error' AND c.purchase_id::text = '` + planned + `'`); n != 1 {
		t.Error("the planned debit was not withdrawn")
	}
	if a := charge(token); a["status"] != 400 {
		t.Errorf("a new debit under it: %v", a)
	}
	if a := charge(other); a["status"] != 200 {
		t.Errorf("a debit under another mandate: %v", a)
	}
	if v.letter("client_page_done").Subject != "Nothing more is debited under this permission" ||
		v.letter(mail.ClientCode).Subject == "" {
		t.Error("the client was not told")
	}

	var request string
	if err := v.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM client_requests WHERE kind = 'mandate'
		AND state = 'open'`).Scan(&request); err != nil {
		t.Fatal(err)
	}
	if n := v.Count(`SELECT count(*) FROM attention_facts WHERE kind = 'request' AND object_id::text = '` +
		request + `'`); n != 1 {
		t.Errorf("%d attention lines", n)
	}
	v.Page(v.A.Staff, "GET", "/requests/"+request, nil).Want(200).
		Contains("I did not agree to this", "Look for the proof").
		Lacks("Let debits under this mandate go on")
	v.Page(v.A.Owner, "GET", "/requests/"+request, nil).Want(200).Contains("Let debits under this mandate go on")
	version := url.Values{"version": {"1"}}
	v.Page(v.A.Staff, "POST", "/requests/"+request+"/going-on", version).Want(403)
	v.Page(v.B.Owner, "POST", "/requests/"+request+"/going-on", version).Want(404)
	v.Page(v.A.Owner, "POST", "/requests/"+request+"/going-on", version).Want(303)
	v.Page(v.A.Owner, "POST", "/requests/"+request+"/going-on", version).Want(409)
	if a := charge(token); a["status"] != 200 {
		t.Errorf("a debit after staff let them go on: %v", a)
	}
	if n := v.Count(`SELECT count(*) FROM audit_entries WHERE action IN ('token.objected', 'token.agreed')`); n != 2 {
		t.Errorf("%d entries", n)
	}
}
