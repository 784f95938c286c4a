// Package plans holds the statements of a running product against what PostgreSQL would do with them: it stands between
// the product and its database, takes down what is asked with its values, and explains it. Tests and the bench use it.
package plans

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Statement is one that was asked, with its values as they travelled.
type Statement struct {
	SQL     string
	For     string // what was done when it was asked first
	types   []uint32
	values  [][]byte
	formats []int16
	noSort  bool // it was asked with the planner told to sort nothing that an index has in order
}

// Listener forwards connections to a database and takes down their statements.
type Listener struct {
	to   *pgx.ConnConfig
	at   net.Listener
	mu   sync.Mutex
	what string
	kept map[string]Statement // by the statement and what was done
	trip map[string]int       // round trips, by what was done
}

// Listen stands before the database that a connection string names.
func Listen(dsn string) (*Listener, error) {
	to, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	l := &Listener{to: to, kept: map[string]Statement{}, trip: map[string]int{}}
	if l.at, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	go l.accept()
	return l, nil
}

// DSN leads to the database by way of the listener.
func (l *Listener) DSN() string {
	u := url.URL{Scheme: "postgres", User: url.User(l.to.User), Host: l.at.Addr().String(), Path: "/" + l.to.Database,
		RawQuery: "sslmode=disable"}
	if l.to.Password != "" {
		u.User = url.UserPassword(l.to.User, l.to.Password)
	}
	return u.String()
}

// Close takes no more connections.
func (l *Listener) Close() error { return l.at.Close() }

// Doing names what the next statements are asked for.
func (l *Listener) Doing(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.what = what
}

// Statements are those that were asked while something named was done, each once for each of what was done.
func (l *Listener) Statements() []Statement {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Statement
	for _, s := range l.kept {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Statement) int {
		return strings.Compare(a.For+"\x00"+a.SQL, b.For+"\x00"+b.SQL)
	})
	return out
}

// Trips tells how often something that was done waited for the database.
func (l *Listener) Trips(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trip[what]
}

// took counts a round trip.
func (l *Listener) took() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.what != "" {
		l.trip[l.what]++
	}
}

func (l *Listener) accept() {
	for {
		from, err := l.at.Accept()
		if err != nil {
			return
		}
		go l.serve(from)
	}
}

func (l *Listener) serve(from net.Conn) {
	defer func() { _ = from.Close() }()
	network, address := "tcp", net.JoinHostPort(l.to.Host, strconv.Itoa(int(l.to.Port)))
	if strings.HasPrefix(l.to.Host, "/") {
		network, address = "unix", l.to.Host+"/.s.PGSQL."+strconv.Itoa(int(l.to.Port))
	}
	to, err := net.Dial(network, address)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	go func() {
		_, _ = io.Copy(from, to)
		_ = from.Close()
	}()
	_ = l.forward(from, to)
}

// prepared are the statements of one connection, by their names.
type prepared map[string]Statement

// What says, until the end of a batch or until the other is said, that nothing is sorted, and that it is.
const (
	unsorted = "SELECT set_config('enable_sort', 'off', true)"
	sorted   = "SELECT set_config('enable_sort', 'on', true)"
)

// forward passes on what a client says, and takes down what it asks.
func (l *Listener) forward(from io.Reader, to io.Writer) error {
	if err := pass(from, to, nil); err != nil { // the greeting has no letter
		return err
	}
	known := prepared{}
	noSort := false
	letter := make([]byte, 1)
	for {
		if _, err := io.ReadFull(from, letter); err != nil {
			return err
		}
		var body bytes.Buffer
		if _, err := to.Write(letter); err != nil {
			return err
		}
		if err := pass(from, to, &body); err != nil {
			return err
		}
		if err := l.hear(letter[0], body.Bytes(), known, &noSort); err != nil {
			return err
		}
	}
}

// pass forwards one message after its letter.
func pass(from io.Reader, to io.Writer, body *bytes.Buffer) error {
	head := make([]byte, 4)
	if _, err := io.ReadFull(from, head); err != nil {
		return err
	}
	length := int64(binary.BigEndian.Uint32(head)) - 4
	if length < 0 {
		return errors.New("a message of less than its own length")
	}
	content := make([]byte, length)
	if _, err := io.ReadFull(from, content); err != nil {
		return err
	}
	if body != nil {
		body.Write(content)
	}
	_, err := to.Write(append(head, content...))
	return err
}

func (l *Listener) hear(letter byte, body []byte, known prepared, noSort *bool) error {
	switch letter {
	case 'S': // the end of a batch
		*noSort = false
		l.took()
	case 'P':
		var m pgproto3.Parse
		if err := m.Decode(body); err != nil {
			return fmt.Errorf("what a client prepares: %w", err)
		}
		known[m.Name] = Statement{SQL: m.Query, types: slices.Clone(m.ParameterOIDs)}
	case 'B':
		var m pgproto3.Bind
		if err := m.Decode(body); err != nil {
			return fmt.Errorf("what a client asks: %w", err)
		}
		s := known[m.PreparedStatement]
		*noSort = (*noSort || s.SQL == unsorted) && s.SQL != sorted
		s.noSort = *noSort
		s.formats = slices.Clone(m.ParameterFormatCodes)
		for _, v := range m.Parameters {
			s.values = append(s.values, slices.Clone(v))
		}
		l.keep(s)
	case 'Q':
		var m pgproto3.Query
		if err := m.Decode(body); err != nil {
			return err
		}
		l.keep(Statement{SQL: m.String})
		l.took()
	}
	return nil
}

func (l *Listener) keep(s Statement) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.what == "" {
		return
	}
	s.For = l.what
	if _, ok := l.kept[s.For+"\x00"+s.SQL]; !ok {
		l.kept[s.For+"\x00"+s.SQL] = s
	}
}
