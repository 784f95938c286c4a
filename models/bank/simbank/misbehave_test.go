package simbank

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/calendar"
)

// week plays a message with everything in it, so that each kind of answer is written.
func (b *bench) week() {
	b.Helper()
	b.put("DD1.xml", pain008("08", "DD1", eft(ask{"paid", "4000000000", 10000}, ask{"unpaid", "4000009002", 20000},
		ask{"no-such", "4000007001", 40000}, ask{"recalled", "4000000000", 80000}, ask{"unpaid-too", "4000009012", 5000})))
	b.put("MI1.xml", pain009("MI1", "REAL_TIME", "4000000000", "4000008002"))
	b.put("RF1.xml", pain001("09", "RF1", "2026-11-23", ask{"back", "4000000000", 100}))
	b.round()
	b.put("RC1.xml", camt055("RC1", "recalled"))
	b.round()
	b.now = friday.At(12, 0)
	b.round()
	b.round()
}

func TestOtherFormsSayTheSame(t *testing.T) {
	t.Parallel()
	told := func(with ...Misbehaviour) (inbox []string) {
		b := newBench(t, Settings{Misbehave: with})
		b.week()
		return b.inbox()
	}
	plain := told()
	for _, content := range plain {
		if !strings.HasPrefix(content, `<?xml version="1.0" encoding="UTF-8"?>`+"\n<Document xmlns=") {
			t.Errorf("an answer begins with %q", content[:60])
		}
	}
	undone := map[Misbehaviour]func(string) string{
		CRLF: func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") },
		BOM:  func(s string) string { return strings.TrimPrefix(s, "\xef\xbb\xbf") },
		Latin1: func(s string) string {
			return strings.NewReplacer("ISO-8859-1", "UTF-8", " (refus\xe9)", "").Replace(s)
		},
		Growing: func(s string) string { return s },
		Prefixes: func(s string) string {
			return strings.NewReplacer("<bank:", "<", "</bank:", "</", "xmlns:bank=", "xmlns=").Replace(s)
		},
		Zipped: unpacked,
	}
	for m, undo := range undone {
		got := told(m)
		if len(got) != len(plain) {
			t.Fatalf("%s: %d answers, want %d", m, len(got), len(plain))
		}
		changed := 0
		for i := range got {
			if undo(got[i]) != plain[i] {
				t.Errorf("%s: got %s\nwant %s", m, got[i], plain[i])
			}
			if got[i] != plain[i] {
				changed++
			}
		}
		if m != Growing && changed == 0 {
			t.Errorf("%s changed nothing", m)
		}
	}
}

func unpacked(content string) string {
	z, err := zip.NewReader(bytes.NewReader([]byte(content)), int64(len(content)))
	if err != nil || len(z.File) != 1 {
		return err.Error()
	}
	f, err := z.File[0].Open()
	if err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestAGrowingAnswerIsHalfThereAtFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{Misbehave: []Misbehaviour{Growing}})
	b.put("DD1.xml", pain008("08", "DD1", eft(ask{"1", "4000000000", 100})))
	b.round()
	half := b.inbox()[0]
	b.round()
	whole := b.inbox()[0]
	if len(half) != len(whole)/2 || !strings.HasPrefix(whole, half) || !strings.HasSuffix(whole, "</Document>\n") {
		t.Errorf("%d bytes, then %d", len(half), len(whole))
	}
}

func TestAnswersComeTwiceOrInHalves(t *testing.T) {
	t.Parallel()
	count := func(with ...Misbehaviour) (files int, unpaid int, same bool) {
		b := newBench(t, Settings{Misbehave: with})
		b.week()
		seen := map[string]int{}
		for _, content := range b.inbox() {
			seen[content]++
		}
		for _, e := range b.answers("camt.054") {
			unpaid += len(e.all("TxDtls"))
		}
		for _, e := range b.answers("camt.053") {
			balances := strings.Fields(e.texts("Bal/Amt"))
			var moved int64
			for _, n := range e.all("Ntry") {
				moved += signed(t, n.all("Amt")[0].text, n.texts("CdtDbtInd"))
			}
			first, last := e.all("Bal")[0], e.all("Bal")[1]
			if signed(t, balances[1], last.texts("CdtDbtInd"))-signed(t, balances[0], first.texts("CdtDbtInd")) != moved {
				t.Errorf("%v: the balances do not agree with the entries: %v %d", with, balances, moved)
			}
		}
		b.valid()
		return len(b.inbox()), unpaid, len(seen) < len(b.inbox())
	}
	files, unpaid, _ := count()
	for _, one := range []struct {
		with          Misbehaviour
		files, unpaid int
		same          bool
	}{{Twice, 2 * files, 2 * unpaid, false}, {Copies, 2 * files, 2 * unpaid, true}, {Halves, 2*files - 1, unpaid, false}} {
		f, u, same := count(one.with)
		if f != one.files || u != one.unpaid || same != one.same {
			t.Errorf("%s: %d files, %d returns, same bytes %t, want %+v", one.with, f, u, same, one)
		}
	}
}

func signed(t *testing.T, amount, direction string) int64 {
	t.Helper()
	cents, err := centsOf(amount)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(direction, "DBIT") {
		return -cents
	}
	return cents
}

func TestMessagesAreLostRefusedOrNeverAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{Misbehave: []Misbehaviour{LoseFile}})
	content := pain008("08", "A", eft(ask{"1", "4000000000", 100}))
	b.put("a.xml", content)
	b.same("lost", b.round(), Report{Lost: 1})
	b.same("sent", b.folder("sent"), "[a.xml]")
	b.put("a.xml", content)
	b.same("sent again", b.round(), Report{Taken: 1, Written: 1})
	b.bank.Misbehave(RefuseFile)
	b.put("b.xml", pain008("08", "B", eft(ask{"2", "4000000000", 200})))
	b.same("refused", b.round(), Report{Refused: 1, Written: 1})
	b.same("why", b.answers("pain.002")[1].texts("GrpSts")+b.answers("pain.002")[1].texts("Rsn/Cd"), "RJCTNARR")
	other := eft(ask{"4", "4000000000", 400})
	other.id = "G-02"
	b.bank.Misbehave(RefuseGroup)
	b.put("c.xml", pain008("08", "C", eft(ask{"2", "4000000000", 200}), other))
	b.same("a group", b.round(), Report{Taken: 1, Written: 1})
	b.same("which", b.answers("pain.002")[2].texts("PmtInfSts"), "RJCT ACCP")
	b.bank.Misbehave(NoAnswer)
	b.put("d.xml", pain008("08", "D", eft(ask{"5", "4000000000", 800}, ask{"6", "4000009002", 1600})))
	b.same("silent", b.round(), Report{Taken: 1})
	b.bank.Misbehave()
	b.at(friday, 12, 0)
	b.same("ledger", sum(b.bank.Entries()), 100+400+800)
	b.same("what is said of it", strings.Contains(strings.Join(b.lines, "\n"), "returns"), false)
	b.valid()
}

func TestTotalsAndIdsAreWrongWhenTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{Misbehave: []Misbehaviour{WrongTotals}})
	b.week()
	b.same("count", b.answers("pain.002")[0].texts("OrgnlGrpInfAndSts/OrgnlNbOfTxs"), 6)
	b.same("entry and detail", b.only("camt.054").all("Ntry/Amt")[0].text+" "+b.only("camt.054").all("TxDtls/Amt")[0].text,
		"201.00 200.00")
	b.valid()
	b = newBench(t, Settings{Misbehave: []Misbehaviour{UnknownIDs}})
	b.week()
	for _, form := range []string{"pain.002", "camt.054", "pain.012", "camt.029"} {
		for _, e := range b.answers(form) {
			if text := fmt.Sprint(e); !strings.Contains(text, unknownID) {
				t.Errorf("%s speaks of nothing unknown: %s", form, text)
			}
		}
	}
	b.valid()
	b = newBench(t, Settings{Misbehave: []Misbehaviour{ReturnTwice}})
	b.week()
	b.at(calendar.On(2026, 11, 30), 6, 0)
	notified := b.only("camt.054").texts("TxDtls/Refs/AcctSvcrRef")
	for _, e := range b.answers("camt.053") {
		if strings.Contains(e.texts("TxDtls/Refs/AcctSvcrRef"), strings.Fields(notified)[0]+" ") {
			t.Errorf("%s is in the statement", notified)
		}
	}
	b.same("valid", b.valid(), "[camt.029.001.10 camt.053.001.08 camt.054.001.08 pain.002.001.11 pain.012.001.05]")
}

func TestOlderVersionsAndOtherBookings(t *testing.T) {
	t.Parallel()
	for i, report := range statusReports {
		version := cashVersions[i%len(cashVersions)]
		b := newBench(t, Settings{Statements: version, StatusReport: report, Booking: Single, Reports: true})
		b.week()
		e := b.only("camt.054.001." + version)
		status, amount := e.texts("Ntry/Sts"), e.texts("TxDtls/Amt")
		if version == "08" {
			status = e.texts("Ntry/Sts/Cd")
		}
		if version == "02" {
			amount = e.texts("TxDtls/AmtDtls/TxAmt/Amt")
		}
		b.same(version, status+" "+amount, "BOOK BOOK 200.00 50.00")
		all := b.answers(report)
		b.same(report, all[len(all)-1].texts("OrgnlInstrId")+all[len(all)-1].texts("TxSts"), "paidACSC")
		b.same("single entries", b.answers("camt.053")[1].texts("TxDtls/Refs/InstrId"), "paid unpaid unpaid-too")
		b.valid()
	}
}

func TestTheLedgerIsAFileToo(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{})
	b.week()
	text, err := os.ReadFile(filepath.Join(b.with.State, entriesName))
	b.must(err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	b.same("lines", len(lines), 1+len(b.bank.Entries()))
	b.same("one", lines[2], "2026-11-25,50100000001,10000,collected,paid,paid,G-01,DD1,")
	b.same("the last", lines[len(lines)-1], "2026-11-26,50100000001,-5000,returned,unpaid-too,unpaid-too,G-01,DD1,AC04")
}
