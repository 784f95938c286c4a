// Package clickatell speaks to Clickatell by its One API (source: follow-up, section 16). It must not know when
// messages go out.
package clickatell

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/sms"
	"debitdesk/models/sms/wire"
)

// Gateway implements sms.Gateway. The provider knows no message again, so none is handed over twice.
type Gateway struct {
	client  *wire.Client
	address string
	headers http.Header
}

// New takes clickatell://key@host. In the sandbox the host may be on this machine, spoken to without TLS when the
// address ends with ?plain=yes.
func New(u *url.URL, sandbox bool) (*Gateway, error) {
	key := u.User.Username()
	if u.Host == "" || key == "" {
		return nil, errors.New("write it as clickatell://key@platform.clickatell.com")
	}
	return &Gateway{client: wire.New(sandbox), address: wire.Base(u, sandbox) + "/v1/message",
		headers: http.Header{"Authorization": {key}, "Content-Type": {"application/json"},
			"Accept": {"application/json"}}}, nil
}

// Limits implements sms.Gateway.
func (g *Gateway) Limits() sms.Limits { return sms.Limits{Name: "Clickatell"} }

type outgoing struct {
	Channel string `json:"channel"`
	To      string `json:"to"`
	Content string `json:"content"`
	OurID   string `json:"clientMessageId"`
}

type answer struct {
	Messages []struct {
		ID       string          `json:"apiMessageId"`
		Accepted bool            `json:"accepted"`
		Error    json.RawMessage `json:"error"`
	} `json:"messages"`
	Error json.RawMessage `json:"error"`
}

// Send implements sms.Gateway. One answer may take some messages and refuse others, so the message itself is looked at.
func (g *Gateway) Send(ctx context.Context, m sms.Outgoing) (string, error) {
	body, _ := json.Marshal(map[string]any{"messages": []outgoing{{Channel: "sms", To: strings.TrimPrefix(m.To, "+"),
		Content: m.Text, OurID: m.ID.String()}}})
	got, err := g.client.Send(ctx, http.MethodPost, g.address, g.headers, body)
	if err != nil {
		return "", err
	}
	var a answer
	readable := json.Unmarshal(got.Body, &a) == nil
	switch {
	case readable && len(a.Messages) == 1 && a.Messages[0].Accepted:
		return a.Messages[0].ID, nil
	case readable && len(a.Messages) == 1:
		return "", &sms.Refusal{Why: wire.Detail(got, "/messages/0/error/description", "/messages/0/error/code",
			"/messages/0/error")}
	case got.Status >= 300:
		return "", &sms.Refusal{Why: wire.Detail(got, "/error/description", "/error/code", "/error")}
	}
	return "", &sms.Unknown{Err: errors.New("the answer of the provider cannot be read")}
}

type event struct {
	Event *struct {
		Updates []struct {
			ID     string `json:"messageId"`
			OurID  string `json:"clientMessageId"`
			Status string `json:"status"`
		} `json:"messageStatusUpdate"`
		Texts []struct {
			ID      string `json:"messageId"`
			From    string `json:"from"`
			Content string `json:"content"`
			SentID  string `json:"relatedMessageId"`
			OurID   string `json:"relatedClientMessageId"`
		} `json:"moText"`
	} `json:"event"`
}

var states = map[string]sms.State{"SENT_TO_SUPPLIER": sms.Sent, "DEVICE_ACK": sms.Delivered, "READ": sms.Delivered,
	"EXPIRED": sms.Expired, "DELIVERY_FAILURE": sms.Failed, "STOPPED_BY_USER": sms.Failed,
	"STOPPED_BY_ADMIN": sms.Failed, "VOLUME_LIMIT": sms.Failed, "ROUTING_ERROR": sms.Failed}

var reasons = map[string]string{"EXPIRED": "The phone was off or out of reach for too long.",
	"DELIVERY_FAILURE": "The network could not deliver it.", "STOPPED_BY_USER": "The number is blocked at the provider.",
	"STOPPED_BY_ADMIN": "The provider stopped it.", "VOLUME_LIMIT": "The limit of the account at the provider is reached.",
	"ROUTING_ERROR": "The provider has no way to this number."}

// Reports implements sms.Gateway.
func (g *Gateway) Reports(c sms.Call) (out []sms.Report, err error) {
	e, err := read(c)
	if err != nil || e.Event == nil {
		return nil, err
	}
	for _, u := range e.Event.Updates {
		if state, known := states[u.Status]; known {
			r := sms.Report{ProviderID: u.ID, State: state, Why: reasons[u.Status]}
			r.ID, _ = uuid.Parse(u.OurID) // one that is not ours is found by nothing
			out = append(out, r)
		}
	}
	return out, nil
}

// Replies implements sms.Gateway.
func (g *Gateway) Replies(c sms.Call) (out []sms.Reply, err error) {
	e, err := read(c)
	if err != nil || e.Event == nil {
		return nil, err
	}
	for _, m := range e.Event.Texts {
		r := sms.Reply{ProviderID: m.ID, From: m.From, Text: m.Content, ToProvider: m.SentID}
		r.To, _ = uuid.Parse(m.OurID)
		out = append(out, r)
	}
	return out, nil
}

func read(c sms.Call) (e event, err error) {
	if json.Unmarshal(c.Body, &e) != nil {
		return e, sms.ErrMalformed
	}
	return e, nil
}
