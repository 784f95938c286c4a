// Package wire calls providers of short messages over HTTP: never a network that is not public, never further than one
// answer. It tells what was certainly not taken from what may have been. It must not know what the calls say.
package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"code.dny.dev/ssrf"

	"debitdesk/models/outbound"
	"debitdesk/models/sms"
)

// Limits of one call (ours).
const (
	wholeTime   = 20 * time.Second
	answerRead  = 256 << 10 // bytes
	longestWait = time.Hour
	shortWait   = time.Minute // of a provider that does not say how long
)

// Client calls a provider.
type Client struct {
	http *http.Client
	time time.Duration
}

// New makes a client. In the sandbox it may call programs on the same machine.
func New(sandbox bool) *Client {
	return &Client{time: wholeTime, http: &http.Client{Transport: outbound.Guarded(outbound.Messages, sandbox),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Answer is what the provider said.
type Answer struct {
	Status int
	Body   []byte
}

// Send calls a provider with a message. An error is one of those that sms.Gateway names; an answer has a status
// that means that the provider read the message, 2xx or one with a refusal in its body.
func (c *Client) Send(ctx context.Context, method, address string, headers http.Header, body []byte) (Answer, error) {
	answer, after, written, err := c.call(ctx, method, address, headers, body)
	switch {
	case err != nil && written:
		return answer, &sms.Unknown{Err: err}
	case err != nil:
		return answer, err
	}
	switch s := answer.Status; {
	case s == http.StatusTooManyRequests || s == http.StatusServiceUnavailable:
		return answer, &sms.Busy{After: after}
	case s == http.StatusUnauthorized || s == http.StatusForbidden || s == http.StatusProxyAuthRequired:
		return answer, fmt.Errorf("the provider does not accept the credentials (%d)", s)
	case s == http.StatusPaymentRequired:
		return answer, errors.New("the account at the provider has no funds (402)")
	case s == http.StatusNotFound || s == http.StatusMethodNotAllowed || s >= 300 && s < 400:
		return answer, fmt.Errorf("the address of the provider is wrong (%d)", s)
	case s >= 500:
		return answer, &sms.Unknown{Err: fmt.Errorf("the provider failed (%d)", s)}
	}
	return answer, nil
}

// Get asks a provider.
func (c *Client) Get(ctx context.Context, address string, headers http.Header) (Answer, error) {
	answer, _, _, err := c.call(ctx, http.MethodGet, address, headers, nil)
	return answer, err
}

func (c *Client) call(ctx context.Context, method, address string, headers http.Header, body []byte) (a Answer,
	after time.Duration, written bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.time)
	defer cancel()
	var began atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { began.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return a, 0, false, errors.New("the address of the provider cannot be called")
	}
	req.Header = headers.Clone()
	res, err := c.http.Do(req)
	if err != nil {
		return a, 0, began.Load(), said(err)
	}
	defer func() { _ = res.Body.Close() }()
	a.Status = res.StatusCode
	if a.Body, err = io.ReadAll(io.LimitReader(res.Body, answerRead)); err != nil && a.Status >= 300 {
		err = nil // the status says enough
	}
	return a, wait(res.Header.Get("Retry-After")), true, said(err)
}

// said leaves the address out of an error: it may hold a secret.
func said(err error) error {
	var timeout net.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedNetwork),
		errors.Is(err, ssrf.ErrProhibitedPort):
		return errors.New("the address of the provider is not public, so it is not called")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("no answer in time")
	case errors.Is(err, context.Canceled):
		return errors.New("the call was broken off")
	}
	return errors.New("the connection failed")
}

// wait reads Retry-After: seconds, or a date.
func wait(text string) time.Duration {
	d := shortWait
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		d = time.Until(at)
	}
	return min(max(d, time.Second), longestWait)
}
