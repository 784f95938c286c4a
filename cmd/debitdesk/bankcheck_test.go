package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"debitdesk/models/bank/files"
)

func TestTheProfileOfABankIsCheckedAndSaidInWords(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bank")
	sample := filepath.Join(t.TempDir(), "sample.xml")
	own := []string{"--name", "Example Gym", "--branch", "250655", "--account", "50100000001"}
	check := func(code int, says string, args ...string) line {
		t.Helper()
		got := typed(t, map[string]string{}, "", append([]string{"bank", "check"}, args...)...)
		if got.code != code || !strings.Contains(got.out+got.err, says) {
			t.Errorf("bank check %v: %d, %q is missing in\n%s%s", args, got.code, says, got.out, got.err)
		}
		return got
	}
	check(exitUsage, "name the directory of the exchange")
	check(exitUsage, "debitdesk bank check "+dir+" --init generic", dir)
	check(exitUsage, "use generic or simulator", dir, "--init", "other")
	check(exitOK, "Debits are written as pain.008.001.08", dir, "--init", "generic")
	check(exitUsage, "left as it is", dir, "--init", "simulator")
	got := check(exitOK, "What to ask your bank", dir)
	for _, want := range []string{"is private, writable and has space", "It does not collect by DebiCheck.",
		"Debits: an example is as pain.008.001.08 allows", "belong into " + filepath.Join(dir, "schema")} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is missing in %s", want, got.out)
		}
	}
	if got := typed(t, map[string]string{"DEBITDESK_BANK": "files:" + dir}, "", "bank", "check"); got.code != exitOK {
		t.Error(got)
	}

	answer := filepath.Join(t.TempDir(), "answer.xml")
	must(t, os.WriteFile(answer, []byte(twoStatements), 0o600))
	check(exitOK, "(camt.053.001.08) contradicts no key of the profile", dir, answer)
	said := `{"services": {"eft": {"lead_days": 2, "success": "silence"}}, "answers_as": {"statements": "one"}}`
	must(t, os.WriteFile(filepath.Join(dir, "profile.json"), []byte(said), 0o600))
	check(exitOK, "answers_as.statements: The file holds more than one statement", dir, answer)
	must(t, os.WriteFile(answer, []byte("Date,Amount\n"), 0o600))
	check(exitFailed, "cannot be read", dir, answer)
	must(t, os.WriteFile(filepath.Join(dir, "profile.json"), []byte(strings.ReplaceAll(said, `"one"`, `"1"`)), 0o600))
	check(exitUsage, `answers_as.statements: "1" is not one of one, many.`, dir)
	must(t, os.WriteFile(filepath.Join(dir, "profile.json"), []byte(strings.ReplaceAll(said, `"one"`, `""`)), 0o600))

	must(t, os.Mkdir(filepath.Join(dir, "schema"), 0o700))
	narrow := filepath.Join(dir, "schema", "debits.xsd")
	must(t, os.WriteFile(narrow, []byte(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
		targetNamespace="urn:iso:std:iso:20022:tech:xsd:pain.008.001.08"><xs:element name="Document" type="xs:date"/>
		</xs:schema>`), 0o600))
	check(exitUsage, "debits written as pain.008.001.08 are not valid by debits.xsd", dir)
	must(t, os.Remove(narrow))

	check(exitUsage, "give --name, --branch and --account", dir, "--sample", sample)
	check(exitUsage, "branch code does not have six digits", dir, "--sample", sample, "--name", "G", "--branch", "1",
		"--account", "1")
	check(exitUsage, "use --to-outbox", append([]string{dir, "--sample", filepath.Join(dir, "outbox", "x.xml")},
		own...)...)
	check(exitOK, "holds one debit of R 1,00", append([]string{dir, "--sample", sample}, own...)...)
	content, err := os.ReadFile(sample)
	must(t, err)
	if !strings.Contains(string(content), `<InstdAmt Ccy="ZAR">1.00</InstdAmt>`) || strings.Count(string(content),
		"50100000001") != 2 {
		t.Error(string(content))
	}
	if info, err := os.Stat(sample); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	check(exitUsage, "write the sample", append([]string{dir, "--sample", sample}, own...)...)
	if _, err := os.Stat(filepath.Join(dir, "outbox")); !os.IsNotExist(err) {
		t.Error("the outbox was touched")
	}
	check(exitOK, "waiting for the bank", append([]string{dir, "--to-outbox"}, own...)...)
	if laid, err := filepath.Glob(filepath.Join(dir, "outbox", "DD_*.xml")); err != nil || len(laid) != 1 {
		t.Error(laid, err)
	}

	must(t, os.WriteFile(filepath.Join(dir, "profile.json"), []byte(`{"uetr": 1, "serivces": {}}`), 0o600))
	got = check(exitUsage, `debitdesk: serivces: There is no such key. Did you mean "services"?`, dir)
	for _, want := range []string{"debitdesk: uetr: This must be true or false.\n",
		"debitdesk: services: Name the service"} {
		if !strings.Contains(got.err, want) {
			t.Errorf("%q is missing in %s", want, got.err)
		}
	}
}

// The manual names every key of a profile with its real default, and no other.
func TestTheManualNamesEveryKeyOfAProfile(t *testing.T) {
	t.Parallel()
	p, err := files.ParseProfile([]byte(`{"services": {"eft": {"lead_days": 2, "success": "silence"}}}`))
	must(t, err)
	text, err := json.Marshal(p)
	must(t, err)
	var defaults map[string]json.RawMessage
	must(t, json.Unmarshal(text, &defaults))
	delete(defaults, "services") // it has none
	_, table, _ := strings.Cut(manualText(t, "bank-profile"), "\n## Keys")
	table, _, _ = strings.Cut(table, "\n## Services")
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+) \\| ([^|]*) \\|").FindAllStringSubmatch(table, -1) {
		said := codeWord.FindAllStringSubmatch(row[2], -1)
		for n, key := range codeWord.FindAllStringSubmatch(row[1], -1) {
			value, known := defaults[key[1]]
			delete(defaults, key[1])
			switch {
			case key[1] == "services":
			case !known:
				t.Errorf("there is no key %s", key[1])
			case n >= len(said) || said[n][1] != string(value):
				t.Errorf("%s is %s, not %s", key[1], value, row[2])
			}
		}
	}
	for key := range defaults {
		t.Errorf("the chapter does not name %s", key)
	}
}

const twoStatements = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr>
<MsgId>M1</MsgId><CreDtTm>2026-11-26T18:00:00+02:00</CreDtTm></GrpHdr>
<Stmt><Id>1</Id><Acct><Id><Othr><Id>62001872440</Id></Othr></Id></Acct></Stmt>
<Stmt><Id>2</Id><Acct><Id><Othr><Id>62001872441</Id></Othr></Id></Acct></Stmt></BkToCstmrStmt></Document>`
