package acb_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/bank/acb"
	"debitdesk/models/bank/exchange"
)

// unpaids are some of the sample's debits as they come back: with the reason at a place, and the totals of what is
// there.
func unpaids(t *testing.T, at int, codes ...string) []string {
	t.Helper()
	m := sample()
	m.MadeAt = day.AddDays(2).At(6, 0)
	m.Groups[0].Items = m.Groups[0].Items[:len(codes)]
	m.Groups[0].Count, m.Groups[0].SumCents = len(codes), 0
	for _, i := range m.Groups[0].Items {
		m.Groups[0].SumCents += i.AmountCents
	}
	lines := tape(t, m)
	for n, code := range codes {
		lines[n+2] = lines[n+2][:at-1] + code + lines[n+2][at-1+len(code):]
	}
	return lines
}

// A tape is read whatever ends its lines, within a bank's transmission and without, with its blanks and without.
func TestReturnedDebitsAreRead(t *testing.T) {
	t.Parallel()
	lines := unpaids(t, 151, "02", "30")
	framed := []string{"000T" + strings.Repeat(" ", 194)}
	live := []string{"000L" + strings.Repeat(" ", 194)}
	short := make([]string, len(lines))
	for n, l := range lines {
		framed = append(framed, fmt.Sprintf("%-198s", "001T"+l))
		live = append(live, fmt.Sprintf("%-198s", "020L"+l))
		short[n] = strings.TrimRight(l, " ")
	}
	framed, live = append(framed, "999T"+strings.Repeat(" ", 194)), append(live, "999L"+strings.Repeat(" ", 194))
	elsewhere := unpaids(t, 68, "002", "030")
	for name, text := range map[string]string{
		"CR LF": strings.Join(lines, "\r\n") + "\r\n", "LF": strings.Join(lines, "\n"), "CR": strings.Join(lines, "\r") + "\r",
		"a byte order mark": "\ufeff" + strings.Join(lines, "\r\n"), "a transmission": strings.Join(live, "\r\n"),
		"a test transmission": strings.Join(framed, "\r\n"), "no blanks at the end": strings.Join(short, "\n"),
		"without its headers":    strings.Join(lines[2:4], "\n"),
		"in the other filler":    strings.Join(elsewhere, "\n"),
		"behind the institution": strings.Join(unpaids(t, 170, "02", "30"), "\n"),
	} {
		if !acb.Is([]byte(text[:min(1024, len(text))])) {
			t.Errorf("%s: it is not known by its beginning", name)
		}
		events, arrival, err := decode(text, 0)
		if err != nil || arrival.Name != "ACB 180" {
			t.Errorf("%s: %v %v", name, arrival, err)
			continue
		}
		var said []string
		for _, e := range events {
			if e.Kind == exchange.OnMore {
				said = append(said, e.Problem)
				continue
			}
			said = append(said, fmt.Sprintf("%d%s %v %v %s %v %s %s %s %s", e.AmountCents, e.Currency, e.Credit, e.Reversal,
				e.Account.Reveal(), e.Reasons[0], e.StatementLine, e.Reference, e.BookedOn, e.ValueOn))
			if raw := string(e.Raw) + e.Text; strings.Contains(raw, "62000001018") || strings.Contains(raw, "NKOSI") {
				t.Errorf("%s: an account or a name is in %s", name, raw)
			}
		}
		on := " 2026-11-27 2026-11-25"
		if name == "without its headers" {
			on = " 2026-11-25 2026-11-25"
		}
		want := []string{"64900ZAR false true 62000009999 {02 true } KLOOFST   KSF1022       261125 KS01000001" + on,
			"45000ZAR false true 62000009999 {30 true } KLOOFST   KSF1023       261125 KS01000002" + on}
		if name == "a test transmission" {
			want = append(want, "The bank marks this file as a test.")
		}
		if fmt.Sprint(said) != fmt.Sprint(want) {
			t.Errorf("%s: %q\nnot %q", name, said, want)
		}
	}
}

// The profile says where the reason stands when it stands where other digits do.
func TestTheReasonIsReadWhereTheProfileSays(t *testing.T) {
	t.Parallel()
	text := strings.Join(unpaids(t, 65, "30", "02"), "\n")
	if _, _, err := decode(text, 0); err == nil {
		t.Error("a class was taken for a reason")
	}
	events, _, err := decode(text, 65)
	if err != nil || len(events) != 2 || events[0].Reasons[0].Code != "30" || events[1].Reasons[0].Code != "02" {
		t.Errorf("%v %v", events, err)
	}
}

func TestATapeThatIsNoAnswerIsNotTakenForOne(t *testing.T) {
	t.Parallel()
	ours := tape(t, sample())
	for name, text := range map[string]string{
		"It is a tape of debits to the bank": strings.Join(ours, "\r\n"),
		"without a returned debit":           strings.Join([]string{ours[0], ours[1], ours[6], ours[7]}, "\n"),
		"Line 3 is not a record":             strings.Join([]string{ours[0], ours[1], "77 what?"}, "\n"),
		"longer than":                        strings.Join(ours, "\n") + "\n50" + strings.Repeat("1", 5000),
	} {
		var no *exchange.Unreadable
		if _, _, err := decode(text, 0); !errors.As(err, &no) || !strings.Contains(no.Why, name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := decode(strings.Join(unpaids(t, 151, "02")[:3], "\n"), 0); !errors.Is(err, exchange.ErrUnfinished) {
		t.Errorf("a tape without its end: %v", err)
	}
	for _, text := range []string{"", "<?xml version=\"1.0\"?>", ":20:S1\r\n:25:1", "date;amount\n2026-11-25;1,00", "50 cents"} {
		if acb.Is([]byte(text)) {
			t.Errorf("%q is taken for a tape", text)
		}
	}
}

// A tape whose trailer does not agree says so, and one with a record that has no reason counts the others.
func TestATapeThatDoesNotAddUpSaysSo(t *testing.T) {
	t.Parallel()
	lines := unpaids(t, 151, "02", "30")
	lines[2] = strings.Replace(lines[2], "00000064900", "00000064901", 1)
	lines[3] = strings.Replace(lines[3], "00020304050", "00020304051", 1)
	events, _, err := decode(strings.Join(lines, "\n"), 0)
	if err != nil || len(events) != 3 {
		t.Fatal(events, err)
	}
	said := strings.ReplaceAll(events[2].Problem, "\u00a0", " ")
	if !strings.Contains(said, "R 1 099,00 of debits and R 1 099,00 of credits, and has R 1 099,01 and R 1 099,00") ||
		!strings.Contains(said, "account numbers is another one") {
		t.Error(said)
	}
	lines = unpaids(t, 151, "02", "  ")
	events, _, err = decode(strings.Join(lines, "\n"), 0)
	if err != nil || len(events) != 2 || events[1].Problem != "1 record in it without a reason: not counted." {
		t.Error(events, err)
	}
}

// Whatever is in a file, it is read or refused.
func FuzzDecode(f *testing.F) {
	f.Add("50"+strings.Repeat("0", 178), 0)
	f.Add("000T\r001T02\n04\r\n52\n92\n94", 151)
	f.Add("\ufeff02\n50250655620000", 179)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at < 0 || at > 179 {
			return
		}
		_ = acb.Is([]byte(text[:min(len(text), 1024)]))
		events, _, err := decode(text, at)
		if err != nil && len(events) > 0 && errors.Is(err, exchange.ErrUnfinished) {
			return
		}
		for _, e := range events {
			if e.Kind == exchange.OnEntry && (len(e.Reasons) != 1 || len(e.Reasons[0].Code) != 2) {
				t.Fatalf("%+v", e)
			}
		}
	})
}
