package outbound

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

// Limits of a guarded connection (ours).
const (
	connectTime = 5 * time.Second
	headersRead = 16 << 10        // bytes
	idleTime    = 2 * time.Second // many servers hang up on idle connections after five
)

// Guarded carries calls to addresses that the operator did not choose, or that nobody knows before they are called: to
// public networks alone, and in the sandbox to this machine. What it refuses is an error of package ssrf.
func Guarded(p Purpose, sandbox bool) *http.Transport {
	options := []ssrf.Option{ssrf.WithAnyPort()}
	if sandbox {
		options = append(options, ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.0/8")),
			ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128")))
	}
	// The guard sees the very address that is dialled, whatever a name resolves to.
	dialer := &net.Dialer{Timeout: connectTime, Control: ssrf.New(options...).Safe}
	return &http.Transport{
		Proxy:       nil, // a proxy of the environment would get round the guard
		DialContext: Via(p, dialer.DialContext), TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: connectTime,
		MaxIdleConns:        100, MaxIdleConnsPerHost: 4, IdleConnTimeout: idleTime, MaxResponseHeaderBytes: headersRead,
		ForceAttemptHTTP2: true,
	}
}
