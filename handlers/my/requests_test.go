package my_test

import (
	"net/url"
	"regexp"
	"testing"
)

// Whoever answers a request sees beforehand whether the answer is mailed: a client may be known by its number alone.
func TestThePageOfARequestSaysHowItsAnswerReachesTheClient(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.Page(v.A.Staff, "POST", "/clients/"+v.client+"/requests", url.Values{"kind": {"access"}, "channel": {"phone"},
		"text": {"Wants all we know"}, "received_on": {"2026-11-16"}}).Want(303)
	list := v.Page(v.A.Staff, "GET", "/requests", nil).Want(200).Body
	at := regexp.MustCompile(`/requests/[0-9a-f-]{36}`).FindString(list)
	v.Page(v.A.Staff, "GET", at, nil).Want(200).Contains("It is mailed to ").Lacks("nothing is sent")
	if _, err := v.Store.Pool.Exec(t.Context(), `UPDATE clients SET email = '' WHERE id = $1`, v.client); err != nil {
		t.Fatal(err)
	}
	v.Page(v.A.Staff, "GET", at, nil).Want(200).Contains("There is no e-mail address, so nothing is sent.").
		Lacks("It is mailed to")
}
