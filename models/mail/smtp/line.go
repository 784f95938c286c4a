package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"slices"
	"time"

	gomail "github.com/wneessen/go-mail"
	gosmtp "github.com/wneessen/go-mail/smtp"

	"debitdesk/models/outbound"
)

// idleFor is how long an open conversation is worth keeping; relays hang up on
// their own after a minute or more.
const idleFor = 10 * time.Second

// mostIdle is how many open conversations wait for another mail.
const mostIdle = 4

// line is one conversation with the relay, for one mail after another.
type line struct {
	relay  *Relay
	client *gosmtp.Client
	conn   net.Conn // below the encryption
	hangUp func()
	open   bool      // in the middle of a mail's content: the next command would end it
	spoken time.Time // when it was last used, in real time
}

// line takes an open conversation that waits, or begins one.
func (r *Relay) line(ctx context.Context) (*line, error) {
	r.mu.Lock()
	for len(r.idle) > 0 {
		l := r.idle[len(r.idle)-1]
		r.idle = r.idle[:len(r.idle)-1]
		if time.Since(l.spoken) < idleFor {
			r.mu.Unlock()
			return l, nil
		}
		l.close()
	}
	r.mu.Unlock()
	l := &line{relay: r}
	// The library leaves a connection open when the greeting, the encryption or the
	// sign-in fails, so we hold it ourselves.
	client, err := gomail.NewClient(r.server, append(slices.Clone(r.options), gomail.WithDialContextFunc(l.dial))...)
	if err != nil {
		return nil, fmt.Errorf("mail relay: %w", err)
	}
	if l.client, err = client.DialToSMTPClientWithContext(ctx); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// keep lets the next mail use the conversation.
func (l *line) keep() {
	l.spoken = time.Now()
	l.relay.mu.Lock()
	defer l.relay.mu.Unlock()
	if len(l.relay.idle) >= mostIdle {
		l.close()
		return
	}
	l.relay.idle = append(l.relay.idle, l)
	time.AfterFunc(idleFor, l.relay.tidy)
}

// tidy takes leave of conversations that nobody used for a while.
func (r *Relay) tidy() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = slices.DeleteFunc(r.idle, func(l *line) bool {
		old := time.Since(l.spoken) >= idleFor
		if old {
			l.close()
		}
		return old
	})
}

// Close takes leave of the relay. Mails sent later begin a conversation anew.
func (r *Relay) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.idle {
		l.close()
	}
	r.idle = nil
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := outbound.Via(outbound.Mail, (&net.Dialer{}).DialContext)(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.conn, l.hangUp = conn, func() { _ = conn.Close() }
	if l.relay.secure {
		return tls.Client(conn, l.relay.tls), nil
	}
	return conn, nil
}

// close takes leave, without waiting for an answer that nobody needs.
func (l *line) close() {
	if l.client != nil && !l.open {
		_ = l.client.UpdateDeadline(time.Second)
		_ = l.client.Quit()
	}
	if l.hangUp != nil {
		l.hangUp()
	}
}

// refused tells the 5xx that concerns this mail: a recipient or the content. A 5xx about our sign-in or our sender is a
// matter of configuration, which people mend.
func refused(err error) bool {
	var said *textproto.Error
	return errors.As(err, &said) && said.Code >= 500
}
