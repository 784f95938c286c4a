package book_test

import (
	"archive/zip"
	"bytes"
	"context"
	"testing"

	"debitdesk/models/actor"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/leaving"
)

// taken is the book of a business as it takes it along.
func (h *house) taken(numbers bool) []byte {
	h.t.Helper()
	var out bytes.Buffer
	owner := h.who
	owner.Role = actor.Admin
	b, err := (&leaving.Service{Store: leaving.Store{DB: h.store}, Release: "test"}).Begin(context.Background(), owner,
		leaving.Wish{Numbers: numbers}, &out)
	must(h.t, err)
	defer b.Close()
	for more := true; more; {
		more, err = b.Next(context.Background())
		must(h.t, err)
	}
	return out.Bytes()
}

func (h *house) uploaded(content []byte) (book.Import, error) {
	h.t.Helper()
	return h.book.Upload(context.Background(), h.who, book.Upload{Name: "book.zip", BrandID: h.brand,
		Content: bytes.NewReader(content), CutOver: calendar.On(2026, 12, 1)})
}

// What a business took along comes into an empty one: the same people, accounts, mandates and amounts.
func TestABookThatWasTakenAlongComesIntoAnEmptyBusiness(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.done(members(4))
	for _, group := range []string{"GYM", "PT"} {
		_, err := h.book.SwitchOn(context.Background(), h.who, i.ID, group)
		must(t, err)
	}
	h.exec(`UPDATE clients SET deleted_at = now() WHERE email = 'm4@example.com'`)
	full, masked := h.taken(true), h.taken(false)
	before := h.who.MerchantID
	h.who, h.brand = h.merchant("next")
	next, err := h.uploaded(full)
	must(t, err)
	if next.Source.Layout != "debitdesk_book" || !next.Source.Agree() || len(next.Source.Sums) != 6 ||
		len(next.Source.Warnings) != 0 {
		t.Fatalf("%+v", next.Source)
	}
	next = h.rehearse(next)
	h.addsUp(next)
	if c := next.Counts; c.Created != 3 || c.Skipped != 3 || c.Debitable != 3 || c.Cents != 3*64900 {
		for _, r := range h.rows(next) {
			t.Logf("%d %s %s %s", r.N, r.Name, r.Verdict, r.Reasons())
		}
		t.Fatalf("%+v", c)
	}
	_, err = h.book.Start(context.Background(), h.who, next.ID, next.Seal())
	must(t, err)
	h.addsUp(h.work(next))
	if n := h.count(`SELECT count(*) FROM mandates a JOIN mandates b ON a.contract_reference = b.contract_reference
		WHERE a.merchant_id = $1 AND b.merchant_id = $2`, before, h.who.MerchantID); n != 3 {
		t.Errorf("%d mandates have the reference that they had", n)
	}
	again, err := h.uploaded(full)
	must(t, err)
	if again = h.rehearse(again); again.Counts.Unchanged != 3 {
		t.Errorf("the second time: %+v", again.Counts)
	}
	hidden, err := h.uploaded(masked)
	must(t, err)
	if len(hidden.Source.Warnings) != 1 {
		t.Errorf("masked numbers are not said: %+v", hidden.Source)
	}
	hidden = h.rehearse(hidden)
	h.addsUp(hidden)
	if h.named(hidden, book.CauseMasked) != 3 {
		t.Errorf("%+v", hidden.Counts)
	}
	if _, err := h.uploaded(full[:len(full)/2]); err == nil {
		t.Error("half a book was taken")
	}
}

// A ZIP that only looks like a book is refused with its reason.
func TestAHostileBookIsRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	for name, files := range map[string]map[string]string{
		"no clients":       {"manifest.json": "{}", "clients.csv": ""},
		"no CSV":           {"manifest.json": "{}", "clients.csv": "a,b\n\"x"},
		"ragged":           {"manifest.json": "{}", "clients.csv": "client_id,full_name\n1\n"},
		"a large file":     {"manifest.json": "{}", "clients.csv": "client_id\n" + string(make([]byte, 65<<20))},
		"not a manifest":   {"manifest.json": "[", "clients.csv": "client_id\n"},
		"only a directory": {"manifest.json": "{}", "clients.csv/": ""},
	} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for file, text := range files {
			w, err := z.Create(file)
			must(t, err)
			_, err = w.Write([]byte(text))
			if text != "" {
				must(t, err)
			}
		}
		must(t, z.Close())
		if _, err := h.uploaded(out.Bytes()); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}
