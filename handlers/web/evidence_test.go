package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

// addDocument sends the form that adds a document to the mandate of the stored account.
func (k cast) addDocument(who handlertest.Person, key, content string) handlertest.Answer {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("form_key", key)
	if content != "" {
		part, _ := w.CreateFormFile("scan", "signed later.pdf")
		_, _ = part.Write([]byte(content))
	}
	_ = w.Close()
	return k.Call("POST", "/mandates/"+k.token+"/evidence", body.Bytes(), "Cookie: "+who.Cookie, "Accept: text/html",
		"Sec-Fetch-Site: same-origin", "Content-Type: "+w.FormDataContentType())
}

func TestADocumentIsAddedToAMandateOnItsPage(t *testing.T) {
	k := withAccount(t)
	page, form := "/mandates/"+k.token, "/mandates/"+k.token+"/evidence/new"
	k.exec(t, `DELETE FROM mandate_evidence`)
	k.exec(t, `UPDATE mandates SET consent_channel = 'api'`)
	k.Page(k.A.Staff, "GET", page, nil).Want(http.StatusOK).Contains("No file is kept here", form)
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).Contains(form)
	k.Page(k.A.Reader, "GET", page, nil).Want(http.StatusOK).Lacks(form)
	k.Page(k.A.Reader, "GET", form, nil).Want(http.StatusForbidden)
	k.Page(k.A.Staff, "GET", form, nil).Want(http.StatusOK).Contains("Add a document", `accept="application/pdf`)

	for content, want := range map[string]string{"": "Choose the document", "just text": "must be a PDF, PNG or JPEG",
		"%PDF-1.7" + strings.Repeat(" ", 5<<20): "at most 5 MB"} {
		k.addDocument(k.A.Staff, uuid.NewString(), content).Want(http.StatusUnprocessableEntity).Contains(want, `id="scan"`)
	}
	key := uuid.NewString()
	for range 2 {
		to := k.addDocument(k.A.Staff, key, "%PDF-1.7 signed").Want(http.StatusSeeOther)
		if at := to.Header.Get("Location"); at != page+"#evidence" {
			t.Errorf("led to %s", at)
		}
	}
	k.addDocument(k.A.Staff, uuid.NewString(), "%PDF-1.7 signed").Want(http.StatusSeeOther) // the same document
	if n := k.Count(`SELECT count(*) FROM mandate_evidence`); n != 1 {
		t.Errorf("%d documents are kept, want 1", n)
	}
	k.Page(k.A.Staff, "GET", page, nil).
		Contains("signed later.pdf", "15 bytes · added ", "A document that proves the mandate was added").
		Lacks("No file is kept here")

	k.exec(t, `UPDATE mandates SET consent_channel = 'pay_page'`)
	k.Page(k.A.Staff, "GET", page, nil).Lacks(form)
	k.Page(k.A.Staff, "GET", form, nil).Want(http.StatusConflict).Contains("agreed on the payment page")
	k.addDocument(k.A.Staff, uuid.NewString(), "%PDF-1.7 other").Want(http.StatusConflict).
		Contains("agreed on the payment page")
}
