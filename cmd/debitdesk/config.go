package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"debitdesk/handlers"
	"debitdesk/models/database"
	"debitdesk/models/keyfile"
)

// Modes of the product.
const (
	sandboxMode = "sandbox"
	liveMode    = "live"
)

// longestDrain is shorter than what a supervisor usually waits before it kills.
const longestDrain = 5 * time.Minute

// Config is everything that the environment decides. Nothing else reads it.
type Config struct {
	Listen      string `env:"DEBITDESK_LISTEN" envDefault:"127.0.0.1:8080"`
	OpsListen   string `env:"DEBITDESK_OPS_LISTEN"`
	BaseURL     string `env:"DEBITDESK_BASE_URL"`
	DatabaseURL string `env:"DATABASE_URL"`
	DirectURL   string `env:"DATABASE_DIRECT_URL"` // around a pooler
	ReadURL     string `env:"DATABASE_READ_URL"`   // a standby
	Data        string `env:"DEBITDESK_DATA" envDefault:"data"`
	Mode        string `env:"DEBITDESK_MODE" envDefault:"sandbox"`
	Keys        string `env:"DEBITDESK_KEYS"`
	SMTP        string `env:"DEBITDESK_SMTP_URL"`
	SMS         string `env:"DEBITDESK_SMS_URL"`
	Bank        string `env:"DEBITDESK_BANK" envDefault:"sandbox"`
	Log         string `env:"DEBITDESK_LOG" envDefault:"info"`
	LogFormat   string `env:"DEBITDESK_LOG_FORMAT" envDefault:"text"`
	RateLimit   string `env:"DEBITDESK_RATE_LIMIT" envDefault:"1500:30000"`
	Proxies     string `env:"DEBITDESK_PROXIES"`
	RequestLog  bool   `env:"DEBITDESK_REQUEST_LOG" envDefault:"true"`
	OIDCIssuer  string `env:"DEBITDESK_OIDC_ISSUER"` // who signs people in to all businesses
	OIDCClient  string `env:"DEBITDESK_OIDC_CLIENT_ID"`
	OIDCSecret  string `env:"DEBITDESK_OIDC_CLIENT_SECRET"`
	OIDCName    string `env:"DEBITDESK_OIDC_NAME"`        // on its button
	OIDCDomains string `env:"DEBITDESK_OIDC_DOMAINS"`     // of the addresses that it may speak for
	Contact     string `env:"DEBITDESK_SECURITY_CONTACT"` // who hears of faults in security.txt

	Collector        string  `env:"OTEL_EXPORTER_OTLP_ENDPOINT"` // of traces; empty: nothing is traced
	CollectorHeaders string  `env:"OTEL_EXPORTER_OTLP_HEADERS"`
	TracedShare      float64 `env:"OTEL_TRACES_SAMPLER_ARG" envDefault:"1"`

	TLSCert     string `env:"DEBITDESK_TLS_CERT"` // a file, with those of the authorities between
	TLSKey      string `env:"DEBITDESK_TLS_KEY"`
	ACMEDomains string `env:"DEBITDESK_ACME_DOMAINS"`
	ACMEURL     string `env:"DEBITDESK_ACME_URL"` // of another authority than Let's Encrypt

	KeepRequests string `env:"DEBITDESK_KEEP_REQUESTS" envDefault:"30d"`
	KeepAudit    string `env:"DEBITDESK_KEEP_AUDIT" envDefault:"10y"`

	Courier CourierConfig `envPrefix:"DEBITDESK_COURIER_"`

	Drain time.Duration `env:"DEBITDESK_DRAIN" envDefault:"0s"` // still served after SIGTERM, while /readyz says no

	ListenFDs int `env:"LISTEN_FDS"` // sockets that systemd opened for us, from number 3 on
	ListenPID int `env:"LISTEN_PID"` // whom they are for
}

// CourierConfig is where the courier carries files to. Its flags win.
type CourierConfig struct {
	Address    string        `env:"ADDRESS"`
	HostKey    string        `env:"HOST_KEY"`
	User       string        `env:"USER"`
	Key        string        `env:"KEY"`
	Passphrase string        `env:"PASSPHRASE"`
	Out        string        `env:"OUT"`
	In         string        `env:"IN"`
	Every      time.Duration `env:"EVERY" envDefault:"1m"`
	Remove     bool          `env:"REMOVE"`
}

// ReadConfig takes the environment, or the variables given instead of it.
func ReadConfig(instead map[string]string) (Config, error) {
	var c Config
	var wrong error
	if err := env.ParseWithOptions(&c, env.Options{Environment: instead}); err != nil {
		wrong = unread(err, instead)
	}
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	return c, errors.Join(wrong, c.Validate())
}

// Validate reports every problem at once.
func (c Config) Validate() error {
	var wrong []error
	bad := func(name, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
	}
	checkAddress(bad, "DEBITDESK_LISTEN", c.Listen)
	if c.OpsListen != "" {
		checkAddress(bad, "DEBITDESK_OPS_LISTEN", c.OpsListen)
	}
	if c.BaseURL != "" {
		checkLink(bad, "DEBITDESK_BASE_URL", c.BaseURL, "http", "https")
		if u, err := url.Parse(c.BaseURL); err == nil && u.Host != "" && c.BaseURL != u.Scheme+"://"+u.Host {
			bad("DEBITDESK_BASE_URL", "write scheme, name and port alone, such as https://desk.example: "+
				"the product is not served below a path, and links must not hold a password")
		}
	}
	if c.DatabaseURL != "" {
		checkLink(bad, "DATABASE_URL", c.DatabaseURL, "postgres", "postgresql")
	}
	for name, link := range map[string]string{"DATABASE_DIRECT_URL": c.DirectURL, "DATABASE_READ_URL": c.ReadURL} {
		switch {
		case link == "":
		case c.Embedded():
			bad(name, "is for a PostgreSQL of your own: set DATABASE_URL, too")
		default:
			checkLink(bad, name, link, "postgres", "postgresql")
		}
	}
	if c.SMTP != "" {
		checkLink(bad, "DEBITDESK_SMTP_URL", c.SMTP, "smtp", "smtps")
	}
	if _, err := c.provider(); err != nil {
		bad("DEBITDESK_SMS_URL", "%v", err)
	}
	if c.Mode != sandboxMode && c.Mode != liveMode {
		bad("DEBITDESK_MODE", "%q is neither sandbox nor live", c.Mode)
	}
	if dir, files := strings.CutPrefix(c.Bank, "files:"); c.Bank != "sandbox" && (!files || dir == "") {
		bad("DEBITDESK_BANK", "%q is neither sandbox nor files:DIR", c.Bank)
	}
	if _, err := c.level(); err != nil {
		bad("DEBITDESK_LOG", "%q is not one of debug, info, warn, error", c.Log)
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		bad("DEBITDESK_LOG_FORMAT", "%q is neither text nor json", c.LogFormat)
	}
	if c.Drain < 0 || c.Drain > longestDrain {
		bad("DEBITDESK_DRAIN", "%s is not between 0s and %s", c.Drain, longestDrain)
	}
	if _, err := c.limits(); err != nil {
		bad("DEBITDESK_RATE_LIMIT", "%q is neither 0 nor requests a second and a burst such as 1500:30000", c.RateLimit)
	}
	if _, err := c.proxies(); err != nil {
		bad("DEBITDESK_PROXIES", "%q is not a list of networks such as 10.0.0.0/8,192.0.2.7/32", c.Proxies)
	}
	c.checkTLS(bad)
	c.checkIssuer(bad)
	c.checkTraces(bad)
	c.keep(bad)
	if c.Contact != "" {
		checkContact(bad, c.Contact)
	}
	if c.Mode == liveMode {
		c.checkLive(bad)
	}
	return errors.Join(wrong...)
}

// checkLive refuses what is fit for a sandbox alone.
func (c Config) checkLive(bad func(name, format string, args ...any)) {
	switch {
	case c.Keys == "":
		bad("DEBITDESK_KEYS",
			"live mode does not run on generated keys: make a file with debitdesk keys new, outside the data folder")
	case samePath(c.Keys, keyfile.Path("", c.Data)):
		bad(
			"DEBITDESK_KEYS",
			"live mode does not run on the keys that were generated in the data folder: "+
				"make a file of its own with debitdesk keys new",
		)
	}
	if !strings.HasPrefix(c.BaseURL, "https://") && (c.BaseURL != "" || c.ACMEDomains == "") {
		bad("DEBITDESK_BASE_URL", "live mode needs the public https:// address")
	}
	if c.Bank == "sandbox" {
		bad("DEBITDESK_BANK", "live mode does not run on the sandbox bank")
	}
}

// checkContact wants what RFC 9116 calls a contact: a URI, and on one line.
func checkContact(bad func(name, format string, args ...any), contact string) {
	u, err := url.Parse(contact)
	fits := err == nil && (u.Scheme == "https" && u.Host != "" || u.Scheme == "mailto" && strings.Contains(u.Opaque, "@"))
	if !fits || strings.ContainsAny(contact, " \r\n") {
		bad("DEBITDESK_SECURITY_CONTACT", "%q is neither mailto:security@desk.example nor https://…", contact)
	}
}

func samePath(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}

func checkAddress(bad func(name, format string, args ...any), name, address string) {
	_, port, err := net.SplitHostPort(address)
	if err == nil { // a number from 0 to 65535, or the name of a service
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
	}
	if err != nil || port == "" {
		bad(name, "%q is not an address such as 127.0.0.1:8080", address)
	}
}

// checkLink never repeats the value: it may hold a password.
func checkLink(bad func(name, format string, args ...any), name, link string, schemes ...string) {
	u, err := url.Parse(link)
	if err == nil {
		for _, s := range schemes {
			if u.Scheme == s && (u.Host != "" || u.Path != "" && strings.HasPrefix(s, "postgres")) {
				return
			}
		}
	}
	bad(name, "is no address of the form %s://…", schemes[0])
}

// Sandbox tells whether merchants, money and clock are for trying out.
func (c Config) Sandbox() bool { return c.Mode == sandboxMode }

// Embedded tells whether the database is our own, in the data folder.
func (c Config) Embedded() bool { return c.DatabaseURL == "" }

func (c Config) level() (slog.Level, error) {
	var l slog.Level
	err := l.UnmarshalText([]byte(c.Log))
	return l, err
}

// SessionURL is the address for what keeps a connection: migrations, backups.
func (c Config) SessionURL() string {
	if c.DirectURL != "" {
		return c.DirectURL
	}
	return c.DatabaseURL
}

// PublicURL is the address in links: the configured one, else that of the
// listener, with a name that a browser on this machine can open.
func (c Config) PublicURL(listening string) string {
	if c.BaseURL != "" {
		return c.BaseURL
	}
	scheme := "http://"
	if c.ownTLS() {
		scheme = "https://"
	}
	if names := c.acmeDomains(); len(names) > 0 {
		return scheme + names[0]
	}
	host, port, err := net.SplitHostPort(listening)
	if err != nil {
		return scheme + listening
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + net.JoinHostPort(host, port)
}

// proxies reads DEBITDESK_PROXIES: the networks of proxies that tell the address of
// who calls.
func (c Config) proxies() (all []*net.IPNet, err error) {
	for _, text := range strings.FieldsFunc(c.Proxies, func(r rune) bool { return r == ',' || r == ' ' }) {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return nil, err
		}
		all = append(all, network)
	}
	return all, nil
}

// What wrong credentials from one address may cost us: far more than a program that
// was set up wrongly sends, far less than guessing needs.
var failures = handlers.Rate{PerSecond: 20, Burst: 2_000}

// What one address may do without a session: an office that signs in on Monday, and
// the clients behind one mobile network, are far below it.
var (
	entranceRate = handlers.Rate{PerSecond: 5, Burst: 600}
	payersRate   = handlers.Rate{PerSecond: 500, Burst: 10_000}
)

// keep reads how long history is kept; bad hears of what cannot be.
func (c Config) keep(bad func(name, format string, args ...any)) database.Keep {
	k := database.UsualKeep
	for _, one := range []struct {
		name, text string
		into       *database.Period
		least      database.Period
	}{
		{"DEBITDESK_KEEP_REQUESTS", c.KeepRequests, &k.Requests, database.LeastKeep.Requests},
		{"DEBITDESK_KEEP_AUDIT", c.KeepAudit, &k.Audit, database.LeastKeep.Audit},
	} {
		p, err := database.ParseKept(one.text, one.least)
		if err != nil {
			bad(one.name, "%s", err)
			continue
		}
		*one.into = p
	}
	return k
}

// limits reads DEBITDESK_RATE_LIMIT: requests a second and at once of each
// credential, or 0 for none.
func (c Config) limits() (handlers.Limits, error) {
	if c.RateLimit == "0" {
		return handlers.Limits{}, nil
	}
	refill, burst, _ := strings.Cut(c.RateLimit, ":")
	perSecond, err := strconv.ParseFloat(refill, 64)
	most, err2 := strconv.Atoi(burst)
	if err := errors.Join(err, err2); err != nil {
		return handlers.Limits{}, err
	}
	if !(perSecond > 0) || perSecond > 1e6 || most < 1 || most > 1e7 {
		return handlers.Limits{}, errors.New("out of bounds")
	}
	return handlers.Limits{Calls: handlers.Rate{PerSecond: perSecond, Burst: most}, Failures: failures,
		Entrance: entranceRate, Payers: payersRate}, nil
}
