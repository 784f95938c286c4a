package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"debitdesk/models/storetest/thorough"
)

// clerk is a person of the finance department, who works on pages.
type clerk struct {
	*books
	browser *http.Client
}

func (b *books) signIn(on *process) *clerk {
	b.t.Helper()
	const who, secret = "finance@gym.example", "long enough to pass"
	if made := typed(b.t, b.env, secret+"\n", "user", "create", "--email", who, "--role", "admin", "--merchant", "gym",
		"--password-stdin"); made.code != exitOK {
		b.t.Fatalf("%+v", made)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	c := &clerk{b, &http.Client{Jar: jar}}
	c.submit(on, "/login", formType, strings.NewReader(url.Values{"email": {who}, "password": {secret}}.Encode()))
	return c
}

const formType = "application/x-www-form-urlencoded"

// submit sends a form and gives the address of the page that follows.
func (c *clerk) submit(on *process, to, kind string, form io.Reader) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, on.url+to, form)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := c.browser.Do(req)
	if err != nil {
		c.t.Fatalf("%v\n%s", err, on.log)
	}
	defer func() { _ = res.Body.Close() }()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: %d %.1000s %v", to, res.StatusCode, page, err)
	}
	return res.Request.URL.Path
}

// upload gives a file with a row for each client, and begins to check it.
func (c *clerk) upload(on *process, clients []string) (id string) {
	c.t.Helper()
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	_ = parts.WriteField("brand_id", c.brand) // a buffer takes everything
	file, _ := parts.CreateFormFile("file", "fees.csv")
	_, _ = fmt.Fprintln(file, "client id,amount,due date,description")
	due := time.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	for _, client := range clients {
		_, _ = fmt.Fprintf(file, "%s,%d.%02d,%s,Fees\n", client, cents/100, cents%100, due)
	}
	_ = parts.Close()
	id = path.Base(path.Dir(c.submit(on, "/batches", parts.FormDataContentType(), &form)))
	columns := url.Values{"column_0": {"client_id"}, "column_1": {"amount"}, "column_2": {"due"}, "column_3": {"product"}}
	c.submit(on, "/batches/"+id+"/map", formType, strings.NewReader(columns.Encode()))
	return id
}

func (c *clerk) start(on *process, id string, rows int) {
	c.t.Helper()
	var seen string
	must(c.t, c.db.QueryRow(c.t.Context(), `SELECT encode(fingerprint, 'hex') FROM batches WHERE id = $1`, id).Scan(&seen))
	order := url.Values{"rows": {strconv.Itoa(rows)}, "cents": {strconv.Itoa(rows * cents)}, "warnings": {"on"},
		"fingerprint": {seen}}
	c.submit(on, "/batches/"+id+"/start", formType, strings.NewReader(order.Encode()))
}

func (b *books) inState(id, state string) func() bool {
	return func() bool {
		return b.number(`SELECT count(*) FROM batches WHERE id = $1 AND state = $2`, id, state) == 1
	}
}

// rowsSent checks that every row of a batch became an invoice of its own, numbered
// in the order of the file, and that its totals say so.
func (b *books) rowsSent(id string, rows int) {
	b.t.Helper()
	for _, check := range []struct {
		what, sql string
		want      int
	}{
		{"rows sent, as the batch counts",
			`SELECT (counts->>'sent')::int FROM batches WHERE id = $1 AND total_rows = (counts->>'sent')::int`, rows},
		{"cents sent, as the batch counts", `SELECT (counts->>'sent_cents')::int FROM batches WHERE id = $1`, rows * cents},
		{"rows with an invoice",
			`SELECT count(DISTINCT i.id) FROM batch_rows r JOIN invoices i ON i.purchase_id = r.purchase_id
				AND i.number = r.number AND i.client_id = r.client_id
			WHERE r.batch_id = $1 AND r.state = 'sent'`, rows},
		{"rows out of order",
			`SELECT count(*) FROM (SELECT serial - row_number() OVER (ORDER BY n) AS off
				FROM batch_rows r JOIN invoices i ON i.purchase_id = r.purchase_id
			WHERE r.batch_id = $1) AS numbered WHERE off <> 0`, 0},
	} {
		if n := b.number(check.sql, id); n != check.want {
			b.t.Errorf("%s: %d, want %d", check.what, n, check.want)
		}
	}
}

// afterKill has what a dead server had taken run out, as time would.
func (b *books) afterKill() {
	b.t.Helper()
	for _, sql := range []string{
		`UPDATE mails SET claimed_until = now() - interval '1 second' WHERE claimed_until IS NOT NULL`,
		`UPDATE batches SET worked_at = now() - interval '1 minute'`,
	} {
		if _, err := b.db.Exec(b.t.Context(), sql); err != nil {
			b.t.Fatal(err)
		}
	}
}

// TestKilledWhileABatchIsSentEveryRowBecomesOneInvoice kills the server at random
// moments, the first of them while it checks the rows.
func TestKilledWhileABatchIsSentEveryRowBecomesOneInvoice(t *testing.T) {
	t.Parallel()
	const mailed, checking = 10, 3
	rows, kills := thorough.Times(3_000, 6_000), thorough.Times(7, 12)
	b := newBooks(t)
	box := openLetterbox(t)
	b.env["DEBITDESK_SMTP_URL"] = "smtp://" + box.Addr().String()
	p := serving(t, b.env)
	c := b.signIn(p)
	id := c.upload(p, b.payers(p, rows, mailed))
	chance := rand.New(rand.NewPCG(2026, 11)) //nolint:gosec // no secret
	for kill := range kills {
		if kill == checking {
			b.until("checked", b.inState(id, "checked"))
			c.start(p, id, rows)
		}
		progress, most := `SELECT count(*) FROM batch_rows WHERE state = 'sent'`, rows/kills
		if kill < checking {
			progress, most = `SELECT count(*) FROM batch_rows WHERE state <> 'new'`, rows/checking
		}
		life, moment := min(rows, b.number(progress)+1+chance.IntN(most)),
			time.Duration(chance.Int64N(int64(100*time.Millisecond)))
		b.until("it goes on", func() bool { return b.number(progress) >= life })
		<-time.After(moment)
		p.end(syscall.SIGKILL)
		b.kills++
		came, _ := box.count()
		t.Logf("kill %d, %s after row %d: %d rows checked, %d sent, %d mails", kill+1, moment, life,
			b.number(`SELECT count(*) FROM batch_rows WHERE state <> 'new'`),
			b.number(`SELECT count(*) FROM batch_rows WHERE state = 'sent'`), came)
		b.afterKill()
		p = serving(t, b.env)
	}
	b.until("the batch is done", b.inState(id, "done"))
	b.rowsSent(id, rows)
	b.invoicedOnce(1, rows, mailed, box)
}

// TestTwoServersWorkOnOneBatchWithTheSameResult calls both of them to it and takes it from whoever has claimed it, as
// if that server had stalled, until both have come: for a while they do the same rows.
func TestTwoServersWorkOnOneBatchWithTheSameResult(t *testing.T) {
	t.Parallel()
	const mailed = 20
	rows := thorough.Times(2_500, 5_000)
	b := newBooks(t)
	boxes := []*letterbox{openLetterbox(t), openLetterbox(t)}
	var servers []*process
	for _, box := range boxes {
		b.env["DEBITDESK_SMTP_URL"] = "smtp://" + box.Addr().String()
		servers = append(servers, serving(t, b.env))
	}
	c := b.signIn(servers[0])
	id := c.upload(servers[0], b.payers(servers[0], rows, mailed))
	both := func(since int) func() bool {
		return func() bool {
			if b.number(`SELECT count(DISTINCT attempted_by[1]) FROM river_job WHERE kind = 'work_batch' AND id > $1`,
				since) == len(servers) {
				return true
			}
			for _, sql := range []string{
				`UPDATE batches SET worked_at = 'epoch'`,
				`INSERT INTO river_job (kind, args, max_attempts) SELECT kind, args, 1 FROM river_job
					WHERE kind = 'work_batch' ORDER BY id DESC LIMIT 1`,
			} {
				if _, err := b.db.Exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			return false
		}
	}
	b.until("both servers check", both(0))
	b.until("checked", b.inState(id, "checked"))
	before := b.number(`SELECT max(id) FROM river_job`)
	c.start(servers[0], id, rows)
	b.until("both servers send", both(before))
	b.until("the batch is done", b.inState(id, "done"))
	b.rowsSent(id, rows)
	b.invoicedOnce(1, rows, mailed, boxes...)
	for _, s := range servers {
		if log := s.log.String(); log != "" {
			t.Errorf("errors in the log:\n%s", log)
		}
	}
}
