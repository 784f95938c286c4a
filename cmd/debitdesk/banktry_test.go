package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/bank/files"
	"debitdesk/models/storetest"
)

func TestFilesOfABankAreTriedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": storetest.DSN(t), "DEBITDESK_DATA": t.TempDir()}
	dir := filepath.Join(t.TempDir(), "bank")
	_, err := files.InitProfile(dir, "generic")
	must(t, err)
	whole, broken := filepath.Join(dir, "whole.xml"), filepath.Join(dir, "broken.xml")
	must(t, os.WriteFile(whole, []byte(twoStatements), 0o600))
	must(t, os.WriteFile(broken, []byte("nonsense"), 0o600))
	if got := typed(t, env, "", "bank", "try", dir, whole); got.code != exitOK ||
		!strings.Contains(got.out, "camt.053.001.08, 2 parts") || !strings.Contains(got.out, "Nothing was changed.") {
		t.Error(got)
	}
	got := typed(t, env, "", "bank", "try", "--json", dir, whole, broken)
	var tried []triedFile
	if err := json.Unmarshal([]byte(got.out), &tried); err != nil || got.code != exitFailed || len(tried) != 2 ||
		strings.Count(got.out, "\n") != 1 || tried[0].Form != "camt.053.001.08" || len(tried[0].Parts) != 2 ||
		tried[1].File != broken || tried[1].Why == "" {
		t.Errorf("%v: %+v", err, got)
	}
	for _, missing := range []string{filepath.Join(dir, "nothing.xml"), dir} {
		if got := typed(t, env, "", "bank", "try", dir, whole, missing); got.code != exitFailed || got.out != "" {
			t.Errorf("a file that cannot be opened: %d %s%s", got.code, got.out, got.err)
		}
	}
	if got := typed(t, env, "", "bank", "try", dir); got.code != exitUsage {
		t.Error("no file was named:", got)
	}
}
