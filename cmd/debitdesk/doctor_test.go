package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/database/dbtest"
	"debitdesk/models/keyfile"
	"debitdesk/models/storetest"
)

// examined runs the doctor and gives what it found, by name.
func examined(t *testing.T, env map[string]string) (found map[string]finding, code int) {
	t.Helper()
	got := typed(t, env, "", "doctor", "--json")
	var all []finding
	if err := json.Unmarshal([]byte(got.out), &all); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
	found = map[string]finding{}
	for _, f := range all {
		found[f.Name] = f
	}
	return found, got.code
}

func (f finding) is(t *testing.T, state, words string) {
	t.Helper()
	if f.State != state || !strings.Contains(f.What+" → "+f.Fix, words) {
		t.Errorf("%s: got %s %q → %q, want %s with %q", f.Name, f.State, f.What, f.Fix, state, words)
	}
}

func TestTheDoctorFindsAHealthyHouseWell(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	box := openLetterbox(t)
	env["DEBITDESK_SMTP_URL"] = "smtp://" + box.Addr().String()
	if got := typed(t, env, "", "demo", "--clients", "2"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	found, code := examined(t, env)
	for _, name := range []string{"configuration", "data folder", "key file", "database", "backup", "migrations", "clock",
		"keys", "audit", "queue", "collections", "webhooks", "connections", "mail", "bank"} {
		if f, there := found[name]; !there || f.State != fine {
			t.Errorf("%s: %+v", name, f)
		}
	}
	found["base URL"].is(t, warning, "DEBITDESK_BASE_URL")
	if bads(found) == 0 && code != exitOK {
		t.Errorf("exit code %d with nothing bad", code)
	}
	plain := typed(t, env, "", "doctor")
	if !strings.Contains(plain.out, "migrations") || !strings.Contains(plain.out, "→ ") {
		t.Errorf("for people: %s", plain.out)
	}
}

func bads(found map[string]finding) (n int) {
	for _, f := range found {
		if f.State == bad {
			n++
		}
	}
	return n
}

func TestTheDoctorNamesWhatIsWrongAndTheMend(t *testing.T) {
	t.Parallel()
	good := storetest.DSN(t)
	open := filepath.Join(t.TempDir(), "keys.json")
	other := filepath.Join(t.TempDir(), "keys.json")
	for _, path := range []string{open, other} {
		if err := keyfile.Generate(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(open, 0o644); err != nil { //nolint:gosec // that is the point
		t.Fatal(err)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := silent.Addr().String()
	if err := silent.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sealed := sandboxOn(t)
	if got := typed(t, sealed, "", "demo", "--clients", "2"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, one := range []struct {
		name, variable, value, words string
	}{
		{"data folder", "DEBITDESK_DATA", file, "writable"},
		{"key file", "DEBITDESK_KEYS", open, "chmod 600"},
		{"key file", "DEBITDESK_KEYS", file + ".none", "copy"},
		{"database", "DATABASE_URL", "postgres://desk:geheim@" + nobody + "/desk", "DATABASE_URL"},
		{"migrations", "DATABASE_URL", dbtest.Empty(t), "migrate up"},
		{"mail", "DEBITDESK_SMTP_URL", "smtp://user:geheim@" + nobody, "relay"},
		{"bank", "DEBITDESK_BANK", "files:" + file + "/below", "writable"},
		{"keys", "DEBITDESK_KEYS", other, "not in the key file"},
	} {
		t.Run(one.name, func(t *testing.T) {
			env := map[string]string{"DATABASE_URL": good, "DEBITDESK_DATA": t.TempDir()}
			if one.name == "keys" {
				env["DATABASE_URL"] = sealed["DATABASE_URL"]
			}
			env[one.variable] = one.value
			found, code := examined(t, env)
			found[one.name].is(t, bad, one.words)
			if code != exitFailed {
				t.Errorf("exit code %d", code)
			}
			if found["bank"].Name == "" {
				t.Error("it stopped in the middle")
			}
			for _, f := range found {
				if strings.Contains(f.What+f.Fix, "geheim") {
					t.Errorf("a password is shown: %+v", f)
				}
			}
		})
	}
}
