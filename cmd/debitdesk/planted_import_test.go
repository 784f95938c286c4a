package main

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/book"
)

// movesIn brings clients in from a file that names their accounts and identity numbers, with a row that is wrong.
func (v *vault) movesIn(cookie string) {
	v.t.Helper()
	if len(v.ids("book_imports")) > 0 {
		return // it came in when the pages were looked at before
	}
	cells := "Member No,Name,E-mail,ID number,Bank account,Branch code,Amount,Day,Mandate signed\n"
	for n, account := range []string{typedIn, late} {
		cells += fmt.Sprintf("KSF%d,Moved %d,moved%d@example.com,%s,%s,470010,100.00,25,2025-01-28\n", n, n, n, rowIDs[n], account)
	}
	cells += fmt.Sprintf("KSF9,Wrong,wrong,%s,%s,4,much,99th,2025-01-28\n", idNumber, paying)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	must(v.t, w.WriteField("form_key", uuid.NewString()))
	must(v.t, w.WriteField("brand_id", v.brand))
	file, err := w.CreateFormFile("file", "members.csv")
	must(v.t, err)
	_, err = file.Write([]byte(cells))
	must(v.t, err)
	must(v.t, w.Close())
	made := v.ask("POST", "/imports", body.String(), "Cookie: "+cookie, "Content-Type: "+w.FormDataContentType())
	at := strings.TrimSuffix(made.Header().Get("Location"), "/map")
	if made.Code != http.StatusSeeOther || at == "" {
		v.t.Fatalf("import: %d %s", made.Code, made.Body)
	}
	id := uuid.MustParse(strings.TrimPrefix(at, "/imports/"))
	var merchant uuid.UUID
	must(v.t, v.app.Store.Pool.QueryRow(v.t.Context(), `SELECT merchant_id FROM brands`).Scan(&merchant))
	who := actor.OperatorOf(merchant)
	i, err := v.app.Services.Imports.Get(v.t.Context(), who, id)
	must(v.t, err)
	form := url.Values{"cut_over": {i.CutOver.String()}}
	for n, c := range i.Mapping.Columns {
		form.Set(fmt.Sprintf("column_%d", n), string(c.Field))
	}
	v.ask("GET", at+"/map", nil, "Cookie: "+cookie)
	v.ask("POST", at+"/map", form, "Cookie: "+cookie)
	i, err = v.app.Services.Imports.Work(v.t.Context(), who, id)
	must(v.t, err)
	v.ask("POST", at+"/start", url.Values{"seal": {i.Seal()}}, "Cookie: "+cookie)
	i, err = v.app.Services.Imports.Work(v.t.Context(), who, id)
	must(v.t, err)
	if i.State != book.Done || i.Counts.Refused == 0 || i.Counts.Applied == 0 {
		v.t.Errorf("the import is %s: %+v", i.State, i.Counts)
	}
	v.ask("POST", "/books/closing", url.Values{"month": {i.CutOver.AddDays(-40).String()[:7]}}, "Cookie: "+cookie)
}
