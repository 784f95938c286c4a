package main

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importedBook has two good rows and one whose account lost its digits.
const importedBook = "Member No;Name;Email;Bank;Acc No;Mandate signed;Monthly;Last debit\n" +
	"K1;Thandi Nkosi;thandi@example.com;FNB;62000001018;2025-01-28;649,00;none\n" +
	"K2;Anna Botha;anna@example.com;Std Bank;20304050;2024-03-31;450,00;none\n" +
	"K3;Pule Sithole;pule@example.com;Capitec;1.4E+09;2024-04-03;299,95;none\n"

func TestABookIsImportedSwitchedOnAndUndoneFromTheCommandLine(t *testing.T) {
	t.Parallel()
	env, dir := sandboxOn(t), t.TempDir()
	path := filepath.Join(dir, "gym.csv")
	must(t, os.WriteFile(path, []byte(importedBook), 0o600))
	if got := typed(t, env, "", "merchant", "create", "gym", "--name", "Gym"); got.code != exitOK {
		t.Fatal(got)
	}
	said := func(code int, args ...string) (s importSaid) {
		t.Helper()
		got := typed(t, env, "", append([]string{"import"}, args...)...)
		if got.code != code || strings.Count(got.out, "\n") != 1 || json.Unmarshal([]byte(got.out), &s) != nil {
			t.Fatalf("import %v: %+v", args, got)
		}
		return s
	}
	s := said(exitFailed, path)
	if s.Read != 3 || s.Created != 2 || s.Refused != 1 || len(s.Causes) != 1 || s.Causes[0] != (importCause{"scientific",
		1}) {
		t.Errorf("the rehearsal says %+v", s)
	}
	verdicts, err := os.ReadFile(s.Verdicts)
	must(t, err)
	if !strings.Contains(string(verdicts), "K3;Pule "+
		"Sithole;pule@example.com;Capitec;1.4E+09;2024-04-03;299,95;none;4;refused;;") {
		t.Errorf("the verdicts are\n%s", verdicts)
	}
	mapping := filepath.Join(dir, "mapping.json")
	must(t, os.WriteFile(mapping, []byte(`{"choices": {"scientific": "drop"}}`), 0o600))
	done := said(exitOK, "--merchant", "gym", "--mapping", mapping, "--evidence", twoScans(t, dir), "--apply", path)
	if done.Created != 3 || done.Refused != 0 {
		t.Errorf("the import did %+v", done)
	}
	if s := done.Scans; s == nil || s.Sent != 2 || s.Matched != 1 || len(s.Unmatched) != 1 || s.Without != 1 {
		t.Errorf("of the scans it says %+v", s)
	}
	if again := said(exitOK, "--mapping", mapping, "--apply", path); again.Unchanged != 3 ||
		again.Created+again.Updated != 0 {
		t.Errorf("the second run did %+v", again)
	}
	if got := typed(t, env, "", "import", "switch-on", done.ImportID.String(), "--group", "All"); got.code != exitOK ||
		!strings.Contains(got.out, `"name":"All"`) {
		t.Error(got)
	}
	if got := typed(t, env, "", "import", "list"); strings.Count(got.out, "\n") != 3 {
		t.Error(got)
	}
	if got := typed(t, env, "", "import", "undo", done.ImportID.String()); got.code != exitOK ||
		!strings.Contains(got.out, `"undone":3,"left":[]`) {
		t.Error(got)
	}
	if got := typed(t, env, "", "import", "undo", done.ImportID.String()); got.code != exitFailed {
		t.Error(got)
	}
	for _, wrong := range []string{"--cut-over soon " + path, "undo 12", "--mapping nowhere.json " + path} {
		if got := typed(t, env, "", append([]string{"import"}, strings.Fields(wrong)...)...); got.code != exitUsage {
			t.Errorf("import %s: %+v", wrong, got)
		}
	}
}

// twoScans is a ZIP file with the scan of one member and one that nobody has.
func twoScans(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "scans.zip")
	f, err := os.Create(path)
	must(t, err)
	z := zip.NewWriter(f)
	for _, name := range []string{"K1.pdf", "K9.pdf"} {
		w, err := z.Create(name)
		must(t, err)
		_, err = w.Write([]byte("%PDF-1.4 " + name))
		must(t, err)
	}
	must(t, z.Close())
	must(t, f.Close())
	return path
}
