package generic_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/sms"
	"debitdesk/models/sms/generic"
	"debitdesk/models/sms/smstest"
)

// usual is a provider that the adapter understands without any setting.
func usual(t *testing.T) smstest.Provider {
	return smstest.Provider{
		Open: func(server *url.URL) (sms.Gateway, error) {
			u := *server
			u.User, u.Path = url.User("key"), "/send"
			return generic.New(&u, true)
		},
		Seen: func(r *http.Request, body []byte) smstest.Seen {
			var m map[string]string
			if err := json.Unmarshal(body, &m); err != nil || r.URL.String() != "/send" {
				t.Fatalf("%s: %s, %v", r.URL, body, err)
			}
			return smstest.Seen{Key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), ID: m["id"], To: m["to"],
				Text: m["text"]}
		},
		Take:   func(w http.ResponseWriter, id string) { _, _ = w.Write([]byte(`{"id":"` + id + `"}`)) },
		Refuse: func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"error":"no such number"}`)) },
		Reports: func(told ...smstest.Told) []byte {
			list := []map[string]any{}
			for _, r := range told {
				m := map[string]any{"provider_id": r.ProviderID, "state": r.State}
				if r.ID != uuid.Nil {
					m["id"] = r.ID
				}
				if r.State.Unsent() {
					m["why"] = "The phone is off."
				}
				list = append(list, m)
			}
			b, _ := json.Marshal(list)
			return b
		},
		Reply: func(id, from, text, _ string) []byte {
			b, _ := json.Marshal(map[string]string{"id": id, "from": from, "text": text})
			return b
		},
		Empty: [][]byte{[]byte(`[]`), []byte(`{}`), []byte(`[{"state":"queued"}]`)},
	}
}

func TestTheGenericAdapterKeepsThePromisesOfThePort(t *testing.T) { smstest.Exercise(t, usual(t)) }

// Every setting is another one than the usual.
func TestTheGenericAdapterFollowsItsSettings(t *testing.T) {
	p := usual(t)
	p.Open = func(server *url.URL) (sms.Gateway, error) {
		u, err := url.Parse(server.String() + "/api?v=2#body=form&number=27&to=msisdn&text=message&id=ref&set.from=ACME" +
			"&key_header=X-Key&key_before=&once_header=Idempotency-Key&once_hours=12&answer_id=/result/0/uid" +
			"&answer_error=/fault/reason&list=/data&report_id=/ref&report_provider=/uid&report_state=/dlr/code" +
			"&report_why=/dlr/text&reply_id=/uid&reply_from=/msisdn&reply_text=/message&reply_to=/ref" +
			"&states=DELIVRD:delivered,ACCEPTD:sent,UNDELIV:failed,EXPIRED:expired&sign_header=X-Signature&sign_key=s3cret")
		if err != nil {
			return nil, err
		}
		u.User = url.User("key")
		return generic.New(u, true)
	}
	p.Seen = func(r *http.Request, body []byte) smstest.Seen {
		form, err := url.ParseQuery(string(body))
		if err != nil || form.Get("from") != "ACME" || strings.HasPrefix(form.Get("msisdn"), "+") ||
			r.URL.String() != "/api?v=2" || r.Header.Get("Idempotency-Key") != form.Get("ref") {
			t.Errorf("%s: %s, %v", r.URL, body, err)
		}
		return smstest.Seen{Key: r.Header.Get("X-Key"), ID: form.Get("ref"), To: form.Get("msisdn"),
			Text: form.Get("message")}
	}
	p.Take = func(w http.ResponseWriter, id string) { _, _ = w.Write([]byte(`{"result":[{"uid":"` + id + `"}]}`)) }
	p.Refuse = func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"fault":{"reason":"no such number"}}`))
	}
	p.Reports = func(told ...smstest.Told) []byte {
		codes := map[sms.State]string{sms.Delivered: "DELIVRD", sms.Sent: "ACCEPTD", sms.Failed: "UNDELIV",
			sms.Expired: "EXPIRED"}
		list := []map[string]any{}
		for _, r := range told {
			m := map[string]any{"uid": r.ProviderID, "dlr": map[string]string{"code": codes[r.State],
				"text": "The phone is off."}}
			if r.ID != uuid.Nil {
				m["ref"] = r.ID
			}
			list = append(list, m)
		}
		b, _ := json.Marshal(map[string]any{"data": list})
		return b
	}
	p.Reply = func(id, from, text, _ string) []byte {
		b, _ := json.Marshal(map[string]any{"data": map[string]string{"uid": id, "msisdn": from, "message": text}})
		return b
	}
	p.Empty = [][]byte{[]byte(`{"data":[]}`)}
	p.Sign = func(body []byte) string {
		mac := hmac.New(sha256.New, []byte("s3cret"))
		mac.Write(body)
		return "sha256=" + hex.EncodeToString(mac.Sum(nil))
	}
	smstest.Exercise(t, p)
}

func TestAnUnsignedCallIsRefused(t *testing.T) {
	u, _ := url.Parse("https://key@sms.example/#sign_header=X-Signature&sign_key=s3cret")
	g, err := generic.New(u, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, signature := range []string{"", "sha256=00", "nonsense"} {
		if _, err := g.Reports(sms.Call{Body: []byte(`[]`), Header: func(string) string { return signature }}); err == nil {
			t.Errorf("%q was taken", signature)
		}
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	for _, wrong := range []string{"number=1", "body=xml", "colour=red", "once_hours=99&once_header=K", "once_hours=5",
		"sign_key=x", "states=DELIVRD", "states=X:gone", "%zz"} {
		u := &url.URL{Scheme: "https", Host: "sms.example", Fragment: wrong}
		if _, err := generic.New(u, false); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}

func TestAPrivateAddressIsNotCalled(t *testing.T) {
	u, _ := url.Parse("https://key@127.0.0.1:1/send")
	g, err := generic.New(u, false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Send(t.Context(), sms.Outgoing{ID: uuid.New(), To: smstest.Number, Text: "Hello"})
	if err == nil || !strings.Contains(err.Error(), "not public") || strings.Contains(err.Error(), "key") {
		t.Errorf("%v", err)
	}
}
