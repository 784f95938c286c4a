package collector_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"debitdesk/models/outbound/collector"
)

func TestTracesAreHandedOverAndTriedAgainWhereTheCollectorSaysSo(t *testing.T) {
	t.Parallel()
	answers := []int{http.StatusServiceUnavailable, http.StatusOK}
	var got tracepb.TracesData
	var asked []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := proto.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(answers[len(asked)])
		asked = append(asked, r)
	}))
	defer server.Close()
	c, err := collector.New(server.URL, "Authorization=Basic%20YTpi, x-scope = desk")
	if err != nil {
		t.Fatal(err)
	}
	spans := []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{Name: "GET /"}}}}}}
	if err := c.UploadTraces(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 2 {
		t.Fatalf("%d calls", len(asked))
	}
	r := asked[1]
	if r.URL.Path != "/v1/traces" || r.Header.Get("Authorization") != "Basic YTpi" || r.Header.Get("X-Scope") != "desk" ||
		r.Header.Get("Content-Type") != "application/x-protobuf" {
		t.Error(r.URL, r.Header)
	}
	if got.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0].GetName() != "GET /" {
		t.Error(got.String())
	}
}

func TestACollectorThatRefusesIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	c, err := collector.New(server.URL+"/otlp/", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UploadTraces(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "401") || asked != 1 {
		t.Error(err, asked)
	}
}

func TestWhatCannotBeAnAddressOrHeadersIsRefusedWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "collector:4318", "ftp://secret", "http://", "://secret"} {
		if _, err := collector.New(address, ""); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, headers := range []string{"secret", "=secret", "a=%zzsecret"} {
		if _, err := collector.New("http://127.0.0.1:4318", headers); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", headers, err)
		}
	}
}
