package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What reading a file of another system found is on the line of JSON; its credential is nowhere, not even in a log.
func TestAFileOfAnotherSystemIsImportedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	const key = "3f2b1c0d-9a8e-4d7c-8b6a-5f4e3d2c1b0a"
	env, dir := sandboxOn(t), t.TempDir()
	env["DEBITDESK_LOG"] = "debug"
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	master := write("master.txt", strings.ReplaceAll("H→"+key+"→1→Update→KSF→20261124→"+key+"\n"+
		"K→101→102→133→134→136→161→201\nT→KSF1022→NKOSI T→1→250655→62000001018→64900→t@example.com\n"+
		"T→KSF1023→BOTHA A→2→250655→62000001026→45000→a@example.com\nF→2→109901→9999\n", "→", "\t"))
	signed := write("signed.csv", "Member No;Mandate signed\nKSF1022;2025-01-28\nKSF1023;2025-01-28\nKSF1029;2025-01-28\n")
	if got := typed(t, env, "", "merchant", "create", "gym", "--name", "Gym"); got.code != exitOK {
		t.Fatal(got)
	}
	got := typed(t, env, "", "import", "--with", signed, master)
	var s importSaid
	if err := json.Unmarshal([]byte(got.out), &s); err != nil || got.code != exitOK {
		t.Fatalf("%v: %+v", err, got)
	}
	if s.Read != 3 || s.Held != 2 || s.Skipped != 1 || s.Causes[0] != (importCause{"type_digits", 2}) {
		t.Errorf("it says %+v", s)
	}
	if from := s.Source; from == nil || from.Layout != "netcash_master" ||
		!strings.Contains(from.Said, "2 rows read, service key dropped") || len(from.CheckSums) != 2 ||
		!from.CheckSums[0].Agrees || from.CheckSums[1].Agrees || len(from.With) != 1 || from.With[0].Joined != 2 ||
		from.With[0].Alone != 1 {
		t.Errorf("of the file it says %+v", from)
	}
	choices := write("choices.json", `{"choices": {"type_digits": "yes"}}`)
	again := typed(t, env, "", "import", "--mapping", choices, "--with", signed, "--apply", master)
	if err := json.Unmarshal([]byte(again.out), &s); err != nil || s.Created != 2 {
		t.Errorf("%v: %+v", err, again)
	}
	two := typed(t, env, "", "import", "--with", signed, master, master)
	refused := typed(t, env, "", "import", write("bad.txt", "H\t"+key+"\t1\n"))
	if two.code != exitUsage || refused.code != exitFailed {
		t.Errorf("%+v %+v", two, refused)
	}
	for _, said := range []line{got, again, two, refused} {
		if strings.Contains(said.out+said.err, key) {
			t.Errorf("the key is in %+v", said)
		}
	}
	for _, path := range []string{filepath.Join(dir, "master-verdicts.csv")} {
		text, err := os.ReadFile(path)
		must(t, err)
		if strings.Contains(string(text), key) {
			t.Errorf("the key is in %s", path)
		}
	}
}
