package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"debitdesk/models/outbound"
)

// ownTLS tells whether the server speaks TLS itself; else a proxy in front does, or it is a sandbox.
func (c Config) ownTLS() bool { return c.TLSCert != "" || c.ACMEDomains != "" }

// checkTLS wants one way to a certificate, whole.
func (c Config) checkTLS(bad func(name, format string, args ...any)) {
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		bad("DEBITDESK_TLS_CERT", "a certificate and its key go together: set DEBITDESK_TLS_CERT and DEBITDESK_TLS_KEY")
	case c.TLSCert != "" && c.ACMEDomains != "":
		bad("DEBITDESK_ACME_DOMAINS", "a certificate is given with DEBITDESK_TLS_CERT: choose one of the two")
	case c.TLSCert != "":
		if _, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey); err != nil {
			bad("DEBITDESK_TLS_CERT", "%v", err)
		}
	}
	for _, name := range c.acmeDomains() {
		if strings.ContainsAny(name, ":/*") || !strings.Contains(name, ".") {
			bad("DEBITDESK_ACME_DOMAINS", "%q is not a public name such as desk.example", name)
		}
	}
	if c.ACMEDomains == "" && c.ACMEURL != "" {
		bad("DEBITDESK_ACME_URL", "is for certificates by ACME: set DEBITDESK_ACME_DOMAINS, too")
	} else if c.ACMEURL != "" {
		checkLink(bad, "DEBITDESK_ACME_URL", c.ACMEURL, "https")
	}
	if c.ownTLS() && strings.HasPrefix(c.BaseURL, "http://") {
		bad("DEBITDESK_BASE_URL", "the server speaks TLS, so its address begins with https://")
	}
}

// acmeDomains are the names that certificates are asked for.
func (c Config) acmeDomains() []string {
	return strings.FieldsFunc(strings.ToLower(c.ACMEDomains), func(r rune) bool { return r == ',' || r == ' ' })
}

// tlsConfig is how the server speaks TLS; nil: it does not.
func (c Config) tlsConfig(log *slog.Logger) (*tls.Config, error) {
	switch {
	case c.TLSCert != "":
		f := &certFile{cert: c.TLSCert, key: c.TLSKey, now: time.Now, log: log}
		if _, err := f.get(nil); err != nil {
			return nil, fmt.Errorf("DEBITDESK_TLS_CERT: %w", err)
		}
		return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: f.get}, nil
	case c.ACMEDomains != "":
		m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(c.acmeDomains()...),
			Cache: autocert.DirCache(c.acmeFolder()),
			Client: &acme.Client{DirectoryURL: cmp.Or(c.ACMEURL, autocert.DefaultACMEDirectory),
				HTTPClient: &http.Client{Transport: outbound.Transport(outbound.Certificates)}}}
		t := m.TLSConfig()
		t.MinVersion = tls.VersionTLS12
		return t, nil
	}
	return nil, nil
}

// acmeFolder keeps the account and the certificates between two starts: an authority gives only so many a week.
func (c Config) acmeFolder() string { return filepath.Join(c.Data, "acme") }

// looksAgain is how often the files of a certificate are looked at.
const looksAgain = time.Minute

// certFile is a certificate in two files, read anew when they change: whoever renews it need not restart the server.
type certFile struct {
	cert, key string
	now       func() time.Time
	log       *slog.Logger

	mu      sync.Mutex
	held    *tls.Certificate
	changed time.Time // of the newer file, when it was read
	looked  time.Time
}

func (f *certFile) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held != nil && f.now().Sub(f.looked) < looksAgain {
		return f.held, nil
	}
	f.looked = f.now()
	changed, err := newest(f.cert, f.key)
	if err == nil && f.held != nil && changed.Equal(f.changed) {
		return f.held, nil
	}
	var read tls.Certificate
	if err == nil {
		read, err = tls.LoadX509KeyPair(f.cert, f.key)
	}
	switch {
	case err == nil:
		f.held, f.changed = &read, changed
	case f.held == nil:
		return nil, err
	default: // one of the two files may be written just now
		f.log.Warn("the certificate cannot be read; the one before it goes on", "error", err)
	}
	return f.held, nil
}

func newest(paths ...string) (at time.Time, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return at, err
		}
		if info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at, nil
}

// renewWithin is how close to its end a certificate is warned of.
const renewWithin = 14 * 24 * time.Hour

// certificate looks at the one that is given.
func (e *examination) certificate() {
	const name = "certificate"
	if e.c.TLSCert == "" {
		if names := e.c.acmeDomains(); len(names) > 0 {
			e.say(fine, name, "", "by ACME for %s", strings.Join(names, ", "))
		}
		return
	}
	pair, err := tls.LoadX509KeyPair(e.c.TLSCert, e.c.TLSKey)
	if err != nil {
		e.say(bad, name, "correct DEBITDESK_TLS_CERT and DEBITDESK_TLS_KEY", "%v", err)
		return
	}
	e.expiry(pair.Leaf, time.Now())
}

// expiry says until when a certificate holds.
func (e *examination) expiry(leaf *x509.Certificate, now time.Time) {
	state, fix := fine, ""
	if left := leaf.NotAfter.Sub(now); left <= 0 {
		state, fix = bad, "renew it: browsers refuse it"
	} else if left < renewWithin {
		state, fix = warning, "renew it; the server reads the new files without a restart"
	}
	e.say(state, "certificate", fix, "for %s, until %s", strings.Join(leaf.DNSNames, ", "),
		leaf.NotAfter.UTC().Format("2 Jan 2006"))
}
