package book_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// The columns of books that were seen, by their headings.
func TestColumnsAreGuessedByTheirHeadings(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]book.Field{
		"Member No": book.Reference, "Account reference": book.Reference, "ID Number": book.Identity, "Cell": book.Phone,
		"Acc No": book.Account, "Bank account number": book.Account, "Branch code": book.Branch, "Acc Type": book.Type,
		"Monthly": book.Amount, "Day": book.DebitDay, "Mandate signed": book.SignedOn, "Last debit": book.LastDebit,
		"Rekeningnommer": book.Account, "Takkode": book.Branch, "E-pos": book.Email, "Amount (ZAR)": book.Amount,
		"Group": book.GroupOf, "Surname": book.Surname, "Account holder": book.Holder,
		"Start date": book.StartsOn, "First debit": book.StartsOn,
		"CONTRACT_REFERENCE": book.OldMandate, "DEBTOR_ACCOUNT_NUMBER": book.Account,
	} {
		if got, _ := book.FieldOf(heading); got != want {
			t.Errorf("%q means %q, want %q", heading, got, want)
		}
	}
}

// One cell that is clear decides about its whole column.
func TestAWholeColumnDecidesAboutDatesAndDecimals(t *testing.T) {
	t.Parallel()
	h := open(t)
	const head = "Member No;Name;Email;Bank;Acc No;Monthly;Mandate signed\n"
	row := func(n int, amount, date string) string {
		return strings.Join([]string{"K" + string(rune('0'+n)), "Member " + string(rune('A'+n)), "k" + string(rune('0'+n)) +
			"@example.com", "FNB", "6200000101" + string(rune('0'+n)), amount, date}, ";") + "\n"
	}
	i := h.rehearsed(head + row(1, "1.234", "03/04/2024") + row(2, "450,50", "31/03/2024"))
	if c := i.Mapping.Columns; c[5].Decimal != money.CommaMark || c[6].Dates != calendar.DayFirst ||
		i.Counts.Created != 2 {
		t.Fatalf("the columns are read as %+v, %+v", c, h.rows(i))
	}
	if r := h.rows(i)[0]; r.Cents != 123400 {
		t.Errorf("1.234 is read as %d cents", r.Cents)
	}
	i = h.rehearsed(head + row(3, "1.234", "03/04/2024") + row(4, "2.345", "05/06/2024"))
	h.is(i, 2, book.Refused, book.CauseDateOrder)
	h.is(i, 2, book.Refused, book.CauseDecimalMark)
	i = h.fix(h.fix(i, book.CauseDateOrder, "mdy"), book.CauseDecimalMark, "point")
	h.addsUp(i)
	if r := h.rows(i)[0]; r.Verdict != book.Refused && r.Cents != 123 {
		t.Errorf("the row is %+v", r)
	}
}

// A heading can mean two things, and what stands below it says which.
func TestContentTellsWhatAHeadingLeavesOpen(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.upload("Member No;Name;Type;Freq;Fee\nK1;Anna;savings;Monthly;R 450,00\nK2;Ben;cheque;Monthly;499\n").Mapping.Columns
	for n, want := range []book.Field{book.Reference, book.FullName, book.Type, book.CycleOf, book.Amount} {
		if c[n].Field != want {
			t.Errorf("column %d means %q, want %q", n+1, c[n].Field, want)
		}
	}
	c = h.upload("Number;Name;Fee\nK3;Cara;Gold\nK4;Dan;Silver\n").Mapping.Columns
	if c[2].Field != book.Template {
		t.Errorf("the fees Gold and Silver are %q", c[2].Field)
	}
}

// The line of totals is about the rows of the file, also those that a person leaves out or that are no debit.
func TestALineOfTotalsIsHeldAgainstTheWholeFile(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed("Member No;Name;Monthly;Group\nK1;Anna;450,00;Dawn\nK2;Ben;-20,00;\nK3;Cara;100,50;\nTotal;;530,50;\n")
	const agrees = "The line of totals in row 5 agrees with the rows"
	if !strings.HasPrefix(i.CheckSum, agrees) {
		t.Errorf("with an amount below zero it says %q", i.CheckSum)
	}
	if _, err := h.book.LeaveOut(context.Background(), h.who, i.ID, true, 3); err != nil {
		t.Fatal(err)
	}
	if i = h.work(i); !strings.HasPrefix(i.CheckSum, agrees) {
		t.Errorf("without a row that was left out it says %q", i.CheckSum)
	}
	for n, amount := range []string{"500,00", "oops", "510,00"} { // what is typed again changes nothing about the file
		if _, err := h.book.Edit(context.Background(), h.who, i.ID, 2, 3, amount); err != nil {
			t.Fatal(err)
		}
		if i = h.work(i); !strings.HasPrefix(i.CheckSum, agrees) {
			t.Errorf("%d: with an amount typed again it says %q", n, i.CheckSum)
		}
	}
	if r := h.rows(i)[0]; r.Cells[2] != "510,00" {
		t.Errorf("the row that was typed again is %+v", r)
	}
	for n, want := range []string{"Dawn", "Without a group", "Without a group"} {
		if got := h.rows(i)[n].GroupName; got != want {
			t.Errorf("row %d is in the group %q, want %q", n+2, got, want)
		}
	}
}

// An amount that the file does not have counts as a person typed it.
func TestALineOfTotalsCountsWhatWasNoAmount(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed("Member No;Name;Monthly\nK1;Anna;4S0,00\nK2;Ben;100,00\nTotal;;550,00\n")
	if !strings.Contains(i.CheckSum, "but the rows above it add up to R\u00a0100,00") {
		t.Errorf("with a cell that is no amount it says %q", i.CheckSum)
	}
	if _, err := h.book.Edit(context.Background(), h.who, i.ID, 2, 3, "450,00"); err != nil {
		t.Fatal(err)
	}
	if i = h.work(i); !strings.Contains(i.CheckSum, "agrees") {
		t.Errorf("with the cell typed again it says %q", i.CheckSum)
	}
}

// What a person chose about how a file is written holds for the next one; what they vouched for does not.
func TestTheNextFileWithTheSameHeadingIsReadAlike(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	i := h.upload("Nommer;Naam;Adres\nK1;Anna;anna@example.com\n")
	m := i.Mapping
	m.Columns[0].Field, m.Columns[1].Field, m.Columns[2].Field = book.Reference, book.FullName, book.Email
	_, err := h.book.Map(ctx, h.who, i.ID, m, i.CutOver)
	must(t, err)
	i = h.work(i)
	i = h.fix(i, book.CauseDateOrder, "dmy")
	h.fix(i, book.CauseUndated, "vouch")
	next := h.upload("Nommer;Naam;Adres\nK2;Ben;ben@example.com\n")
	if next.Mapping.Columns[0].Field != book.Reference || next.Mapping.Choices[book.CauseDateOrder] != "dmy" {
		t.Errorf("the next file is read as %+v", next.Mapping)
	}
	if next.Mapping.Choices[book.CauseUndated] != "" {
		t.Error("a person vouched for mandates that they never saw")
	}
}

// The same clients, in every form in which a file may come.
func TestAFileIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	const plain = "Member No;Name;Email\nK1;Zoë Müller;zoe@example.com\n"
	utf16le := func(text string) string {
		out := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(text)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return string(out)
	}
	workbook := func() string {
		f := excelize.NewFile()
		for n, row := range [][]any{{"Member No", "Name", "Email"}, {"K1", "Zoë Müller", "zoe@example.com"}} {
			cell, _ := excelize.CoordinatesToCellName(1, n+1)
			must(t, f.SetSheetRow("Sheet1", cell, &row))
		}
		var b bytes.Buffer
		must(t, f.Write(&b))
		return b.String()
	}
	for name, content := range map[string]string{
		"semicolons": plain, "commas": strings.ReplaceAll(plain, ";", ","), "tabs": strings.ReplaceAll(plain, ";", "\t"),
		"a line sep=;": "sep=;\n" + plain, "a mark": "\ufeff" + plain, "UTF-16": utf16le(plain),
		"Windows-1252": strings.NewReplacer("ë", "\xeb", "ü", "\xfc").Replace(plain),
		"title lines":  "Kloof Street Gym;;\nMembers of November;;\n" + plain, "a workbook": workbook(),
	} {
		h := open(t)
		i := h.rehearsed(content)
		if rows := h.rows(i); len(rows) != 1 || rows[0].Verdict != book.Created || rows[0].Name != "Zoë Müller" {
			t.Errorf("%s: %+v", name, rows)
		}
	}
}

// Numbers of people stand nowhere but sealed, and in the file of verdicts of who may see them.
func TestNumbersAreSealedAndMasked(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.done(dirtHead + dirty(1, map[string]string{"ID Number": "8001015009087"}))
	for _, table := range []string{"book_imports", "book_import_rows", "audit_entries", "mandates", "notes"} {
		for _, number := range []string{"8001015009087", "62012340118"} {
			if n := h.count(`SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%' || $1 || '%'`, number); n != 0 {
				t.Errorf("%s holds %s", table, number)
			}
		}
	}
	var b bytes.Buffer
	err := h.book.Verdicts(context.Background(), h.who, i.ID, true, &b)
	if !fault.Is(err, fault.Forbidden) || b.Len() > 0 {
		t.Errorf("numbers in full are given to a person who may not see them: %v, %s", err, &b)
	}
	must(t, h.book.Verdicts(context.Background(), h.who, i.ID, false, &b))
	if text := b.String(); strings.Contains(text, "8001015009087") || !strings.Contains(text, "•••• 0118") ||
		!strings.Contains(text, ";2;created;") {
		t.Errorf("masked numbers are\n%s", text)
	}
}

// A text that looks like a formula stays a text.
func TestAFormulaStaysAText(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed("Member No;Name;Email\nK1;=HYPERLINK(1);anna@example.com\n")
	var b bytes.Buffer
	must(t, h.book.Verdicts(context.Background(), h.who, i.ID, false, &b))
	if !strings.Contains(b.String(), ";'=HYPERLINK(1);") {
		t.Error(b.String())
	}
}
