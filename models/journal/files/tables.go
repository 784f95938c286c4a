package files

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/money"
)

// The heads of the files, as the templates of the packages have them.
var (
	xeroHead = []string{"*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount", "TrackingName1",
		"TrackingOption1", "TrackingName2", "TrackingOption2"}
	quickBooksHead = []string{"*JournalNo", "*JournalDate", "*AccountName", "*Debits", "*Credits", "Description", "Name",
		"Currency", "Location", "Class"}
	csvHead = []string{"uid", "date", "true_date", "kind", "reference", "text", "role", "account_code", "account_name",
		"debit", "credit", "currency"}
)

const (
	mostXeroLines    = 300
	pastelAccount    = 7
	pastelText       = 36
	longestPastelRef = 7
	longestJournalNo = 21
)

// table writes rows; a text that a spreadsheet would take for a formula loses the sign that makes it one.
func (t *text) table(head []string, rows func(row func(...string))) {
	if t.err != nil {
		return
	}
	w := csv.NewWriter(t.to)
	w.UseCRLF = true
	if head != nil {
		t.err = w.Write(head)
	}
	rows(func(cells ...string) {
		if t.err == nil {
			t.err = w.Write(cells)
		}
	})
	if w.Flush(); t.err == nil {
		t.err = w.Error()
	}
}

// harmless is a text that no program takes for a formula.
func harmless(s string) string { return strings.TrimLeft(one(s), "=+-@ ") }

func side(e journal.Entry, l journal.Line) string {
	return e.UID() + "/" + strings.ToUpper(string(l.Role))
}

// either gives an amount as debit or as credit; the other one is empty.
func either(cents int64) (debit, credit string) {
	if cents < 0 {
		return "", money.Plain(-cents)
	}
	return money.Plain(cents), ""
}

func writeCSV(t *text, b *journal.Book) {
	t.table(csvHead, func(row func(...string)) {
		for _, e := range b.Entries {
			for _, l := range b.Lines(e) {
				debit, credit := either(l.Cents)
				row(side(e, l), e.Day.String(), e.TrueDay.String(), string(e.Kind), harmless(e.Reference), harmless(e.Text()),
					strings.ToUpper(string(l.Role)), l.Account.Code, l.Account.Name, debit, credit, e.Currency)
			}
		}
	})
}

func checkXero(b *journal.Book, wrong *fault.Problems) {
	lines := 0
	for _, e := range b.Entries {
		lines += len(b.Lines(e))
	}
	if lines > mostXeroLines {
		advice := "Choose fewer days."
		if !b.ByDay {
			advice = "Choose one entry for each day and kind, or fewer days."
		}
		wrong.Add("to", "too_many_lines", "Xero takes %d lines in a file, and these days have %d. %s", mostXeroLines, lines,
			advice)
	}
}

func writeXero(t *text, b *journal.Book) {
	t.table(xeroHead, func(row func(...string)) {
		for _, e := range b.Entries {
			narration := fmt.Sprintf("Debitdesk %s %s", e.Day, e.UID())
			for _, l := range b.Lines(e) {
				row(narration, day(e.Day), harmless(e.Text())+" ["+side(e, l)+"]", l.Account.Code, b.TaxRate, money.Plain(l.Cents),
					"", "", "", "")
			}
		}
	})
}

// journalNo is the number of an entry within 21 signs.
func journalNo(e journal.Entry) string {
	if e.Merged > 0 {
		return "DAY-" + strconv.FormatInt(e.N, 10)
	}
	return strings.ToUpper(e.UID())
}

func checkQuickBooks(b *journal.Book, wrong *fault.Problems) {
	for _, e := range b.Entries {
		if len(journalNo(e)) > longestJournalNo {
			wrong.Add("from", "too_long", "QuickBooks takes journal numbers of %d characters, and %s is longer.",
				longestJournalNo, journalNo(e))
			return
		}
	}
}

func writeQuickBooks(t *text, b *journal.Book) {
	t.table(quickBooksHead, func(row func(...string)) {
		for _, e := range b.Entries {
			for _, l := range b.Lines(e) {
				debit, credit := either(l.Cents)
				client := "" // a line of debtors needs a customer
				if l.Role == journal.Debtors {
					client = strings.ReplaceAll(cut(harmless(e.Client), 100), ":", " ")
				}
				row(journalNo(e), day(e.Day), l.Account.Name, debit, credit, harmless(e.Text())+" "+side(e, l), client,
					e.Currency, "", "")
			}
		}
	})
}

// pastelLetters begin the references, by the beginning of the id.
var pastelLetters = map[string]string{"led": "L", "inv": "I", "cn": "C", "ref": "R", "off": "B", "rec": "F",
	"open": "O"}

// pastelReference has 8 signs: a letter and the number, which is written with letters too once it has eight digits.
func pastelReference(e journal.Entry) string {
	letter := "D"
	if e.Merged == 0 {
		before, _, _ := strings.Cut(e.UID(), "-")
		letter = pastelLetters[before]
	}
	number := strconv.FormatInt(e.N, 10)
	if len(number) > longestPastelRef {
		number = strings.ToUpper(strconv.FormatInt(e.N, 36))
	}
	return letter + number
}

func checkPastel(b *journal.Book, wrong *fault.Problems) {
	said := map[string]bool{}
	for _, e := range b.Entries {
		for _, l := range b.Lines(e) {
			code := l.Account.Code
			if len(code) == pastelAccount && !strings.ContainsAny(code, "/.-") || said[code] {
				continue
			}
			said[code] = true
			wrong.Add("accounts", "invalid",
				"Pastel has account codes of %d letters and digits, and %s is %s. Change it among the accounts.",
				pastelAccount, l.Role.Word(), code)
		}
	}
}

func writePastel(t *text, b *journal.Book) {
	t.table(nil, func(row func(...string)) {
		for _, e := range b.Entries {
			period := strconv.Itoa((int(e.Day.Month)-b.YearStarts+12)%12 + 1)
			about := cut(strings.ToUpper(ascii(harmless(e.Text()))), pastelText)
			for _, l := range b.Lines(e) {
				cents := money.Plain(l.Cents)
				row(period, day(e.Day), "G", l.Account.Code, pastelReference(e), about, cents, "0", "0", "A", "", "0000000", "1",
					"1", "1", "0", "0", cents)
			}
		}
	})
}
