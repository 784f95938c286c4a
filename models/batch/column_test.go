package batch_test

import (
	"testing"

	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
)

func TestHeadingsAreUnderstood(t *testing.T) {
	for heading, want := range map[string]batch.Field{
		"E-mail": batch.Email, "Email Address": batch.Email, "e-posadres": batch.Email, "CLIENT_EMAIL": batch.Email,
		"Kliënt": batch.FullName, "Customer name": batch.FullName, "Naam": batch.FullName,
		"Cell no.": batch.Phone, "Selfoon": batch.Phone,
		"ID Number": batch.PersonalCode, "ID-nommer": batch.PersonalCode, "personal_code": batch.PersonalCode,
		"Branch Code": batch.BankCode, "Takkode": batch.BankCode, "Account Number": batch.BankAccount,
		"Rekeningnommer": batch.BankAccount,
		"Amount (ZAR)":   batch.Amount, "Bedrag (R)": batch.Amount, "Total incl. VAT": batch.Amount,
		"Due Date": batch.Due, "Vervaldatum": batch.Due, "Due date (yyyy-mm-dd)": batch.Due,
		"Your reference": batch.Reference, "Verwysing": batch.Reference,
		"Qty": batch.Quantity, "Prys 2": "price_2", "price2": "price_2", "Product 3": "product_3", "product_1": batch.Product,
		"Item 2 price": "price_2",
		"VAT %":        batch.TaxPercent, "Afslag": batch.Discount, "Beskrywing": batch.Product, "Opmerkings": batch.Notes,
		"Charge token": batch.Charge, "Payment method": batch.Method, "Betaalmetode": batch.Method,
		"Shoe size": "", "product_6": "", "email 2": "", "Invoice date": "", "": "",
	} {
		m := batch.NewSurvey(1).Guess(sheet.Format{Header: []string{heading}})
		if got := m.Columns[0]; got.Field != want || got.Guessed != (want != "") {
			t.Errorf("%q: %+v, want %q", heading, got, want)
		}
	}
}

func TestContentTellsWhereThereIsNoHeading(t *testing.T) {
	s := batch.NewSurvey(7)
	s.See([]string{"Anna Smit", "a@x.test", "082 123 4567", "8001015009087", "R 12,50", "25/12/2026", "632005"})
	s.See([]string{"Ben Nel", "b@x.test", "+27 82 123 4567", "", "R 1 234,00", "01/12/2026", "051001"})
	m := s.Guess(sheet.Format{Header: make([]string, 7)})
	var got []batch.Field
	for _, c := range m.Columns {
		got = append(got, c.Field)
	}
	same(t, got, []batch.Field{batch.FullName, batch.Email, batch.Phone, batch.PersonalCode, batch.Amount, batch.Due,
		batch.BankCode})
	same(t, m.Columns[5].Dates, calendar.DayFirst)
	same(t, s.Samples(0), []string{"Anna Smit", "Ben Nel"})
}

func TestAFieldIsGuessedOnce(t *testing.T) {
	m := batch.NewSurvey(2).Guess(sheet.Format{Header: []string{"Amount", "Total"}})
	same(t, []batch.Field{m.Columns[0].Field, m.Columns[1].Field}, []batch.Field{batch.Amount, ""})
}

func TestAMappingNeedsAPayerAnAmountAndADay(t *testing.T) {
	var paths []string
	for _, p := range (batch.Mapping{Columns: []batch.Target{{Field: "shoe"}, {Field: batch.Notes}, {Field: batch.Notes}},
		Currency: "USD"}).Check() {
		paths = append(paths, p.Path+" "+p.Code)
	}
	same(t, paths, []string{"columns[0/3] invalid_choice", "columns[2/3] unique", "email required", "amount required",
		"due required", "currency invalid_choice"})
	whole := batch.Mapping{Columns: []batch.Target{{Field: batch.PersonalCode}, {Field: batch.Price}, {}, {}}, Due: today}
	if wrong := whole.Check(); wrong != nil {
		t.Errorf("%+v", wrong)
	}
}

func TestColumnsAreNamedAsSpreadsheetsDo(t *testing.T) {
	for column, want := range map[int]string{1: "A", 26: "Z", 27: "AA", 200: "GR"} {
		same(t, batch.ColumnName(column), want)
	}
}

func TestEveryFieldHasWords(t *testing.T) {
	for _, f := range batch.Fields() {
		if f.Label() == "" || f.Label()[0] == ' ' || !f.Known() {
			t.Errorf("%s: %q", f, f.Label())
		}
	}
}
