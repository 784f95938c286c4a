// Package filestest has foreign programs judge the files of the books, and reads what the files come to by month and
// account. It must not know how a file is written.
package filestest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
)

// judge is a program that reads books of a format.
type judge struct {
	program string
	check   []string // FILE is the book
	months  string   // the program that gives sums, where it is another one
}

var judges = map[string]judge{
	"ledger": {program: "ledger", check: []string{"--strict", "-f", "FILE", "bal"}},
	"hledger": {program: "hledger",
		check: []string{"-f", "FILE", "check", "--strict", "ordereddates", "uniqueleafnames"}},
	"beancount": {program: "bean-check", check: []string{"--no-cache", "FILE"}, months: "bean-query"},
}

// Formats are those that a program judges.
var Formats = []string{"ledger", "hledger", "beancount"}

// Has tells whether the program of a format is installed, and says it in the log where it is not.
func Has(t *testing.T, format string) bool {
	t.Helper()
	if _, err := exec.LookPath(judges[format].program); err != nil {
		t.Logf("%s is not installed, so it did not judge the books. `make test` installs it where it may.",
			judges[format].program)
		return false
	}
	return true
}

// Check has the program of a format read a book, and gives what it complains of.
func Check(t *testing.T, format, book string) error {
	t.Helper()
	out, err := run(t, judges[format].program, book, judges[format].check...)
	if err == nil && strings.Contains(out, "arning") {
		return fmt.Errorf("%s warns: %s", format, out)
	} else if err != nil {
		return fmt.Errorf("%s: %w\n%s", format, err, out)
	}
	return nil
}

var lastAmount = regexp.MustCompile(`(?m)^(\s+[A-Z]\S.*\d\.\d)(\d)( ZAR)?$`)

// CentChanged is a book of which one amount is a cent more or less.
func CentChanged(book string) string {
	at := lastAmount.FindStringSubmatchIndex(book)
	digit := byte('0' + (book[at[4]]-'0'+1)%10)
	return book[:at[4]] + string(digit) + book[at[5]:]
}

func run(t *testing.T, program, book string, args ...string) (string, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "book")
	if err := os.WriteFile(name, []byte(book), 0o600); err != nil {
		t.Fatal(err)
	}
	with := make([]string, len(args))
	for i, a := range args {
		with[i] = strings.ReplaceAll(a, "FILE", name)
	}
	cmd := exec.CommandContext(t.Context(), program, with...) //nolint:gosec // one of the judges
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// Sums are what was posted by month and account: "2026-10 collectionsintransit" is 649.00. Accounts are without what
// formats write differently; what comes to nothing is left out.
type Sums map[string]string

// MonthsOf has the program of a format add a book up by month and account.
func MonthsOf(t *testing.T, format, book string) Sums {
	t.Helper()
	all := map[string]decimal.Decimal{}
	if format == "beancount" {
		out, err := run(t, judges[format].months, book, "-f", "csv", "FILE",
			"SELECT year, month, account, sum(number) GROUP BY year, month, account")
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, row := range table(t, out)[1:] {
			add(t, all, fmt.Sprintf("%s-%02s", row[0], strings.TrimSpace(row[1])), row[2], row[3])
		}
		return sums(all)
	}
	args := []string{"-f", "FILE", "reg", "--monthly",
		"--format", `"%(format_date(date,"%Y-%m"))","%(account)","%(quantity(amount))"` + "\n"}
	month, account, amount := 0, 1, 2
	if format == "hledger" {
		args = []string{"-f", "FILE", "bal", "--monthly", "--flat", "--no-total", "--layout=tidy", "-O", "csv"}
		month, account, amount = 1, 0, 5
	}
	out, err := run(t, judges[format].program, book, args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", format, err, out)
	}
	for _, row := range table(t, out) {
		if row[month] != "period" { // the head of hledger's table
			add(t, all, row[month], row[account], row[amount])
		}
	}
	return sums(all)
}

// MonthsOfCSV adds our own CSV up by month and account.
func MonthsOfCSV(t *testing.T, text string) Sums {
	t.Helper()
	all := map[string]decimal.Decimal{}
	for _, row := range table(t, text)[1:] {
		if row[9] != "" {
			add(t, all, row[1][:7], row[8], row[9])
		} else {
			add(t, all, row[1][:7], row[8], "-"+row[10])
		}
	}
	return sums(all)
}

func table(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%v: %s", err, text)
	}
	return rows
}

var notInNames = regexp.MustCompile(`[^a-z0-9]`)

func add(t *testing.T, all map[string]decimal.Decimal, month, account, amount string) {
	t.Helper()
	cents, err := decimal.NewFromString(strings.NewReplacer("R", "", "ZAR", "", ",", "", " ", "").Replace(amount))
	if err != nil {
		t.Fatal(err)
	}
	leaf := account[strings.LastIndex(account, ":")+1:]
	key := month + " " + notInNames.ReplaceAllString(strings.ToLower(leaf), "")
	all[key] = all[key].Add(cents)
}

func sums(all map[string]decimal.Decimal) Sums {
	out := Sums{}
	for key, sum := range all {
		if !sum.IsZero() {
			out[key] = sum.StringFixed(2)
		}
	}
	return out
}
