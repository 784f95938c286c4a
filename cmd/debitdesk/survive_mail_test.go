package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"debitdesk/models/storetest/thorough"
)

// letterbox is a mail relay that counts what it was given, by recipient and message id.
type letterbox struct {
	net.Listener
	mu  sync.Mutex
	got map[string]int
}

func openLetterbox(t *testing.T) *letterbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &letterbox{Listener: l, got: map[string]int{}}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go b.talk(conn)
		}
	}()
	return b
}

func (b *letterbox) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in, to := bufio.NewReader(conn), ""
	say := func(line string) { _, _ = fmt.Fprint(conn, line+"\r\n") }
	say("220 letterbox")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, rest, _ := strings.Cut(strings.TrimSpace(line), " "); verb {
		case "RCPT":
			to = rest
			say("250 fine")
		case "DATA":
			say("354 go on")
			id, ended := b.content(in)
			if !ended {
				return // no end, no mail
			}
			b.mu.Lock()
			b.got[to+" "+id]++
			b.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func (b *letterbox) content(in *bufio.Reader) (id string, ended bool) {
	for {
		line, err := in.ReadString('\n')
		switch {
		case err != nil:
			return "", false
		case line == ".\r\n":
			return id, true
		case strings.HasPrefix(strings.ToLower(line), "message-id:"):
			id = strings.TrimSpace(line)
		}
	}
}

// count gives how many mails came, and how many of them came again.
func (b *letterbox) count() (mails, again int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.got {
		mails += n
		again += n - 1
	}
	return mails, again
}

// TestKilledWhileInvoicesAreMailedEachPayerGetsOne kills the server in the midst of
// sending, and starts it again.
func TestKilledWhileInvoicesAreMailedEachPayerGetsOne(t *testing.T) {
	t.Parallel()
	invoices, kills := thorough.Times(200, 400), thorough.Times(4, 6)
	b := newBooks(t)
	box := openLetterbox(t)
	b.env["DEBITDESK_SMTP_URL"] = "smtp://" + box.Addr().String()
	p := serving(t, b.env)
	clients := make([]string, invoices)
	for i := range clients {
		if i < 20 {
			clients[i] = b.made(p, "/api/v1/clients/", fmt.Sprintf(`{"email":"payer%d@example.com","full_name":"Payer %d"}`, i,
				i))
		} else {
			clients[i] = clients[i%20]
		}
	}
	to := `{"client_id":"` + strings.Join(clients, `"},{"client_id":"`) + `"}`
	status, out := b.call(p, http.MethodPost, "/billing/",
		fmt.Sprintf(`{"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"Course fee","price":25000}]},"clients":[%s]}`,
			b.brand, time.Now().Add(240*time.Hour).Unix(), to))
	if status != http.StatusOK {
		t.Fatal(status, out)
	}
	seed := rand.New(rand.NewPCG(2026, 12)) //nolint:gosec // the same moments in every run
	for kill := range kills {
		came, _ := box.count()
		b.until("mails came", func() bool { n, _ := box.count(); return n > min(came+seed.IntN(invoices/kills), invoices-1) })
		p.end(syscall.SIGKILL)
		b.kills++
		// Time would let the claims lapse.
		if _, err := b.db.Exec(t.Context(),
			`UPDATE mails SET claimed_until = now() - interval '1 second' WHERE claimed_until IS NOT NULL`); err != nil {
			t.Fatal(err)
		}
		t.Logf("kill %d after %d mails", kill+1, came)
		p = serving(t, b.env)
	}
	b.until("all mails are marked", func() bool {
		return b.number(`SELECT count(*) FROM mails WHERE state = 'queued'`) == 0
	})
	if mails, again := box.count(); mails-again != invoices || again > mayRepeat(b.kills) {
		t.Errorf("%d mails came, %d of them again", mails, again)
	}
	if n := b.number(`SELECT count(*) FROM purchases WHERE status = 'sent'`); n != invoices {
		t.Errorf("%d purchases are sent", n)
	}
	if n := b.number(`SELECT count(*) FROM invoices WHERE serial BETWEEN 1 AND $1`, invoices); n != invoices {
		t.Errorf("%d invoices have a number without a gap", n)
	}
}

// until waits for a condition, two minutes at most: other tests want the machine too.
func (b *books) until(what string, met func() bool) {
	b.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !met(); <-tick.C {
		if time.Now().After(deadline) {
			b.t.Fatalf("never: %s", what)
		}
	}
}
