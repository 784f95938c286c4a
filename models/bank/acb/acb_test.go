package acb_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/acb"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

var (
	day = calendar.On(2026, 11, 25)
	gym = bank.Creditor{Name: "Kloof Street Fitness", AbbreviatedName: "KLOOFST", ProfileCode: "KS01", Branch: "250655",
		Account: "62000009999"}
	made = time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC)
)

func order(branch, account string, kind bank.AccountType, cents int64, name, line string) exchange.Item {
	in := bank.Instruction{ID: uuid.New(), Method: bank.EFT, AmountCents: cents, Currency: "ZAR", ActionDate: day,
		Branch: branch, Account: bank.AccountNumber(account), AccountType: kind, HolderName: name, StatementLine: line,
		Creditor: gym}
	return exchange.Item{ID: in.ID, AmountCents: cents, Order: exchange.Order{Debit: &in}}
}

func message(groups ...[]exchange.Item) exchange.Outgoing {
	m := exchange.Outgoing{Message: exchange.Message{ID: "DD20261122-000042", Kind: exchange.Debits, Number: 42,
		MadeAt: made, FileName: "DD_20261122093000_000042.xml"}}
	for n, items := range groups {
		g := exchange.Group{ID: fmt.Sprint(n + 1), Method: bank.EFT, ActionDate: day.AddDays(n),
			Creditor: items[0].Order.Debit.Creditor, Items: items}
		for _, i := range items {
			g.Count, g.SumCents = g.Count+1, g.SumCents+i.AmountCents
		}
		m.Groups, m.Count, m.SumCents = append(m.Groups, g), m.Count+g.Count, m.SumCents+g.SumCents
	}
	return m
}

func sample() exchange.Outgoing {
	return message([]exchange.Item{
		order("250655", "62000001018", bank.Current, 64900, "T Nkosi", "KLOOFST   KSF1022       261125"),
		order("051001", "020304050", bank.Savings, 45000, "A Botha", "KLOOFST   KSF1023       261125"),
		order("470010", "1400000101", bank.Savings, 29995, "P Sithole", "KLOOFST   KSF1024       261125"),
	})
}

func tape(t *testing.T, m exchange.Outgoing) []string {
	t.Helper()
	var out bytes.Buffer
	if err := (acb.Writer{Service: "TWO DAY"}).Write(&out, m); err != nil {
		t.Fatal(err)
	}
	text, ended := strings.CutSuffix(out.String(), "\r\n")
	lines := strings.Split(text, "\r\n")
	for n, line := range lines {
		if len(line) != 180 {
			t.Errorf("record %d has %d characters: %q", n+1, len(line), line)
		}
	}
	if !ended {
		t.Error("the last record has no line end")
	}
	return lines
}

// What the public examples say: order, fields, contra, totals, and the hash over every account, the contra's too.
func TestDebitsAreWrittenAsTheTapeHasThem(t *testing.T) {
	t.Parallel()
	pad := func(text string) string { return text + strings.Repeat(" ", 180-len(text)) }
	line := func(kind, sequence, branch, account, kindOf, cents, class, tail, name string) string {
		return pad(kind + "25065562000009999KS01" + sequence + branch + account + kindOf + cents + "261125" + class +
			fmt.Sprintf("%-30s%-30s", tail, name) + strings.Repeat("0", 20) + strings.Repeat(" ", 16) + "21")
	}
	want := []string{
		pad("02000100000042KS0100212611222611250042" + "18000180TWO DAY"),
		pad("04KS012611222611252611252611250000010042TWO DAY"),
		line("50", "000001", "250655", "62000001018", "1", "00000064900", "440   ", "KLOOFST   KSF1022       261125",
			"T NKOSI"),
		line("50", "000002", "051001", "00020304050", "2", "00000045000", "440   ", "KLOOFST   KSF1023       261125",
			"A BOTHA"),
		line("50", "000003", "470010", "01400000101", "2", "00000029995", "440   ", "KLOOFST   KSF1024       261125",
			"P SITHOLE"),
		line("52", "000004", "250655", "62000009999", "1", "00000139895", "100000", "KLOOFST   CONTRA261125",
			"KLOOF STREET FITNESS"),
		pad("92KS01000001000004261125261125000003000001000001000000139895000000139895125420315168"),
		pad("94000100000042KS0100212611222611250042" + "18000180TWO DAY   000001000004000004"),
	}
	got := tape(t, sample())
	for n := range max(len(got), len(want)) {
		if n >= len(got) || n >= len(want) || got[n] != want[n] {
			t.Fatalf("record %d is\n%q, not\n%q", n+1, at(got, n), at(want, n))
		}
	}
}

func at(lines []string, n int) string {
	if n < len(lines) {
		return lines[n]
	}
	return ""
}

// An account of more than eleven digits stands in its own field, and its last eleven digits count in the hash.
func TestALongAccountStandsInItsOwnField(t *testing.T) {
	t.Parallel()
	lines := tape(t, message([]exchange.Item{order("051001", "1234567890123", bank.Transmission, 1, "A", "L")}))
	if r := lines[2]; r[35:46] != "00000000000" || r[130:150] != "00000001234567890123" || r[46] != '3' {
		t.Errorf("%q", r)
	}
	if hash := lines[4][72:84]; hash != fmt.Sprintf("%012d", 34567890123+62000009999) {
		t.Errorf("the hash is %s", hash)
	}
}

// Each group has a contra, each user code its own totals.
func TestEachUserCodeHasItsTotals(t *testing.T) {
	t.Parallel()
	other := order("250655", "62000001018", bank.Current, 500, "B", "L")
	other.Order.Debit.Creditor.ProfileCode = "ZZ9"
	lines := tape(t, message(
		[]exchange.Item{order("250655", "1", bank.Current, 100, "A", "L")}, []exchange.Item{other},
		[]exchange.Item{order("250655", "2", bank.Current, 200, "A", "L")}))
	var kinds []string
	for _, l := range lines {
		kinds = append(kinds, l[:2])
	}
	if got := strings.Join(kinds, " "); got != "02 04 50 52 50 52 92 04 50 52 92 94" {
		t.Fatal(got)
	}
	if !strings.HasPrefix(lines[6], "92KS01000001000004261125261127000002000002000002000000000300") ||
		!strings.HasPrefix(lines[10], "92ZZ9 000001000002261125261127000001000001000001000000000500") {
		t.Errorf("%q\n%q", lines[6], lines[10])
	}
	if trailer := lines[11]; trailer[56:74] != "000002"+"000006"+"000006" {
		t.Errorf("the trailer has %q", trailer[56:74])
	}
}

func TestWhatTheTapeCannotHoldIsRefused(t *testing.T) {
	t.Parallel()
	debiCheck, unknown, long, noBranch := sample(), sample(), sample(), sample()
	debiCheck.Groups[0].Method = bank.DebiCheck
	unknown.Groups[0].Creditor.ProfileCode = "LONGER"
	long.Groups[0].Items[1].Order.Debit.Account = "123456789012345678901"
	noBranch.Groups[0].Items[0].Order.Debit.Branch = "12"
	refunds := sample()
	refunds.Kind = exchange.Refunds
	gone := sample()
	gone.Groups[0].Items[2].Order.Debit = nil
	for why, m := range map[string]exchange.Outgoing{"DebiCheck": debiCheck, "user code of one to four": unknown,
		"record 2 the account number": long, "record 1 the branch code": noBranch, "Only debits": refunds,
		"is not kept any longer": gone} {
		var out bytes.Buffer
		var no *exchange.Disallowed
		if err := (acb.Writer{}).Write(&out, m); !errors.As(err, &no) || !strings.Contains(err.Error(), why) ||
			out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", why, err, out.Len())
		} else if strings.Contains(err.Error(), "62000001018") {
			t.Errorf("an account number is in %v", err)
		}
	}
}

// Whatever leaves, the totals are those of its records, and the reader finds them so.
func TestTotalsAreThoseOfTheRecords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var groups [][]exchange.Item
		for range rapid.IntRange(1, 4).Draw(rt, "groups") {
			var items []exchange.Item
			for range rapid.IntRange(1, 5).Draw(rt, "items") {
				items = append(items, order("250655", rapid.StringMatching(`[1-9][0-9]{4,19}`).Draw(rt, "account"),
					bank.Savings, rapid.Int64Range(1, 99_999_999).Draw(rt, "cents"), "Zoë O’Brien", "GYM"))
			}
			groups = append(groups, items)
		}
		m := message(groups...)
		var returned []string
		for _, l := range tape(t, m) {
			if l[:2] == "50" {
				l = l[:150] + "02" + l[152:]
			}
			returned = append(returned, l)
		}
		events, _, err := decode(strings.Join(returned, "\r\n"), 0)
		if err != nil || len(events) != m.Count {
			rt.Fatalf("%d of %d debits, %v", len(events), m.Count, err)
		}
		sum := int64(0)
		for _, e := range events {
			if e.Problem != "" {
				rt.Fatal(e.Problem)
			}
			sum += e.AmountCents
		}
		if sum != m.SumCents {
			rt.Fatalf("%d, not %d", sum, m.SumCents)
		}
	})
}

func decode(text string, reasonAt int) (events []exchange.Event, a exchange.Arrival, err error) {
	a, err = acb.Decoder{ReasonAt: reasonAt}.Decode(strings.NewReader(text), func(e exchange.Event) error {
		events = append(events, e)
		return nil
	})
	return events, a, err
}
