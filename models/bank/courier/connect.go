package courier

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"debitdesk/models/outbound"
)

// link is a connection to the bank's server.
type link struct {
	*sftp.Client
	conn *ssh.Client
	stop func() bool // of what ends the connection with its context
}

func (l *link) close() {
	l.stop()
	_ = l.Client.Close()
	_ = l.conn.Close()
}

// connect signs in. The connection ends with ctx.
func (c *Courier) connect(ctx context.Context) (*link, error) {
	key, err := readKey(c.settings.KeyFile, c.settings.Passphrase)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: c.settings.Patience}
	raw, err := outbound.Via(outbound.Bank, dialer.DialContext)(ctx, "tcp", c.settings.Address)
	if err != nil {
		return nil, fmt.Errorf("the server cannot be reached: %w", err)
	}
	patient := &patientConn{raw, c.settings.Patience}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	conn, channels, requests, err := ssh.NewClientConn(patient, c.settings.Address,
		&ssh.ClientConfig{User: c.settings.User,
			Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: c.hostKeys.check,
			HostKeyAlgorithms: c.hostKeys.algorithms()})
	if err != nil {
		stop()
		_ = raw.Close()
		if errors.Is(err, errHostKey) {
			return nil, err
		}
		return nil, fmt.Errorf("the server did not let %s in: %w", c.settings.User, err)
	}
	client := ssh.NewClient(conn, channels, requests)
	files, err := sftp.NewClient(client, sftp.UseConcurrentWrites(true))
	if err != nil {
		stop()
		_ = client.Close()
		return nil, fmt.Errorf("the server offers no file transfer: %w", err)
	}
	return &link{files, client, stop}, nil
}

// patientConn breaks off when the other side is silent for too long. The libraries above wait for ever, and in a
// round there is always an answer to wait for.
type patientConn struct {
	net.Conn
	patience time.Duration
}

func (p *patientConn) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(p.patience)); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

func (p *patientConn) Write(b []byte) (int, error) {
	if err := p.SetWriteDeadline(time.Now().Add(p.patience)); err != nil {
		return 0, err
	}
	return p.Conn.Write(b)
}
