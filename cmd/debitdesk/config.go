package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/caarlos0/env/v11"

	"debitdesk/handlers"
)

// Modes of the product.
const (
	sandboxMode = "sandbox"
	liveMode    = "live"
)

// Config is everything that the environment decides. Nothing else reads it.
type Config struct {
	Listen      string `env:"DEBITDESK_LISTEN" envDefault:"127.0.0.1:8080"`
	OpsListen   string `env:"DEBITDESK_OPS_LISTEN"`
	BaseURL     string `env:"DEBITDESK_BASE_URL"`
	DatabaseURL string `env:"DATABASE_URL"`
	Data        string `env:"DEBITDESK_DATA" envDefault:"data"`
	Mode        string `env:"DEBITDESK_MODE" envDefault:"sandbox"`
	Keys        string `env:"DEBITDESK_KEYS"`
	SMTP        string `env:"DEBITDESK_SMTP_URL"`
	Bank        string `env:"DEBITDESK_BANK" envDefault:"sandbox"`
	Log         string `env:"DEBITDESK_LOG" envDefault:"info"`
	LogFormat   string `env:"DEBITDESK_LOG_FORMAT" envDefault:"text"`
	RateLimit   string `env:"DEBITDESK_RATE_LIMIT" envDefault:"1500:30000"`
	RequestLog  bool   `env:"DEBITDESK_REQUEST_LOG" envDefault:"true"`
}

// ReadConfig takes the environment, or the variables given instead of it.
func ReadConfig(instead map[string]string) (Config, error) {
	var c Config
	if err := env.ParseWithOptions(&c, env.Options{Environment: instead}); err != nil {
		return c, fmt.Errorf("environment: %w", err)
	}
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	return c, c.Validate()
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
	}
	if c.DatabaseURL != "" {
		checkLink(bad, "DATABASE_URL", c.DatabaseURL, "postgres", "postgresql")
	}
	if c.SMTP != "" {
		checkLink(bad, "DEBITDESK_SMTP_URL", c.SMTP, "smtp", "smtps")
	}
	if c.Mode != sandboxMode && c.Mode != liveMode {
		bad("DEBITDESK_MODE", "%q is neither sandbox nor live", c.Mode)
	}
	if dir, files := strings.CutPrefix(c.Bank, "files:"); c.Bank != "sandbox" && (!files || dir == "") {
		bad("DEBITDESK_BANK", "%q is neither sandbox nor files:DIR", c.Bank)
	}
	if _, err := c.level(); err != nil {
		bad("DEBITDESK_LOG", "%q is none of debug, info, warn, error", c.Log)
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		bad("DEBITDESK_LOG_FORMAT", "%q is neither text nor json", c.LogFormat)
	}
	if _, err := c.limits(); err != nil {
		bad("DEBITDESK_RATE_LIMIT", "%q is neither 0 nor requests a second and a burst such as 1500:30000", c.RateLimit)
	}
	if c.Mode == liveMode {
		c.checkLive(bad)
	}
	return errors.Join(wrong...)
}

// checkLive refuses what is fit for a sandbox alone.
func (c Config) checkLive(bad func(name, format string, args ...any)) {
	if c.Keys == "" {
		bad("DEBITDESK_KEYS", "live mode does not run on generated keys: name a key file")
	}
	if !strings.HasPrefix(c.BaseURL, "https://") {
		bad("DEBITDESK_BASE_URL", "live mode needs the public https:// address")
	}
	if c.Bank == "sandbox" {
		bad("DEBITDESK_BANK", "live mode does not run on the sandbox bank")
	}
}

func checkAddress(bad func(name, format string, args ...any), name, address string) {
	if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
		bad(name, "%q is no address such as 127.0.0.1:8080", address)
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

// PublicURL is the address in links: the configured one, else that of the
// listener, with a name that a browser on this machine can open.
func (c Config) PublicURL(listening string) string {
	if c.BaseURL != "" {
		return c.BaseURL
	}
	host, port, err := net.SplitHostPort(listening)
	if err != nil {
		return "http://" + listening
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// What wrong credentials from one address may cost us: far more than a program that
// was set up wrongly sends, far less than guessing needs.
var failures = handlers.Rate{PerSecond: 20, Burst: 2_000}

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
	return handlers.Limits{Calls: handlers.Rate{PerSecond: perSecond, Burst: most}, Failures: failures}, nil
}
