// Package smstest asks every adapter to a provider of short messages the same: the port promises it, whatever the
// provider's shapes are.
package smstest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/sms"
)

// Provider is what a provider looks like from outside.
type Provider struct {
	Open func(server *url.URL) (sms.Gateway, error) // the server speaks http on this machine
	// Seen reads what was handed over.
	Seen func(r *http.Request, body []byte) Seen
	// Take answers that a message was taken under an id, and Refuse that it was not.
	Take    func(w http.ResponseWriter, providerID string)
	Refuse  func(w http.ResponseWriter)
	Reports func(told ...Told) []byte
	Reply   func(providerID, from, text, toProvider string) []byte
	Empty   [][]byte                          // calls that tell nothing
	Sign    func(body []byte) (header string) // nil: nothing is signed
}

// Seen is what a provider understood of a message.
type Seen struct {
	Key, ID, To, Text string
	Unicode           bool // as far as the provider is told
}

// Told is a report as the provider tells it.
type Told struct {
	ID         uuid.UUID
	ProviderID string
	State      sms.State
}

// Number is the number to which the messages of the suite go.
const Number = "+27821234567"

type suite struct {
	*testing.T
	Provider
	gateway sms.Gateway
	answer  func(w http.ResponseWriter, r *http.Request, body []byte)
	calls   int
}

// Exercise runs the suite.
func Exercise(t *testing.T, p Provider) {
	for name, test := range map[string]func(*suite){
		"a message is taken":                   (*suite).taken,
		"a message is refused":                 (*suite).refused,
		"a busy provider says how long":        (*suite).busy,
		"what may be taken is not known":       (*suite).unknown,
		"what was not sent may be tried again": (*suite).unsent,
		"reports in any order":                 (*suite).reports,
		"replies":                              (*suite).replies,
		"calls that tell nothing":              (*suite).nothing,
		"calls that no provider makes":         (*suite).malformed,
	} {
		t.Run(name, func(t *testing.T) {
			s := &suite{T: t, Provider: p}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				s.calls++
				s.answer(w, r, body)
			}))
			t.Cleanup(server.Close)
			u, err := url.Parse(server.URL)
			s.must(err)
			s.gateway, err = p.Open(u)
			s.must(err)
			test(s)
		})
	}
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) send(text string) (m sms.Outgoing, id string, err error) {
	m = sms.Outgoing{ID: uuid.New(), To: Number, Text: text, Encoding: sms.CountOf(text).Encoding}
	id, err = s.gateway.Send(s.Context(), m)
	return m, id, err
}

func (s *suite) taken() {
	var seen Seen
	s.answer = func(w http.ResponseWriter, r *http.Request, body []byte) {
		seen = s.Seen(r, body)
		s.Take(w, "provider-1")
	}
	for _, text := range []string{"Pay R 100 at https://desk.example/p/1 & \"thanks\"\n€", "Môre, Thandi 😀"} {
		m, id, err := s.send(text)
		s.must(err)
		if id != "provider-1" || seen.ID != m.ID.String() || seen.Text != text || seen.Key == "" {
			s.Errorf("taken as %q: %+v", id, seen)
		}
		if got, ok := sms.Mobile(seen.To); !ok || got != Number {
			s.Errorf("to %q", seen.To)
		}
	}
	if s.gateway.Limits().Name == "" {
		s.Error("the provider has no name")
	}
}

func (s *suite) refused() {
	s.answer = func(w http.ResponseWriter, _ *http.Request, _ []byte) { s.Refuse(w) }
	_, _, err := s.send("Hello")
	var refusal *sms.Refusal
	if !errors.As(err, &refusal) || refusal.Why == "" {
		s.Errorf("refused with %v", err)
	}
}

func (s *suite) busy() {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		s.answer = func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
		}
		_, _, err := s.send("Hello")
		var busy *sms.Busy
		if !errors.As(err, &busy) || busy.After != 7*time.Second {
			s.Errorf("status %d: %v", status, err)
		}
	}
}

func (s *suite) unknown() {
	read := make(chan struct{})
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request, body []byte){
		"no answer after it was taken": func(_ http.ResponseWriter, r *http.Request, _ []byte) {
			close(read)
			<-r.Context().Done()
		},
		"a connection that ends": func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_ = conn.Close()
		},
		"a failure inside the provider": func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			w.WriteHeader(http.StatusBadGateway)
		},
	} {
		s.answer = answer
		ctx, cancel := context.WithCancel(s.Context())
		if strings.HasPrefix(name, "no answer") {
			go func() { <-read; cancel() }()
		}
		_, err := s.gateway.Send(ctx, sms.Outgoing{ID: uuid.New(), To: Number, Text: "Hello", Encoding: sms.GSM7})
		cancel()
		var unknown *sms.Unknown
		if !errors.As(err, &unknown) {
			s.Errorf("%s: %v", name, err)
		}
	}
}

func (s *suite) unsent() {
	passing := func(what string, err error) {
		var refusal *sms.Refusal
		var unknown *sms.Unknown
		if err == nil || errors.As(err, &refusal) || errors.As(err, &unknown) {
			s.Errorf("%s: %v", what, err)
		}
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired,
		http.StatusFound} {
		s.answer = func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}
		before := s.calls
		_, _, err := s.send("Hello")
		passing(http.StatusText(status), err)
		if s.calls != before+1 {
			s.Errorf("%d calls", s.calls-before)
		}
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	u, err := url.Parse(closed.URL)
	s.must(err)
	closed.Close()
	s.gateway, err = s.Open(u)
	s.must(err)
	_, _, err = s.send("Hello")
	passing("no one listens", err)
}

func (s *suite) call(body []byte) sms.Call {
	signature := ""
	if s.Sign != nil {
		signature = s.Sign(body)
	}
	return sms.Call{Body: body, Header: func(string) string { return signature }}
}

// reports may come twice and in any order: the adapter gives them as they are told, and what moves is decided
// elsewhere.
func (s *suite) reports() {
	id := uuid.New()
	told := []Told{{id, "p-1", sms.Delivered}, {id, "p-1", sms.Sent}, {id, "p-1", sms.Failed}, {id, "p-1", sms.Delivered},
		{uuid.Nil, "p-2", sms.Expired}}
	got, err := s.gateway.Reports(s.call(s.Reports(told...)))
	s.must(err)
	if len(got) != len(told) {
		s.Fatalf("%d reports of %d: %+v", len(got), len(told), got)
	}
	for i, r := range got {
		if r.ID != told[i].ID || r.ProviderID != told[i].ProviderID || r.State != told[i].State {
			s.Errorf("%+v was read as %+v", told[i], r)
		}
		if r.State.Unsent() != (r.Why != "") {
			s.Errorf("%s because of %q", r.State, r.Why)
		}
	}
	if replies, err := s.gateway.Replies(s.call(s.Reports(told...))); err != nil || len(replies) != 0 {
		s.Errorf("reports were read as replies %+v, %v", replies, err)
	}
}

func (s *suite) replies() {
	got, err := s.gateway.Replies(s.call(s.Reply("r-1", "27821234567", "STOP", "p-1")))
	s.must(err)
	if len(got) != 1 || got[0].ProviderID != "r-1" || got[0].Text != "STOP" || sms.WishOf(got[0].Text) != sms.Stop {
		s.Fatalf("read as %+v", got)
	}
	if from, ok := sms.Mobile(got[0].From); !ok || from != Number {
		s.Errorf("from %q", got[0].From)
	}
	if reports, err := s.gateway.Reports(s.call(s.Reply("r-1", "27821234567", "STOP", "p-1"))); err != nil ||
		len(reports) != 0 {
		s.Errorf("a reply was read as reports %+v, %v", reports, err)
	}
}

func (s *suite) nothing() {
	for _, body := range s.Empty {
		reports, err := s.gateway.Reports(s.call(body))
		replies, wrong := s.gateway.Replies(s.call(body))
		if err != nil || wrong != nil || len(reports) != 0 || len(replies) != 0 {
			s.Errorf("%s: %v, %v, %v, %v", body, reports, replies, err, wrong)
		}
	}
}

func (s *suite) malformed() {
	for _, body := range []string{"", "hello", "7", `"text"`, `<xml/>`} {
		_, err := s.gateway.Reports(s.call([]byte(body)))
		_, wrong := s.gateway.Replies(s.call([]byte(body)))
		if !errors.Is(err, sms.ErrMalformed) || !errors.Is(wrong, sms.ErrMalformed) {
			s.Errorf("%q: %v, %v", body, err, wrong)
		}
	}
}
