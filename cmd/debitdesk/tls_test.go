package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/acme"
)

// certified writes a certificate for a name with its key, and gives the files.
func certified(t *testing.T, dir, name string, serial int64, until time.Time) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
		DNSNames: []string{name}, NotBefore: until.AddDate(-1, 0, 0), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, &secret.PublicKey, secret)
	must(t, err)
	hidden, err := x509.MarshalPKCS8PrivateKey(secret)
	must(t, err)
	cert, key = filepath.Join(dir, "desk.crt"), filepath.Join(dir, "desk.key")
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: hidden}), 0o600))
	return cert, key
}

func TestSettingsOfTLSGoTogether(t *testing.T) {
	t.Parallel()
	cert, key := certified(t, t.TempDir(), "desk.example", 1, time.Now().AddDate(1, 0, 0))
	for _, c := range []struct {
		env  map[string]string
		want string // empty: it is right
	}{
		{map[string]string{"DEBITDESK_TLS_CERT": cert, "DEBITDESK_TLS_KEY": key}, ""},
		{map[string]string{"DEBITDESK_TLS_CERT": cert}, "a certificate and its key go together"},
		{map[string]string{"DEBITDESK_TLS_KEY": key}, "a certificate and its key go together"},
		{map[string]string{"DEBITDESK_TLS_CERT": key, "DEBITDESK_TLS_KEY": key}, "DEBITDESK_TLS_CERT: "},
		{map[string]string{"DEBITDESK_TLS_CERT": cert, "DEBITDESK_TLS_KEY": key, "DEBITDESK_ACME_DOMAINS": "a.example"},
			"choose one of the two"},
		{map[string]string{"DEBITDESK_ACME_DOMAINS": "desk.example,www.desk.example"}, ""},
		{map[string]string{"DEBITDESK_ACME_DOMAINS": "https://desk.example"}, "not a public name"},
		{map[string]string{"DEBITDESK_ACME_DOMAINS": "*.desk.example"}, "not a public name"},
		{map[string]string{"DEBITDESK_ACME_URL": "https://ca.example/dir"}, "set DEBITDESK_ACME_DOMAINS, too"},
		{map[string]string{"DEBITDESK_ACME_DOMAINS": "a.example", "DEBITDESK_BASE_URL": "http://a.example"},
			"its address begins with https://"},
	} {
		_, err := ReadConfig(c.env)
		if said := ""; (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			if err != nil {
				said = err.Error()
			}
			t.Errorf("%v: got %q, want %q", c.env, said, c.want)
		}
	}
}

func TestAServerWithACertificateSpeaksTLSAlone(t *testing.T) {
	t.Parallel()
	cert, key := certified(t, t.TempDir(), "127.0.0.1", 1, time.Now().AddDate(1, 0, 0))
	c, err := ReadConfig(map[string]string{"DEBITDESK_TLS_CERT": cert, "DEBITDESK_TLS_KEY": key})
	must(t, err)
	if got := c.PublicURL("127.0.0.1:8443"); got != "https://127.0.0.1:8443" {
		t.Errorf("links begin with %s", got)
	}
	secure, err := c.tlsConfig(slog.New(slog.DiscardHandler))
	must(t, err)
	var l net.ListenConfig
	on, err := l.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	failed := make(chan error, 1)
	s := start(on, secure, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}), slog.New(slog.DiscardHandler), failed)
	defer func() { must(t, s.Shutdown(context.WithoutCancel(t.Context()))) }()
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // the certificate is our own
	if got := fetched(t, client, "https://"+on.Addr().String()); got != "HTTP/2.0" {
		t.Errorf("it answers by %s", got)
	}
	if got := fetched(t, client, "http://"+on.Addr().String()); !strings.Contains(got, "HTTPS") {
		t.Errorf("without TLS it answers %q", got)
	}
}

func fetched(t *testing.T, client *http.Client, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	must(t, err)
	answer, err := client.Do(request)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	return string(text)
}

func TestARenewedCertificateIsReadWithoutARestart(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	cert, key := certified(t, dir, "desk.example", 1, now.AddDate(0, 1, 0))
	var log bytes.Buffer
	f := &certFile{cert: cert, key: key, now: func() time.Time { return now },
		log: slog.New(slog.NewTextHandler(&log, nil))}
	serial := func() int64 {
		t.Helper()
		got, err := f.get(nil)
		must(t, err)
		return got.Leaf.SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("the first is %d", got)
	}
	certified(t, dir, "desk.example", 2, now.AddDate(1, 0, 0))
	later := now.Add(time.Hour)
	must(t, os.Chtimes(cert, later, later))
	if got := serial(); got != 1 {
		t.Errorf("within a minute the files are not read again: %d", got)
	}
	now = now.Add(looksAgain)
	if got := serial(); got != 2 {
		t.Errorf("the renewed one is not taken: %d", got)
	}
	must(t, os.WriteFile(cert, []byte("half"), 0o600))
	now = now.Add(looksAgain)
	if got := serial(); got != 2 || !strings.Contains(log.String(), "the one before it goes on") {
		t.Errorf("a broken file took the server's certificate away: %d, %s", got, &log)
	}
}

func TestCertificatesAreAskedForNamedDomainsAlone(t *testing.T) {
	t.Parallel()
	c, err := ReadConfig(map[string]string{"DEBITDESK_ACME_DOMAINS": "desk.example", "DEBITDESK_DATA": t.TempDir(),
		"DEBITDESK_ACME_URL": "https://127.0.0.1:1/directory"})
	must(t, err)
	if got := c.PublicURL("0.0.0.0:443"); got != "https://desk.example" {
		t.Errorf("links begin with %s", got)
	}
	secure, err := c.tlsConfig(slog.New(slog.DiscardHandler))
	must(t, err)
	if !strings.Contains(strings.Join(secure.NextProtos, " "), acme.ALPNProto) {
		t.Errorf("the authority proves the name by TLS alone: %v", secure.NextProtos)
	}
	if _, err := secure.GetCertificate(&tls.ClientHelloInfo{ServerName: "other.example"}); err == nil ||
		!strings.Contains(err.Error(), "other.example") {
		t.Errorf("a certificate is asked for any name: %v", err)
	}
}

func TestTheDoctorNamesACertificateThatEnds(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		left  time.Duration
		state string
	}{{100 * 24 * time.Hour, fine}, {10 * 24 * time.Hour, warning}, {-time.Hour, bad}} {
		cert, key := certified(t, t.TempDir(), "desk.example", 1, now.Add(c.left))
		e := &examination{c: Config{TLSCert: cert, TLSKey: key}}
		if e.certificate(); len(e.findings) != 1 || e.findings[0].State != c.state ||
			!strings.Contains(e.findings[0].What, "desk.example") {
			t.Errorf("%s left: %+v", c.left, e.findings)
		}
	}
}
