package courier

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAServerWithAnotherHostKeyIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.xml", "content")
	right := b.with.HostKey
	_, other := b.newKey("other")
	b.with.HostKey = "bank.example " + other
	b.restart()
	if err := b.fails(); !errors.Is(err, errHostKey) {
		t.Error(err)
	}
	b.with.HostKey = "SHA256:" + strings.Repeat("A", 43)
	b.restart()
	err := b.fails()
	if !errors.Is(err, errHostKey) {
		t.Error(err)
	}
	b.same("nothing was sent", b.list("out"), "[]")
	// The message says which key it was, so that a person can ask the bank about it.
	shown := err.Error()[strings.LastIndex(err.Error(), "SHA256:"):]
	b.with.HostKey = "SHA256:" + strings.Repeat("A", 43) + " " + shown
	b.restart()
	b.same("one of two fingerprints", b.round(), Report{Delivered: 1})
	_, line, _ := strings.Cut(right, " ")
	b.with.HostKey = line
	b.restart()
	b.same("the key without the host", b.round(), Report{})
}

func TestAServerThatDoesNotKnowTheKeyIsAnErrorWithoutSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.with.KeyFile, _ = b.newKey("unknown")
	b.with.Passphrase = ""
	b.restart()
	if err := b.fails(); !strings.Contains(err.Error(), "did not let "+b.with.User+" in") {
		t.Error(err)
	}
}

func TestWaitingGrowsWithFailuresAndDiffers(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		failures int
		chance   float64
		want     time.Duration
	}{
		{0, 0.9, time.Minute}, {1, 0.5, 2 * time.Minute}, {1, 0, 90 * time.Second}, {1, 1, 150 * time.Second}, {3, 0.5,
			8 * time.Minute},
		{4, 0.5, 15 * time.Minute}, {1000, 0.5, 15 * time.Minute},
	} {
		if got := Waiting(time.Minute, one.failures, one.chance); got != one.want {
			t.Errorf("%+v: got %s", one, got)
		}
	}
}

func TestSettingsThatAreMissingOrWrongAreNamed(t *testing.T) {
	t.Parallel()
	_, err := Open(Settings{})
	for _, setting := range []string{"dir", "address", "user", "key", "host-key", "out", "in"} {
		if !strings.Contains(fmt.Sprint(err), setting+": ") {
			t.Errorf("%s is not named: %v", setting, err)
		}
	}
	dir := t.TempDir()
	secret := []byte("-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0c2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n")
	loose, bad := filepath.Join(dir, "loose"), filepath.Join(dir, "bad")
	must(t, os.WriteFile(loose, secret, 0o644)) //nolint:gosec // what is tested
	must(t, os.WriteFile(bad, secret, 0o600))
	good := Settings{Dir: dir + "/exchange", Address: "bank.example", User: "u", Out: "out", In: "in",
		HostKey: "SHA256:" + strings.Repeat("A", 43), KeyFile: bad, Passphrase: "seven quiet otters"}
	for _, one := range []struct {
		change func(*Settings)
		says   string
	}{
		{func(s *Settings) { s.KeyFile = loose }, "key: the file cannot be used: it must be readable by its owner alone"},
		{func(*Settings) {}, "key: the file holds no private key"},
		{func(s *Settings) { s.KeyFile = dir + "/none" }, "key: the file cannot be read"},
		{func(s *Settings) { s.HostKey = "trust me" }, "host-key: is neither"},
		{func(s *Settings) { s.HostKey = "SHA256:short" }, "host-key: "},
		{func(s *Settings) { s.HostKey = "@revoked * " + strings.Repeat("A", 43) }, "host-key: is neither"},
	} {
		s := good
		one.change(&s)
		_, err := Open(s)
		if err == nil || !strings.Contains(err.Error(), one.says) {
			t.Errorf("got %v, want %s", err, one.says)
		}
		if bytes.Contains([]byte(fmt.Sprint(err)), []byte("c2VjcmV0")) || strings.Contains(fmt.Sprint(err), "otters") {
			t.Errorf("a secret is told: %v", err)
		}
	}
}

func TestNamesFromOutsideAreNotTrusted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.xml": "a.xml", "Auszug Nr 7.xml": "Auszug_Nr_7.xml", "ü.xml": "_.xml", "a\nb.xml": "a_b.xml", "-rf": "-rf",
		"../a.xml": "", "..": "", ".": "", "": "", "a/b.xml": "", `a\b.xml`: "", "a\x00.xml": "", ".a.xml": "", "a.part": "",
		strings.Repeat("a", 201): "",
	} {
		if got, ok := localName(name); ok != (want != "") || got != want {
			t.Errorf("%q: got %q %t, want %q", name, got, ok, want)
		}
	}
}
