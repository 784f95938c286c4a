package web_test

import (
	"archive/zip"
	"net/http"
	"strings"
	"testing"

	"debitdesk/models/audit/merkle"
	"debitdesk/models/audit/trail"
)

func TestAnAdminDownloadsTheAuditPackOfAMandate(t *testing.T) {
	t.Parallel()
	k := withAccount(t)
	address := "/mandates/" + k.token + "/pack.zip"
	k.Page(k.A.Owner, "GET", "/mandates/"+k.token, nil).Want(http.StatusOK).Contains(address)
	k.Page(k.A.Staff, "GET", "/mandates/"+k.token, nil).Want(http.StatusOK).Lacks(address)
	k.Page(k.A.Staff, "GET", address, nil).Want(http.StatusForbidden)
	k.Page(k.B.Owner, "GET", address, nil).Want(http.StatusNotFound)
	var got trail.CheckedPack
	for got.Entries == 0 { // an entry is linked once whatever was under way has ended, in other tests too
		if err := k.Audit.Link(t.Context()); err != nil {
			t.Fatal(err)
		}
		answer := k.Page(k.A.Owner, "GET", address, nil)
		if answer.Status == http.StatusConflict { // nothing is in the log yet
			continue
		}
		body := answer.Want(http.StatusOK).Body
		pack, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"mandate.pdf", "wording.txt", "answers.csv", "debits.csv", "mails.csv"} {
			if f, err := pack.Open(name); err != nil {
				t.Error(err)
			} else {
				_ = f.Close()
			}
		}
		got = trail.CheckMandatePack(pack, func(origin string) []string {
			keys, _ := merkle.Keys(origin, k.Audit.Signer.Public())
			return keys
		})
	}
	if len(got.Problems) > 0 || got.Reference == "" {
		t.Errorf("%+v", got)
	}
}
