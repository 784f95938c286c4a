package mt940_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/mt940"
)

const ours = "6f1c2b8e4d0a4c55a3e1b7c90d2f6a11"

// statement has a return with our id cut to sixteen, money with the whole id in its text, a fee, a reversal, and one
// without a booking day.
var statement = strings.ReplaceAll(`:20:STMT261125
:25:250655/62001872440ZAR
:28C:331/1
:60F:C261124ZAR1000,00
:61:2611251125D150,00NRTI`+ours[:16]+`//FB1
RETURNED DEBIT
:86:36 STOP PAYMENT 4047527520
:61:2611251125C99,5NDDTNONREF//FB2
:86:?20EREF+`+ours+`?21MONTHLY
:61:2611261125D3,00NCHGNONREF
:61:261125RC10,NTRFNONREF//FB4
:86:WRONG CREDIT
:62F:C261125ZAR936,50
:64:C261125ZAR936,50
`, "\n", "\r\n")

func read(text string) (lines []string, arrival exchange.Arrival, err error) {
	arrival, err = mt940.Decoder{}.Decode(strings.NewReader(text), func(e exchange.Event) error {
		way := map[bool]string{true: "in", false: "out"}[e.Credit]
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(e.Kind, " ", e.Path, " ", e.AmountCents, e.Currency, " ",
			way, " ", e.BookedOn, e.BookedBy, " ", e.InstructionID, " ", e.EndToEndID, " ", e.Reference, " ", e.BankCode,
			e.BankOwnCode, " ", e.Text, " ", e.Problem)), " "))
		if e.Account != "62001872440" {
			lines = append(lines, "on another account: "+string(e.Account))
		}
		return nil
	})
	return lines, arrival, err
}

func TestAStatementIsReadFieldByField(t *testing.T) {
	for name, text := range map[string]string{
		"plain":           statement,
		"in its envelope": "{1:F01FIRNZAJJAXXX0000000000}{2:O9401200261125FIRNZAJJAXXX00000000002611251200N}{4:\r\n" + statement + "-}",
	} {
		lines, arrival, err := read(text)
		want := strings.ReplaceAll(`balance s1.60f 100000ZAR in 2026-11-24
entry e1 15000ZAR out 2026-11-25 6f1c2b8e4d0a4c55 FB1 NRTI RETURNED DEBIT 36 STOP PAYMENT •••• 7520
entry e2 9950ZAR in 2026-11-25 OURS FB2 PMNT/IDDT/NTAVNDDT EREF+OURS MONTHLY
entry e3 300ZAR out 2026-11-25 PMNT/MCOP/CHRGNCHG
entry e4 1000ZAR out 2026-11-25value FB4 NTRF WRONG CREDIT
balance s1.62f 93650ZAR in 2026-11-25
statement s1 0ZAR out`, "OURS", ours)
		if got := strings.Join(lines, "\n"); err != nil || !same(got, want) || arrival.ID != "STMT261125" {
			t.Errorf("%s: %v %+v\ngot\n%s\nwant\n%s", name, err, arrival, got, want)
		}
	}
	if lines, _, err := read(statement + "-\r\n" + statement); err != nil || len(lines) != 14 {
		t.Errorf("two statements: %d lines, %v", len(lines), err)
	}
}

// same compares without the days of what has none.
func same(got, want string) bool {
	return strings.ReplaceAll(got, " 0000-00-00", "") == want || strings.ReplaceAll(got, " 0000-00-00", "")+" " == want+" "
}

func TestWhatDoesNotAddUpOrCannotBeReadSaysSo(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(statement, "936,50", "936,51", 1):         "the closing balance is",
		strings.Replace(statement, "D150,00NRTI", "X150,00", 1):   "A movement cannot be read.",
		strings.Replace(statement, "C261124ZAR1000,00", "C26", 1): "A balance cannot be read.",
		strings.Replace(statement, "D150,00", "D150,005", 1):      "The amount of a movement cannot be read.",
	} {
		lines, _, err := read(text)
		if err != nil || !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("%v, want %q in\n%s", err, want, strings.Join(lines, "\n"))
		}
	}
	for text, want := range map[string]string{
		"": "It holds no statement.", "{1:F01X}{2:O9421200}{4:\n:20:X": "It holds a message MT942. Only MT940 is read.",
		":20:X\n:25:1\n:34F:ZAR0,\n":       "It is a report during the day (MT942). Ask the bank for camt.052, or for statements.",
		":20:" + strings.Repeat("x", 5000): "One of its lines is longer than 4 kB.",
	} {
		_, _, err := read(text)
		var unreadable *exchange.Unreadable
		if !errors.As(err, &unreadable) || unreadable.Why != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func FuzzAnyBytesAreReadOrRefused(f *testing.F) {
	f.Add(statement)
	f.Fuzz(func(t *testing.T, text string) {
		_, _, err := read(text)
		var unreadable *exchange.Unreadable
		if err != nil && !errors.As(err, &unreadable) {
			t.Errorf("%v", err)
		}
	})
}
