package clickatell_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/sms"
	"debitdesk/models/sms/clickatell"
	"debitdesk/models/sms/smstest"
)

func TestClickatellKeepsThePromisesOfThePort(t *testing.T) {
	smstest.Exercise(t, smstest.Provider{
		Open: func(server *url.URL) (sms.Gateway, error) {
			return clickatell.New(&url.URL{Scheme: "clickatell", User: url.User("key"), Host: server.Host,
				RawQuery: "plain=yes"}, true)
		},
		Seen: func(r *http.Request, body []byte) smstest.Seen {
			var m struct {
				Messages []struct{ Channel, To, Content, ClientMessageID string }
			}
			if err := json.Unmarshal(body, &m); err != nil || len(m.Messages) != 1 || m.Messages[0].Channel != "sms" ||
				r.URL.Path != "/v1/message" || strings.HasPrefix(m.Messages[0].To, "+") {
				t.Fatalf("%s: %s, %v", r.URL, body, err)
			}
			if r.Header.Get("Authorization") != "key" {
				t.Errorf("authorised by %q", r.Header.Get("Authorization"))
			}
			one := m.Messages[0]
			return smstest.Seen{Key: r.Header.Get("Authorization"), ID: one.ClientMessageID, To: one.To, Text: one.Content}
		},
		Take: func(w http.ResponseWriter, id string) {
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte(`{"messages":[{"apiMessageId":"` + id +
				`","accepted":true,"to":"27821234567","error":null}],"error":null}`))
		},
		Refuse: func(w http.ResponseWriter) { // the call is fine, and its message is not
			w.WriteHeader(http.StatusMultiStatus)
			_, _ = w.Write([]byte(`{"messages":[{"apiMessageId":null,"accepted":false,"to":"27821234567",
				"error":{"code":105,"description":"Invalid destination address"}}],"error":null}`))
		},
		Reports: func(told ...smstest.Told) []byte {
			names := map[sms.State]string{sms.Delivered: "DEVICE_ACK", sms.Sent: "SENT_TO_SUPPLIER",
				sms.Failed: "DELIVERY_FAILURE", sms.Expired: "EXPIRED"}
			list := []map[string]any{}
			for _, r := range told {
				u := map[string]any{"channel": "sms", "messageId": r.ProviderID, "status": names[r.State]}
				if r.ID != uuid.Nil {
					u["clientMessageId"] = r.ID
				}
				list = append(list, u)
			}
			b, _ := json.Marshal(map[string]any{"event": map[string]any{"messageStatusUpdate": list}})
			return b
		},
		Reply: func(id, from, text, to string) []byte {
			b, _ := json.Marshal(map[string]any{"event": map[string]any{"moText": []map[string]any{{"channel": "sms",
				"messageId": id, "from": from, "content": text, "relatedMessageId": to}}}})
			return b
		},
		Empty: [][]byte{[]byte(`{}`), []byte(`{"event":{}}`), []byte(`{"event":{"messageStatusUpdate":[]}}`),
			[]byte(`{"event":{"messageStatusUpdate":[{"messageId":"1","status":"QUEUED"}]}}`)},
	})
}

func TestClickatellTakesAKey(t *testing.T) {
	for _, wrong := range []string{"clickatell://platform.clickatell.com", "clickatell://key@"} {
		u, _ := url.Parse(wrong)
		if _, err := clickatell.New(u, false); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}
