// Package smtp hands mails to a relay by SMTP. It knows addresses, encryption and
// what a relay's answers mean; it must not know the outbox or how often to try.
package smtp

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
	gosmtp "github.com/wneessen/go-mail/smtp"

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

	mu   sync.Mutex
	idle []*line
}

var _ mail.Sender = (*Relay)(nil)

// New reads an address such as smtp://user:pass@relay.example.com:587 (STARTTLS;
// demanded unless the relay is this machine) or smtps://… (TLS from the start,
// port 465). The sender is ?from=Name <billing@example.com>, else the user when it
// is an address, else no-reply at host. Host is the product's public name or address;
// message ids carry it. Errors never repeat the password.
func New(address, host string) (*Relay, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("the mail relay's address must look like smtp://user:pass@host:587")
	}
	r := &Relay{server: u.Hostname(), host: publicName(host),
		tls: &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}}
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
			return nil, fmt.Errorf("the mail relay's port %q is not a number", p)
		}
	}
	r.options = append(r.options, gomail.WithPort(port))
	if user := u.User.Username(); user != "" {
		password, _ := u.User.Password()
		r.options = append(r.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(user),
			gomail.WithPassword(password))
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
			return netmail.Address{}, fmt.Errorf("the sender %q is not a mail address", text)
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
	if u, err := url.Parse(host); err == nil && u.Host != "" {
		host = u.Host
	}
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
// address, is a mail.Refusal; everything else may pass. Conversations that went
// well are used again.
func (r *Relay) Send(ctx context.Context, m mail.Mail, last mail.LastByte) error {
	msg, err := r.message(m)
	if err != nil {
		return &mail.Refusal{Err: err}
	}
	for {
		l, err := r.line(ctx)
		if err != nil {
			return err
		}
		used := !l.spoken.IsZero()
		stop := context.AfterFunc(ctx, l.hangUp)
		begun, err := l.deliver(msg, last)
		if !stop() || err != nil {
			l.close()
		} else {
			l.keep()
		}
		if err == nil || begun || !used {
			return err
		}
		// The relay hung up on a conversation that had waited: a new one.
	}
}

// deliver says one mail. Begun tells that the relay had taken up its sender.
func (l *line) deliver(msg *gomail.Msg, last mail.LastByte) (begun bool, err error) {
	c := l.client
	if err := c.UpdateDeadline(timeout); err != nil {
		return false, err
	}
	from, err := msg.GetSender(false)
	if err != nil {
		return true, &mail.Refusal{Err: err}
	}
	to, err := msg.GetRecipients()
	if err != nil {
		return true, &mail.Refusal{Err: err}
	}
	if err := c.Mail(from); err != nil {
		return false, fmt.Errorf("sender %s: %w", from, err)
	}
	for _, rcpt := range to {
		if err := c.Rcpt(rcpt); err != nil {
			return true, lastWord(fmt.Errorf("recipient %s: %w", rcpt, err))
		}
	}
	w, err := c.Data()
	if err != nil {
		return true, lastWord(fmt.Errorf("content: %w", err))
	}
	l.open = true
	if _, err := msg.WriteTo(w); err != nil {
		return true, fmt.Errorf("content: %w", err)
	}
	if err := last.May(); err != nil {
		return true, err // hanging up now leaves the relay without an end, and so without a mail
	}
	l.open = false
	return true, lastWord(l.end(w, last))
}

// end lets the last byte go, and tells of it before it waits for the answer. The
// byte is held back until it was told: were the relay woken first, it could run,
// and we be killed, before we had told.
func (l *line) end(w io.WriteCloser, last mail.LastByte) error {
	content, ok := w.(*gosmtp.DataCloser)
	if !ok {
		return fmt.Errorf("content: the mail library writes by %T", w)
	}
	cork(l.conn, true)
	err := content.WriteCloser.Close()
	if err == nil {
		last.Gone()
	}
	cork(l.conn, false)
	if err == nil {
		_, _, err = l.client.Text.ReadResponse(250)
	}
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	return nil
}

func lastWord(err error) error {
	if refused(err) {
		return &mail.Refusal{Err: err}
	}
	return err
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
		if err := msg.AttachReader(a.Name, bytes.NewReader(a.Content),
			gomail.WithFileContentType(gomail.ContentType(a.Type))); err != nil {
			return nil, fmt.Errorf("attach %s: %w", a.Name, err)
		}
	}
	return msg, nil
}
