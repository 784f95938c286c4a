package book_test

import (
	"context"
	"strings"
	"testing"

	"debitdesk/models/book"
	"debitdesk/models/calendar"
)

// dirtHead are the columns of the files below.
const dirtHead = "Member No;Name;Surname;ID Number;Cell;Email;Bank;Branch;Acc No;Acc Type;Monthly;Day;Mandate signed;" +
	"Last debit;Next debit;Status;Failures\n"

// dirty is one row with some cells changed from a good one.
func dirty(n int, cells map[string]string) string {
	heads := strings.Split(strings.TrimSuffix(dirtHead, "\n"), ";")
	good := map[string]string{"Member No": "D" + string(rune('0'+n/10)) + string(rune('0'+n%10)), "Name": "Member",
		"Surname": "Number" + string(rune('A'+n%26)) + string(rune('a'+n/26)), "Cell": "082 55" + string(rune('0'+n/10)) +
			" " + string(rune('0'+n%10)) + "001", "Email": "d" + string(rune('0'+n/10)) + string(rune('0'+n%10)) + "@example.com",
		"Bank": "FNB", "Branch": "250655", "Acc No": "6201234" + string(rune('0'+n/10)) + string(rune('0'+n%10)) + "18",
		"Acc Type": "Cheque", "Monthly": "R 649,00", "Day": "25", "Mandate signed": "31/01/2025", "Last debit": "none"}
	out := make([]string, len(heads))
	for i, h := range heads {
		text, said := cells[h]
		if !said {
			text = good[h]
		}
		out[i] = text
	}
	return strings.Join(out, ";") + "\n"
}

// faults are kinds of dirt with the cells that show it, the cause that it has and what becomes of the row.
var faults = []struct {
	name    string
	cells   map[string]string
	cause   string
	verdict book.Verdict
}{
	{"a good row", nil, "", book.Created},
	{"an account in scientific notation", map[string]string{"Acc No": "1.4E+09"}, book.CauseScientific, book.Refused},
	{"an ID number in scientific notation", map[string]string{"ID Number": "8.50E+12"}, book.CauseScientific,
		book.Refused},
	{"blanks and hyphens in an account", map[string]string{"Acc No": "62 000-001 018"}, "", book.Created},
	{"an account that is marked as text", map[string]string{"Acc No": `="62000001018"`}, "", book.Created},
	{"a masked account", map[string]string{"Acc No": "******1018"}, book.CauseMasked, book.Refused},
	{"an account too short for its bank", map[string]string{"Acc No": "620000018"}, book.CauseAccountZeros, book.Refused},
	{"an account too long", map[string]string{"Acc No": "620000010181234"}, book.CauseAccount, book.Refused},
	{"letters in an account", map[string]string{"Acc No": "62A00B01018"}, book.CauseAccount, book.Refused},
	{"the name of a branch", map[string]string{"Branch": "Gateway"}, book.CauseBranchName, book.Created},
	{"the name of a branch of no bank", map[string]string{"Bank": "", "Branch": "Gateway"}, book.CauseBank, book.Refused},
	{"a branch code without its zero", map[string]string{"Bank": "Std Bank", "Branch": "51001", "Acc No": "20304050"},
		book.CauseBranchZero, book.Created},
	{"an old branch code", map[string]string{"Branch": "251255"}, book.CauseOldBranch, book.Created},
	{"a code of another bank", map[string]string{"Bank": "Capitec", "Branch": "250655"}, book.CauseBankDiffers,
		book.Refused},
	{"a bank without a code", map[string]string{"Branch": ""}, "", book.Created},
	{"a bank with a letter wrong", map[string]string{"Bank": "Stndrd Bnk", "Branch": ""}, book.CauseBank, book.Refused},
	{"a bank with one letter missing", map[string]string{"Bank": "Standad Bank", "Branch": "", "Acc No": "203040501"}, "",
		book.Created},
	{"no bank at all", map[string]string{"Bank": "", "Branch": ""}, book.CauseBank, book.Refused},
	{"a branch in Botswana", map[string]string{"Bank": "", "Branch": "282672"}, book.CauseAbroad, book.Refused},
	{"another type of account", map[string]string{"Acc Type": "Bond"}, book.CauseType, book.Refused},
	{"a type by its Afrikaans word", map[string]string{"Acc Type": "Spaar"}, "", book.Created},
	{"an ID number without its zero", map[string]string{"ID Number": "101015009083"}, book.CauseIDZero, book.Created},
	{"an ID number with a wrong check digit", map[string]string{"ID Number": "8001015009088"}, book.CauseIdentity,
		book.Refused},
	{"a passport", map[string]string{"ID Number": "A12345678"}, "", book.Created},
	{"a placeholder for an ID number", map[string]string{"ID Number": "TEMP1234"}, book.CausePlaceholder, book.Refused},
	{"a placeholder for a phone", map[string]string{"Cell": "0000000000"}, book.CausePlaceholder, book.Refused},
	{"a placeholder for an address", map[string]string{"Email": "x@temp.co.za"}, book.CausePlaceholder, book.Refused},
	{"a phone without its zero", map[string]string{"Cell": "821234567"}, "", book.Created},
	{"a phone too short", map[string]string{"Cell": "082 123"}, book.CausePhone, book.Refused},
	{"two phones in one cell", map[string]string{"Cell": "021 555 1234 / 082 123 4567"}, book.CausePhones, book.Created},
	{"an address that is none", map[string]string{"Email": "anna at example.com"}, book.CauseEmail, book.Refused},
	{"an address with blanks in it", map[string]string{"Email": "anna @ example. com"}, book.CauseStray, book.Refused},
	{"a date that is none", map[string]string{"Mandate signed": "soon"}, book.CauseDate, book.Refused},
	{"a day that does not exist", map[string]string{"Mandate signed": "31/02/2025"}, book.CauseDate, book.Refused},
	{"a mandate in the future", map[string]string{"Mandate signed": "31/12/2027"}, book.CauseFuture, book.Refused},
	{"a mandate without its day", map[string]string{"Mandate signed": ""}, book.CauseUndated, book.Refused},
	{"an amount in words", map[string]string{"Monthly": "six hundred"}, book.CauseAmount, book.Refused},
	{"an amount below zero", map[string]string{"Monthly": "(50,00)"}, book.CauseAmount, book.Refused},
	{"an amount of nothing", map[string]string{"Monthly": "R0"}, "", book.Created},
	{"the last day of the month", map[string]string{"Day": "last day"}, book.CauseShortMonths, book.Created},
	{"day 31", map[string]string{"Day": "31"}, book.CauseDay31, book.Refused},
	{"the 1st", map[string]string{"Day": "1st"}, "", book.Created},
	{"pay day", map[string]string{"Day": "pay day"}, book.CauseDay, book.Refused},
	{"no name", map[string]string{"Name": "", "Surname": ""}, book.CauseName, book.Refused},
	{"nothing to reach the client by", map[string]string{"Email": "", "Acc No": ""}, book.CauseReach, book.Refused},
	{"two failures in a row", map[string]string{"Failures": "2"}, book.CauseFailures, book.Created},
	{"a client who left", map[string]string{"Status": "Cancelled"}, book.CauseInactive, book.Created},
	{"a debit that could be the second", map[string]string{"Last debit": "25/11/2026", "Next debit": "15/12/2026"},
		book.CauseGuard, book.Held},
	{"an unclosed quotation mark in the middle", map[string]string{"Name": `Ann"a`}, "", book.Created},
}

func TestEveryKindOfDirtIsFoundByItsCause(t *testing.T) {
	t.Parallel()
	h := open(t)
	var b strings.Builder
	b.WriteString(dirtHead)
	for n, f := range faults {
		b.WriteString(dirty(n, f.cells))
	}
	b.WriteString("Total;;;;;;;;;;R 100,00;;;;;;\n")
	// The last debit lies after the day of the test's clock, unless that moves on.
	must(t, h.store.Clock.MoveTo(context.Background(), calendar.On(2026, 11, 26).At(9, 0)))
	i := h.rehearsed(b.String())
	h.addsUp(i)
	if i.Rows != len(faults)+1 {
		t.Fatalf("%d rows were read", i.Rows)
	}
	for n, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			at := *h
			at.t = t
			at.is(i, n+2, f.verdict, f.cause)
		})
	}
	h.is(i, len(faults)+2, book.Skipped, book.CauseTotals)
	if !strings.Contains(i.CheckSum, "but the rows above it add up to") {
		t.Errorf("the line of totals says %q", i.CheckSum)
	}
	for _, r := range h.rows(i) {
		for _, f := range r.Findings {
			for _, number := range []string{"8001015009088", "620000018", "620000010181234", "62A00B01018"} {
				if strings.Contains(f.Message, number) || strings.Contains(r.Reason, number) {
					t.Errorf("row %d repeats a number: %s", r.N, f.Message)
				}
			}
		}
	}
}

func TestMendsPutACauseRightForAllItsRows(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, one := range []struct {
		cells  map[string]string
		cause  string
		choice string
		is     string // a query that gives 1 once it is done
	}{
		{map[string]string{"Acc No": "1.4E+09"}, book.CauseScientific, "drop",
			`SELECT count(*) FROM clients c WHERE NOT EXISTS (SELECT FROM tokens WHERE client_id = c.id)`},
		{map[string]string{"Bank": "Capitec"}, book.CauseBankDiffers, "code",
			`SELECT count(*) FROM tokens WHERE bank_code = '250655'`},
		{map[string]string{"Acc Type": "Bond"}, book.CauseType, "yes", `SELECT count(*) FROM tokens WHERE account_type =
			'CURRENT'`},
		{map[string]string{"ID Number": "8001015009088"}, book.CauseIdentity, "drop",
			`SELECT count(*) FROM clients WHERE personal_code_mask = ''`},
		{map[string]string{"Email": "anna @ example.com"}, book.CauseStray, "yes",
			`SELECT count(*) FROM clients WHERE email = 'anna@example.com'`},
		{map[string]string{"Mandate signed": ""}, book.CauseUndated, "vouch",
			`SELECT count(*) FROM mandates WHERE consent_text LIKE '%is not known here%'`},
		{map[string]string{"Mandate signed": ""}, book.CauseUndated, "no_mandate",
			`SELECT count(*) FROM clients c WHERE NOT EXISTS (SELECT FROM tokens WHERE client_id = c.id)`},
		{map[string]string{"Day": "31"}, book.CauseDay31, "last", `SELECT count(*) FROM mandates WHERE deduction_day = 99`},
		{map[string]string{"Next debit": "02/12/2026", "Last debit": "25/11/2026"}, book.CauseGuard, "safe",
			`SELECT count(*) FROM tokens WHERE not_before = '2026-12-22'`},
	} {
		m, brand := h.merchant("m" + one.cause + one.choice)
		at := *h
		at.who, at.brand = m, brand
		must(t, h.store.Clock.MoveTo(context.Background(), calendar.On(2026, 11, 26).At(9, 0)))
		i := at.rehearsed(dirtHead + dirty(1, one.cells) + dirty(2, map[string]string{"Mandate signed": "31/01/2025"}))
		if i.Counts.Created != 1 {
			t.Errorf("%s: before the fix it is %+v", one.cause, i.Counts)
		}
		i = at.fix(i, one.cause, one.choice)
		if i.Counts.Created != 2 {
			t.Errorf("%s: after the fix it is %+v, %+v", one.cause, i.Counts, at.rows(i)[0])
			continue
		}
		_, err := at.book.LeaveOut(context.Background(), at.who, i.ID, true, 3)
		must(t, err)
		i = at.work(i)
		_, err = at.book.Start(context.Background(), at.who, i.ID, i.Seal())
		must(t, err)
		at.work(i)
		where := " WHERE "
		if n := h.count(strings.Replace(one.is, where, where+"merchant_id = $1 AND ", 1), m.MerchantID); n != 1 {
			t.Errorf("%s by %s: %s gives %d", one.cause, one.choice, one.is, n)
		}
	}
}
