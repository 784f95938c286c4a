package book_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/book"
)

// flaw is a fault of one row of a foreign file: the value of a good row, what is in its place, and what follows.
type flaw struct {
	name, old, with, cause string
	verdict                book.Verdict
}

// flawed is a foreign file with one row for each flaw. A # in a row is a number of its own.
type flawed struct {
	name, head, row, tail string
	first                 int // the line of the first row
	fields                map[int]book.Field
	choices               book.Choices
	flaws                 []flaw
}

var vouched = book.Choices{book.CauseUndated: "vouch", book.CauseTypeDigits: "yes"}

var flawedFiles = []flawed{
	{"Netcash master file", tabbed("H→"+serviceKey+"→1→Update→KSF→20261124→"+vendorKey,
		"K→101→102→103→104→131→132→133→134→135→136→161→201→202→281"),
		"T→KSF9#→CLIENT #→1→0→1→C LIENT→1→250655→0→620000##→64900→c#@example.com→082123#→GYM\n", "F→0→0→9999\n", 3, nil,
		vouched, []flaw{
			{"a good row", "", "", "", book.Created},
			{"an account in scientific notation", "→620000##→", "→1.4E+09→", book.CauseScientific, book.Refused},
			{"an account that is too long", "→620000##→", "→6200001234567890→", book.CauseAccount, book.Refused},
			{"a masked account", "→620000##→", "→******1018→", book.CauseMasked, book.Refused},
			{"a branch that lost its zero", "→250655→0→620000##→", "→51001→0→02030##→", book.CauseBranchZero, book.Created},
			{"a branch in Botswana", "→250655→", "→282672→", book.CauseAbroad, book.Refused},
			{"a type that is unknown", "→1→250655", "→9→250655", book.CauseType, book.Refused},
			{"a placeholder for a phone", "082123#", "0000000000", book.CausePlaceholder, book.Refused},
			{"a phone without its zero", "082123#", "82123#", "", book.Created},
			{"an address that is none", "c#@example.com", "c at example", book.CauseEmail, book.Refused},
			{"an amount in rands", "→64900→", "→649.00→", book.CauseUnfit, book.Refused},
			{"an amount of nothing", "→64900→", "→0→", "", book.Created},
			{"an entry that is not active", "→1→0→1→C", "→0→0→1→C", book.CauseInactive, book.Created},
			{"an entry marked for deletion", "→1→0→1→C", "→1→1→1→C", book.CauseAside, book.Skipped},
			{"a card", "→1→0→1→C", "→1→0→2→C", book.CauseCard, book.Created},
			{"a line that was cut", "→c#@example.com→082123#→GYM", "", book.CauseCells, book.Refused},
			{"no name", "→CLIENT #→", "→→", book.CauseName, book.Refused},
			{"a line of another record", "T→KSF9#", "X→KSF9#", book.CauseAside, book.Skipped},
		}},
	{"Netcash mandate data", "###BEGIN→20261124\n",
		"6→KSF9#→CLIENT #→649.0000→→250655→620000##→→→→→1→2→25→20250128→KSF9#→30→1→→→→→→→→→→→→→→→→→→→→→→→\n", "###END\n", 2,
		map[int]book.Field{4: book.Identity, 5: book.Branch, 6: book.Account}, nil, []flaw{
			{"a good row", "", "", "", book.Created},
			{"an agreement to come", "→20250128→", "→20271231→", book.CauseFuture, book.Refused},
			{"no day of the agreement", "→20250128→", "→00000000→", book.CauseUndated, book.Refused},
			{"a day that does not exist", "→20250128→", "→20250231→", book.CauseDate, book.Refused},
			{"day 31", "→2→25→", "→2→31→", book.CauseDay31, book.Refused},
			{"the last day", "→2→25→", "→2→99→", book.CauseShortMonths, book.Created},
			{"a day in words", "→2→25→", "→2→soon→", book.CauseDay, book.Refused},
			{"a frequency that is unknown", "→1→2→25", "→4→2→25", book.CauseCycle, book.Refused},
			{"a part of a cent", "649.0000", "649.0050", book.CauseUnfit, book.Refused},
			{"an amount in words", "649.0000", "much", book.CauseAmount, book.Refused},
			{"a placeholder for an ID number", "0000→→250655", "0000→TEMP9→250655", book.CausePlaceholder, book.Refused},
			{"an ID number with a wrong digit", "0000→→250655", "0000→8001015009088→250655", book.CauseIdentity, book.Refused},
			{"a mandate that was changed", "6→KSF9#", "7→KSF9#", book.CauseMandateNew, book.Held},
			{"a mandate that was declined", "6→KSF9#", "5→KSF9#", book.CauseMandateOver, book.Created},
			{"a state that is unknown", "6→KSF9#", "77→KSF9#", book.CauseMandateOpen, book.Held},
		}},
	{"Stitch collection file", stitchHead, "D,n#,C-#,649.0,2026-11-20,KSF9#,Client #,620000##,250655,Current\n",
		"RECORD_TYPE,TOTAL_RECORDS,TOTAL_VALUE\nT,0,0.00\n", 6, nil, vouched, []flaw{
			{"a good row", "", "", "", book.Created},
			{"a value with thousands", ",649.0,", ",\"1,649.00\",", book.CauseUnfit, book.Refused},
			{"a type that is unknown", "Current", "Bond", book.CauseType, book.Refused},
			{"the name of a branch", "250655", "Gateway", book.CauseBank, book.Refused},
			{"a debit in a year", "2026-11-20", "2027-11-20", book.CauseDate, book.Refused},
			{"a debit next month", "2026-11-20", "2026-12-20", book.CausePlanned, book.Created},
			{"a date that is none", "2026-11-20", "2026-13-20", book.CauseDate, book.Refused},
			{"more cells than the heading", "Current", "Current,x", book.CauseCells, book.Refused},
			{"letters in an account", "620000##", "6200A0##", book.CauseAccount, book.Refused},
		}},
	{"FNB CSV", "BInSol - U ver 1.00,,,,,,\n20-11-2026,,,,,,\n62000009999,,,,,,\nRECIPIENT NAME,RECIPIENT ACCOUNT," +
		"RECIPIENT ACCOUNT TYPE,BRANCHCODE,AMOUNT,OWN REFERENCE,RECIPIENT REFERENCE\n",
		"CLIENT #,620000##,1,250655,649.00,x,KLOOFST   KSF9#       261125\n", "", 5, nil, vouched, []flaw{
			{"a good row", "", "", "", book.Created},
			{"an account in scientific notation", "620000##", "6.2E+10", book.CauseScientific, book.Refused},
			{"an amount with a comma", "649.00", "\"649,00\"", "", book.Created},
			{"an amount in brackets", "649.00", "(649.00)", book.CauseAmount, book.Refused},
			{"a line of totals", "CLIENT #,620000##,1,250655", "TOTAL,,,", book.CauseAside, book.Skipped},
			{"no bank", "250655", "", book.CauseBank, book.Refused},
		}},
	{"Xero contacts", "*ContactName,AccountNumber,EmailAddress,BankAccountName,BankAccountNumber,TaxNumber\n",
		"Client #,KSF9#,c#@example.com,C LIENT,250655-620000##,\n", "", 2, nil, vouched, []flaw{
			{"a good row", "", "", "", book.Created},
			{"a bank number without a bank", "250655-", "", book.CauseBank, book.Refused},
			{"a number in scientific notation", "250655-620000##", "2.50655E+16", book.CauseScientific, book.Refused},
			{"an address that is none", "c#@example.com", "none", book.CauseEmail, book.Refused},
		}},
}

func TestFaultsOfForeignFilesAreJudged(t *testing.T) {
	t.Parallel()
	h := open(t)
	kinds := 0
	for f, file := range flawedFiles {
		var b strings.Builder
		b.WriteString(file.head)
		for n, one := range file.flaws {
			kinds++
			row := strings.Replace(file.row, one.old, one.with, 1)
			row = strings.ReplaceAll(row, "##", fmt.Sprintf("%d%02d18", f+1, n))
			b.WriteString(strings.ReplaceAll(row, "#", fmt.Sprintf("%d%02d", f+1, n)+
				map[bool]string{true: "4"}[strings.Contains(row, "→082123#") || strings.Contains(row, "→82123#")]))
		}
		b.WriteString(file.tail)
		i := h.upload(strings.ReplaceAll(b.String(), "→", "\t"))
		m := i.Mapping
		for at, field := range file.fields {
			m.Columns[at].Field = field
		}
		m.Choices = file.choices
		_, err := h.book.Map(context.Background(), h.who, i.ID, m, i.CutOver)
		must(t, err)
		i = h.work(i)
		h.addsUp(i)
		for n, one := range file.flaws {
			t.Run(file.name+": "+one.name, func(t *testing.T) {
				at := *h
				at.t = t
				at.is(i, file.first+n, one.verdict, one.cause)
			})
		}
	}
	if kinds < 50 {
		t.Errorf("only %d kinds were looked at", kinds)
	}
}
