package bulksms_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/sms"
	"debitdesk/models/sms/bulksms"
	"debitdesk/models/sms/smstest"
)

func open(server *url.URL) (*bulksms.Gateway, error) {
	return bulksms.New(&url.URL{Scheme: "bulksms", User: url.UserPassword("id", "secret"), Host: server.Host,
		RawQuery: "plain=yes"}, true)
}

func TestBulkSMSKeepsThePromisesOfThePort(t *testing.T) {
	once := map[string]bool{}
	smstest.Exercise(t, smstest.Provider{
		Open: func(server *url.URL) (sms.Gateway, error) { return open(server) },
		Seen: func(r *http.Request, body []byte) smstest.Seen {
			var m struct {
				To, Body, Encoding, UserSuppliedID string
				From                               struct{ Type string }
				LongMessageMaxParts                int
			}
			if err := json.Unmarshal(body, &m); err != nil || m.From.Type != "REPLIABLE" || m.LongMessageMaxParts < 1 {
				t.Errorf("%s: %v", body, err)
			}
			key := r.URL.Query().Get("deduplication-id")
			if key == "" || once[key] || r.URL.Path != "/v1/messages" || r.Method != http.MethodPost {
				t.Errorf("%s %s", r.Method, r.URL)
			}
			once[key] = true
			id, secret, _ := r.BasicAuth()
			if text := sms.CountOf(m.Body).Encoding == sms.GSM7; text != (m.Encoding == "TEXT") {
				t.Errorf("%q goes as %s", m.Body, m.Encoding)
			}
			return smstest.Seen{Key: id + secret, ID: m.UserSuppliedID, To: m.To, Text: m.Body}
		},
		Take: func(w http.ResponseWriter, id string) {
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`[{"id":"` + id + `","type":"SENT","status":{"id":"ACCEPTED.null","type":"ACCEPTED"}}]`))
		},
		Refuse: func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"type":"…","title":"Bad Request","status":400,"detail":"The number is not valid."}`))
		},
		Reports: func(told ...smstest.Told) []byte {
			list := []map[string]any{}
			ids := map[sms.State]string{sms.Delivered: "DELIVERED.null", sms.Sent: "SENT.null", sms.Failed: "FAILED.BLOCKED",
				sms.Expired: "FAILED.EXPIRED"}
			types := map[sms.State]string{sms.Delivered: "DELIVERED", sms.Sent: "SENT", sms.Failed: "FAILED",
				sms.Expired: "FAILED"}
			for _, r := range told {
				m := map[string]any{"id": r.ProviderID, "type": "SENT", "status": map[string]any{"id": ids[r.State],
					"type": types[r.State]}}
				if r.ID != uuid.Nil {
					m["userSuppliedId"] = r.ID
				}
				list = append(list, m)
			}
			b, _ := json.Marshal(list)
			return b
		},
		Reply: func(id, from, text, to string) []byte {
			b, _ := json.Marshal([]map[string]any{{"id": id, "type": "RECEIVED", "from": from, "body": text,
				"relatedSentMessageId": to}})
			return b
		},
		Empty: [][]byte{[]byte(`[]`), []byte(`[{"id":"1","type":"SENT","status":{"type":"SCHEDULED"}}]`)},
	})
}

func TestAReplyIsLookedUp(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/messages/r-1":
			_, _ = w.Write([]byte(`{"id":"r-1","type":"RECEIVED","from":"27821234567","body":"STOP"}`))
		case "/v1/messages/r-2":
			http.NotFound(w, r)
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	u, _ := url.Parse(server.URL)
	g, err := open(u)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id, text string
		sure, ok bool
	}{{"r-1", "STOP", true, true}, {"r-1", "Hello", false, true}, {"r-2", "STOP", false, true},
		{"r-3", "STOP", false, false}} {
		sure, err := g.Confirm(t.Context(), sms.Reply{ProviderID: c.id, From: "27821234567", Text: c.text})
		if sure != c.sure || (err == nil) != c.ok {
			t.Errorf("%s, %s: %t, %v", c.id, c.text, sure, err)
		}
	}
}

func TestBulkSMSKnowsAMessageAgain(t *testing.T) {
	u, _ := url.Parse("bulksms://id:secret@api.bulksms.com")
	g, err := bulksms.New(u, false)
	if err != nil || g.Limits().Repeats < time.Hour {
		t.Errorf("%+v, %v", g.Limits(), err)
	}
	for _, wrong := range []string{"bulksms://api.bulksms.com", "bulksms://id@api.bulksms.com", "bulksms://id:secret@"} {
		u, _ := url.Parse(wrong)
		if _, err := bulksms.New(u, false); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}
