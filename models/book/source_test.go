package book_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

const (
	serviceKey = "3f2b1c0d-9a8e-4d7c-8b6a-5f4e3d2c1b0a"
	vendorKey  = "24ade73c-98cf-47b3-99be-cc7b867b3080"
)

func tabbed(lines ...string) string {
	return strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "→", "\t")
}

// netcash is a master file of three entries, the third of which is not active.
func netcash(trailer string) string {
	return tabbed("H→"+serviceKey+"→1→Update→KSF-MASTER→20261124→"+vendorKey,
		"K→101→102→103→131→132→133→134→135→136→161→201→202→281",
		"T→KSF1022→NKOSI T→1→1→T NKOSI→1→250655→0→62000001018→64900→t.nkosi@example.com→0821234567→GYM",
		"T→KSF1023-GYM-BRANCH→BOTHA A→1→1→A BOTHA→2→051001→0→020304050→45000→→0731112222→GYM",
		"T→KSF1024→SITHOLE P→0→1→P SITHOLE→3→470010→0→1400000101→29995→p@example.com→→PT", trailer)
}

func (h *house) named(i book.Import, cause string) (rows int) {
	h.t.Helper()
	all, err := h.book.Causes(context.Background(), h.who, i.ID)
	must(h.t, err)
	at := slices.IndexFunc(all, func(c book.CauseCount) bool { return c.Cause == cause })
	if at < 0 {
		return 0
	}
	return all[at].Rows
}

// A master file comes in whole once a person has said what the digits mean and that the mandates are held.
func TestNetcashMasterFileComesIn(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed(netcash("F→3→139896→9999"))
	h.addsUp(i)
	if i.Source.Layout != "netcash_master" || i.Source.Agree() || i.Rows != 3 {
		t.Fatalf("%+v", i.Source)
	}
	if h.named(i, book.CauseTypeDigits) != 2 || i.Counts.Refused != 3 {
		t.Errorf("no one is asked about the digits, or about mandates: %+v", i.Counts)
	}
	i = h.fix(i, book.CauseUndated, "vouch")
	h.is(i, 3, book.Held, book.CauseTypeDigits)
	h.is(i, 5, book.Created, book.CauseInactive)
	i = h.fix(i, book.CauseTypeDigits, "swapped")
	h.addsUp(i)
	_, err := h.book.Start(context.Background(), h.who, i.ID, i.Seal())
	must(t, err)
	i = h.work(i)
	h.addsUp(i)
	if i.Counts.Created != 3 || i.Counts.Applied != 3 {
		t.Fatalf("%+v", i.Counts)
	}
	for name, sql := range map[string]string{
		"the digits the other way round": `SELECT count(*) FROM tokens
			WHERE account_type = 'SAVINGS' AND bank_code = '250655'`,
		"the reference as the contract": `SELECT count(*) FROM mandates WHERE contract_reference = 'KSF1022'`,
		"a long reference as an old one": `SELECT count(*) FROM mandates m JOIN clients c ON c.id = m.client_id
			WHERE c.full_name = 'BOTHA A' AND m.contract_reference LIKE 'KSF%' AND length(m.contract_reference) <= 14
			AND m::text LIKE '%KSF1023-GYM-BRANCH%'`,
		"groups": `SELECT count(*) FROM book_import_rows WHERE group_name = 'PT'`,
		"no subscription for the passive": `SELECT count(*) FROM clients c WHERE full_name = 'SITHOLE P' AND NOT EXISTS
			(SELECT 1 FROM template_clients s WHERE s.client_id = c.id)`,
		"cents as rands": `SELECT count(*) FROM book_import_rows WHERE cents = 64900`,
	} {
		if n := h.count(sql); n != 1 {
			t.Errorf("%s: %d", name, n)
		}
	}
	again := h.fix(h.rehearsed(netcash("F→3→139895→9999")), book.CauseUndated, "vouch")
	if again.Counts.Unchanged != 3 || !again.Source.Agree() {
		t.Errorf("the second time: %+v", again.Counts)
	}
	h.hasNo(serviceKey, vendorKey)
}

// hasNo looks for texts in every row of every table.
func (h *house) hasNo(secrets ...string) {
	h.t.Helper()
	rows, err := h.store.Pool.Query(context.Background(), `SELECT table_name FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`)
	must(h.t, err)
	var tables []string
	for rows.Next() {
		var name string
		must(h.t, rows.Scan(&name))
		tables = append(tables, name)
	}
	must(h.t, rows.Err())
	if len(tables) < 30 {
		h.t.Fatalf("only %d tables were looked at", len(tables))
	}
	for _, name := range tables {
		for _, secret := range secrets {
			if n := h.count(`SELECT count(*) FROM "` + name + `" t WHERE to_jsonb(t)::text LIKE '%` + secret + `%'`); n > 0 {
				h.t.Errorf("a credential is in %s", name)
			}
		}
	}
	page, err := h.book.List(context.Background(), h.who, book.Filter{}, paging.Ask{Limit: 100})
	must(h.t, err)
	for _, i := range page.Items {
		var b strings.Builder
		must(h.t, h.book.Verdicts(context.Background(), h.who, i.ID, false, &b)) // the sealed cells, opened
		for _, secret := range secrets {
			if strings.Contains(b.String(), secret) {
				h.t.Errorf("a credential is among the cells of %s", i.ID)
			}
		}
	}
}

func mandateLine(status, reference, name, account string) string {
	cells := make([]string, 41)
	copy(cells, []string{status, reference, name, "649.0000", "", "250655", account})
	copy(cells[11:], []string{"1", "2", "25", "20250128", reference, "30", "1"})
	return strings.Join(cells, "→")
}

// Only accepted mandates come in; what a person chose for the columns of unknown meaning is remembered.
func TestNetcashMandateDataComesIn(t *testing.T) {
	t.Parallel()
	h := open(t)
	var lines []string
	for n, status := range []string{"6", "7", "5", "3", "4", "2", "1", "8", "9", "10", "11", "77"} {
		lines = append(lines, mandateLine(status, "KSF20"+string(rune('A'+n)), "Client Number"+string(rune('A'+n)),
			"6200000"+string(rune('1'+n%9))+string(rune('1'+n/9))+"18"))
	}
	text := tabbed(append(append([]string{"###BEGIN→20261124"}, lines...), "###END")...)
	i := h.upload(text)
	m := i.Mapping
	if m.Has(book.Account) {
		t.Fatal("a column of unknown meaning was taken for the account")
	}
	m.Columns = slices.Clone(m.Columns)
	m.Columns[5].Field, m.Columns[6].Field = book.Branch, book.Account
	_, err := h.book.Map(context.Background(), h.who, i.ID, m, i.CutOver)
	must(t, err)
	i = h.work(i)
	h.addsUp(i)
	h.is(i, 2, book.Created, "")
	h.is(i, 3, book.Held, book.CauseMandateNew)
	for n := 4; n <= 6; n++ {
		h.is(i, n, book.Created, book.CauseMandateOver)
	}
	for n := 7; n <= 13; n++ {
		h.is(i, n, book.Held, book.CauseMandateOpen)
	}
	if i.Counts.Debitable != 1 {
		t.Errorf("%d accounts can be debited", i.Counts.Debitable)
	}
	i = h.fix(h.fix(i, book.CauseMandateOpen, "no_mandate"), book.CauseMandateNew, "vouch")
	h.addsUp(i)
	if i.Counts.Created != 12 || i.Counts.Debitable != 2 {
		t.Errorf("after the answers: %+v", i.Counts)
	}
	if next := h.upload(text); next.Mapping.Column(book.Account) != 6 || next.Mapping.Column(book.Amount) != 3 {
		t.Errorf("what was chosen is not remembered: %+v", next.Mapping)
	}
}

const stitchHead = "RECORD_TYPE,CLIENT_ID,PRODUCT,CHANNEL,FILE_TYPE\nP,0,COLLECTIONS,DEBIT ORDER,COLLECTION\n" +
	"RECORD_TYPE,EXTERNAL_BATCH_REFERENCE,SUBMISSION_DATETIME\nH,KSF_2026_11,2026-11-23 13:05:00\n" +
	"RECORD_TYPE,NONCE,EXTERNAL_COLLECTION_REFERENCE,VALUE,COLLECTION_DATE,CONTRACT_REFERENCE,DEBTOR_NAME," +
	"DEBTOR_ACCOUNT_NUMBER,DEBTOR_BRANCH_CODE,DEBTOR_ACCOUNT_TYPE\n"

// A debit that the old system was told to make counts as its last one: the first one here comes a cycle later.
func TestStitchDebitsAreNotMadeTwice(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed(stitchHead + "D,n1,C-1,649.0,2026-12-10,KSF1022,T Nkosi,62000001018,250655,Current\n" +
		"D,n2,C-2,450.00,2027-06-25,KSF1023,\"Botha, A\",020304050,051001,Savings\n" +
		"RECORD_TYPE,TOTAL_RECORDS,TOTAL_VALUE\nT,2,1099.00\n")
	h.addsUp(i)
	i = h.fix(i, book.CauseUndated, "vouch")
	h.is(i, 6, book.Created, book.CausePlanned)
	h.is(i, 7, book.Refused, book.CauseDate)
	for _, r := range h.rows(i) {
		if r.N == 6 && r.FirstOn != calendar.On(2027, 1, 10) {
			t.Errorf("the first debit is due on %s", r.FirstOn)
		}
	}
}

// A DebiCheck file finds clients and makes none.
func TestDebiCheckFilesOnlyFindClients(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.done(members(1))
	i := h.rehearsed("RECORD_TYPE,CLIENT_ID,PRODUCT,CHANNEL,FILE_TYPE\nP,0,COLLECTIONS,DEBICHECK,COLLECTION\n" +
		"RECORD_TYPE,NONCE,CONSENT_ID,CONTRACT_REFERENCE,VALUE,EXTERNAL_COLLECTION_REFERENCE,COLLECTION_DATE," +
		"TRACKING_PERIOD\nD,n1,c1,KSF0001,649.0,K1,2026-11-25,3\nD,n2,c2,KSF9999,450.00,K2,2026-11-25,0\n" +
		"RECORD_TYPE,TOTAL_RECORDS,TOTAL_VALUE\nT,2,1099.00\n")
	h.addsUp(i)
	h.is(i, 4, book.Unchanged, book.CauseConfirm)
	h.is(i, 5, book.Refused, book.CauseNoPartner)
}

func (h *house) uploadWith(text string, with, planned []string) (book.Import, error) {
	h.t.Helper()
	extra := func(all []string) (out []book.Extra) {
		for n, text := range all {
			out = append(out, book.Extra{Name: "extra" + string(rune('1'+n)) + ".csv", Content: strings.NewReader(text)})
		}
		return out
	}
	return h.book.Upload(context.Background(), h.who, book.Upload{Name: "gym.csv", BrandID: h.brand,
		Content: strings.NewReader(text), CutOver: calendar.On(2026, 12, 1), With: extra(with), Planned: extra(planned)})
}

func (h *house) rehearse(i book.Import) book.Import {
	h.t.Helper()
	_, err := h.book.Map(context.Background(), h.who, i.ID, i.Mapping, i.CutOver)
	must(h.t, err)
	return h.work(i)
}

// A second file brings columns to the rows with the same key; rows without one count and are listed.
func TestFilesAreJoinedByAKeyAndNeverByAName(t *testing.T) {
	t.Parallel()
	h := open(t)
	people := "Member No;Name;E-mail\nK1;Thandi Nkosi;thandi@example.com\nK2;Anna Botha;anna@example.com\n" +
		"K4;Pule Sithole;pule@example.com\n" +
		"K4;Lerato Dube;lerato@example.com\n"
	accounts := "Ref,Bank,Acc No,Mandate signed,Monthly,Name\n" +
		"K2,FNB,62000001018,2025-01-28,649.00,Someone Else\nK3,FNB,62000001026,2025-01-28,10.00,Nobody Here\n" +
		"K2,FNB,62000001034,2025-01-28,20.00,Twice\nK4,FNB,62000001042,2025-01-28,20.00,Of two\n"
	i, err := h.uploadWith(people, []string{accounts}, nil)
	must(t, err)
	if w := i.Source.With; len(w) != 1 || w[0].Key != "your reference" || w[0].Joined != 1 || w[0].Alone != 3 {
		t.Fatalf("%+v", i.Source)
	}
	i = h.rehearse(i)
	h.addsUp(i)
	if i.Rows != 7 {
		t.Fatalf("%d rows", i.Rows)
	}
	h.is(i, 2, book.Created, "")
	h.is(i, 3, book.Created, "")
	h.is(i, 1003, book.Skipped, book.CauseAside)
	h.is(i, 1004, book.Skipped, book.CauseAside)
	h.is(i, 1005, book.Skipped, book.CauseAside)
	for _, r := range h.rows(i) {
		if r.N == 3 && (r.Cents != 64900 || r.Name != "Anna Botha" || !r.Debitable) {
			t.Errorf("the row did not get its account: %+v", r)
		}
	}
	if _, err := h.uploadWith(people, []string{"Name,Bank,Acc No\nAnna Botha,FNB,62000001018\n"}, nil); err == nil {
		t.Error("files were joined by a name")
	}
	if _, err := h.uploadWith(people, []string{"\x00\x01"}, nil); err == nil {
		t.Error("a second file of no kind was taken")
	}
}

// A debit that the old system still plans keeps a client from being debited in the same month.
func TestPlannedDebitsOfTheOldSystemHoldRows(t *testing.T) {
	t.Parallel()
	h := open(t)
	due := func(n int, last string) string {
		return strings.Replace(member(n), ";25/10/2026;", ";"+last+";", 1)
	}
	text := heading + due(1, "25/10/2026") + due(2, "25/10/2026") + due(3, "none")
	planned := "BInSol - U ver 1.00,,,,,,\n2026-12-25,,,,,,\n62000009999,,,,,,\nRECIPIENT NAME,RECIPIENT ACCOUNT," +
		"RECIPIENT ACCOUNT TYPE,BRANCHCODE,AMOUNT,OWN REFERENCE,RECIPIENT REFERENCE\n" +
		"MEMBER NUMBER1,0062000000001,1,250655,649.00,x,x\nMEMBER NUMBER3,,1,250655,649.00,x,KSF0003\nNO ONE,,,,,,\n"
	i, err := h.uploadWith(text, nil, []string{planned})
	must(t, err)
	if w := i.Source.With; len(w) != 1 || w[0].Joined != 2 || w[0].Alone != 1 {
		t.Fatalf("%+v", w)
	}
	i = h.rehearse(i)
	h.addsUp(i)
	h.is(i, 2, book.Held, book.CauseGuard)
	h.is(i, 3, book.Created, "")
	h.is(i, 4, book.Held, book.CauseGuard)
	h.is(i, 1005, book.Skipped, book.CausePlanned)
	h.is(i, 1007, book.Skipped, book.CauseAside)
	i = h.fix(i, book.CauseGuard, "safe")
	h.addsUp(i)
	for _, r := range h.rows(i) {
		if (r.N == 2 || r.N == 4) && r.FirstOn != calendar.On(2027, 1, 25) {
			t.Errorf("row %d: the first safe day is %s", r.N, r.FirstOn)
		}
		if r.N == 3 && r.FirstOn != calendar.On(2026, 12, 25) {
			t.Errorf("row %d moved to %s", r.N, r.FirstOn)
		}
	}
	batch, err := h.uploadWith(text, nil, []string{tabbed("H→"+serviceKey+"→1→TwoDay→B→20261225→"+vendorKey,
		"K→101→102→136→162", "T→KSF0002→x→→64900", "T→x→x→62000000001→64900", "F→2→129800→9999")})
	must(t, err)
	batch = h.rehearse(batch)
	h.addsUp(batch)
	for n, want := range map[int]book.Verdict{2: book.Held, 3: book.Held, 4: book.Created} {
		h.is(batch, n, want, "")
	}
	h.hasNo(serviceKey, vendorKey)
	var b strings.Builder
	must(t, h.book.Verdicts(context.Background(), h.who, i.ID, false, &b))
	if strings.Contains(b.String(), "0062000000001") {
		t.Error("the account of a planned debit is in the file of verdicts")
	}
}
