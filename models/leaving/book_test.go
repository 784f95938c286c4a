package leaving_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/leaving"
)

func TestEachTableOfAMerchantIsInTheBookOrHasAReasonNotToBe(t *testing.T) {
	t.Parallel()
	h := open(t)
	rows, err := h.store.Pool.Query(t.Context(), `SELECT c.relname::text FROM pg_class c JOIN pg_attribute a
		ON a.attrelid = c.oid AND a.attname = 'merchant_id' AND NOT a.attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`)
	must(t, err)
	defer rows.Close()
	in, without := leaving.Tables()
	tables := 0
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		tables++
		switch why := without[name]; {
		case slices.Contains(in, name) && why != "":
			t.Errorf("%s is in the book, and has a reason not to be", name)
		case !slices.Contains(in, name) && why == "":
			t.Errorf("%s is not in the book: add it to a file, or say in apart why not", name)
		}
	}
	must(t, rows.Err())
	if tables < 50 {
		t.Errorf("only %d tables were looked at", tables)
	}
}

func TestTheManifestIsTrue(t *testing.T) {
	t.Parallel()
	h := open(t)
	who := h.merchant("gym")
	h.evidence(who, h.client(who, "=SUM(A1)"), "a scan")
	h.exec(`UPDATE mandates SET amount_cents = 64901`)
	b := h.take(who, leaving.Wish{})
	if m := b.manifest; m.Merchant != "gym" || m.Day != "2026-11-23" || m.Release != "test" || m.Numbers != "masked" ||
		m.MadeAt.Unix() != h.store.Now().Unix() {
		t.Errorf("%+v", m)
	}
	listed, total := 1, int64(0)
	for _, f := range b.manifest.Files {
		listed++
		sum := sha256.Sum256(b.files[f.Name])
		if f.SHA256 != hex.EncodeToString(sum[:]) || f.Bytes != int64(len(b.files[f.Name])) {
			t.Errorf("%s is not what the manifest says", f.Name)
		}
		rows := b.rows(f.Name)
		if total += f.Rows; f.Rows != int64(len(rows)) {
			t.Errorf("%s has %d rows, the manifest says %d", f.Name, len(rows), f.Rows)
		}
		head, _, _ := strings.Cut(strings.TrimPrefix(string(b.files[f.Name]), "\ufeff"), "\r\n")
		var names []string
		for _, c := range f.Columns {
			names = append(names, c.Name)
			if c.Meaning == "" || c.Kind == "" {
				t.Errorf("%s.%s has no meaning", f.Name, c.Name)
			}
		}
		if head != strings.Join(names, ",") {
			t.Errorf("%s has the columns %s, the manifest says %s", f.Name, head, names)
		}
		for _, s := range f.Sums {
			var cents int64
			for _, r := range rows {
				n, err := strconv.ParseInt(strings.Replace(r[s.Column], ".", "", 1), 10, 64)
				must(t, err)
				cents += n
			}
			if cents != s.Cents {
				t.Errorf("%s.%s comes to %d, the manifest says %d", f.Name, s.Column, cents, s.Cents)
			}
		}
	}
	if e := b.manifest.Evidence; e.Files != 1 || e.Bytes != 6 || listed+1 != len(b.files) ||
		b.done.Files != len(b.files) || b.done.Rows == 0 || b.done.Rows != total {
		t.Errorf("%+v, %d of %d files, %+v", e, listed, len(b.files), b.done)
	}
	if row := b.rows("evidence.csv")[0]; string(b.files[row["path"]]) != "a scan" {
		t.Errorf("%v", row)
	}
	if got := b.rows("clients.csv")[0]["full_name"]; got != "'=SUM(A1)" {
		t.Errorf("a formula is written as %q", got)
	}
	if f := b.manifest.Files[slices.IndexFunc(b.manifest.Files, func(f leaving.File) bool {
		return f.Name == "mandates.csv"
	})]; !slices.Contains(f.Sums, leaving.Sum{Column: "amount", Currency: "ZAR", Cents: 64901}) {
		t.Errorf("%+v", f.Sums)
	}
	if sum := sha256.Sum256(b.raw); b.done.SHA256 != hex.EncodeToString(sum[:]) || b.done.Bytes != int64(len(b.raw)) {
		t.Errorf("%+v of %d bytes", b.done, len(b.raw))
	}
}

func TestTheSameBookHasTheSameBytes(t *testing.T) {
	t.Parallel()
	h := open(t)
	who := h.merchant("gym")
	for range 3 {
		h.evidence(who, h.client(who, "One"), "a scan")
	}
	for _, w := range []leaving.Wish{{}, {Numbers: true}} {
		if a, b := h.take(who, w), h.take(who, w); !bytes.Equal(a.raw, b.raw) {
			t.Errorf("%v: %s and %s", w, a.done.SHA256, b.done.SHA256)
		}
	}
}

func TestNumbersAreMaskedUnlessTheyAreWanted(t *testing.T) {
	t.Parallel()
	h := open(t)
	who := h.merchant("gym")
	h.evidence(who, h.client(who, "One"), "a scan")
	for name, content := range h.take(who, leaving.Wish{}).files {
		for _, n := range []string{account, identity, ours} {
			if bytes.Contains(content, []byte(n)) {
				t.Errorf("%s holds %s", name, n)
			}
		}
	}
	b := h.take(who, leaving.Wish{Numbers: true})
	for file, want := range map[string]string{"clients.csv": account, "accounts.csv": account, "debit_profiles.csv": ours,
		"mandates.csv": ours} {
		if !bytes.Contains(b.files[file], []byte(want)) {
			t.Errorf("%s has no %s: %s", file, want, b.files[file])
		}
	}
	if r := b.rows("clients.csv")[0]; r["personal_code"] != identity || b.manifest.Numbers != "full" {
		t.Errorf("%v", r)
	}
}

func TestOnlyWhoManagesTheBusinessTakesIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	who := h.merchant("gym")
	finance, blind, reads := who, who, who
	finance.Role = actor.Finance
	blind.Grants = actor.Grants{actor.Reveal: false}
	reads.Kind, reads.Scopes = actor.Credential, []actor.Scope{actor.ScopeRead, actor.ScopeNumbers}
	for _, c := range []struct {
		who actor.Actor
		w   leaving.Wish
		may bool
	}{{who, leaving.Wish{}, true}, {who, leaving.Wish{Numbers: true}, true}, {finance, leaving.Wish{}, false},
		{blind, leaving.Wish{}, true}, {blind, leaving.Wish{Numbers: true}, false}, {reads, leaving.Wish{}, false},
		{actor.OperatorOf(who.MerchantID), leaving.Wish{Numbers: true}, true}} {
		b, err := h.books.Begin(t.Context(), c.who, c.w, &bytes.Buffer{})
		if (err == nil) != c.may || err != nil && !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s %v: %v", c.who.Kind, c.w, err)
		}
		if err == nil {
			b.Close()
		}
	}
}

func TestNothingOfAnotherMerchantIsInABook(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.merchant("gym"), h.merchant("school")
	h.evidence(a, h.client(a, "Mine"), "my scan")
	h.evidence(b, h.client(b, "Stranger"), "their scan")
	for name, content := range h.take(a, leaving.Wish{Numbers: true}).files {
		for _, theirs := range []string{"Stranger", "school", "their scan", b.MerchantID.String()} {
			if bytes.Contains(content, []byte(theirs)) {
				t.Errorf("%s holds %q", name, theirs)
			}
		}
	}
}

func TestADamagedValueIsMarkedAndStopsNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	who := h.merchant("gym")
	bad := h.evidence(who, h.client(who, "One"), "a scan")
	h.evidence(who, h.client(who, "Two"), "another")
	for _, c := range []string{"clients.bank_account_sealed", "tokens.account_sealed", "mandate_evidence.content"} {
		table, column, _ := strings.Cut(c, ".")
		h.exec(`UPDATE ` + table + ` SET ` + column + ` = set_byte(` + column + `, length(` + column + `) - 1,
			(get_byte(` + column + `, length(` + column + `) - 1) + 1) % 256)
			WHERE id = (SELECT id FROM ` + table + ` ORDER BY id LIMIT 1)`)
	}
	b := h.take(who, leaving.Wish{Numbers: true})
	if b.done.Unreadable != 3 || b.manifest.Evidence.Files != 1 {
		t.Errorf("%+v %+v", b.done, b.manifest.Evidence)
	}
	for file, want := range map[string]string{"clients.csv": "bank_account", "accounts.csv": "bank_account",
		"evidence.csv": "content"} {
		rows := b.rows(file)
		if len(rows) != 2 || rows[0]["unreadable"] != want || rows[1]["unreadable"] != "" {
			t.Errorf("%s: %v", file, rows)
		}
	}
	if r := b.rows("clients.csv"); r[0]["bank_account"] != "•••• 2340" || r[0]["personal_code"] != identity ||
		r[1]["bank_account"] != account {
		t.Errorf("%v", r)
	}
	if r := b.rows("evidence.csv"); r[0]["evidence_id"] != bad.String() || b.files[r[0]["path"]] != nil ||
		string(b.files[r[1]["path"]]) != "another" {
		t.Errorf("%v", r)
	}
}

func TestABookIsOfOneMoment(t *testing.T) {
	t.Parallel()
	h := open(t)
	who := h.merchant("gym")
	h.client(who, "One")
	var out bytes.Buffer
	b, err := h.books.Begin(t.Context(), who, leaving.Wish{}, &out)
	must(t, err)
	defer b.Close()
	h.client(who, "Two")
	for more := true; more; {
		more, err = b.Next(t.Context())
		must(t, err)
	}
	if rows := unpacked(t, out.Bytes(), b.Done(), 0).rows("clients.csv"); len(rows) != 1 || rows[0]["full_name"] != "One" {
		t.Errorf("%v", rows)
	}
}

// What a book asks of the database, and writes at once, does not grow with the clients.
func TestABookStreamsWhateverTheNumberOfClients(t *testing.T) {
	t.Parallel()
	h := open(t)
	few, many := h.merchant("few"), h.merchant("many")
	h.client(few, "One")
	const n = 3*leaving.RowsOfStep + 1
	h.exec(`INSERT INTO clients (id, merchant_id, full_name, email, search, created_at, updated_at)
		SELECT gen_random_uuid(), $1, 'Client ' || i, i || '@example.com', '', $2, $2 FROM generate_series(1, $3::int) i`,
		many.MerchantID, h.store.Now(), n)
	a, b := h.take(few, leaving.Wish{Numbers: true}), h.take(many, leaving.Wish{Numbers: true})
	if a.asked != b.asked || len(b.rows("clients.csv")) != n {
		t.Errorf("%d queries for one client, %d for %d", a.asked, b.asked, len(b.rows("clients.csv")))
	}
	var out bytes.Buffer
	book, err := h.books.Begin(t.Context(), many, leaving.Wish{}, &out)
	must(t, err)
	defer book.Close()
	for more, before := true, int64(0); more; {
		more, err = book.Next(t.Context())
		must(t, err)
		if rows := book.Done().Rows; rows-before > leaving.RowsOfStep {
			t.Fatalf("%d rows at once", rows-before)
		} else {
			before = rows
		}
	}
}
