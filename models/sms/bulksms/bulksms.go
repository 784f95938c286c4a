// Package bulksms speaks to BulkSMS by its JSON API (source: follow-up, section 16). It must not know when messages go
// out.
package bulksms

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/sms"
	"debitdesk/models/sms/wire"
)

// repeats is for how long the provider knows a message again; it says about twelve hours.
const repeats = 11 * time.Hour

// Gateway implements sms.Gateway and sms.Confirmer.
type Gateway struct {
	client  *wire.Client
	base    string
	headers http.Header
}

var _ sms.Confirmer = (*Gateway)(nil)

// New takes bulksms://id:secret@host. In the sandbox the host may be on this machine, spoken to without TLS when the
// address ends with ?plain=yes.
func New(u *url.URL, sandbox bool) (*Gateway, error) {
	secret, has := u.User.Password()
	if u.Host == "" || !has || u.User.Username() == "" || secret == "" {
		return nil, errors.New("write it as bulksms://id:secret@api.bulksms.com")
	}
	pair := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + secret))
	return &Gateway{client: wire.New(sandbox), base: wire.Base(u, sandbox) + "/v1/messages",
		headers: http.Header{"Authorization": {"Basic " + pair}, "Content-Type": {"application/json"},
			"Accept": {"application/json"}}}, nil
}

// Limits implements sms.Gateway.
func (g *Gateway) Limits() sms.Limits { return sms.Limits{Name: "BulkSMS", Repeats: repeats} }

type outgoing struct {
	To       string  `json:"to"`
	Body     string  `json:"body"`
	From     address `json:"from"`
	Encoding string  `json:"encoding"`
	Parts    int     `json:"longMessageMaxParts"`
	OurID    string  `json:"userSuppliedId"`
}

type address struct {
	Type string `json:"type"`
}

type message struct {
	ID     string `json:"id"`
	Type   string `json:"type"` // SENT or RECEIVED
	From   string `json:"from"`
	Body   string `json:"body"`
	OurID  string `json:"userSuppliedId"`
	SentID string `json:"relatedSentMessageId"`
	Status struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"status"`
}

// Send implements sms.Gateway. An own sender would not let clients answer, so the number is the provider's.
func (g *Gateway) Send(ctx context.Context, m sms.Outgoing) (string, error) {
	encoding := "TEXT"
	if m.Encoding == sms.UCS2 {
		encoding = "UNICODE"
	}
	body, _ := json.Marshal(outgoing{To: m.To, Body: m.Text, From: address{"REPLIABLE"}, Encoding: encoding,
		Parts: max(sms.CountOf(m.Text).Parts, 1), OurID: m.ID.String()})
	answer, err := g.client.Send(ctx, http.MethodPost, g.base+"?deduplication-id="+once(m.ID), g.headers, body)
	if err != nil {
		return "", err
	}
	if answer.Status >= 300 {
		return "", &sms.Refusal{Why: wire.Detail(answer, "/detail", "/title")}
	}
	var taken []message
	if err := json.Unmarshal(answer.Body, &taken); err != nil || len(taken) != 1 {
		return "", &sms.Unknown{Err: errors.New("the answer of the provider cannot be read")}
	}
	if taken[0].Status.Type == "FAILED" {
		return "", &sms.Refusal{Why: why(taken[0].Status.ID)}
	}
	return taken[0].ID, nil
}

// once is a number by which the provider knows a message again.
func once(id uuid.UUID) string {
	return strconv.FormatUint((binary.BigEndian.Uint64(id[:8])^binary.BigEndian.Uint64(id[8:]))>>1, 10)
}

var states = map[string]sms.State{"SENT": sms.Sent, "DELIVERED": sms.Delivered, "FAILED": sms.Failed}

// Reports implements sms.Gateway: a list of messages, which is empty when the address is registered.
func (g *Gateway) Reports(c sms.Call) (out []sms.Report, err error) {
	list, err := read(c)
	for _, m := range list {
		state, known := states[m.Status.Type]
		if m.Type == "RECEIVED" || !known {
			continue
		}
		r := sms.Report{ProviderID: m.ID, State: state}
		r.ID, _ = uuid.Parse(m.OurID) // one that is not ours is found by nothing
		if state == sms.Failed {
			r.Why = why(m.Status.ID)
			if m.Status.ID == "FAILED.EXPIRED" {
				r.State = sms.Expired
			}
		}
		out = append(out, r)
	}
	return out, err
}

func why(id string) string {
	switch id {
	case "FAILED.BLOCKED":
		return "The number is blocked at the provider."
	case "FAILED.EXPIRED":
		return "The phone was off or out of reach for too long."
	case "FAILED.NOT_SENT":
		return "The provider did not send it."
	}
	return "The provider says: " + id + "."
}

// Replies implements sms.Gateway.
func (g *Gateway) Replies(c sms.Call) (out []sms.Reply, err error) {
	list, err := read(c)
	for _, m := range list {
		if m.Type == "RECEIVED" {
			out = append(out, sms.Reply{ProviderID: m.ID, From: m.From, Text: m.Body, ToProvider: m.SentID})
		}
	}
	return out, err
}

func read(c sms.Call) (list []message, err error) {
	if json.Unmarshal(c.Body, &list) != nil {
		return nil, sms.ErrMalformed
	}
	return list, nil
}

// Confirm implements sms.Confirmer: it asks for the reply by its id.
func (g *Gateway) Confirm(ctx context.Context, r sms.Reply) (bool, error) {
	answer, err := g.client.Get(ctx, g.base+"/"+url.PathEscape(r.ProviderID), g.headers)
	switch {
	case err != nil:
		return false, err
	case answer.Status == http.StatusNotFound || answer.Status == http.StatusBadRequest:
		return false, nil
	case answer.Status != http.StatusOK:
		return false, errors.New("the provider answered " + strconv.Itoa(answer.Status))
	}
	var m message
	if err := json.Unmarshal(answer.Body, &m); err != nil {
		return false, errors.New("the answer of the provider cannot be read")
	}
	return m.ID == r.ProviderID && m.Type == "RECEIVED" && m.From == r.From && m.Body == r.Text, nil
}
