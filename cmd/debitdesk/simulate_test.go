package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/bank/simbank"
)

// refused is a message that no bank can run; any bank answers it.
const refused = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.008.001.08"><CstmrDrctDbtInitn><GrpHdr>` +
	`<MsgId>DD1</MsgId></GrpHdr></CstmrDrctDbtInitn></Document>`

func TestTheSimulatedBankAnswersOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "exchange")
	clock := filepath.Join(t.TempDir(), "clock")
	must(t, os.WriteFile(clock, []byte("2026-11-23T06:30:00+02:00\n"), 0o600))
	must(t, os.MkdirAll(filepath.Join(dir, "outbox"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "outbox", "DD1.xml"), []byte(refused), 0o600))
	got := typed(t, nil, "", "simulate", "bank", dir, "--once", "--clock", clock, "--misbehave", "crlf")
	if got.code != exitOK || !strings.Contains(got.out, "DD1.xml is refused: FF01") {
		t.Fatalf("%+v", got)
	}
	answers, err := filepath.Glob(filepath.Join(dir, "inbox", "pain002_20261123063000_*.xml"))
	must(t, err)
	if len(answers) != 1 {
		t.Fatalf("%d answers: %v", len(answers), answers)
	}
	text, err := os.ReadFile(answers[0])
	must(t, err)
	if !strings.Contains(string(text), "<OrgnlMsgId>DD1</OrgnlMsgId>\r\n") {
		t.Errorf("%s", text)
	}
	if _, err := os.Stat(dir + ".bank/memory.jsonl"); err != nil {
		t.Error(err)
	}
	if strings.Contains(got.err, "there was no folder") {
		t.Errorf("the folder was there: %s", got.err)
	}
}

// A typing error in the name of the folder shows at once, and not by a bank that never answers.
func TestASimulatedBankSaysThatItsFolderWasNotThere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "exchnage")
	got := typed(t, nil, "", "simulate", "bank", dir, "--once")
	if got.code != exitOK || !strings.Contains(got.err, "there was no folder "+dir+": it is made.") {
		t.Errorf("%+v", got)
	}
}

func TestTheSimulatedBankSaysWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "exchange")
	for _, one := range []struct {
		flag, value, says string
		code              int
	}{
		{"--misbehave", "twice,steal", `"steal" is not a misbehaviour`, exitUsage},
		{"--booking", "never", "must be one of", exitUsage},
		{"--status-report", "pain.002.001.99", "version of status reports", exitFailed},
		{"--statements", "05", "version of statements", exitFailed},
		{"--clock", dir + "/none", "the clock cannot be read", exitFailed},
	} {
		got := typed(t, nil, "", "simulate", "bank", dir, "--once", one.flag, one.value)
		if got.code != one.code || !strings.Contains(got.err, one.says) {
			t.Errorf("%s %s: %+v", one.flag, one.value, got)
		}
	}
}

func TestTheManualNamesEveryMisbehaviour(t *testing.T) {
	t.Parallel()
	text := manualText(t, "simulated-bank")
	for _, m := range simbank.Misbehaviours() {
		if !strings.Contains(text, "`"+string(m)+"`") {
			t.Errorf("the chapter does not name %s", m)
		}
	}
}
