package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var madeAt = regexp.MustCompile(`"made_at":"....`)

// An exported chain is checked without the database, and shows what was changed in it.
func TestAnExportedAuditIsCheckedOffline(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	for _, args := range [][]string{{"merchant", "create", "gym", "--name", "Gym"},
		{"apikey", "create", "--merchant", "gym", "--name", "one"}} {
		if got := typed(t, env, "", args...); got.code != exitOK {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	file := filepath.Join(t.TempDir(), "gym.audit")
	for links := 0; links < 3; { // an entry is linked once whatever was under way has ended, in other tests too
		_ = os.Remove(file)
		if got := typed(t, env, "", "audit", "export", file, "--merchant", "gym"); got.code != exitOK ||
			!strings.Contains(got.out, " of gym") {
			t.Fatalf("%+v", got)
		}
		written, err := os.ReadFile(file)
		must(t, err)
		links = strings.Count(string(written), "\n") - 1
	}
	if got := typed(t, env, "", "audit", "export", file, "--merchant", "gym"); got.code != exitFailed ||
		!strings.Contains(got.err, "already exists") {
		t.Errorf("it was written over: %+v", got)
	}
	away := map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "DEBITDESK_DATA": t.TempDir()}
	if got := typed(t, away, "", "audit", "verify", file); got.code != exitOK ||
		!strings.Contains(got.out, "the chain holds") || !strings.Contains(got.out, "compare its fingerprint") {
		t.Errorf("away from its installation: %+v", got)
	}
	env["DATABASE_URL"] = away["DATABASE_URL"]
	if got := typed(t, env, "", "audit", "verify", file); got.code != exitOK ||
		!strings.Contains(got.out, "which is in the key file here") {
		t.Errorf("beside its keys: %+v", got)
	}
	whole, err := os.ReadFile(file)
	must(t, err)
	lines := strings.SplitAfter(string(whole), "\n")
	for name, changed := range map[string]string{
		"says more than":              strings.Replace(string(whole), `"text":"`, `"Text":"Forged","text":"`, 1),
		"first line of the file":      strings.Replace(string(whole), `"merchant":"gym"`, `"merchant":"spa"`, 1),
		"of the first line":           madeAt.ReplaceAllString(string(whole), `"made_at":"2020`),
		"Entry ":                      strings.Replace(string(whole), `"actor_name":"`, `"actor_name":"Not `, 1),
		"Link 2 is missing.":          lines[0] + lines[1] + strings.Join(lines[3:], ""),
		"should reach":                strings.Join(lines[:len(lines)-2], ""),
		"The file cannot be read":     strings.Join(lines[:2], "") + "nothing",
		"is not an audit that was ex": "a,b\n",
	} {
		must(t, os.WriteFile(file, []byte(changed), 0o600))
		if got := typed(t, env, "", "audit", "verify", file); got.code != exitFailed || !strings.Contains(got.err, name) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := typed(t, env, "", "audit", "verify", file, "--merchant", "gym"); got.code != exitUsage {
		t.Errorf("a file and a merchant: %+v", got)
	}
}
