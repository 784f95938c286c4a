package handlers_test

import (
	"archive/zip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/book"
)

// imports moves many books in at once, and several callers meet at one.
func (c *callers) imports() {
	const sheet = "Member No;Name;Email;Bank;Account number;Mandate signed\nP%d;Anna %d;p%d@x.example;FNB;62000001018;\n"
	ids := c.redirected(c.all("POST /imports", func(i int) ask {
		body, kind := upload(map[string]string{"form_key": uuid.NewString(), "brand_id": c.A.BrandID.String()}, "file",
			"gym.csv", fmt.Sprintf(sheet, i, i, i))
		return ask{body: body, headers: []string{kind}}
	}, 303), "/imports/")
	columns := form("column_0", "reference", "column_1", "full_name", "column_2", "email", "column_3", "bank", "column_4",
		"bank_account", "column_5", "signed_on")
	c.all("POST /imports/:id/map", func(i int) ask { return ask{ids: ids[i : i+1], body: columns} }, 303)
	c.all("POST /imports/:id/fixes", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("fix", "mandate_undated", "choice", "vouch")}
	}, 303)
	c.all("POST /imports/:id/cells", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("n", "2", "column", "2", "text", fmt.Sprint("Anna ", i))}
	}, 303, 409)
	c.all("POST /imports/:id/rows", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("n", "2", "do", "in")}
	}, 303, 409)
	c.all("POST /imports/:id/scans", func(i int) ask {
		body, kind := upload(map[string]string{}, "scans", "scans.zip", scanArchive(c.t, fmt.Sprintf("P%d.pdf", i)))
		return ask{ids: onOne(ids, i), body: body, headers: []string{kind}}
	}, 303, 409)
	c.all("POST /imports/:id/rehearse", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} }, 303, 409)
	seals := make([]string, len(ids))
	for n, id := range ids {
		i, err := c.Imports.Work(c.t.Context(), c.A.Actor, uuid.MustParse(id))
		if err != nil || i.State != book.Checked {
			c.t.Fatal(i.State, err)
		}
		seals[n] = i.Seal()
	}
	c.all("POST /imports/:id/discard", func(int) ask { return ask{ids: ids[:1], body: form()} }, 303, 409)
	c.all("POST /imports/:id/start", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("seal", seals[i])}
	}, 303, 409)
	c.all("POST /imports/:id/continue", func(i int) ask { return ask{ids: ids[i : i+1], body: form()} }, 303)
	for _, id := range ids[1:] {
		if _, err := c.Imports.Work(c.t.Context(), c.A.Actor, uuid.MustParse(id)); err != nil {
			c.t.Fatal(err)
		}
	}
	c.all("POST /imports/:id/confirm", func(i int) ask { return ask{ids: ids[i : i+1], body: form()} }, 303, 409)
	c.all("POST /imports/:id/switch", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("group", book.DefaultGroup)}
	}, 303, 409)
	c.all("POST /imports/:id/undo", func(i int) ask { return ask{ids: onOne(ids, max(i, 1)), body: form()} }, 303, 409)
}

// scanArchive is a ZIP file with one scan.
func scanArchive(t testing.TB, name string) string {
	t.Helper()
	var b strings.Builder
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte("%PDF-1.4 a scan"))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
