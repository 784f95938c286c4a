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
	proofsOffline(t, env, away, file)
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

var (
	entryID = regexp.MustCompile(`"entry":\{"id":"([0-9a-f-]{36})"`)
	logKey  = regexp.MustCompile(`--key (\S+)`)
)

// proofsOffline has a checkpoint and proofs written, and checks them elsewhere.
func proofsOffline(t *testing.T, env, away map[string]string, exported string) {
	t.Helper()
	folder, chain := t.TempDir(), fileText(t, exported)
	at := func(name string) string { return filepath.Join(folder, name) }
	ids := entryID.FindAllStringSubmatch(chain, -1)
	if got := typed(t, env, "", "audit", "checkpoint", at("old"), "--merchant", "gym"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "", "apikey", "create", "--merchant", "gym", "--name", "two"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	shown := typed(t, env, "", "audit", "inclusion", ids[1][1], at("entry"), "--merchant", "gym")
	key := logKey.FindStringSubmatch(shown.out)
	if shown.code != exitOK || key == nil {
		t.Fatalf("%+v", shown)
	}
	for _, args := range [][]string{{"consistency", at("old"), at("grown")}, {"export", at("chain")}} {
		if got := typed(t, env, "", append(append([]string{"audit"}, args...), "--merchant", "gym")...); got.code != exitOK {
			t.Fatalf("%+v", got)
		}
	}
	flip := func(name string) string { // one bit of the last signature
		text := []byte(fileText(t, at(name)))
		text[len(text)-10] ^= 1
		must(t, os.WriteFile(at(name+".forged"), text, 0o600))
		return at(name + ".forged")
	}
	other := strings.Replace(key[1], "debitdesk/audit/", "debitdesk/other/", 1)
	for _, one := range []struct {
		env  map[string]string
		args []string
		code int
		says string
	}{
		{away, []string{at("old"), "--key", key[1]}, exitOK, "with the key that was given"},
		{env, []string{at("old")}, exitOK, "in the key file here"},
		{away, []string{at("old")}, exitFailed, "there is no key to check the signature with"},
		{away, []string{at("old"), "--key", other}, exitFailed, "key"},
		{away, []string{flip("old"), "--key", key[1]}, exitFailed, ""},
		{away, []string{at("entry"), "--key", key[1]}, exitOK, `"id": "` + ids[1][1]},
		{away, []string{flip("entry"), "--key", key[1]}, exitFailed, ""},
		{away, []string{at("grown"), "--since", at("old"), "--key", key[1]}, exitOK, "only grew"},
		{away, []string{at("grown"), "--key", key[1]}, exitUsage, "--since"},
		{away, []string{at("old"), "--since", at("old"), "--key", key[1]}, exitUsage, "audit consistency"},
		{away, []string{at("chain"), "--since", at("old"), "--key", key[1]}, exitOK, "which begins with what the older"},
		{away, []string{exported, "--key", other}, exitFailed, "not signed with the key"},
		{away, []string{"--since", at("old")}, exitUsage, "for a file"},
	} {
		got := typed(t, one.env, "", append([]string{"audit", "verify"}, one.args...)...)
		if got.code != one.code || !strings.Contains(got.out+got.err, one.says) {
			t.Errorf("%v: %+v", one.args, got)
		}
	}
	got := typed(t, env, "", "audit", "inclusion", ids[1][1][:35]+"x", "-", "--merchant", "gym")
	if got.code != exitUsage {
		t.Errorf("no id: %+v", got)
	}
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}
