package web_test

import (
	"archive/zip"
	"net/http"
	"strings"
	"testing"
	"time"

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
	for logged, again := false, time.NewTicker(20*time.Millisecond); !logged; <-again.C {
		// An entry is linked once whatever was under way has ended, in other tests too.
		must(t, k.Audit.Link(t.Context()))
		must(t, k.Store.Pool.QueryRow(t.Context(), `SELECT NOT EXISTS (SELECT FROM audit_entries e WHERE e.merchant_id = $1
				AND NOT EXISTS (SELECT FROM audit_links l WHERE l.entry_id = e.id))
			AND EXISTS (SELECT FROM audit_trees t JOIN audit_heads h USING (merchant_id)
				WHERE merchant_id = $1 AND t.first + t.size - 1 = h.n)`, k.A.ID.String()).Scan(&logged))
	}
	body := k.Page(k.A.Owner, "GET", address, nil).Want(http.StatusOK).Body
	pack, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	must(t, err)
	for _, name := range []string{"mandate.pdf", "wording.txt", "answers.csv", "debits.csv", "mails.csv"} {
		f, err := pack.Open(name)
		must(t, err)
		_ = f.Close()
	}
	got := trail.CheckMandatePack(pack, func(origin string) []string {
		keys, err := merkle.Keys(origin, k.Audit.Signer.Public())
		must(t, err)
		return keys
	})
	if len(got.Problems) > 0 || got.Entries == 0 || got.Reference == "" {
		t.Errorf("%+v", got)
	}
}
