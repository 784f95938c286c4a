package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/storetest/thorough"
)

// payers makes clients straight in the table, one in so many with an
// address for mail.
func (b *books) payers(on *process, n, oneIn int) (ids []string) {
	b.t.Helper()
	one := b.made(on, "/api/v1/clients/",
		`{"email":"payer@example.com","full_name":"Payer"}`) // without numbers, which are sealed to their row
	rows, err := b.db.Query(b.t.Context(),
		`INSERT INTO clients SELECT (r).* FROM (SELECT jsonb_populate_record(c, jsonb_build_object(
		'id', gen_random_uuid(), 'email', CASE n % $3 WHEN 0 THEN 'payer' || n || '@example.com' ELSE '' END)) AS r
		FROM generate_series(1, $1::int) AS n, (SELECT k FROM clients AS k WHERE id = $2) AS one(c)) AS made
		RETURNING id::text`, n, one, oneIn)
	if err != nil {
		b.t.Fatal(err)
	}
	if ids, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(ids) != n {
		b.t.Fatalf("%d clients: %v", len(ids), err)
	}
	return ids
}

// bill is one request for many invoices under an Idempotency-Key. The answer is
// empty when the server died meanwhile.
func (b *books) bill(on *process, key string, clients []string) (answer string, replayed bool) {
	body := fmt.Sprintf(
		`{"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"School fees","price":%d}]},"clients":[{"client_id":"%s"}]}`,
		b.brand, 1900000000, cents, strings.Join(clients, `"},{"client_id":"`))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, on.url+"/api/v1/billing/", strings.NewReader(body))
	if err != nil {
		b.t.Error(err)
		return "", false
	}
	req.Header.Set("Authorization", "Bearer "+b.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", false
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return "", false
	}
	if res.StatusCode != http.StatusOK {
		b.t.Errorf("billing under %s: %d %s", key, res.StatusCode, raw)
	}
	return string(raw), res.Header.Get("Idempotency-Replayed") != ""
}

// billedOnce checks that each request made one invoice per client, and its answer
// names them.
func (b *books) billedOnce(answers []string, clients, oneIn int, boxes ...*letterbox) {
	b.t.Helper()
	b.invoicedOnce(len(answers), clients, oneIn, boxes...)
	for _, of := range []string{`SELECT count(*) FROM audit_entries WHERE action = 'billing.sent'`,
		`SELECT count(*) FROM idempotency_keys`} {
		if n := b.number(of); n != len(answers) {
			b.t.Errorf("%s: %d, want %d", of, n, len(answers))
		}
	}
	for _, answer := range answers {
		ids := strings.Split(strings.Trim(strings.TrimSpace(answer), `[]"`), `","`)
		if n := b.number(`SELECT count(*) FROM purchases WHERE id = ANY($1::uuid[])`, ids); n != clients {
			b.t.Errorf("an answer names %d purchases that are there, want %d", n, clients)
		}
	}
}

// invoicedOnce checks that each client was invoiced so many times, in numbers without
// gaps, and that one mail arrived for each invoice of a client with an address.
func (b *books) invoicedOnce(times, clients, oneIn int, boxes ...*letterbox) {
	b.t.Helper()
	want, mailed := times*clients, times*clients/oneIn
	b.until("all mails are marked", func() bool {
		return b.number(`SELECT count(*) FROM mails WHERE state <> 'sent'`) == 0
	})
	for _, check := range []struct {
		what, sql string
		want      int
	}{
		{"purchases", `SELECT count(*) FROM purchases`, want},
		{"purchases of the amount", fmt.Sprintf(`SELECT count(*) FROM purchases WHERE total_cents = %d`, cents), want},
		{"invoices of purchases",
			`SELECT count(*) FROM invoices i JOIN purchases p ON p.id = i.purchase_id AND p.client_id = i.client_id
				AND p.total_cents = i.total_cents`, want},
		{"clients with another number of invoices",
			fmt.Sprintf(`SELECT count(*) FROM (SELECT client_id FROM invoices GROUP BY 1 HAVING count(*) <> %d) AS odd`, times),
			0},
		{"clients with invoices", `SELECT count(DISTINCT client_id) FROM invoices`, clients},
		{"the highest number", `SELECT max(serial) FROM invoices`, want},
		{"different numbers", `SELECT count(DISTINCT number) FROM invoices`, want},
		{"the next number", `SELECT next FROM invoice_series WHERE kind = 'invoice'`, want + 1},
		{"purchases in the audit, once each",
			`SELECT count(*) FROM (SELECT purchase_id FROM audit_entries WHERE action = 'purchase.created'
				GROUP BY 1 HAVING count(*) = 1) AS once`, want},
		{"mails", `SELECT count(*) FROM mails`, mailed},
		{"purchases that are sent", `SELECT count(*) FROM purchases WHERE status = 'sent'`, mailed},
	} {
		if n := b.number(check.sql); n != check.want {
			b.t.Errorf("%s: %d, want %d", check.what, n, check.want)
		}
	}
	mails, again := 0, 0
	for _, box := range boxes {
		m, a := box.count()
		mails, again = mails+m, again+a
	}
	if mails-again != mailed || again > mayRepeat(b.kills) {
		b.t.Errorf("%d mails came, %d of them again, want %d", mails, again, mailed)
	}
}

// mayRepeat is how many mails may come again, under their old message id, after so
// many kills. A relay has the last byte a moment before that can be noted; a process
// that is killed in just that moment cannot know (SMTP has no way to ask). Without
// the note each kill would repeat what is under way, several mails.
func mayRepeat(kills int) int { return kills / 6 }

// attempt is a request that the server may not live to answer.
type attempt struct {
	answer   string
	replayed bool
}

// billKilled sends a request and kills the server after a moment; the zero moment
// waits for the commit, which may be before the answer.
func (b *books) billKilled(p *process, key string, clients []string, moment time.Duration) attempt {
	b.t.Helper()
	const issued = `SELECT count(*) FROM invoices`
	before := b.number(issued)
	answered := make(chan attempt, 1)
	go func() {
		answer, replayed := b.bill(p, key, clients)
		answered <- attempt{answer, replayed}
	}()
	var a attempt
	over := time.After(moment)
	for wait := true; wait; {
		switch {
		case len(answered) == 1:
			wait = false
		case moment == 0:
			wait = b.number(issued) == before
		default:
			select {
			case <-over:
				wait = false
			case a = <-answered:
				answered <- a
			}
		}
	}
	p.end(syscall.SIGKILL)
	a = <-answered
	after := b.number(issued)
	if n := after - before; n != 0 && n != len(clients) {
		b.t.Errorf("killed after %s: %d invoices were made", moment, n)
	}
	b.t.Logf("killed after %s (0: at the commit): %d invoices more, answered: %v, again: %v", moment, after-before,
		a.answer != "", a.replayed)
	return a
}

// TestKilledWhileInvoicesAreMadeNoneIsLostOrMadeTwice kills the server at many
// moments of requests for many invoices, most of them random, and repeats each
// request after the restart until it is answered. Who sends the mails comes last.
func TestKilledWhileInvoicesAreMadeNoneIsLostOrMadeTwice(t *testing.T) {
	t.Parallel()
	const mailed = 10
	invoices, kills := thorough.Times(350, 600), thorough.Times(7, 12)
	b := newBooks(t)
	box := openLetterbox(t)
	b.env["DEBITDESK_SMTP_URL"] = "smtp://" + box.Addr().String()
	p := serving(t, b.env, "--no-workers")
	clients := b.payers(p, invoices, mailed)
	began := time.Now()
	first, _ := b.bill(p, "request 0", clients)
	whole := time.Since(began)
	answers := []string{first}
	chance := rand.New(rand.NewPCG(2026, 11)) //nolint:gosec // no secret
	for kill := range kills {
		moment := time.Duration(chance.Int64N(int64(whole)))
		if kill%4 == 3 {
			moment = 0
		}
		if a := b.billKilled(p, fmt.Sprintf("request %d", len(answers)), clients, moment); a.answer != "" {
			answers = append(answers, a.answer)
		}
		p = serving(t, b.env, "--no-workers")
	}
	last, _ := b.bill(p, fmt.Sprintf("request %d", len(answers)), clients)
	answers = append(answers, last)
	for i, want := range answers { // and once more, when all is over
		if got, replayed := b.bill(p, fmt.Sprintf("request %d", i), clients); got != want || !replayed {
			t.Errorf("request %d is answered otherwise when it is repeated", i)
		}
	}
	serving(t, b.env)
	b.billedOnce(answers, invoices, mailed, box)
}

// TestTwoServersGetTheSameRequestAtOnceAndShareItsMails: one of them makes the
// invoices, both answer the same, and each mail goes out by one of them.
func TestTwoServersGetTheSameRequestAtOnceAndShareItsMails(t *testing.T) {
	t.Parallel()
	const invoices, requests = 300, 4
	b := newBooks(t)
	boxes := []*letterbox{openLetterbox(t), openLetterbox(t)}
	var servers []*process
	for _, box := range boxes {
		b.env["DEBITDESK_SMTP_URL"] = "smtp://" + box.Addr().String()
		servers = append(servers, serving(t, b.env))
	}
	clients := b.payers(servers[0], invoices, 1)
	var answers []string
	for round := range requests {
		got := make([]string, len(servers))
		var wait sync.WaitGroup
		for i, s := range servers {
			wait.Go(func() { got[i], _ = b.bill(s, fmt.Sprintf("request %d", round), clients) })
		}
		wait.Wait()
		if got[0] != got[1] || got[0] == "" {
			t.Fatalf("the two servers answer otherwise: %.60s and %.60s", got[0], got[1])
		}
		answers = append(answers, got[0])
	}
	b.billedOnce(answers, invoices, 1, boxes...)
	for i, box := range boxes {
		n, _ := box.count()
		t.Logf("server %d sent %d mails", i+1, n)
	}
}
