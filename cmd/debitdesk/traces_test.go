package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"debitdesk/models/storetest"
)

// catcher is a collector that keeps what it gets.
type catcher struct {
	mu       sync.Mutex
	resource []string // name=value
	spans    []*tracepb.Span
}

func (c *catcher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var got tracepb.TracesData
	if err := proto.Unmarshal(body, &got); err != nil || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range got.GetResourceSpans() {
		for _, a := range of.GetResource().GetAttributes() {
			c.resource = append(c.resource, a.GetKey()+"="+a.GetValue().GetStringValue())
		}
		for _, s := range of.GetScopeSpans() {
			c.spans = append(c.spans, s.GetSpans()...)
		}
	}
}

func TestTracesSayWhatARequestAskedTheDatabaseAndNothingOfPeople(t *testing.T) {
	t.Parallel()
	var caught catcher
	collector := httptest.NewServer(&caught)
	defer collector.Close()
	p := serving(t, map[string]string{"DATABASE_URL": storetest.DSN(t), "DEBITDESK_DATA": t.TempDir(),
		"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "OTEL_SERVICE_NAME": "desk-of-tests", "DEBITDESK_LOG": "info"})
	const secret = "9001015800087"
	p.status(t, "/healthz", "")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/api/v1/clients/?q="+secret, nil)
	if err != nil {
		t.Fatal(err)
	}
	const elsewhere = "4bf92f3577b34da6a3ce929d0e0e4736"
	req.Header.Set("Authorization", "Bearer no-such-token")
	req.Header.Set("Traceparent", "00-"+elsewhere+"-00f067aa0ba902b7-01") // of a proxy on this machine
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	p.status(t, "/login", "")
	if code := p.end(syscall.SIGTERM); code != exitOK { // what was traced leaves before the end
		t.Fatalf("it ended with %d\n%s", code, p.log)
	}
	if !slices.Contains(caught.resource, "service.name=desk-of-tests") {
		t.Error(caught.resource)
	}
	byID, named := map[string]*tracepb.Span{}, map[string]*tracepb.Span{}
	for _, s := range caught.spans {
		byID[string(s.GetSpanId())] = s
		named[s.GetName()] = s
		if strings.Contains(s.String(), secret) || strings.Contains(s.String(), "healthz") {
			t.Error(s)
		}
	}
	call, page := named["GET /api/v1/clients"], named["GET /login"]
	if call == nil || page == nil {
		t.Fatalf("only %d spans: %v", len(caught.spans), named)
	}
	if got := traceOf(call); got != elsewhere {
		t.Errorf("the trace of the proxy became %s", got)
	}
	asked := 0
	for _, s := range caught.spans {
		if parent := byID[string(s.GetParentSpanId())]; s.GetKind() == tracepb.Span_SPAN_KIND_CLIENT {
			asked++
			if parent == nil {
				t.Errorf("nobody asked for %s", s)
			}
		}
	}
	if asked == 0 {
		t.Error("no statement was traced")
	}
	if log := p.log.String(); !strings.Contains(log, "trace_id="+traceOf(page)) ||
		!strings.Contains(log, `msg="outbound connection" purpose=traces to=`+strings.TrimPrefix(collector.URL, "http://")) {
		t.Error(log)
	}
}

func traceOf(s *tracepb.Span) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for _, b := range s.GetTraceId() {
		out.WriteByte(digits[b>>4])
		out.WriteByte(digits[b&15])
	}
	return out.String()
}

func TestWithoutACollectorNothingIsTraced(t *testing.T) {
	t.Parallel()
	c, err := ReadConfig(map[string]string{})
	if err != nil || c.statements() != nil || c.workTraces() != nil {
		t.Error(err, c.statements(), c.workTraces())
	}
	_, err = ReadConfig(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318",
		"OTEL_EXPORTER_OTLP_HEADERS": "secret", "OTEL_TRACES_SAMPLER_ARG": "2"})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Fatal(err)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER_ARG"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}
