// Package collector hands traces to a collector of OpenTelemetry, by OTLP over HTTP. The library's own client speaks
// the same but brings all of gRPC with it, for one POST. It must not know what is traced.
package collector

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"debitdesk/models/outbound"
)

// Limits of one call (ours).
const (
	wholeTime  = 10 * time.Second
	firstWait  = time.Second // before the second try; twice as long before each later one
	longWait   = 30 * time.Second
	answerRead = 64 << 10 // bytes, so that a connection can be used again
	path       = "/v1/traces"
)

// Client implements otlptrace.Client.
type Client struct {
	http    *http.Client
	address string
	headers map[string]string
}

var _ otlptrace.Client = (*Client)(nil)

// New makes a client of a collector at a base address such as http://127.0.0.1:4318. The headers go with each call:
// name=value, divided by commas, the values as in a URL, which is the form of OTEL_EXPORTER_OTLP_HEADERS. An error
// never repeats a value, which may be a secret.
func New(address, headers string) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("the address of the collector must be like http://127.0.0.1:4318")
	}
	c := &Client{http: &http.Client{Timeout: wholeTime, Transport: outbound.Transport(outbound.Traces)},
		address: base.JoinPath(path).String(), headers: map[string]string{}}
	for pair := range strings.SplitSeq(headers, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !found || name == "" || err != nil {
			return nil, fmt.Errorf("the headers for the collector are not name=value, divided by commas")
		}
		c.headers[name] = text
	}
	return c, nil
}

// Start implements otlptrace.Client.
func (*Client) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *Client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. It tries again until ctx ends where the collector says so, or cannot be
// reached.
func (c *Client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// A request is the same bytes as the file form of traces: field 1, repeated.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("write traces: %w", err)
	}
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		after, err := c.post(ctx, body)
		if err == nil || after < 0 {
			return err
		}
		select {
		case <-time.After(max(wait, after)):
		case <-ctx.Done():
			return err
		}
	}
}

// post calls the collector once. After an error it tells how long to wait before the next try; negative: there is no
// use in one.
func (c *Client) post(ctx context.Context, body []byte) (after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	res, err := c.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, answerRead))
	switch res.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return min(time.Duration(max(seconds, 0))*time.Second, longWait), fmt.Errorf("the collector answers %d",
			res.StatusCode)
	}
	return -1, fmt.Errorf("the collector answers %d", res.StatusCode)
}
