// Package generic speaks to any provider that takes a message by one HTTP call, as its address says (source: follow-up,
// section 16). It must not know when messages go out.
package generic

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/sms"
	"debitdesk/models/sms/wire"
)

// Gateway implements sms.Gateway.
type Gateway struct {
	client  *wire.Client
	address string
	headers http.Header
	set     settings
}

// New takes https://key@host/path#settings. The part behind # is never sent: it holds the settings, each left out where
// the usual one fits. In the sandbox http is allowed, to this machine.
func New(u *url.URL, sandbox bool) (*Gateway, error) {
	set, err := read(u)
	if err != nil {
		return nil, err
	}
	to := *u
	to.User, to.Fragment, to.RawFragment = nil, "", ""
	g := &Gateway{client: wire.New(sandbox), address: to.String(), set: set, headers: http.Header{}}
	g.headers.Set("Accept", "application/json")
	g.headers.Set("Content-Type", "application/json")
	if set.form {
		g.headers.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if secret, pair := u.User.Password(); pair {
		r := http.Request{Header: g.headers}
		r.SetBasicAuth(u.User.Username(), secret)
	} else if key := u.User.Username(); key != "" {
		g.headers.Set(set.keyHeader, strings.TrimSpace(set.keyBefore+" "+key))
	}
	return g, nil
}

// Limits implements sms.Gateway.
func (g *Gateway) Limits() sms.Limits { return sms.Limits{Name: g.set.name, Repeats: g.set.repeats} }

// Send implements sms.Gateway.
func (g *Gateway) Send(ctx context.Context, m sms.Outgoing) (string, error) {
	to := m.To
	switch g.set.number {
	case "27":
		to = strings.TrimPrefix(to, "+")
	case "0":
		to = "0" + strings.TrimPrefix(to, "+27")
	}
	headers := g.headers.Clone()
	if g.set.onceHeader != "" {
		headers.Set(g.set.onceHeader, m.ID.String())
	}
	fields := map[string]string{g.set.to: to, g.set.text: m.Text, g.set.id: m.ID.String()}
	for name, value := range g.set.fixed {
		fields[name] = value
	}
	got, err := g.client.Send(ctx, http.MethodPost, g.address, headers, g.body(fields))
	if err != nil {
		return "", err
	}
	if got.Status >= 300 {
		return "", &sms.Refusal{Why: wire.Detail(got, g.set.errorAt)}
	}
	if why := wire.Text(got.Body, g.set.errorAt); why != "" {
		return "", &sms.Refusal{Why: why}
	}
	return wire.Text(got.Body, g.set.idAt), nil
}

func (g *Gateway) body(fields map[string]string) []byte {
	if !g.set.form {
		b, _ := json.Marshal(fields)
		return b
	}
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	return []byte(form.Encode())
}

// Reports implements sms.Gateway.
func (g *Gateway) Reports(c sms.Call) (out []sms.Report, err error) {
	list, err := g.list(c)
	for _, one := range list {
		state, known := g.set.states[strings.ToLower(wire.TextAt(one, g.set.reportState))]
		if !known {
			continue
		}
		r := sms.Report{ProviderID: wire.TextAt(one, g.set.reportProvider), State: state}
		r.ID, _ = uuid.Parse(wire.TextAt(one, g.set.reportID)) // one that is not ours is found by nothing
		if state.Unsent() {
			r.Why = wire.TextAt(one, g.set.reportWhy)
		}
		out = append(out, r)
	}
	return out, err
}

// Replies implements sms.Gateway.
func (g *Gateway) Replies(c sms.Call) (out []sms.Reply, err error) {
	list, err := g.list(c)
	for _, one := range list {
		r := sms.Reply{ProviderID: wire.TextAt(one, g.set.replyID), From: wire.TextAt(one, g.set.replyFrom),
			Text: wire.TextAt(one, g.set.replyText)}
		r.To, _ = uuid.Parse(wire.TextAt(one, g.set.replyTo))
		if r.ProviderID != "" && r.From != "" {
			out = append(out, r)
		}
	}
	return out, err
}

// list reads what the provider tells, one thing or a list, after its signature where there is one.
func (g *Gateway) list(c sms.Call) ([]any, error) {
	if g.set.signHeader != "" {
		mac := hmac.New(sha256.New, []byte(g.set.signKey))
		mac.Write(c.Body)
		got, err := hex.DecodeString(strings.TrimPrefix(c.Header(g.set.signHeader), "sha256="))
		if err != nil || !hmac.Equal(got, mac.Sum(nil)) {
			return nil, sms.ErrMalformed
		}
	}
	found, ok := wire.Find(c.Body, g.set.listAt)
	if !ok {
		return nil, sms.ErrMalformed
	}
	switch v := found.(type) {
	case []any:
		return v, nil
	case map[string]any:
		return []any{v}, nil
	}
	return nil, sms.ErrMalformed
}

// settings are what is different from provider to provider.
type settings struct {
	name                             string
	form                             bool
	number                           string // +27, 27 or 0
	to, text, id                     string // names of the fields
	fixed                            map[string]string
	keyHeader, keyBefore, onceHeader string
	repeats                          time.Duration
	idAt, errorAt, listAt            string // JSON pointers
	reportID, reportProvider         string
	reportState, reportWhy           string
	replyID, replyFrom               string
	replyText, replyTo               string
	states                           map[string]sms.State
	signHeader, signKey              string
}

// read takes the settings of an address. Every name that is not known is refused.
func read(u *url.URL) (s settings, err error) {
	if u.Host == "" {
		return s, errors.New("the address has no host")
	}
	s = settings{name: u.Hostname(), fixed: map[string]string{}, states: map[string]sms.State{"sent": sms.Sent,
		"delivered": sms.Delivered, "failed": sms.Failed, "expired": sms.Expired}}
	texts := map[string]struct {
		at    *string
		usual string
	}{"number": {&s.number, "+27"}, "to": {&s.to, "to"}, "text": {&s.text, "text"}, "id": {&s.id, "id"},
		"key_header": {&s.keyHeader, "Authorization"}, "key_before": {&s.keyBefore, "Bearer"},
		"once_header": {&s.onceHeader, ""}, "answer_id": {&s.idAt, "/id"}, "answer_error": {&s.errorAt, "/error"},
		"list": {&s.listAt, ""}, "report_id": {&s.reportID, "/id"}, "report_provider": {&s.reportProvider, "/provider_id"},
		"report_state": {&s.reportState, "/state"}, "report_why": {&s.reportWhy, "/why"}, "reply_id": {&s.replyID, "/id"},
		"reply_from": {&s.replyFrom, "/from"}, "reply_text": {&s.replyText, "/text"}, "reply_to": {&s.replyTo, "/to"},
		"sign_header": {&s.signHeader, ""}, "sign_key": {&s.signKey, ""}, "name": {&s.name, s.name}}
	for _, t := range texts {
		*t.at = t.usual
	}
	given, err := url.ParseQuery(u.EscapedFragment())
	if err != nil {
		return s, errors.New("the settings behind # cannot be read: write name=value&name=value")
	}
	for name, values := range given {
		value := values[len(values)-1]
		if t, known := texts[name]; known {
			*t.at = value
			continue
		}
		if err := s.other(name, value); err != nil {
			return s, err
		}
	}
	return s, s.check()
}

func (s *settings) other(name, value string) error {
	switch fixed, isFixed := strings.CutPrefix(name, "set."); {
	case isFixed:
		s.fixed[fixed] = value
		return nil
	case name == "body" && (value == "json" || value == "form"):
		s.form = value == "form"
		return nil
	case name == "once_hours":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 48 {
			return errors.New("once_hours is a number from 1 to 48")
		}
		s.repeats = time.Duration(n) * time.Hour
		return nil
	case name == "states":
		for _, pair := range strings.Split(value, ",") {
			theirs, ours, _ := strings.Cut(pair, ":")
			state := sms.State(ours)
			if theirs == "" || state != sms.Sent && state != sms.Delivered && state != sms.Failed && state != sms.Expired {
				return errors.New("states is a list such as DELIVRD:delivered,UNDELIV:failed")
			}
			s.states[strings.ToLower(theirs)] = state
		}
		return nil
	}
	return errors.New("the setting " + strconv.Quote(name) + " behind # is not known, or has no such value")
}

func (s *settings) check() error {
	switch {
	case s.number != "+27" && s.number != "27" && s.number != "0":
		return errors.New("number is +27, 27 or 0")
	case (s.signHeader == "") != (s.signKey == ""):
		return errors.New("sign_header and sign_key go together")
	case s.repeats > 0 && s.onceHeader == "":
		return errors.New("once_hours needs once_header")
	}
	return nil
}
