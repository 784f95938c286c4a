// Package smtp hands mails to a relay by SMTP. It knows addresses, encryption and
// what a relay's answers mean; it must not know the outbox or how often to try.
package smtp

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"debitdesk/models/mail"
)

// timeout bounds one conversation with the relay.
const timeout = 30 * time.Second

// Relay is one mail server that takes our mails.
type Relay struct {
	server  string // host name without port
	from    netmail.Address
	host    string // right side of message ids
	options []gomail.Option
	tls     *tls.Config
	secure  bool // TLS from the first byte
}

var _ mail.Sender = (*Relay)(nil)

// New reads an address such as smtp://user:pass@relay.example.com:587 (STARTTLS;
// demanded unless the relay is this machine) or smtps://… (TLS from the start,
// port 465). The sender is ?from=Name <billing@example.com>, else the user when it
// is an address, else no-reply at host. Host is the product's public name; message
// ids carry it. Errors never repeat the password.
func New(address, host string) (*Relay, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("the mail relay's address must look like smtp://user:pass@host:587")
	}
	r := &Relay{server: u.Hostname(), host: publicName(host), tls: &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}}
	r.options = []gomail.Option{gomail.WithTimeout(timeout), gomail.WithoutNoop(), gomail.WithTLSConfig(r.tls)}
	port := 587
	switch u.Scheme {
	case "smtp":
		policy := gomail.TLSMandatory
		if local(r.server) {
			policy = gomail.TLSOpportunistic
		}
		r.options = append(r.options, gomail.WithTLSPolicy(policy))
	case "smtps":
		port, r.secure = 465, true
		r.options = append(r.options, gomail.WithTLSPolicy(gomail.TLSOpportunistic)) // there is TLS already
	default:
		return nil, fmt.Errorf("the mail relay's address begins with smtp:// or smtps://, not %s://", u.Scheme)
	}
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil {
			return nil, fmt.Errorf("the mail relay's port %q is no number", p)
		}
	}
	r.options = append(r.options, gomail.WithPort(port))
	if user := u.User.Username(); user != "" {
		password, _ := u.User.Password()
		r.options = append(r.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(user), gomail.WithPassword(password))
	}
	if r.from, err = sender(u, r.host); err != nil {
		return nil, err
	}
	if _, err := gomail.NewClient(r.server, r.options...); err != nil {
		return nil, fmt.Errorf("mail relay: %w", err)
	}
	return r, nil
}

func sender(u *url.URL, host string) (netmail.Address, error) {
	if text := u.Query().Get("from"); text != "" {
		from, err := netmail.ParseAddress(text)
		if err != nil {
			return netmail.Address{}, fmt.Errorf("the sender %q is no mail address", text)
		}
		return *from, nil
	}
	if from, err := netmail.ParseAddress(u.User.Username()); err == nil {
		return *from, nil
	}
	return netmail.Address{Address: "no-reply@" + host}, nil
}

// publicName is the name that stands behind the @; an address literal where the
// product has no name.
func publicName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if net.ParseIP(host) != nil {
		return "[" + host + "]"
	}
	if host == "" {
		return "localhost"
	}
	return host
}

func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Send implements mail.Sender. A relay's last word, or a recipient that is no
// address, is a mail.Refusal; everything else may pass.
func (r *Relay) Send(ctx context.Context, m mail.Mail) error {
	msg, err := r.message(m)
	if err != nil {
		return &mail.Refusal{Err: err}
	}
	line := &line{relay: r}
	defer line.close()
	// A client is new for every mail: a conversation belongs to one goroutine.
	client, err := gomail.NewClient(r.server, append(slices.Clone(r.options), gomail.WithDialContextFunc(line.dial))...)
	if err != nil {
		return fmt.Errorf("mail relay: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, msg)
	switch {
	case msg.IsDelivered(): // a farewell that went wrong takes nothing back
		return nil
	case refused(err):
		return &mail.Refusal{Err: err}
	}
	return err
}

// line is the connection of one conversation. The library leaves it open when the
// greeting, the encryption or the sign-in fails, so we hold it
// ourselves.
type line struct {
	relay  *Relay
	hangUp func()
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var conn net.Conn
	var err error
	if l.relay.secure {
		conn, err = (&tls.Dialer{Config: l.relay.tls}).DialContext(ctx, network, address)
	} else {
		conn, err = (&net.Dialer{}).DialContext(ctx, network, address)
	}
	if err == nil {
		l.hangUp = func() { _ = conn.Close() }
	}
	return conn, err
}

func (l *line) close() {
	if l.hangUp != nil {
		l.hangUp()
	}
}

// refused tells the 5xx that concerns this mail: a recipient or the content. A 5xx
// about our sign-in or our sender is a matter of configuration, which people mend.
func refused(err error) bool {
	var s *gomail.SendError
	if !errors.As(err, &s) || s.ErrorCode() < 500 {
		return false
	}
	return s.Reason == gomail.ErrSMTPRcptTo || s.Reason == gomail.ErrSMTPData || s.Reason == gomail.ErrSMTPDataClose
}

func (r *Relay) message(m mail.Mail) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&r.from)
	for _, row := range []struct {
		set func(...string) error
		to  []string
	}{{msg.To, []string{m.To}}, {msg.Cc, m.CC}, {msg.Bcc, m.BCC}} {
		if len(row.to) == 0 {
			continue
		}
		if err := row.set(row.to...); err != nil {
			return nil, fmt.Errorf("address the mail: %w", err)
		}
	}
	msg.Subject(strings.Join(strings.Fields(m.Subject), " ")) // one line, whatever a name held
	msg.SetMessageIDWithValue(m.ID.String() + "@" + r.host)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	for _, a := range m.Attachments {
		if err := msg.AttachReader(a.Name, bytes.NewReader(a.Content), gomail.WithFileContentType(gomail.ContentType(a.Type))); err != nil {
			return nil, fmt.Errorf("attach %s: %w", a.Name, err)
		}
	}
	return msg, nil
}
