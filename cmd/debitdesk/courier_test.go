package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"debitdesk/models/bank/courier"
)

const passphrase = "seven quiet otters"

// courierOn is an environment whose server does not answer.
func courierOn(t *testing.T) map[string]string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	must(t, err)
	key := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(key, pem.EncodeToMemory(block), 0o600))
	var config net.ListenConfig
	closed, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	must(t, closed.Close())
	return map[string]string{"DEBITDESK_BANK": "files:" + filepath.Join(t.TempDir(), "exchange"),
		"DEBITDESK_COURIER_ADDRESS": closed.Addr().String(), "DEBITDESK_COURIER_USER": "merchant",
		"DEBITDESK_COURIER_KEY":        key,
		"DEBITDESK_COURIER_PASSPHRASE": passphrase, "DEBITDESK_COURIER_HOST_KEY": "SHA256:" + strings.Repeat("A", 43),
		"DEBITDESK_COURIER_OUT": "/out", "DEBITDESK_COURIER_IN": "/in"}
}

func TestTheCourierSaysThatTheServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	env := courierOn(t)
	got := typed(t, env, "", "courier", "sftp", "--once")
	if got.code != exitFailed || !strings.Contains(got.err, "the server cannot be reached") ||
		got.out != "delivered 0, fetched 0\n" {
		t.Errorf("%+v", got)
	}
	if strings.Contains(got.out+got.err, passphrase) || strings.Contains(got.err, "PRIVATE KEY") {
		t.Errorf("a secret is told: %+v", got)
	}
	if _, err := os.Stat(strings.TrimPrefix(env["DEBITDESK_BANK"], "files:") + "/outbox"); err != nil {
		t.Error(err)
	}
}

func TestTheCourierNamesEverySettingThatIsWrong(t *testing.T) {
	t.Parallel()
	got := typed(t, map[string]string{}, "", "courier", "sftp", "--once")
	for _, want := range []string{"DIR (DEBITDESK_BANK=files:DIR): ", "--address (DEBITDESK_COURIER_ADDRESS): ",
		"--host-key (DEBITDESK_COURIER_HOST_KEY): ", "--user (DEBITDESK_COURIER_USER): ", "--key (DEBITDESK_COURIER_KEY): ",
		"--out (DEBITDESK_COURIER_OUT): ", "--in (DEBITDESK_COURIER_IN): "} {
		if got.code != exitUsage || !strings.Contains(got.err, "debitdesk: "+want) {
			t.Errorf("%q is missing: %+v", want, got)
		}
	}
	env := courierOn(t)
	for _, one := range []struct{ flag, value, says string }{
		{"--host-key", "whatever", "--host-key (DEBITDESK_COURIER_HOST_KEY): is neither"},
		{"--key", "/none", "--key (DEBITDESK_COURIER_KEY): the file cannot be read"},
		{"--every", "1ms", "--every (DEBITDESK_COURIER_EVERY): 1ms is less than 1s"},
	} {
		if got := typed(t, env, "", "courier", "sftp", "--once", one.flag, one.value); got.code != exitUsage ||
			!strings.Contains(got.err, one.says) {
			t.Errorf("%s: %+v", one.flag, got)
		}
	}
	env["DEBITDESK_COURIER_PASSPHRASE"] = "nine quiet otters"
	if got := typed(t, env, "", "courier", "sftp", "--once"); !strings.Contains(got.err,
		"or the passphrase is another one") ||
		strings.Contains(got.err, "otters") {
		t.Errorf("%+v", got)
	}
}

func TestTheCourierTellsMinutesSinceTheLastSuccess(t *testing.T) {
	t.Parallel()
	env := courierOn(t)
	now := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)
	carrier, err := courier.Open(courier.Settings{Dir: t.TempDir(), Address: env["DEBITDESK_COURIER_ADDRESS"],
		User:    "merchant",
		KeyFile: env["DEBITDESK_COURIER_KEY"], Passphrase: passphrase, HostKey: env["DEBITDESK_COURIER_HOST_KEY"],
		Out: "/out",
		In:  "/in", Now: func() time.Time { return now }})
	must(t, err)
	defer carrier.Close() //nolint:errcheck // nothing was done
	now = now.Add(90 * time.Minute)
	families, err := courierMetrics(carrier).Gather()
	must(t, err)
	found := map[string]float64{}
	for _, f := range families {
		found[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue()
	}
	if found["debitdesk_courier_minutes_since_success"] != 90 {
		t.Errorf("%v", found)
	}
	if _, told := found["debitdesk_courier_problems"]; !told {
		t.Errorf("%v", found)
	}
}
