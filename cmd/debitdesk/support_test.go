package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpacked is what an archive holds, by name.
func unpacked(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	all := map[string]string{}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		text, err := io.ReadAll(archive)
		must(t, err)
		all[filepath.Base(h.Name)] = string(text)
	}
}

// neverSaid are secrets and persons that no bundle may hold.
var neverSaid = []string{"sesame-relay", "sesame-courier", "relay.geheim.example", "Nomvula", "Mthembu", "merwe",
	"nomvula@", "4000000101", "8001015009087", "27821234567", "196.25.1.9", "eyJhbGciOi", "geheim", "01a1fa4e"}

func TestABundleForSupportHoldsNoSecretAndNoPerson(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	if got := typed(t, env, "", "demo", "--clients", "2"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	env["DEBITDESK_SMTP_URL"] = "smtp://geheim:sesame-relay@relay.geheim.example:1"
	env["DEBITDESK_COURIER_PASSPHRASE"] = "sesame-courier"
	env["DEBITDESK_COURIER_USER"] = "nomvula@bank.example"
	env["DEBITDESK_BASE_URL"] = "https://geheim.example"
	log := strings.Join([]string{
		`time=2026-11-26T09:00:00Z level=INFO msg=request method=GET ` +
			`path=/clients/01a1fa4e-6093-7bd2-bd45-d740e9bdbbf2/nomvula status=200 ms=1.5 request_id=abcdefgh ip=196.25.1.9`,
		`time=2026-11-26T09:00:01Z level=ERROR msg="row of a batch failed" row=7 error="write: duplicate key value ` +
			`violates unique constraint (SQLSTATE 23505): Key (email)=(nomvula@x.example) of Nomvula van der merwe, ` +
			`account 4000000101, id 8001015009087, \"Mthembu\", phone 27821234567"`,
		`{"time":"2026-11-26T09:00:02Z","level":"WARN","msg":"not ready","check":"database","error":"dial tcp ` +
			`196.25.1.9:5432: connect: connection refused","ip":"196.25.1.9","nomvula@x.example":"Mthembu"}`,
		`panic: Nomvula Mthembu eyJhbGciOi`,
		`debitdesk/models/batch.(*Service).Work(0xc000, {0x4000000101})`,
	}, "\n")
	file := filepath.Join(t.TempDir(), "support.tar.gz")
	if got := typed(t, env, log, "support", "bundle", file, "--log", "-"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	pages := unpacked(t, file)
	for name, text := range pages {
		for _, secret := range append(neverSaid, "kloofstreet", env["DATABASE_URL"], env["DEBITDESK_DATA"]) {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %q:\n%s", name, secret, text)
			}
		}
	}
	for name, words := range map[string][]string{
		"versions.txt": {"debitdesk ", "linux"},
		"settings.txt": {"DEBITDESK_MODE = sandbox\n", "DEBITDESK_SMTP_URL is set\n", "DEBITDESK_COURIER_PASSPHRASE is set\n",
			"DEBITDESK_KEYS is not set\n"},
		"doctor.txt":   {"ok    migrations", "BAD   mail"},
		"database.txt": {"server_version ", "\nclients ", "# jobs"},
		"metrics.txt":  {"debitdesk_database_up{} 1\n"},
		"log.txt": {"path=/clients/~/~ status=200 ms=1.5 request_id=abcdefgh ip=~", `msg="row of a batch failed" row=7`,
			"SQLSTATE 23505", "duplicate key value violates unique constraint", "connection refused", "check=database",
			"debitdesk/models/batch.(*Service).Work("},
	} {
		for _, one := range words {
			if !strings.Contains(pages[name], one) {
				t.Errorf("%s does not say %q:\n%s", name, one, pages[name])
			}
		}
	}
	if got := typed(t, env, "", "support", "bundle", file); got.code != exitFailed {
		t.Errorf("a file that exists was replaced: %+v", got)
	}
}

func TestABundleIsMadeWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": "postgres://geheim:sesame@127.0.0.1:1/geheim", "DEBITDESK_DATA": t.TempDir()}
	file := filepath.Join(t.TempDir(), "support.tar.gz")
	if got := typed(t, env, "", "support", "bundle", file); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	pages := unpacked(t, file)
	if !strings.Contains(pages["doctor.txt"], "BAD   database") || pages["log.txt"] != "" {
		t.Errorf("%v", pages)
	}
	for name, text := range pages {
		if strings.Contains(text, "sesame") || strings.Contains(text, "geheim") {
			t.Errorf("%s holds the address of the database:\n%s", name, text)
		}
	}
}

func TestOnlyTheEndOfALogIsKept(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	must(t, cleanLog(&out, strings.NewReader(strings.Repeat("time=1 level=INFO msg=old\n", 3*logLines)+
		"time=2 level=INFO msg="+strings.Repeat("x", 2*logLine)+"\ntime=3 level=INFO msg=last")))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != logLines || !strings.HasPrefix(lines[len(lines)-1], "time=3") || len(out.String()) > 40*logLines {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}
