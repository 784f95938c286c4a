package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

func (h *house) client(email string) client.Client {
	h.t.Helper()
	c, err := h.clients.Create(context.Background(), h.who,
		client.Input{Details: client.Details{Email: email, FullName: "Somebody"}})
	must(h.t, err)
	return c
}

func TestBad_rows_are_grouped_mended_and_counted(t *testing.T) {
	h := open(t)
	b := h.checked(heading +
		"a@example.org,A,100,2027-03-01,x\nnobody,B,100,2027-03-01,x\nc@example.org,C,ten,2027-03-01,x\nalso " +
		"nobody,D,5,2027-03-01,x\n")
	if b.Counts.Ready != 1 || b.Counts.Bad != 3 {
		t.Fatalf("%+v", b.Counts)
	}
	groups, err := h.batches.Causes(context.Background(), h.who, b.ID)
	must(t, err)
	if len(groups) != 2 || groups[0].Cause != batch.CauseEmail || groups[0].N != 2 || groups[1].N != 1 {
		t.Fatalf("%+v", groups)
	}
	b, r, err := h.batches.EditCell(context.Background(), h.who, b.ID, batch.Edit{N: 3, Column: 0, Text: "b@example.org"})
	must(t, err)
	if b = h.created(b); r.State != batch.Bad || b.Counts.Ready != 2 || b.Counts.Bad != 2 {
		t.Errorf("mended: %s %+v", r.State, b.Counts)
	}
	if _, err := h.batches.Start(context.Background(), h.who, b.ID, order(b)); !fault.HasCode(err, "required") {
		t.Errorf("bad rows went along: %v", err)
	}
	o := order(b)
	o.GoodOnly = true
	b = h.work(h.start(b, o))
	if b.State != batch.Done || b.Counts.Sent != 2 || b.Counts.Skipped != 2 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 2)
}

func TestOne_choice_mends_every_date_of_a_column(t *testing.T) {
	h := open(t)
	b := h.checked(heading + "a@example.org,A,100,03/04/2027,x\nb@example.org,B,100,05/04/2027,x\n")
	if b.Counts.Bad != 2 {
		t.Fatalf("%+v", b.Counts)
	}
	groups, err := h.batches.Causes(context.Background(), h.who, b.ID)
	must(t, err)
	b, n, err := h.batches.FixAll(context.Background(), h.who, b.ID, groups[0].Fixes[0], 0)
	must(t, err)
	if n != 2 || b.Counts.Ready != 2 {
		t.Fatalf("%d mended: %+v", n, b.Counts)
	}
	if due := h.rows(b)[0].Due.String(); due != "2027-04-03" {
		t.Errorf("due %s", due)
	}
}

func TestA_row_means_a_client_or_makes_one_but_never_guesses(t *testing.T) {
	h := open(t)
	known := h.client("known@example.org")
	h.client("two@example.org")
	h.client("TWO@example.org")
	b := h.checked(heading +
		"Known@Example.org,somebody,1,2027-03-01,x\nnew@example.org,N,1,2027-03-01,x\nNEW@example.org,N,2,2027-03-01,x\ntwo@example.org,T,1,2027-03-01,x\n")
	rows := h.rows(b)
	if rows[0].ClientID != known.ID || !rows[1].NewClient || rows[3].State != batch.Bad {
		t.Fatalf("%+v", rows)
	}
	o := order(b)
	o.GoodOnly = true
	b = h.work(h.start(b, o))
	if n := h.count(`SELECT count(*) FROM clients WHERE lower(email) = 'new@example.org'`); n != 1 {
		t.Errorf("%d clients were made of two rows with one address", n)
	}
	h.isWhole(b, 3)
}

func TestWarnings_must_be_ticked(t *testing.T) {
	h := open(t)
	text := heading +
		"a@example.org,A,100,2027-03-01,x\nA@example.org,A,\"100,00\",2027-04-01,x\nb@example.org,B,7,2027-04-01,x\n"
	b := h.checked(text)
	if b.Counts.Warned != 2 {
		t.Fatalf("%+v", b.Counts)
	}
	o := order(b)
	if _, err := h.batches.Start(context.Background(), h.who, b.ID, o); !fault.HasCode(err, "required") {
		t.Fatalf("sent without a look: %v", err)
	}
	o.AcceptWarnings = true
	h.work(h.start(b, o))

	again := h.checked(text)
	if again.Counts.Warned != 3 {
		t.Errorf("billed last week: %+v", again.Counts)
	}
	v, err := h.batches.Review(context.Background(), h.who, again.ID, 0)
	must(t, err)
	if v.SentBefore == nil || v.SentBefore.ID != b.ID {
		t.Errorf("the same file was not recognised: %+v", v.SentBefore)
	}
	if v.First == nil || v.First.TotalCents != 10_000 || v.First.Payer.Email != "a@example.org" {
		t.Errorf("first invoice: %+v", v.First)
	}
	if len(v.Totals) != 2 || v.Totals[0].Cents+v.Totals[1].Cents != again.Counts.ReadyCents {
		t.Errorf("totals %+v of %d", v.Totals, again.Counts.ReadyCents)
	}
}

func TestA_double_that_was_left_out_is_not_opened_by_a_repair(t *testing.T) {
	h := open(t)
	b := h.checked(heading +
		"a@example.org,A,100,2027-03-01,x\na@example.org,A,100,2027-03-01,x\nnobody,B,7,2027-04-01,x\n")
	b, err := h.batches.Skip(context.Background(), h.who, b.ID, 3)
	must(t, err)
	if b.Counts.Warned != 0 || b.Counts.Skipped != 1 {
		t.Fatalf("%+v", b.Counts)
	}
	o := order(b)
	o.GoodOnly = true
	b = h.work(h.start(b, o))
	b, err = h.batches.Repair(context.Background(), h.who, b.ID)
	must(t, err)
	if b.State != batch.Checked || b.Counts.Bad != 1 || b.Counts.Ready != 0 || b.Counts.Skipped != 1 {
		t.Errorf("%s %+v", b.State, b.Counts)
	}
}

func TestChosen_clients_become_rows(t *testing.T) {
	h := open(t)
	for i := range 3 {
		h.client(fmt.Sprintf("c%d@example.org", i))
	}
	b, err := h.batches.FromClients(context.Background(), h.who,
		batch.Chosen{BrandID: h.brand, Amount: "150,00", Due: "2027-03-01", Description: "Levy",
			Clients: func(ctx context.Context, see func(client.Client) error) error {
				page, err := h.clients.List(ctx, h.who, client.Query{Ask: paging.Ask{Limit: 10}})
				for _, c := range page.Items {
					err = errors.Join(err, see(c))
				}
				return err
			}})
	must(t, err)
	b, err = h.batches.Map(context.Background(), h.who, b.ID, b.Mapping)
	must(t, err)
	if b.Counts.Ready != 3 || b.Counts.ReadyCents != 45_000 {
		t.Fatalf("%+v", b.Counts)
	}
	h.isWhole(h.work(h.start(b, order(b))), 3)
}

func TestNumbers_are_sealed_at_rest_and_masked_when_shown(t *testing.T) {
	h := open(t)
	b := h.checked("email,name,amount,due,account number,branch code\na@example.org,A,100,2027-03-01,62001234567,250655\n")
	if n := h.count(
		`SELECT count(*) FROM batch_rows WHERE position('62001234567'::bytea in cells) > 0
			OR problems::text LIKE '%62001234567%'`,
	); n != 0 {
		t.Error("the account number stands in the database as it is")
	}
	r := h.rows(b)[0]
	if r.Cells[4] != "•••• 4567" {
		t.Errorf("shown as %q", r.Cells[4])
	}
	b, _, err := h.batches.EditCell(context.Background(), h.who, b.ID, batch.Edit{N: 2, Column: 4, Text: r.Cells[4]})
	must(t, err)
	b = h.work(h.start(b, order(b)))
	h.isWhole(b, 1)
	made, err := h.clients.List(context.Background(), h.who,
		client.Query{Text: "a@example.org", Ask: paging.Ask{Limit: 5}})
	must(t, err)
	if len(made.Items) != 1 || made.Items[0].BankAccount.Reveal() != "62001234567" {
		t.Errorf("the client was made with another account: %v", made.Items)
	}
}

func TestA_mapping_is_remembered_for_its_heading(t *testing.T) {
	h := open(t)
	text := "who,naam,geld,wanneer\na@example.org,A,100,2027-03-01\n"
	b := h.upload(text)
	m := b.Mapping
	m.Columns[0].Field, m.Columns[1].Field, m.Columns[2].Field, m.Columns[3].Field = batch.Email, batch.FullName,
		batch.Amount, batch.Due
	_, err := h.batches.Map(context.Background(), h.who, b.ID, m)
	must(t, err)
	again := h.upload(strings.Replace(text, "100", "200", 1))
	for i, want := range []batch.Field{batch.Email, batch.FullName, batch.Amount, batch.Due} {
		if got := again.Mapping.Columns[i].Field; got != want {
			t.Errorf("column %d means %q, want %q", i, got, want)
		}
	}
}

func TestFiles_that_cannot_be_read_leave_nothing_behind(t *testing.T) {
	h := open(t)
	for name, text := range map[string]string{"empty": "", "only a heading": heading, "too many rows": heading +
		strings.Repeat("a@example.org,A,1,2027-03-01,x\n", sheet.Usual.Rows+1)} {
		_, err := h.batches.Upload(context.Background(), h.who,
			batch.Upload{Name: name, Source: batch.FromFile, BrandID: h.brand, Content: strings.NewReader(text)})
		if _, refused := fault.From(err); !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := h.count(`SELECT (SELECT count(*) FROM batches) + (SELECT count(*) FROM batch_rows)`); n != 0 {
		t.Errorf("%d rows were left behind", n)
	}
}

// Who filters a spreadsheet and sends it does not mean the rows that it no longer shows, or does: a person says.
func TestHidden_rows_are_billed_only_when_somebody_says_so(t *testing.T) {
	h := open(t)
	x := excelize.NewFile()
	for i, row := range [][]any{{"email", "full name", "amount", "due", "description"},
		{"a@example.org", "A", 100, "2027-03-01", "x"}, {"b@example.org", "B", 200, "2027-03-01", "x"}} {
		must(t, x.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row))
	}
	must(t, x.SetRowVisible("Sheet1", 3, false))
	var content bytes.Buffer
	must(t, x.Write(&content))
	must(t, x.Close())
	b := h.checked(content.String())
	if b.Counts.Ready != 1 || b.Counts.Bad != 1 || b.Counts.ReadyCents != 10_000 {
		t.Fatalf("a hidden row is taken as if it were seen: %+v", b.Counts)
	}
	groups, err := h.batches.Causes(context.Background(), h.who, b.ID)
	must(t, err)
	if len(groups) != 1 || groups[0].Title != "Hidden in the spreadsheet" || len(groups[0].Fixes) != 1 {
		t.Fatalf("%+v", groups)
	}
	b, n, err := h.batches.FixAll(context.Background(), h.who, b.ID, groups[0].Fixes[0], 0)
	must(t, err)
	if n != 1 || b.Counts.Ready != 2 || b.Counts.ReadyCents != 30_000 {
		t.Errorf("%d rows: %+v", n, b.Counts)
	}
}

// The rate of VAT that was typed as a fraction is asked about.
func TestA_tax_below_one_percent_is_asked_about(t *testing.T) {
	h := open(t)
	b := h.checked("email,full name,price,vat %,due,description\n" +
		"a@example.org,A,100,0.15,2027-03-01,x\nb@example.org,B,100,15%,2027-03-01,x\n")
	rows := h.rows(b, batch.Ready)
	if len(rows) != 2 || rows[0].TotalCents != 10_015 || rows[1].TotalCents != 11_500 {
		t.Fatalf("%+v", rows)
	}
	same(t, rows[0].Warnings, []batch.Warning{
		"row 2, column vat %: the tax is less than 1 %: for 15 % write 15"})
	same(t, len(rows[1].Warnings), 0)
}

// What a spreadsheet computed, and what it wrote on two lines, is put right for all rows at once.
func TestComputed_amounts_are_rounded_and_lines_joined_for_all_rows_at_once(t *testing.T) {
	h := open(t)
	b := h.checked("email,full name,amount,due,description,reference\n" +
		"a@example.org,A,33.3333333333333,2027-03-01,x,1\nb@example.org,B,\"33,3350\",2027-03-01,x,2\n" +
		"c@example.org,\"C\nCee\",100.00,2027-03-01,x,3\n")
	groups, err := h.batches.Causes(context.Background(), h.who, b.ID)
	must(t, err)
	if len(groups) != 2 || groups[0].Cause != batch.CauseDecimals || groups[0].N != 2 ||
		groups[1].Cause != batch.CauseLine {
		t.Fatalf("%+v", groups)
	}
	for _, g := range groups {
		if len(g.Fixes) != 1 {
			t.Fatalf("no fix of %s", g.Title)
		}
		b, _, err = h.batches.FixAll(context.Background(), h.who, b.ID, g.Fixes[0], 0)
		must(t, err)
	}
	if b = h.created(b); b.Counts.Ready != 3 {
		t.Fatalf("%+v", b.Counts)
	}
	rows := h.rows(b, batch.Ready)
	same(t, []int64{rows[0].TotalCents, rows[1].TotalCents}, []int64{3333, 3334})
	same(t, rows[2].Name, "C Cee")
}

// Last month's file is sent again with one new date for all rows whose day has passed.
func TestRows_whose_day_has_passed_get_another_one_together(t *testing.T) {
	h := open(t)
	b := h.checked(heading + "a@example.org,A,100,2027-01-01,x\nb@example.org,B,100,2027-01-15,x\n" +
		"c@example.org,C,100,2027-03-01,x\nd@example.org,D,100,,x\n")
	groups, err := h.batches.Causes(context.Background(), h.who, b.ID)
	must(t, err)
	if len(groups) != 2 || groups[0].Cause != batch.CausePast || groups[0].N != 2 || !groups[0].Fixes[0].Dated ||
		!groups[1].Fixes[0].Dated {
		t.Fatalf("%+v", groups)
	}
	fix := groups[0].Fixes[0]
	for _, choice := range []string{"", "soon"} {
		fix.Choice = choice
		if _, _, err := h.batches.FixAll(context.Background(), h.who, b.ID, fix, 0); !fault.HasCode(err, "nothing_mended") {
			t.Errorf("%q: %v", choice, err)
		}
	}
	fix.Choice = "2027-02-15"
	b, n, err := h.batches.FixAll(context.Background(), h.who, b.ID, fix, 0)
	must(t, err)
	if n != 2 || b.Counts.Ready != 3 {
		t.Fatalf("%d rows, %+v", n, b.Counts)
	}
	fix = groups[1].Fixes[0] // a day is missing
	fix.Choice = "2027-02-16"
	b, _, err = h.batches.FixAll(context.Background(), h.who, b.ID, fix, 0)
	must(t, err)
	for i, want := range []string{"2027-02-15", "2027-02-15", "2027-03-01", "2027-02-16"} {
		same(t, h.rows(b, batch.Ready)[i].Due.String(), want)
	}
}

// What the columns mean is remembered for the next file; the day of the last one is not its day.
func TestThe_due_date_of_the_last_file_is_not_that_of_the_next(t *testing.T) {
	h := open(t)
	const file = "email,amount,what\na@example.org,100,x\n"
	b := h.upload(file)
	m := b.Mapping
	m.Columns[2].Field, m.Due, m.Product = batch.Product, calendar.On(2027, 2, 20), "Levy"
	_, err := h.batches.Map(context.Background(), h.who, b.ID, m)
	must(t, err)
	next := h.upload(file).Mapping
	if next.Columns[2].Field != batch.Product || next.Product != "Levy" || !next.Due.IsZero() {
		t.Errorf("%+v", next)
	}
}
