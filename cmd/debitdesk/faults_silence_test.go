package main

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"
)

// mute is a mail relay that takes connections and says nothing, until it may speak.
type mute struct {
	*letterbox
	speak chan struct{}
}

func openMute(t *testing.T) *mute {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mute{letterbox: &letterbox{Listener: l, got: map[string]int{}}, speak: make(chan struct{})}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				<-m.speak
				m.talk(conn)
			}()
		}
	}()
	return m
}

func TestWhileTheMailRelayIsSilentTheDeskGoesOnAndNoMailIsLost(t *testing.T) {
	t.Parallel()
	const invoices = 12
	b, box := newBooks(t), openMute(t)
	b.env["DEBITDESK_SMTP_URL"] = "smtp://" + box.Addr().String()
	p := serving(t, b.env)
	to := ""
	for i := range invoices {
		to += fmt.Sprintf(`,{"client_id":%q}`, b.made(p, "/api/v1/clients/",
			fmt.Sprintf(`{"email":"payer%d@example.com","full_name":"Payer %d"}`, i, i)))
	}
	status, out := b.call(p, http.MethodPost, "/billing/",
		fmt.Sprintf(`{"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"Course fee","price":25000}]},"clients":[%s]}`,
			b.brand, time.Now().Add(240*time.Hour).Unix(), to[1:]))
	if status != http.StatusOK {
		t.Fatal(status, out)
	}
	r := b.rains(p)
	r.more(40)
	p.isWell(t)
	if n := b.number(`SELECT count(*) FROM mails WHERE state = 'queued' AND kind LIKE 'invoice%'`); n != invoices ||
		r.refused.Load()+r.broken.Load() != 0 {
		t.Errorf("%d mails wait; %d requests were refused, %d broken", n, r.refused.Load(), r.broken.Load())
	}
	r.ends()
	close(box.speak)
	b.until("every mail is marked", func() bool {
		return b.number(`SELECT count(*) FROM mails WHERE state = 'queued'`) == 0
	})
	if n := b.number(`SELECT count(*) FROM mails WHERE state = 'sent'`); n < invoices {
		t.Errorf("%d mails were sent", n)
	}
	if mails, again := box.count(); again != 0 || mails < invoices {
		t.Errorf("%d mails came, %d of them again", mails, again)
	}
}

// TestTheClockJumpsAYearAndTheBankKeepsSilentAboutOneDebit moves the row of the clock as
// no page would, with debits under way.
func TestTheClockJumpsAYearAndTheBankKeepsSilentAboutOneDebit(t *testing.T) {
	t.Parallel()
	const each = 6
	b := newBooks(t)
	p := serving(t, b.env)
	_, clock := b.call(p, http.MethodGet, "/sandbox/clock", "")
	now, _ := clock["now"].(float64)
	due := int64(now) + 72*3600
	for n, account := range []string{"6200000000", "6200000001", "6200009901"} {
		payer := b.made(p, "/api/v1/clients/", fmt.Sprintf(
			`{"email":"payer%d@example.com","full_name":"Payer","bank_account":%q,"bank_code":"470010"}`, n, account))
		token := b.made(p, "/api/v1/purchases/", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
			"purchase":{"products":[{"name":"Membership","price":0}],"payment_method_details":{"direct_debit":{"profile_code":"TEST1"}}}}`, payer, b.brand))
		for range each {
			id := b.made(p, "/api/v1/purchases/", fmt.Sprintf(
				`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"December","price":%d}]}}`, payer, b.brand,
				due, cents))
			b.made(p, "/api/v1/purchases/"+id+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token))
		}
	}
	if b.t.Failed() {
		t.FailNow()
	}
	if _, err := b.db.Exec(
		t.Context(),
		`WITH moved AS (UPDATE sandbox_clock SET offset_micros = offset_micros + 400 * 86400 * 1000000::bigint
			RETURNING offset_micros)
		SELECT pg_notify('debitdesk_clock', offset_micros::text) FROM moved`,
	); err != nil {
		t.Fatal(err)
	}
	b.until("everything that was answered is final",
		func() bool { return b.number(`SELECT count(*) FROM collections WHERE state = 'final'`) == 2*each })
	b.until("the silence is noticed", func() bool {
		return b.number(`SELECT count(*) FROM collections WHERE state = 'submitted' AND alerted_at IS NOT NULL`) == each
	})
	for _, check := range []struct {
		what, sql string
		want      int
	}{
		{"cents in the books", `SELECT coalesce(sum(amount_cents), 0)::bigint FROM ledger_entries`, 2 * each * cents},
		{"purchases with exactly one movement of money",
			`SELECT count(*) FROM (SELECT purchase_id FROM ledger_entries GROUP BY 1 HAVING count(*) = 1) AS once`, 2 * each},
		{"instructions at the bank", `SELECT count(*) FROM sandbox_instructions`, 3 * each},
		{"purchases that a silent bank made paid",
			`SELECT count(*) FROM purchases p JOIN collections c ON c.purchase_id = p.id
				WHERE c.state = 'submitted' AND p.status = 'paid'`, 0},
	} {
		if n := b.number(check.sql); n != check.want {
			t.Errorf("%s: %d, want %d", check.what, n, check.want)
		}
	}
	p.isWell(t)
}
