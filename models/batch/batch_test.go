package batch_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

var today = calendar.On(2026, 11, 20)

// readAll does what a page does: open, survey, guess, check.
func readAll(t *testing.T, content string) (batch.Mapping, []batch.Line) {
	t.Helper()
	f, err := sheet.Open(strings.NewReader(content), sheet.Told{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	survey := batch.NewSurvey(len(f.Format.Header))
	each(t, f, func(r sheet.Row) { survey.See(r.Cells) })
	m := survey.Guess(f.Format)
	c := batch.Checker{Header: f.Format.Header, Mapping: m, Today: today}
	var lines []batch.Line
	each(t, f, func(r sheet.Row) { lines = append(lines, c.Check(r)) })
	return m, lines
}

func each(t *testing.T, f *sheet.File, do func(sheet.Row)) {
	t.Helper()
	if err := f.Each(func(r sheet.Row) error { do(r); return nil }); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// places gives the problems of lines as a person reads them.
func places(lines []batch.Line) []string {
	var all []string
	for _, l := range lines {
		for _, p := range l.Problems {
			all = append(all, p.At(l.Row))
		}
	}
	return all
}

func TestAFileReadsRightHoweverItIsWritten(t *testing.T) {
	encodings := map[string]func(string) string{
		"UTF-8":           func(s string) string { return s },
		"UTF-8 with mark": func(s string) string { return "\uFEFF" + s },
		"Windows-1252": func(s string) string {
			out, err := charmap.Windows1252.NewEncoder().String(s)
			if err != nil {
				t.Fatal(err)
			}
			return out
		},
	}
	decimals := map[string][]string{"comma": {"1 234,50", "R\u00a012,00", "1.234"},
		"point": {"1,234.50", "R12.00", "1,234"}}
	orders := map[string][]string{"year first": {"2026-12-01", "2026-12-25"}, "day first": {"01/12/2026", "25/12/2026"},
		"month first": {"12/01/2026", "12/25/2026"}}
	for encoding, encode := range encodings {
		for _, sep := range []string{",", ";", "\t"} {
			for decimal, amounts := range decimals {
				for order, dates := range orders {
					t.Run(strings.Join([]string{encoding, fmt.Sprintf("%q", sep), decimal, order}, " "), func(t *testing.T) {
						row := func(cells ...string) string { return `"` + strings.Join(cells, `"`+sep+`"`) + "\"\r\n" }
						m, lines := readAll(t, encode(row("Kliënt", "E-pos", "Bedrag", "Vervaldatum")+
							row("Chloé", " c@x.test ", amounts[0], dates[0])+
							row("", "", "", "")+
							row("Zoë\u00a0", "z@x.test", amounts[1], " "+dates[1])+
							`"Broken`+sep+"b@x.test"+sep+"12"+sep+dates[1]+"\r\n"+
							row("Anaïs", "'a@x.test", "\u00a0"+amounts[2], dates[0])))
						same(t, []batch.Field{m.Columns[0].Field, m.Columns[1].Field, m.Columns[2].Field, m.Columns[3].Field},
							[]batch.Field{batch.FullName, batch.Email, batch.Amount, batch.Due})
						var got []string
						for _, l := range lines {
							v := l.Values
							got = append(got, fmt.Sprintf("%d %s %s %d %s %d", l.Row, v.FullName, v.Email, v.TotalCents, v.Due,
								len(l.Problems)))
						}
						same(t, got, []string{"2 Chloé c@x.test 123450 2026-12-01 0", "4 Zoë z@x.test 1200 2026-12-25 0",
							`5 "Broken b@x.test 1200 2026-12-25 1`, "6 Anaïs a@x.test 123400 2026-12-01 0"})
						same(t, places(lines),
							[]string{"row 5, column Kliënt: A quotation mark is opened and not closed. Close it, or remove it."})
					})
				}
			}
		}
	}
}

func TestWhatAFileCannotTellIsAskedNotGuessed(t *testing.T) {
	_, lines := readAll(t, "email;amount;due\na@x.test;1,234;03/04/25\n")
	same(t, places(lines), []string{
		"row 2, column amount: expected 1 234,50 or 1234.50, found 1,234, which could be thousands or decimals; " +
			"choose the decimal sign of the column",
		"row 2, column due: expected 2026-12-01, found 03/04/25; choose whether the day or the month comes first",
	})
}

// check reads one row under the given fields.
func check(fields []batch.Field, cells ...string) batch.Line {
	m := batch.Mapping{Due: calendar.On(2026, 12, 1)}
	var header []string
	for _, f := range fields {
		m.Columns = append(m.Columns, batch.Target{Field: f})
		header = append(header, string(f))
	}
	return batch.Checker{Header: header, Mapping: m, Today: today}.Check(sheet.Row{Number: 42, Cells: cells})
}

func TestAValueIsReadOrSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		field batch.Field
		text  string
		want  string // the problem, or nothing
		mend  string
	}{
		{batch.Amount, "R 1\u00a0234,50", "", ""},
		{batch.Amount, "-5", "expected 0 or more, found -5", batch.CauseRange},
		{batch.Amount, "(R 100,00)", "expected 0 or more, found (R 100,00)", batch.CauseRange},
		{batch.Amount, "0", "expected more than 0, found 0", batch.CauseRange},
		{batch.Amount, "0,01", "", ""},
		{batch.Amount, "1.2345", "expected at most two decimals, found 1.2345", batch.CauseDecimals},
		{batch.Amount, "#REF!", "expected a number such as 1 234,50 or 1234.50, found #REF!", batch.CauseNumber},
		{batch.Amount, "100%", "expected a number such as 1 234,50 without a percent sign, found 100%", batch.CauseNumber},
		{batch.Amount, "", "expected an amount such as 1 234,50, found nothing", "required_amount"},
		{batch.Amount, "6.2E+10",
			"the spreadsheet shortened this number to scientific notation and digits are lost; " +
				"format the column as text and type the number again", batch.CauseScientific},
		{batch.Due, "31/02/2026", "expected a day that exists, found 31/02/2026", batch.CauseDate},
		{batch.Due, "2026-02-30", "expected a day that exists, found 2026-02-30", batch.CauseDate},
		{batch.Due, "soon", "expected 2026-12-01, found soon", batch.CauseDate},
		{batch.Due, "46357", "", ""},
		{batch.Due, "1 Des 2026", "", ""},
		{batch.Email, "a@x", "expected name@example.com, found a@x", batch.CauseEmail},
		{batch.Phone, "082 123 4567", "", ""},
		{batch.Phone, "12", "expected 082 123 4567 or +27 82 123 4567, found 12", batch.CausePhone},
		{batch.ClientID, "7", "expected an id such as 018f0000-0000-7000-8000-000000000000, found 7", batch.CauseClientID},
		{batch.Currency, "USD", "expected ZAR, found USD", batch.CauseChoice},
		{batch.Currency, "rand", "", ""},
		{batch.Charge, "Ja", "", ""},
		{batch.Charge, "maybe", "expected yes or no, found maybe", batch.CauseChoice},
		{batch.Method, "Debi-Check", "", ""},
		{batch.Method, "visa", "expected eft or debicheck, found visa", batch.CauseChoice},
		{batch.Reference, strings.Repeat("é", 128), "", ""},
		{batch.Reference, strings.Repeat("é", 129), "expected at most 128 characters, found 129", batch.CauseLength},
		{batch.FullName, strings.Repeat("x", 129), "expected at most 128 characters, found 129", batch.CauseLength},
		{batch.PersonalCode, "8001015009088", "The check digit of the ID is wrong. Please check the number.", batch.CauseID},
	} {
		fields, cells := []batch.Field{batch.Email, batch.Amount}, []string{"a@x.test", "10"}
		if at := slices.Index(fields, c.field); at >= 0 {
			cells[at] = c.text
		} else {
			fields, cells = append(fields, c.field), append(cells, c.text)
		}
		l := check(fields, cells...)
		got, mend := "", ""
		if len(l.Problems) > 0 {
			got, mend = l.Problems[0].Message, l.Problems[0].Cause
		}
		if got != c.want || mend != c.mend || len(l.Problems) > 1 {
			t.Errorf("%s %q: %+v, want %q (%s)", c.field, c.text, l.Problems, c.want, c.mend)
		}
	}
}

func TestAllProblemsOfARowComeAtOnce(t *testing.T) {
	l := check([]batch.Field{batch.Email, batch.Amount, batch.Due, batch.Charge}, "nobody", "much", "soon", "maybe")
	var fields []batch.Field
	for _, p := range l.Problems {
		fields = append(fields, p.Field)
	}
	same(t, fields, []batch.Field{batch.Email, batch.Amount, batch.Due, batch.Charge})
	same(t, l.Problems[2].At(l.Row), "row 42, column due: expected 2026-12-01, found soon")
}

func TestZerosThatASpreadsheetDroppedArePutBack(t *testing.T) {
	l := check([]batch.Field{batch.Email, batch.Amount, batch.BankCode, batch.BankAccount, batch.PersonalCode,
		batch.Phone},
		"a@x.test", "10", "51001", "110000001", "101015000086", "821234567")
	same(t, l.Values.BankCode, "051001")
	same(t, l.Values.Phone, "27821234567")
	if len(l.Notes) < 2 {
		t.Errorf("the mends are told: %+v", l.Notes)
	}
}

func TestSecretsAreNotRepeatedInProblems(t *testing.T) {
	l := check([]batch.Field{batch.Email, batch.Amount, batch.BankCode, batch.BankAccount, batch.PersonalCode},
		"a@x.test", "10", "632005", "98765432109876", "8001015009088")
	if len(l.Problems) != 2 {
		t.Fatalf("%+v", l.Problems)
	}
	for _, p := range l.Problems {
		if strings.Contains(p.Message, "98765432109876") || strings.Contains(p.Message, "8001015009088") {
			t.Error(p.Message)
		}
	}
}

func TestProductLinesAddUpOrSaySo(t *testing.T) {
	fields := []batch.Field{batch.Email, batch.Amount, batch.Product, batch.Price, batch.Quantity, batch.Discount,
		batch.TaxPercent, "product_2", "price_2"}
	for name, c := range map[string]struct {
		cells []string
		total int64
		code  string
	}{
		"one amount":              {[]string{"a@x.test", "115", "", "", "", "", "", "", ""}, 11500, ""},
		"an amount with its name": {[]string{"a@x.test", "115", "Rent", "", "", "", "", "", ""}, 11500, ""},
		"lines without an amount": {[]string{"a@x.test", "", "Rent", "100", "2", "50", "10", "Water", "1,5"}, 16650,
			""},
		"lines that add up": {[]string{"a@x.test", "101,50", "Rent", "100", "", "", "", "Water", "1,5"}, 10150,
			""},
		"lines that do not": {[]string{"a@x.test", "101,51", "Rent", "100", "", "", "", "Water", "1,5"}, 0,
			"total_differs"},
		"a second line without price": {[]string{"a@x.test", "100", "Rent", "100", "", "", "", "Water", ""}, 0,
			"required"},
		"quantity with only an amount": {[]string{"a@x.test", "100", "Rent", "", "2", "", "", "", ""}, 0, "required"},
		"a discount above the price": {[]string{"a@x.test", "", "Rent", "100", "", "100,01", "", "", ""}, 0,
			"product_subtotal_negative"},
		"all of it given away": {[]string{"a@x.test", "", "Rent", "100", "", "100", "", "", ""}, 0, "min_value"},
		"five decimals in a quantity": {[]string{"a@x.test", "", "Rent", "100", "0,00001", "", "", "", ""}, 0,
			"max_decimal_places"},
		"a tax above a hundred": {[]string{"a@x.test", "", "Rent", "100", "", "", "100,5", "", ""},
			0, "max_value"},
		"nothing to pay":                   {[]string{"a@x.test", "", "", "", "", "", "", "", ""}, 0, "required"},
		"a product without amount, either": {[]string{"a@x.test", "", "Rent", "", "", "", "", "", ""}, 0, "required"},
	} {
		l := check(fields, c.cells...)
		code := ""
		if len(l.Problems) > 0 {
			code = l.Problems[0].Code
		}
		if l.Values.TotalCents != c.total || code != c.code || len(l.Problems) > 1 {
			t.Errorf("%s: %d, %+v", name, l.Values.TotalCents, l.Problems)
		}
	}
}

func TestARowNeedsSomebodyToBill(t *testing.T) {
	l := check([]batch.Field{batch.FullName, batch.Email, batch.Amount}, "Anna", "", "10")
	same(t, places([]batch.Line{l}),
		[]string{"row 42, column email: expected an e-mail address, an ID number or a client id, found nothing"})
}

func TestADueDateThatHasPassedIsAWarning(t *testing.T) {
	for text, warnings := range map[string]int{"2026-11-19": 1, "2026-11-20": 0} {
		l := check([]batch.Field{batch.Email, batch.Amount, batch.Due}, "a@x.test", "10", text)
		if len(l.Warnings) != warnings || !l.OK() {
			t.Errorf("%s: %+v %+v", text, l.Warnings, l.Problems)
		}
	}
}

func TestTheSameRowsHaveTheSameFingerprint(t *testing.T) {
	sum := func(rows ...[]string) string {
		f := batch.NewFingerprint([]string{"email", "amount"})
		for _, r := range rows {
			f.Add(r)
		}
		return f.Sum()
	}
	same(t, sum([]string{" a@x.test", "10", ""}), sum([]string{"a@x.test", "10\u00a0"}))
	for _, other := range [][]string{{"a@x.test", "11"}, {"a@x.test1", "0"}, {"a@x.test10"}} {
		if sum(other) == sum([]string{"a@x.test", "10"}) {
			t.Errorf("%q", other)
		}
	}
	if sum([]string{"a"}, []string{"b"}) == sum([]string{"a", "b"}) {
		t.Error("two rows are not one")
	}
}

func TestRowsAreGroupedByCauseAndMendedTogether(t *testing.T) {
	content := "email;amount;due\n" +
		"mailto:a@x.test;1,234;03/04/2027\n" +
		"b@x.test;5;04/05/2027\n" +
		"c@x.test.;7;2027-01-31\n"
	m, lines := readAll(t, content)
	var causesOf batch.Groups
	for _, l := range lines {
		causesOf.Add(l)
	}
	groups := causesOf.List()
	var causes []string
	for _, g := range groups {
		causes = append(causes, fmt.Sprint(g.Cause, g.Rows, len(g.Fixes)))
	}
	same(t, causes, []string{"email_stray[2 4] 1", "date_order[2 3] 3", "decimal_mark[2] 2"})

	row := []string{"mailto:a@x.test", "1,234", "03/04/2027"}
	for _, fix := range []batch.Fix{groups[0].Fixes[0], groups[1].Fixes[0], groups[2].Fixes[1]} {
		var changed bool
		if row, changed = batch.FixAll(m, fix, row); !changed {
			t.Errorf("%+v changed nothing", fix)
		}
	}
	same(t, row, []string{"a@x.test", "1234.00", "2027-04-03"})
	l := batch.Checker{Mapping: m, Today: today}.Check(sheet.Row{Number: 2, Cells: row})
	same(t, []any{l.OK(), l.Values.TotalCents}, []any{true, int64(123400)})

	clear := []string{"b@x.test", "5,00", "2027-01-31"}
	for _, g := range groups {
		for _, fix := range g.Fixes {
			if _, changed := batch.FixAll(m, fix, clear); changed {
				t.Errorf("%+v changed what was clear", fix)
			}
		}
	}
}

func TestMarksOfAColumnAreItsOwnOrThoseOfTheOtherNumbers(t *testing.T) {
	marks := func(kind sheet.Kind, rows ...[]string) []money.Mark {
		s := batch.NewSurvey(3)
		for _, r := range rows {
			s.See(r)
		}
		var all []money.Mark
		for _, c := range s.Guess(sheet.Format{Kind: kind, Header: []string{"amount", "price", "version"}}).Columns {
			all = append(all, c.Decimal)
		}
		return all
	}
	same(t, marks(sheet.CSV, []string{"1,5", "10.50", "7"}), []money.Mark{",", ".", ""})
	same(t, marks(sheet.CSV, []string{"1,234", "10.50", ""}), []money.Mark{".", ".", ""})
	same(t, marks(sheet.CSV, []string{"1,234", "", "2.5"}),
		[]money.Mark{"", "", ""}) // a version number proves nothing about money
	same(t, marks(sheet.CSV, []string{"1,5", "", ""}, []string{"1.5", "", ""}), []money.Mark{"", "", ""})
	same(t, marks(sheet.XLSX, []string{"12,50", "", ""}), []money.Mark{"", "", ""}) // a stored 1.234 beside it is not 1234
	same(t, marks(sheet.XLSX, []string{"12.5", "", ""}), []money.Mark{".", ".", ""})
}

func TestTheOrderOfDatesMayComeFromAnotherColumn(t *testing.T) {
	for issued, want := range map[string]calendar.Order{"25/11/2026": calendar.DayFirst, "11/25/2026": calendar.MonthFirst,
		"2026-11-25": "", "": ""} {
		s := batch.NewSurvey(2)
		s.See([]string{"03/04/2027", issued})
		same(t, s.Guess(sheet.Format{Header: []string{"due", "issued"}}).Columns[0].Dates, want)
	}
}

func TestTheAfrikaansArticleIsNoStrayApostrophe(t *testing.T) {
	for text, want := range map[string]string{"'051001": "051001", "'n Huis": "'n Huis", "'aangehaal'": "'aangehaal'",
		"\u00a0' 12 ": "12", "\u200bx\t": "x"} {
		same(t, batch.Tidy(text), want)
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"a@x.test", "1,234", "R 1 234,50", "03/04/25", "46357", "6.2E+10", "051001", "'n",
		"1e999999999", "\u00a0-R-1", "8001015009087"} {
		f.Add(seed, ",", "dmy")
		f.Add(seed, "", "")
	}
	f.Fuzz(func(t *testing.T, text, mark, order string) {
		m := batch.Mapping{}
		row := sheet.Row{Number: 2}
		for _, field := range batch.Fields() {
			m.Columns = append(m.Columns, batch.Target{Field: field, Decimal: money.Mark(mark), Dates: calendar.Order(order)})
			row.Cells = append(row.Cells, text)
		}
		l := batch.Checker{Mapping: m, Today: today}.Check(row)
		if l.OK() && (l.Values.TotalCents <= 0 || l.Values.Due.IsZero()) {
			t.Errorf("%q passes as %+v", text, l.Values)
		}
		for _, p := range l.Problems {
			if p.Cause == "" || p.Message == "" || p.Code == "" {
				t.Errorf("%q: %+v", text, p)
			}
			for _, fix := range batch.FixesOf(p) {
				batch.FixAll(m, fix, row.Cells)
			}
		}
		batch.NewSurvey(1).See([]string{text})
	})
}

func BenchmarkCheckingFiftyThousandRows(b *testing.B) {
	c := batch.Checker{Today: today, Mapping: batch.Mapping{Columns: []batch.Target{{Field: batch.Email},
		{Field: batch.FullName}, {Field: batch.Amount}, {Field: batch.Due, Dates: calendar.DayFirst}}}}
	row := sheet.Row{Number: 2, Cells: []string{"a@example.test", "Anna Smit", "R 1 234,50", "01/12/2026"}}
	b.ReportAllocs()
	for b.Loop() {
		survey := batch.NewSurvey(4)
		for range sheet.Usual.Rows {
			survey.See(row.Cells)
			c.Check(row)
		}
	}
}
