// Package post calls the endpoints of merchants over HTTP: never a network that is
// not public, never further than one answer, never longer than a few seconds. It
// must not know what the calls say.
package post

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"code.dny.dev/ssrf"

	"debitdesk/models/outbound"
	"debitdesk/models/webhook"
)

// Limits of one call (ours).
const (
	wholeTime   = 10 * time.Second
	sandboxTime = 5 * time.Second // a person waits while the clock moves
	answerKept  = 2 << 10         // bytes of the answer
	answerRead  = 64 << 10        // bytes, so that a connection can be used again
)

// Client implements webhook.Poster.
type Client struct {
	http *http.Client
	time time.Duration
}

// New makes a client. In the sandbox it may call programs on the same machine.
func New(sandbox bool) *Client {
	limit := wholeTime
	if sandbox {
		limit = sandboxTime
	}
	return &Client{time: limit, http: &http.Client{Transport: outbound.Guarded(outbound.Webhooks, sandbox),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Post implements webhook.Poster.
func (c *Client) Post(ctx context.Context, address string, headers []webhook.Header, body []byte) webhook.Answer {
	ctx, cancel := context.WithTimeout(ctx, c.time)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return webhook.Answer{Error: "The address cannot be called."}
	}
	for _, h := range headers {
		req.Header.Set(h.Name, h.Value)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return webhook.Answer{Error: c.say(err)}
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, answerRead))
	if err != nil && !success(res.StatusCode) { // who said "taken" has taken it, also when the rest is cut off
		return webhook.Answer{Status: res.StatusCode, Text: clean(text), Error: c.say(err)}
	}
	return webhook.Answer{Status: res.StatusCode, Text: clean(text)}
}

func success(status int) bool { return status >= 200 && status < 300 }

// clean makes text of the first bytes that were answered; PostgreSQL keeps no zero bytes.
func clean(answer []byte) string {
	if len(answer) > answerKept {
		answer = answer[:answerKept]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(answer), "�"), "\x00", "")
}

// say words why there was no answer, without anything of our own network.
func (c *Client) say(err error) string {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedNetwork),
		errors.Is(err, ssrf.ErrProhibitedPort):
		return "The address is not public, so it is not called."
	case errors.As(err, &name) && !name.IsTimeout:
		return "The host name could not be found."
	case errors.As(err, &certificate):
		return "The certificate of the endpoint is not valid."
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "No answer within " + c.time.String() + "."
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "The connection was closed before an answer."
	default:
		return "The connection failed."
	}
}
